"""References between the calls of a plan: `$1.SalesOrder`, `$1.to_Item[0].SalesOrderItem`.

    reference = "$" step [ "[" index "]" ] 1*( "." name *( "[" index "]" ) )

An index behind the step picks one entry of a result that has several (`$1[0].Name`). `step` counts from 1; a name
begins with a letter or `_`, so that the text `$1.50` is a price and no reference. A text that really begins like a
reference is written with one more `$` (`$$1.SalesOrder`).
"""

import re
from collections.abc import Iterator, Sequence
from typing import TypeAlias

from clew.domain.errors import MalformedText
from clew.domain.records import JsonValue, Record
from clew.domain.requests import Call

Part: TypeAlias = str | int

_BEGINS = re.compile(r"\$[0-9]+(?:\[[0-9]+\])?\.[^\W\d]")
_ESCAPED = re.compile(r"\$(?=\$+[0-9]+(?:\[[0-9]+\])?\.[^\W\d])")
_WHOLE = re.compile(r"\$([1-9][0-9]*)((?:\[[0-9]+\])?(?:\.[^\W\d][\w@]*(?:\[[0-9]+\])*)+)")
_PART = re.compile(r"\.([^.\[]+)|\[([0-9]+)\]")


class Reference(Record, frozen=True, kw_only=True):
    """One property of the result of an earlier step; `path` holds names, and 0-based positions in collections."""

    step: int
    path: tuple[Part, ...]

    def __str__(self) -> str:
        """Writes the reference as it stands in a call."""
        return f"${self.step}" + "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in self.path)


def is_reference(value: JsonValue) -> bool:
    """Whether a value begins like a reference; `parse_reference` tells whether it is one to the end."""
    return isinstance(value, str) and _BEGINS.match(value) is not None


def parse_reference(text: str) -> Reference:
    """Reads a reference.

    >>> parse_reference("$1.to_Item[0].SalesOrderItem").path
    ('to_Item', 0, 'SalesOrderItem')

    Raises:
        MalformedText: it begins like a reference and does not go on like one.
    """
    match = _WHOLE.fullmatch(text)
    if match is None:
        message = f"{text!r} is no reference; write $1.Name or $1.Name[0].Name, or $$ where the text itself begins so"
        raise MalformedText("REFERENCE_SYNTAX", message)
    parts = tuple(name or int(index) for name, index in _PART.findall(match[2]))
    return Reference(step=int(match[1]), path=parts)


def escape(text: str) -> str:
    """Writes a text so that it is not taken for a reference."""
    return "$" + text if is_reference(text) or _ESCAPED.match(text) else text


def unescape(text: str) -> str:
    """Gives the text that an escaped one stands for."""
    return text[1:] if _ESCAPED.match(text) else text


def value_at(value: JsonValue, path: Sequence[Part], default: JsonValue = None) -> JsonValue:
    """Gives what stands at a path of names and positions, or `default` itself where nothing does."""
    found = value
    for part in path:
        found = _inner(found, part, default)
        if found is default:
            return default
    return found


def _inner(value: JsonValue, part: Part, default: JsonValue) -> JsonValue:
    if isinstance(part, int):
        return value[part] if isinstance(value, list) and part < len(value) else default
    return value.get(part, default) if isinstance(value, dict) else default


def references_in(value: JsonValue, pointer: str = "") -> Iterator[tuple[str, str]]:
    """Gives (JSON pointer, text) of every text in `value` that begins like a reference."""
    if isinstance(value, str):
        if is_reference(value):
            yield pointer, value
    elif isinstance(value, dict):
        for name, inner in value.items():
            yield from references_in(inner, f"{pointer}/{name.replace('~', '~0').replace('/', '~1')}")
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from references_in(inner, f"{pointer}/{index}")


def references_of(call: Call) -> Iterator[tuple[str, str]]:
    """Gives (place, text) of every reference of a call: `key/Name`, `query/Name`, or a pointer into the payload."""
    for name, value in call.key.items():
        yield from references_in(value, f"key/{name}")
    for name, text in call.query.items():
        yield from references_in(text, f"query/{name}")
    yield from references_in(call.payload)
