"""JSON values of primitive types and enumerations in each version, and the facets of properties, reckoned exactly.

`read_value` takes what stands in a body and gives it in JSON terms (see the package); `write_value` is the way back.

| type | V2 | V3 | V4 |
|---|---|---|---|
| `Edm.Int64`, `Edm.Decimal` | text | text or number | number, text with `IEEE754Compatible=true` |
| `Edm.Double`, `Edm.Single`, `Edm.Byte`, `Edm.SByte` | number or text | number or text | number; `INF`, `-INF`, `NaN` |
| `Edm.DateTime` | `/Date(ms)/`, or ISO | ISO, or `/Date(ms)/` | – |
| `Edm.DateTimeOffset` | `/Date(ms+minutes)/`, or ISO | as V2 | ISO with offset |
| `Edm.Time` | `PT12H30M00S` | the same, or `12:30:00` | – |
| `Edm.Binary` | base64 | base64 | base64url |
"""

from collections.abc import Callable
from decimal import Decimal

from clew.domain.errors import MalformedText
from clew.domain.records import JsonValue
from clew.domain.services import EnumType
from clew.protocol import dates
from clew.protocol.primitives import (
    INTEGER_RANGES,
    SPECIAL_NUMBERS,
    base64url_of_bytes,
    bytes_of_base64url,
    check_guid,
    check_range,
    is_v4,
    read_decimal,
)

__all__ = ["comparable", "read_enum", "read_value", "write_value"]

_FLOATING = ("Edm.Double", "Edm.Single")
_SHORT_INTEGERS = ("Edm.Byte", "Edm.SByte")


def read_value(value: JsonValue, type: str, version: str, *, ieee754: bool = False) -> JsonValue:
    """Reads a JSON value of a primitive type; `null` is `None`, types that this module does not know pass as they are.

    A number with an integral value, such as `1.0`, is taken for an integer type. `ieee754` says whether the body was
    announced with `IEEE754Compatible=true` (V4 alone).

    Raises:
        MalformedText: `JSON_TYPE` (another JSON type), `DECIMAL_JSON_TYPE`, `V2_INT64_STRING`, `V2_DECIMAL_STRING`
            (text or number where the version wants the other), `LITERAL_RANGE`, and what the type's grammar breaks.
    """
    if value is None:
        return None
    if type in INTEGER_RANGES:
        return _read_integer(value, type, version, ieee754=ieee754)
    if type == "Edm.Decimal":
        return _read_decimal(value, version, ieee754=ieee754)
    if type in _FLOATING:
        return _read_floating(value, type, version)
    if type == "Edm.Boolean":
        if not isinstance(value, bool):
            raise _wrong(value, type, "true or false")
        return value
    read = _TEXTS.get(type)
    if read is None:
        return value
    if not isinstance(value, str):
        raise _wrong(value, type, "text in quotes")
    return read(value, version)


def write_value(value: JsonValue, type: str, version: str, *, ieee754: bool = False) -> JsonValue:
    """Writes a value in JSON terms as the version's JSON writes it.

    Numbers may be given as text, a plain date stands for an `Edm.DateTime`. Structured and unknown types pass.

    Raises:
        MalformedText: the value is none of that type.
    """
    if value is None or isinstance(value, list | dict):
        return value
    if type in INTEGER_RANGES:
        whole = _integral(value, type)
        as_text = (type == "Edm.Int64" and not is_v4(version)) or (type == "Edm.Int64" and ieee754)
        return str(whole) if as_text else whole
    if type in ("Edm.Decimal", *_FLOATING):
        return _write_number(value, type, version, ieee754=ieee754)
    write = _WRITERS.get(type)
    return write(value, version) if write is not None and isinstance(value, str) else value


def read_enum(value: JsonValue, enum: EnumType) -> str:
    """Reads an enumeration's JSON value: a member's name, or its number as text; with flags several, by comma.

    Numbers come out as names where members make them up. Names are case-sensitive (CSDL 4.01, clause 10.3).

    Raises:
        MalformedText: `JSON_TYPE`, `ENUM_SYNTAX` (not separated by a comma), `ENUM_NOT_FLAGS`, `ENUM_UNKNOWN`.
    """
    if not isinstance(value, str):
        raise MalformedText("JSON_TYPE", f"{_shown(value)} is no member of {enum.name}; write its name in quotes")
    names = {member.name: member.value for member in enum.members}
    parts = [part.strip() for part in value.split(",")]
    if len(parts) > 1 and not enum.flags:
        raise MalformedText("ENUM_NOT_FLAGS", f"{enum.name} takes one member only, of {_allowed(names)}")
    return ",".join(name for part in parts for name in _members(part, enum, names))


def comparable(value: JsonValue, type: str) -> JsonValue:
    """Gives what two values of a type are compared by: instants and durations in picoseconds, GUIDs in lower case.

    A text that is no value of its type is compared as text.
    """
    if not isinstance(value, str):
        return value
    try:
        if type in ("Edm.DateTime", "Edm.DateTimeOffset", "Edm.Date"):
            return dates.instant_ps(value)
        if type in ("Edm.TimeOfDay", "Edm.Time"):
            return dates.time_of_day_ps(value)
        if type == "Edm.Duration":
            return dates.duration_ps(value)
        if (type in INTEGER_RANGES or type in ("Edm.Decimal", *_FLOATING)) and value not in SPECIAL_NUMBERS:
            return read_decimal(value)
    except MalformedText:
        return value
    return value.lower() if type == "Edm.Guid" else value


def _members(part: str, enum: EnumType, names: dict[str, int]) -> list[str]:
    if part in names:
        return [part]
    if part.lstrip("+-").isdigit() and part.isascii():
        return _members_of_number(int(part), enum, names)
    if any(letter in part for letter in "|;+ ") and all(piece in names for piece in _pieces(part)):
        message = f"members of {enum.name} are separated by a comma: {','.join(_pieces(part))}"
        raise MalformedText("ENUM_SYNTAX", message)
    raise MalformedText("ENUM_UNKNOWN", f"{part!r} is no member of {enum.name}; there are {_allowed(names)}")


def _members_of_number(number: int, enum: EnumType, names: dict[str, int]) -> list[str]:
    exact = [name for name, value in names.items() if value == number]
    if exact:
        return exact[:1]
    chosen = [name for name, value in names.items() if value and value & number == value] if enum.flags else []
    covered = 0
    for name in chosen:
        covered |= names[name]
    if not chosen or covered != number:
        raise MalformedText("ENUM_UNKNOWN", f"{number} is no value of {enum.name}; there are {_allowed(names)}")
    return chosen


def _pieces(part: str) -> list[str]:
    for letter in "|;+":
        part = part.replace(letter, " ")
    return part.split()


def _allowed(names: dict[str, int]) -> str:
    listed = list(names)
    return ", ".join(listed[:20]) + (f" and {len(listed) - 20} more" if len(listed) > 20 else "")


def _read_integer(value: JsonValue, type: str, version: str, *, ieee754: bool) -> int:
    v4 = is_v4(version)
    if isinstance(value, str):
        takes_text = (ieee754 and type == "Edm.Int64") if v4 else type in ("Edm.Int64", *_SHORT_INTEGERS)
        if not takes_text:
            raise _wrong(value, type, "a number without quotes")
        return check_range(_integral(value, type), type)
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
        raise _wrong(value, type, "a whole number")
    if type == "Edm.Int64" and not v4 and not version.startswith("V3"):
        raise MalformedText("V2_INT64_STRING", f'OData V2 writes Edm.Int64 as text: "{value}"')
    if type == "Edm.Int64" and v4 and ieee754:
        raise MalformedText("DECIMAL_JSON_TYPE", f'IEEE754Compatible=true was announced: write "{value}" in quotes')
    return check_range(_integral(value, type), type)


def _integral(value: JsonValue, type: str) -> int:
    number = read_decimal(value) if isinstance(value, str) else value
    if isinstance(number, bool) or not isinstance(number, int | Decimal):
        raise _wrong(value, type, "a whole number")
    if number != int(number):
        raise MalformedText("JSON_TYPE", f"{value} is no {type}, which has no fraction")
    return int(number)


def _read_decimal(value: JsonValue, version: str, *, ieee754: bool) -> JsonValue:
    wants_text = ieee754 if is_v4(version) else version.startswith(("V1", "V2"))
    if isinstance(value, str):
        if not wants_text and is_v4(version):
            message = f"Edm.Decimal is a JSON number; {value!r} in quotes needs IEEE754Compatible=true in Content-Type"
            raise MalformedText("DECIMAL_JSON_TYPE", message)
        return Decimal(read_decimal(value))
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
        raise _wrong(value, "Edm.Decimal", "a number")
    if wants_text:
        if is_v4(version):
            raise MalformedText("DECIMAL_JSON_TYPE", f'IEEE754Compatible=true was announced: write "{value}" in quotes')
        raise MalformedText("V2_DECIMAL_STRING", f'OData V2 writes Edm.Decimal as text: "{value}"')
    return Decimal(value)


def _read_floating(value: JsonValue, type: str, version: str) -> JsonValue:
    if isinstance(value, str):
        if value in SPECIAL_NUMBERS:
            return value
        if is_v4(version):
            raise _wrong(value, type, "a number without quotes")
        return read_decimal(value)
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
        raise _wrong(value, type, "a number")
    return Decimal(value)


def _write_number(value: JsonValue, type: str, version: str, *, ieee754: bool) -> JsonValue:
    if value in SPECIAL_NUMBERS:
        return value
    number = read_decimal(value) if isinstance(value, str) else value
    if isinstance(number, bool) or not isinstance(number, int | Decimal):
        raise _wrong(value, type, "a number")
    if type == "Edm.Decimal":
        as_text = ieee754 if is_v4(version) else version.startswith(("V1", "V2"))
        return f"{number:f}" if as_text else number
    return str(number) if version.startswith(("V1", "V2")) and type == "Edm.Double" else number


def _read_v2_date_time(text: str, version: str) -> str:
    if text.startswith("/Date("):
        iso = dates.parse_v2_date(text)
        return iso[:19] + iso[19:].rstrip("Z").partition("+")[0].partition("-")[0]
    if version.startswith("V3") and len(text) == len("2025-03-01"):
        return dates.check_date(text) + "T00:00:00"
    return dates.check_date_time(text)


def _has_offset(iso: str) -> bool:
    return iso.endswith("Z") or "+" in iso[19:] or "-" in iso[19:]


def _read_date_time_offset(text: str, version: str) -> str:
    if text.startswith("/Date(") and not is_v4(version):
        iso = dates.parse_v2_date(text)
        return iso if _has_offset(iso) else iso + "Z"
    return dates.check_date_time_offset(text)


def _read_time(text: str, version: str) -> str:
    if version.startswith("V3") and ":" in text:
        return dates.check_time_of_day(text)
    return dates.check_time(text)


def _of(check: Callable[[str], str]) -> Callable[[str, str], str]:
    return lambda text, _version: check(text)


_TEXTS: dict[str, Callable[[str, str], str]] = {
    "Edm.String": _of(str),
    "Edm.Guid": _of(check_guid),
    "Edm.Binary": _of(lambda text: base64url_of_bytes(bytes_of_base64url(text))),
    "Edm.Date": _of(dates.check_date),
    "Edm.TimeOfDay": _of(dates.check_time_of_day),
    "Edm.Duration": _of(dates.check_duration),
    "Edm.DateTime": _read_v2_date_time,
    "Edm.DateTimeOffset": _read_date_time_offset,
    "Edm.Time": _read_time,
}


def _write_date_time(value: str, version: str) -> str:
    if version.startswith(("V1", "V2")):
        return dates.format_v2_date(value)
    return value if "T" in value.upper() else value + "T00:00:00"


def _write_date_time_offset(value: str, version: str) -> str:
    return value if version.startswith(("V3", "V4")) else dates.format_v2_date(value)


def _write_time(value: str, version: str) -> str:
    if ":" in value and not version.startswith("V3"):
        return dates.format_duration(dates.time_of_day_ps(value))
    return value


def _write_binary(value: str, version: str) -> str:
    if is_v4(version):
        return value
    padded = value.replace("-", "+").replace("_", "/")
    return padded + "=" * (-len(padded) % 4)


_WRITERS: dict[str, Callable[[str, str], str]] = {
    "Edm.DateTime": _write_date_time,
    "Edm.DateTimeOffset": _write_date_time_offset,
    "Edm.Time": _write_time,
    "Edm.Binary": _write_binary,
}


def _wrong(value: JsonValue, type: str, right: str) -> MalformedText:
    return MalformedText("JSON_TYPE", f"{_shown(value)} is no {type}; write {right}")


def _shown(value: JsonValue) -> str:
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        return "an array"
    if isinstance(value, bool):
        return "true" if value else "false"
    return repr(value[:40]) if isinstance(value, str) else str(value)
