"""How literals are spelt: their prefixes in each version, examples for messages, and the writing of values."""

from collections.abc import Callable
from decimal import Decimal

from clew.domain.errors import MalformedText
from clew.domain.records import JsonValue
from clew.protocol import dates
from clew.protocol.primitives import (
    INTEGER_RANGES,
    SPECIAL_NUMBERS,
    base64url_of_bytes,
    base64url_of_hex,
    bytes_of_base64url,
    check_guid,
    check_range,
    is_v4,
    read_decimal,
)

__all__ = ["V2_PREFIXES", "V4_PREFIXES", "example_of", "format_literal", "quote"]

_Reader = Callable[[str], str]

V2_PREFIXES: dict[str, tuple[str, _Reader]] = {
    "datetime": ("Edm.DateTime", dates.check_date_time),
    "datetimeoffset": ("Edm.DateTimeOffset", dates.check_date_time_offset),
    "time": ("Edm.Time", dates.check_time),
    "guid": ("Edm.Guid", check_guid),
    "binary": ("Edm.Binary", base64url_of_hex),
    "X": ("Edm.Binary", base64url_of_hex),
    "geography": ("Edm.Geography", str),
    "geometry": ("Edm.Geometry", str),
}
V4_PREFIXES: dict[str, tuple[str, _Reader]] = {
    "duration": ("Edm.Duration", dates.check_duration),
    "binary": ("Edm.Binary", lambda text: base64url_of_bytes(bytes_of_base64url(text))),
    "geography": ("Edm.Geography", str),
    "geometry": ("Edm.Geometry", str),
}


_FLOATING = ("Edm.Double", "Edm.Single", "Edm.Decimal")
_NUMERIC = {*INTEGER_RANGES, *_FLOATING}

_EXAMPLES = {
    "Edm.String": ("'text'", "'text'"),
    "Edm.Guid": ("guid'3f2504e0-4f89-41d3-9a0c-0305e82c3301'", "3f2504e0-4f89-41d3-9a0c-0305e82c3301"),
    "Edm.DateTime": ("datetime'2025-03-01T00:00:00'", "2025-03-01T00:00:00Z"),
    "Edm.DateTimeOffset": ("datetimeoffset'2025-03-01T00:00:00Z'", "2025-03-01T00:00:00Z"),
    "Edm.Date": ("datetime'2025-03-01T00:00:00'", "2025-03-01"),
    "Edm.Time": ("time'PT12H30M00S'", "12:30:00"),
    "Edm.TimeOfDay": ("time'PT12H30M00S'", "12:30:00"),
    "Edm.Duration": ("time'PT1H'", "duration'PT1H'"),
    "Edm.Binary": ("X'0F1E'", "binary'Dx4'"),
    "Edm.Decimal": ("12.50M", "12.50"),
    "Edm.Int64": ("12L", "12"),
    "Edm.Double": ("12.5d", "12.5"),
    "Edm.Single": ("12.5f", "12.5"),
    "Edm.Boolean": ("true", "true"),
}


def example_of(type: str, version: str) -> str:
    """Gives an example of a literal of a type."""
    if not type.startswith("Edm."):
        return f"{type}'Member'"
    return _EXAMPLES.get(type, ("1", "1"))[is_v4(version)]


def format_literal(value: JsonValue, type: str, version: str) -> str:
    """Writes a value in JSON terms as a literal for `type`, not yet percent-encoded.

    An enumeration is written with its qualified name, its members as in JSON (`Chilled,Fragile`). A plain date is good
    for an `Edm.DateTime`, a time of day for an `Edm.Time`.

    Raises:
        MalformedText: `LITERAL_TYPE` where the value is none of that type, or what the type's grammar says.
    """
    if value is None:
        return "null"
    if type in _NUMERIC:
        return _format_number(value, type, version)
    if type == "Edm.Boolean":
        if not isinstance(value, bool):
            raise MalformedText("LITERAL_TYPE", f"{value!r} is no Edm.Boolean")
        return "true" if value else "false"
    if isinstance(value, bool | list | dict) or (isinstance(value, int | Decimal | float) and type != "Edm.String"):
        raise MalformedText("LITERAL_TYPE", f"{value!r} is no {type}; write it as text")
    if not isinstance(value, str):
        raise MalformedText("LITERAL_TYPE", f"{value!r} is a number; Edm.String wants text, {str(value)!r}")
    return _format_text(value, type, version)


def quote(text: str) -> str:
    """Writes a text in quotes, doubling those inside."""
    return "'" + text.replace("'", "''") + "'"


def _format_number(value: JsonValue, type: str, version: str) -> str:
    if value in SPECIAL_NUMBERS and type in _FLOATING:
        return str(value)
    number = read_decimal(value) if isinstance(value, str) else value
    if isinstance(number, bool) or not isinstance(number, int | Decimal):
        raise MalformedText("LITERAL_TYPE", f"{value!r} is no {type}")
    if type in INTEGER_RANGES:
        if number != int(number):
            raise MalformedText("LITERAL_TYPE", f"{value!r} is no {type}, which has no fraction")
        digits = str(check_range(int(number), type))
    else:
        digits = str(number) if type != "Edm.Decimal" or not isinstance(number, Decimal) else f"{number:f}"
    if is_v4(version):
        return digits
    return digits + {"Edm.Decimal": "M", "Edm.Int64": "L", "Edm.Double": "d", "Edm.Single": "f"}.get(type, "")


_PREFIX_OF = {type: prefix for prefix, (type, _) in V2_PREFIXES.items() if prefix != "binary"}
_BARE: dict[str, _Reader] = {
    "Edm.Guid": check_guid,
    "Edm.Date": dates.check_date,
    "Edm.DateTimeOffset": dates.check_date_time_offset,
    "Edm.TimeOfDay": dates.check_time_of_day,
}


def _format_text(value: str, type: str, version: str) -> str:
    if type == "Edm.String":
        return quote(value)
    if type == "Edm.Binary":
        content = bytes_of_base64url(value)
        return f"binary'{base64url_of_bytes(content)}'" if is_v4(version) else f"X'{content.hex().upper()}'"
    if is_v4(version):
        if (check := _BARE.get(type)) is not None:
            return check(value)
        if type == "Edm.Duration":
            return f"duration{quote(dates.check_duration(value))}"
    elif (prefix := _PREFIX_OF.get(type)) is not None:
        return prefix + quote(V2_PREFIXES[prefix][1](_completed(value, type)))
    if type.startswith("Edm.Geo"):
        return ("geometry" if "metr" in type else "geography") + quote(value)
    return quote(value) if type.startswith("Edm.") else type + quote(value)


def _completed(value: str, type: str) -> str:
    if type == "Edm.DateTime" and len(value) == len("2025-03-01"):
        return dates.check_date(value) + "T00:00:00"
    if type == "Edm.Time" and ":" in value:
        return dates.format_duration(dates.time_of_day_ps(value))
    return value
