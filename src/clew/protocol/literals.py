"""Literals of primitive values in URLs: those of V2 and V3, and those of V4 (OData ABNF 4.01, section 7).

A literal is read in two ways: *by its spelling alone* (`scan_literal`, `parse_literal` without a type), as in a
`$filter`; or *for a type* (`parse_literal` with one, `convert_literal`), as in a key predicate, where `1` is good for
an `Edm.Decimal` and `'2'` for an enumeration. All texts here are percent-decoded.
"""

import re
from decimal import Decimal

from clew.domain.errors import MalformedText
from clew.domain.records import JsonValue, Record
from clew.protocol import dates
from clew.protocol.primitives import INTEGER_RANGES, SPECIAL_NUMBERS, check_guid, check_range, is_v4, read_decimal
from clew.protocol.spelling import V2_PREFIXES, V4_PREFIXES, example_of, format_literal, quote

__all__ = ["UrlLiteral", "convert_literal", "format_literal", "parse_literal", "quote", "scan_literal"]


class UrlLiteral(Record, frozen=True, kw_only=True):
    """A literal as read: the Edm type that its spelling says, its value in JSON terms, its text, its position.

    `type` is `Edm.String` and so on, the qualified name of an enumeration, or empty for `null`. Plain digits are
    `Edm.Int32` or the smallest of `Edm.Int64` and `Edm.Decimal` that holds them.
    """

    type: str
    value: JsonValue
    text: str
    position: int = 0


_QUOTED = r"'(?:[^']|'')*'"
_GUID = re.compile(r"[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}(?![\w-])")
_GUID_LIKE = re.compile(r"[0-9a-fA-F]+-[0-9a-fA-F]+-[0-9a-fA-F]+-[0-9a-fA-F]+-[0-9a-fA-F]+(?![\w-])")
_STRING = re.compile(_QUOTED)
_PREFIXED = re.compile(rf"(?P<prefix>[A-Za-z_][\w.]*)(?P<quoted>{_QUOTED})")
_MOMENT = re.compile(r"-?[0-9]{4,6}-[0-9]{2}-[0-9]{2}(?:[Tt][0-9:.]+(?:[Zz]|[+-][0-9]{2}:[0-9]{2})?)?")
_CLOCK = re.compile(r"[0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]+)?)?")
_NUMBER = re.compile(r"[+-]?[0-9]+(?P<fraction>\.[0-9]+)?(?P<exponent>[eE][+-]?[0-9]+)?(?P<suffix>[mMlLfFdD](?![\w]))?")
_WORD = re.compile(r"-?[A-Za-z]+(?![\w.'/(])")

_V2_SUFFIXES = {"m": "Edm.Decimal", "l": "Edm.Int64", "f": "Edm.Single", "d": "Edm.Double"}
_SPECIAL_FLOATS = ("Edm.Double", "Edm.Single", "Edm.Decimal")
_NUMERIC = {*INTEGER_RANGES, "Edm.Decimal", "Edm.Double", "Edm.Single"}


def scan_literal(text: str, position: int, version: str) -> UrlLiteral | None:
    """Reads the literal that begins at `position`, `None` where none begins there.

    Raises:
        MalformedText: a literal begins here and is malformed, or is of the other version (`V2_LITERAL`, `V2_GUID` for a
            V4 spelling in V2; `V4_LITERAL`, `V4_SUFFIX` for a V2 spelling in V4).
    """
    first = text[position : position + 1]
    try:
        if first == "'":
            return _scan_string(text, position)
        if (match := _PREFIXED.match(text, position)) is not None:
            return _prefixed(match, version)
        if first.isalpha() or text.startswith(("-INF", "-N"), position):
            guid = _GUID.match(text, position)
            return _bare_guid(guid, version) if guid else _scan_word(text, position)
        if first.isdigit() or (first and first in "+-" and text[position + 1 : position + 2].isdigit()):
            return _scan_digits(text, position, version)
    except MalformedText as error:
        error.position += position
        raise
    return None


def parse_literal(text: str, version: str, *, type: str = "") -> UrlLiteral:
    """Reads `text`, which is one literal to its end; with `type`, for that type.

    `type` is a primitive type, or the qualified name of an enumeration.

    >>> parse_literal("datetime'2025-03-01T08:00'", "V2").value
    '2025-03-01T08:00:00'

    Raises:
        MalformedText: as `scan_literal`; `LITERAL_SYNTAX` where it is none; with `type` as `convert_literal`.
    """
    literal = scan_literal(text, 0, version)
    if literal is None or len(literal.text) != len(text):
        end = len(literal.text) if literal else 0
        if text.startswith("'"):
            raise MalformedText("LITERAL_QUOTE", f"a quote inside a text is doubled: {quote(text.strip(chr(39)))}", end)
        raise MalformedText("LITERAL_SYNTAX", _not_a_literal(text, version, type), end)
    if type:
        return UrlLiteral(type=type, value=convert_literal(literal, type, version), text=text)
    return literal


def convert_literal(literal: UrlLiteral, type: str, version: str) -> JsonValue:
    """Gives the value of a literal for `type`: widens numbers, takes quoted enumeration members; `null` is `None`.

    Raises:
        MalformedText: `LITERAL_TYPE` (a spelling of another type), `LITERAL_RANGE`, or what the type's grammar says.
    """
    if literal.type in ("", type) or not type.startswith("Edm."):
        return _of_own_kind(literal, type)
    if type in _NUMERIC and literal.type in _NUMERIC:
        return _number_for(literal, type)
    if type in _SPECIAL_FLOATS and literal.value in SPECIAL_NUMBERS and literal.type == "Edm.Double":
        return literal.value
    if type == "Edm.Boolean" and not is_v4(version) and literal.text in ("0", "1"):
        return literal.text == "1"
    if type.startswith(("Edm.Geo", "Edm.Primitive", "Edm.Untyped", "Edm.Stream")):
        return literal.value
    if type == "Edm.DateTimeOffset" and literal.type == "Edm.Date":
        dates.check_date_time_offset(literal.text + "T00:00:00")  # says that the offset is missing
    raise MalformedText("LITERAL_TYPE", _of_other_type(literal, type, version), literal.position)


def _scan_string(text: str, position: int) -> UrlLiteral:
    match = _STRING.match(text, position)
    if match is None:
        raise MalformedText("LITERAL_QUOTE", "the text is not closed by a quote; a quote inside is doubled")
    return UrlLiteral(type="Edm.String", value=_unquote(match[0]), text=match[0], position=position)


def _unquote(quoted: str) -> str:
    return quoted[1:-1].replace("''", "'")


def _prefixed(match: re.Match[str], version: str) -> UrlLiteral:
    prefix, inner = match["prefix"], _unquote(match["quoted"])
    known, other = (V4_PREFIXES, V2_PREFIXES) if is_v4(version) else (V2_PREFIXES, V4_PREFIXES)
    if (entry := known.get(prefix)) is not None:
        try:
            value = entry[1](inner)
        except MalformedText as error:
            error.position += match.start("quoted") + 1 - match.start()
            raise
        return UrlLiteral(type=entry[0], value=value, text=match[0], position=match.start())
    if prefix in other:
        raise MalformedText(*_of_other_version(prefix, inner, version))
    if "." in prefix:
        return UrlLiteral(type=prefix, value=inner, text=match[0], position=match.start())
    raise MalformedText("LITERAL_SYNTAX", f"{prefix}'…' is no literal of {version}")


def _of_other_version(prefix: str, inner: str, version: str) -> tuple[str, str]:
    if is_v4(version):
        right = f"duration'{inner}'" if prefix == "time" else inner
        return "V4_LITERAL", f"{prefix}'…' is a literal of V2 and V3; V4 writes {right}"
    return "V2_LITERAL", f"{prefix}'…' is a literal of V4; {version} writes time'PT1H' and X'0F'"


def _scan_digits(text: str, position: int, version: str) -> UrlLiteral:
    if (match := _GUID.match(text, position)) is not None:
        return _bare_guid(match, version)
    if (match := _MOMENT.match(text, position)) is not None:
        return _bare_moment(match, version)
    if (match := _CLOCK.match(text, position)) is not None:
        if not is_v4(version):
            raise MalformedText("V2_LITERAL", f"{version} writes a time as time'PT12H30M00S', not as {match[0]}")
        value = dates.check_time_of_day(match[0])
        return UrlLiteral(type="Edm.TimeOfDay", value=value, text=match[0], position=position)
    if (match := _GUID_LIKE.match(text, position)) is not None:
        check_guid(match[0])
    return _scan_number(text, position, version)


def _bare_guid(match: re.Match[str], version: str) -> UrlLiteral:
    if not is_v4(version):
        raise MalformedText("V2_GUID", f"{version} writes a GUID with its prefix: guid'{match[0]}'")
    return UrlLiteral(type="Edm.Guid", value=check_guid(match[0]), text=match[0], position=match.start())


def _bare_moment(match: re.Match[str], version: str) -> UrlLiteral:
    text = match[0]
    if not is_v4(version):
        right = f"datetime'{text if 'T' in text else text + 'T00:00:00'}'"
        raise MalformedText("V2_LITERAL", f"{version} writes a date with its prefix: {right}")
    if "T" in text.upper():
        value, kind = dates.check_date_time_offset(text), "Edm.DateTimeOffset"
    else:
        value, kind = dates.check_date(text), "Edm.Date"
    return UrlLiteral(type=kind, value=value, text=text, position=match.start())


def _scan_number(text: str, position: int, version: str) -> UrlLiteral:
    match = _NUMBER.match(text, position)
    if match is None or re.match(r"[\w.]", text[match.end() : match.end() + 1]):
        raise MalformedText("LITERAL_SYNTAX", f"{text[position : position + 40]!r} begins like a number and is none")
    written, suffix = match[0], (match["suffix"] or "").lower()
    if suffix and is_v4(version):
        message = f"the suffix {match['suffix']} is of V2 and V3; V4 writes {written[:-1]}"
        raise MalformedText("V4_SUFFIX", message, len(written) - 1)
    number = read_decimal(written[:-1] if suffix else written)
    kind, value = _number_kind(match, number, version)
    return UrlLiteral(type=kind, value=value, text=written, position=position)


def _number_kind(match: re.Match[str], number: Decimal, version: str) -> tuple[str, JsonValue]:
    suffix = (match["suffix"] or "").lower()
    plain = match["fraction"] is None and match["exponent"] is None
    if suffix == "l":
        if not plain:
            raise MalformedText("LITERAL_SYNTAX", f"{match[0]!r} is no Edm.Int64, which has no fraction")
        return "Edm.Int64", check_range(int(number), "Edm.Int64")
    if suffix:
        return _V2_SUFFIXES[suffix], number
    if not plain:
        is_double = match["exponent"] is not None or not is_v4(version)
        return ("Edm.Double" if is_double else "Edm.Decimal"), number
    whole = int(number)
    for kind in ("Edm.Int32", "Edm.Int64"):
        low, high = INTEGER_RANGES[kind]
        if low <= whole <= high:
            return kind, whole
    return "Edm.Decimal", whole


def _scan_word(text: str, position: int) -> UrlLiteral | None:
    match = _WORD.match(text, position)
    if match is None:
        return None
    word = match[0]
    if word in ("true", "false"):
        return UrlLiteral(type="Edm.Boolean", value=word == "true", text=word, position=position)
    if word == "null":
        return UrlLiteral(type="", value=None, text=word, position=position)
    if word in SPECIAL_NUMBERS:
        return UrlLiteral(type="Edm.Double", value=word, text=word, position=position)
    return None


def _of_own_kind(literal: UrlLiteral, type: str) -> JsonValue:
    if not literal.type or literal.type == type or not type:
        return literal.value
    if (
        literal.type == "Edm.String"
    ):  # the prefix of an enumeration may be left out (URL Conventions 4.01, clause 5.1.1.6.1)
        return literal.value
    message = f"{literal.text} is no member of {type}; write {type}'Member'"
    raise MalformedText("LITERAL_TYPE", message, literal.position)


def _number_for(literal: UrlLiteral, type: str) -> JsonValue:
    value = literal.value
    if type not in INTEGER_RANGES:
        return value if isinstance(value, str) else Decimal(value)  # pyright: ignore[reportArgumentType]
    if literal.type not in INTEGER_RANGES or not isinstance(value, int):
        if literal.type == "Edm.Decimal" and isinstance(value, int):
            return check_range(value, type)
        raise MalformedText("LITERAL_TYPE", f"{literal.text} is no {type}, which has no fraction", literal.position)
    return check_range(value, type)


def _of_other_type(literal: UrlLiteral, type: str, version: str) -> str:
    return f"{literal.text} is an {literal.type}; {type} is written {example_of(type, version)}"


def _not_a_literal(text: str, version: str, type: str) -> str:
    if type == "Edm.String" or not type:
        return f"{text!r} is no literal; a text is written in quotes: {quote(text)}"
    return f"{text!r} is no literal; {type} is written {example_of(type, version)}"
