"""Literals that are spelt for another version or without their marks, and what they can only have meant."""

import re

from clew.domain.errors import MalformedText
from clew.domain.records import JsonValue
from clew.protocol.dates import parse_v2_date
from clew.protocol.literals import UrlLiteral, convert_literal, format_literal, parse_literal, scan_literal

_DATED = {"Edm.DateTime": "T00:00:00", "Edm.DateTimeOffset": "T00:00:00Z"}
_BARE_WORD = re.compile(r"[\w.-]+")
_DATE_LENGTH = len("2025-03-01")


def right_literal(text: str, type: str, version: str) -> str | None:
    """Gives the literal for a type that `text` can only have meant; `None` where nothing is certain.

    Reads the text as any version would, or as a bare word for a text, and spells it anew for this one.

    >>> right_literal("2024-01-01", "Edm.DateTime", "V2"), right_literal("EUR", "Edm.String", "V4")
    ("datetime'2024-01-01T00:00:00'", "'EUR'")
    """
    value = _value(text, type)
    if value is None:
        return None
    if isinstance(value, str) and type in _DATED:
        value = _moment(value, type)
    try:
        literal = format_literal(value, type, version)
        parse_literal(literal, version, type=type)
    except MalformedText:
        return None
    return literal


def _value(text: str, type: str) -> JsonValue:
    for version in ("V4", "V2"):
        literal = _scan(text, version)
        if literal is not None:
            return _of_type(literal, type, version)
    if type == "Edm.String" and _BARE_WORD.fullmatch(text):
        return text
    return None


def _scan(text: str, version: str) -> UrlLiteral | None:
    try:
        literal = scan_literal(text, 0, version)
    except MalformedText:
        return None
    return literal if literal is not None and len(literal.text) == len(text) else None


def _of_type(literal: UrlLiteral, type: str, version: str) -> JsonValue:
    try:
        return convert_literal(literal, type, version)
    except MalformedText:
        pass
    if isinstance(literal.value, str) and literal.type != "Edm.Double":
        return literal.value  # a date for a date with a time, a quoted number or GUID
    return literal.text if type == "Edm.String" else literal.value


def _moment(value: str, type: str) -> str:
    if value.startswith("/Date("):
        try:
            value = parse_v2_date(value)
        except MalformedText:
            return value
    if len(value) == _DATE_LENGTH:
        return value + _DATED[type]
    if type == "Edm.DateTime" and value.endswith("Z"):
        return value[:-1]
    return value
