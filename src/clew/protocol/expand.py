"""`$select` and `$expand`: paths in V2 and V3, paths with nested options in V4 (URL Conventions 4.01, clause 5.1.3).

In V2 and V3 `$expand=to_Item/to_Schedule` expands both; in V4 a path is a way through complex properties and type casts
to one navigation, and what is below it stands in brackets, separated by semicolons.
"""

import re

from clew.domain.errors import MalformedText
from clew.domain.records import Record
from clew.protocol.primitives import is_v4
from clew.protocol.urls import QueryPairs

__all__ = ["ExpandItem", "SelectItem", "format_expand", "parse_expand", "parse_select"]

DEEPEST = 16
MOST_ITEMS = 2000

_NAME = re.compile(r"\*|\$(?:ref|count|value)|[^\W\d][\w-]*(?:\.(?:\*|[^\W\d][\w-]*))*")
_OPTION = re.compile(r"\s*(?P<name>\$?[a-z]+)=")
_NESTED = ("$filter", "$select", "$expand", "$orderby", "$top", "$skip", "$count", "$search", "$levels", "$compute")


class SelectItem(Record, frozen=True, kw_only=True):
    """A path of names to select; `*` is all properties. `options` are those in brackets (V4.01), values as text."""

    path: tuple[str, ...]
    options: QueryPairs = ()
    position: int = 0


class ExpandItem(Record, frozen=True, kw_only=True):
    """A path of names to expand; V4 may end in `$ref`, `$count` or `*`.

    `options` are the nested ones in order, their values as text, to be read by `parse_options` for the same version.
    """

    path: tuple[str, ...]
    options: QueryPairs = ()
    position: int = 0


def parse_select(text: str, version: str) -> tuple[SelectItem, ...]:
    """Reads a `$select`.

    Raises:
        MalformedText: `SELECT_SYNTAX`.
    """
    items = _items(text, version, "SELECT_SYNTAX")
    return tuple(SelectItem(path=path, options=options, position=position) for path, options, position in items)


def parse_expand(text: str, version: str) -> tuple[ExpandItem, ...]:
    """Reads an `$expand`.

    >>> parse_expand("Lines($select=Material;$top=2)", "V4")[0].options
    (('$select', 'Material'), ('$top', '2'))

    Raises:
        MalformedText: `EXPAND_SYNTAX`, `EXPAND_DEPTH`.
    """
    items = _items(text, version, "EXPAND_SYNTAX")
    return tuple(ExpandItem(path=path, options=options, position=position) for path, options, position in items)


def format_expand(items: tuple[ExpandItem | SelectItem, ...]) -> str:
    """Writes an `$expand` or a `$select`, not yet percent-encoded."""
    return ",".join("/".join(item.path) + _format_options(item.options) for item in items)


def _format_options(options: QueryPairs) -> str:
    return f"({';'.join(f'{name}={value}' for name, value in options)})" if options else ""


def _items(text: str, version: str, code: str) -> list[tuple[tuple[str, ...], QueryPairs, int]]:
    found: list[tuple[tuple[str, ...], QueryPairs, int]] = []
    position = 0
    while True:
        position += len(text[position:]) - len(text[position:].lstrip(" \t"))
        start = position
        path, position = _path(text, position, code)
        options: QueryPairs = ()
        if text.startswith("(", position):
            if not is_v4(version):
                message = f"{version} has no options in brackets; expand a path such as to_Item/to_Schedule"
                raise MalformedText(code, message, position)
            options, position = _options(text, position, code)
        found.append((path, options, start))
        position += len(text[position:]) - len(text[position:].lstrip(" \t"))
        if position >= len(text):
            return found
        if text[position] != "," or len(found) >= MOST_ITEMS:
            raise MalformedText(code, f"a comma was expected, {text[position : position + 30]!r} was found", position)
        position += 1


def _path(text: str, position: int, code: str) -> tuple[tuple[str, ...], int]:
    names: list[str] = []
    while True:
        match = _NAME.match(text, position)
        if match is None:
            found = text[position : position + 30] or "the end"
            raise MalformedText(code, f"a name was expected, {found!r} was found", position)
        names.append(match[0])
        position = match.end()
        if not text.startswith("/", position):
            return tuple(names), position
        if len(names) >= DEEPEST:
            raise MalformedText(code, f"a path has more than {DEEPEST} names", position)
        position += 1


def _options(text: str, position: int, code: str) -> tuple[QueryPairs, int]:
    """Reads `($a=…;$b=…)` from its opening bracket on; gives the pairs and where it ends."""
    pairs: list[tuple[str, str]] = []
    position += 1
    while True:
        match = _OPTION.match(text, position)
        if match is None:
            found = text[position : position + 30] or "the end"
            raise MalformedText(code, f"an option such as $select=… was expected, {found!r} was found", position)
        name = "$" + match["name"].removeprefix("$")
        if name not in _NESTED:
            raise MalformedText(code, f"{match['name']} is no option of an expanded property", match.start("name"))
        end = _end_of_value(text, match.end(), code)
        pairs.append((name, text[match.end() : end]))
        position = end + 1
        if text[end] == ")":
            return tuple(pairs), position


def _end_of_value(text: str, position: int, code: str) -> int:
    """Gives where an option's value ends: the semicolon or the closing bracket outside of quotes and brackets."""
    depth, quoted = 0, False
    for index in range(position, len(text)):
        letter = text[index]
        if letter == "'":
            quoted = not quoted
        elif quoted:
            continue
        elif letter in "([{":
            depth += 1
            if depth > DEEPEST:
                raise MalformedText("EXPAND_DEPTH", f"nested deeper than the {DEEPEST} levels allowed", index)
        elif depth and letter in ")]}":
            depth -= 1
        elif letter == "&" and not depth:
            raise MalformedText(code, "nested options are separated by semicolons, not by &", index)
        elif not depth and letter in ");":
            return index
    raise MalformedText(code, "a bracket is not closed; nested options are separated by semicolons, not by &", position)
