"""What a request or an object says, by property name, in a form in which two of them can be compared.

Values are compared as business keys are written: as text, numbers without leading or trailing zeros, so that
`4500000001`, `"0004500000001"` and `4500000001.0` are one and the same. References of a plan (`$1.SalesOrder`) are
compared by their step: they name the object that it will have made.
"""

import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from decimal import Decimal, InvalidOperation

from clew.domain.errors import MalformedText
from clew.domain.records import JsonObject, JsonValue
from clew.domain.references import is_reference
from clew.domain.requests import CheckedRequest
from clew.protocol.json import parse_json
from clew.protocol.keys import parse_key

_MOST_VALUES = 50
_LONGEST = 200
_DEEPEST = 12
_QUOTED = re.compile(r"(?:[A-Za-z]+)?'((?:[^']|'')*)'")
_KEY = re.compile(r"([^/(]*)\(([^()]*)\)")


def compared(value: JsonValue) -> str:
    """Gives the form in which values are compared.

    >>> compared("0004500000001") == compared(4500000001)
    True
    """
    if isinstance(value, bool) or value is None:
        return str(value).lower()
    text = str(value).strip()
    if is_reference(text):
        return text.partition(".")[0]
    if re.fullmatch(r"[0-9]+(?:\.[0-9]+)?", text):
        with suppress(InvalidOperation):
            number = Decimal(text)
            return format(number.normalize(), "f") if len(text) < _LONGEST else text
    return text


def gather(*sources: JsonValue, names: Iterable[str] | None = None) -> JsonObject:
    """Gives, by property name, the plain values of JSON objects at any depth, as lists without repetition.

    Only `names` are kept where they are given. Objects of `null` and texts of more than 200 characters are left out,
    and so is what comes after 50 values of a name: no key is among them.
    """
    wanted = None if names is None else frozenset(names)
    found: dict[str, list[JsonValue]] = {}
    for source in sources:
        _gather(source, "", wanted, found, 0)
    return dict(found)


def _gather(
    value: JsonValue, name: str, wanted: frozenset[str] | None, found: dict[str, list[JsonValue]], depth: int
) -> None:
    if depth > _DEEPEST:
        return
    if isinstance(value, dict):
        for key, inner in value.items():
            _gather(inner, key, wanted, found, depth + 1)
    elif isinstance(value, list):
        for inner in value:
            _gather(inner, name, wanted, found, depth + 1)
    elif name and value is not None and (wanted is None or name in wanted):
        values = found.setdefault(name, [])
        if len(values) < _MOST_VALUES and len(str(value)) <= _LONGEST and value not in values:
            values.append(value)


def said_by(request: CheckedRequest) -> list[JsonValue]:
    """Gives what a request says: its key, its parameters, its payload."""
    call = request.call
    if call is not None:
        return [call.key, {name: unquoted(text) for name, text in call.query.items()}, call.payload]
    said: list[JsonValue] = [{name: unquoted(text) for name, text in request.request.query}]
    for _, inner in _KEY.findall(request.request.path):
        with suppress(MalformedText):
            said.append({part.name: unquoted(part.text) for part in parse_key(f"({inner})").parts if part.name})
    if request.request.body:
        with suppress(MalformedText):
            said.append(parse_json(request.request.body))
    return said


def unquoted(literal: str) -> str:
    """Gives the text of a literal in a URL: `'1'`, `guid'…'` without their marks, all others as they are."""
    match = _QUOTED.fullmatch(literal.strip())
    return match[1].replace("''", "'") if match else literal


def shares_value(first: Iterable[JsonValue], second: Iterable[JsonValue]) -> bool:
    """Whether two lists of values have one in common."""
    return not {compared(value) for value in first}.isdisjoint(compared(value) for value in second)


def values_of(said: Mapping[str, JsonValue], name: str) -> list[JsonValue]:
    """Gives the values of a property among what was gathered."""
    value = said.get(name)
    return value if isinstance(value, list) else [] if value is None else [value]
