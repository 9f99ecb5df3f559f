"""System query options: `$select`, `$expand`, `$orderby`, `$top` and the others, of each version, by grammar alone.

`parse_options` takes decoded pairs as `urls.split_query` gives them. Names that do not begin with `$` are no system
options: parameter aliases (`@p`), the parameters of V2 function imports, custom options; they are left to the caller.
"""

import re

from clew.domain.errors import MalformedText
from clew.domain.records import Record
from clew.protocol.expand import ExpandItem, SelectItem, parse_expand, parse_select
from clew.protocol.filter_tree import Expression
from clew.protocol.filters import parse_filter
from clew.protocol.orderby import OrderItem, parse_orderby
from clew.protocol.primitives import is_v4
from clew.protocol.urls import QueryPairs, check_options

__all__ = [
    "ExpandItem",
    "Options",
    "OrderItem",
    "SelectItem",
    "parse_count",
    "parse_expand",
    "parse_options",
    "parse_orderby",
    "parse_select",
]

LARGEST_COUNT = 2**63 - 1

_V2_NAMES = ("$filter", "$select", "$expand", "$orderby", "$top", "$skip", "$inlinecount", "$format", "$skiptoken")
_V4_NAMES = (
    "$filter",
    "$select",
    "$expand",
    "$orderby",
    "$top",
    "$skip",
    "$count",
    "$search",
    "$format",
    "$skiptoken",
    "$deltatoken",
    "$apply",
    "$compute",
    "$levels",
    "$index",
    "$schemaversion",
    "$id",
)


class Options(Record, frozen=True, kw_only=True):
    """The system query options of one request; what was not given is `None`, empty, or `False`.

    `count` is `$count=true` of V4 and `$inlinecount=allpages` of V2 and V3. `custom` are the pairs that are no system
    options and no aliases.
    """

    filter: Expression | None = None
    select: tuple[SelectItem, ...] = ()
    expand: tuple[ExpandItem, ...] = ()
    orderby: tuple[OrderItem, ...] = ()
    top: int | None = None
    skip: int | None = None
    count: bool = False
    search: str = ""
    format: str = ""
    skiptoken: str = ""
    apply: str = ""
    other: QueryPairs = ()
    """System options that are kept as text: `$compute`, `$deltatoken`, `$schemaversion`, `$id`, `$index`."""
    aliases: QueryPairs = ()
    custom: QueryPairs = ()


def parse_options(query: QueryPairs, version: str) -> Options:
    """Reads the query options of a request.

    Raises:
        MalformedText: `OPTION_DUPLICATE`, `UNKNOWN_OPTION` (also one of another version), `OPTION_VALUE`, and those of
            `$filter`, `$select`, `$expand`, `$orderby`; the message names the option, the position is in its value.
    """
    found: dict[str, object] = {}
    other: list[tuple[str, str]] = []
    for name, value in query:
        if not name.startswith("$"):
            continue
        _check_name(name, version)
        try:
            field, parsed = _parse_option(name, value, version)
        except MalformedText as error:
            raise MalformedText(error.code, f"{name}: {error}", error.position) from None
        if field:
            found[field] = parsed
        else:
            other.append((name, value))
    check_options(query)
    aliases = tuple(pair for pair in query if pair[0].startswith("@"))
    custom = tuple(pair for pair in query if not pair[0].startswith(("$", "@")))
    return Options(**found, other=tuple(other), aliases=aliases, custom=custom)  # pyright: ignore[reportArgumentType]


def parse_count(text: str) -> int:
    """Reads the value of `$top` or `$skip`: digits.

    Raises:
        MalformedText: `OPTION_VALUE`.
    """
    if not (text.isascii() and text.isdigit()) or len(text) > len(str(LARGEST_COUNT)):
        raise MalformedText("OPTION_VALUE", f"{text[:40]!r} is no whole number from 0 upwards")
    return int(text)


def _check_name(name: str, version: str) -> None:
    if name in (_V4_NAMES if is_v4(version) else _V2_NAMES):
        return
    if name == "$count" and version.startswith("V3"):  # Business One's Service Layer documents it
        return
    raise MalformedText("UNKNOWN_OPTION", f"{version} has no query option {name}{_instead(name, version)}")


def _instead(name: str, version: str) -> str:
    if name == "$count":
        return "; it has $inlinecount=allpages and the path /$count"
    if name == "$inlinecount":
        return "; it has $count=true"
    known = _V4_NAMES if is_v4(version) else _V2_NAMES
    return f"; there are {', '.join(known)}"


def _parse_option(name: str, value: str, version: str) -> tuple[str, object]:
    match name:
        case "$filter":
            return "filter", parse_filter(value, version)
        case "$select":
            return "select", parse_select(value, version)
        case "$expand":
            return "expand", parse_expand(value, version)
        case "$orderby":
            return "orderby", parse_orderby(value, version)
        case "$top" | "$skip":
            return name[1:], parse_count(value)
        case "$count" | "$inlinecount":
            return "count", _parse_choice(name, value)
        case "$search":
            return "search", _parse_search(value)
        case "$apply":
            return "apply", _parse_apply(value)
        case "$format" | "$skiptoken":
            return name[1:], _not_empty(value)
        case _:
            return "", _not_empty(value)


def _parse_choice(name: str, value: str) -> bool:
    yes, no = ("true", "false") if name == "$count" else ("allpages", "none")
    if value not in (yes, no):
        raise MalformedText("OPTION_VALUE", f"{value!r} is neither {yes} nor {no}")
    return value == yes


def _not_empty(value: str) -> str:
    if not value.strip():
        raise MalformedText("OPTION_VALUE", "the value is empty")
    return value


_SEARCH_TOKEN = re.compile(r'\s*(?:(?P<phrase>"(?:[^"\\]|\\.)*")|(?P<bracket>[()])|(?P<word>[^\s"()]+))')


def _parse_search(value: str) -> str:
    """Checks a search expression: words, phrases, NOT, AND, OR, brackets (URL Conventions 4.01, clause 5.1.8)."""
    depth, position, wants_operand = 0, 0, True
    text = _not_empty(value).rstrip()
    while position < len(text):
        match = _SEARCH_TOKEN.match(text, position)
        if match is None:
            raise MalformedText("OPTION_VALUE", "a phrase in quotes is not closed", position)
        word = match["word"] or ""
        if match["bracket"]:
            depth += 1 if match["bracket"] == "(" else -1
        if depth < 0 or (wants_operand and word in ("AND", "OR")):
            raise MalformedText("OPTION_VALUE", "a word or a phrase was expected", match.start())
        wants_operand = word in ("AND", "OR", "NOT") or match["bracket"] == "("
        position = match.end()
    if depth or wants_operand:
        raise MalformedText("OPTION_VALUE", "the search expression is not complete", position)
    return value


_TRANSFORMATIONS = [
    "aggregate",
    "groupby",
    "filter",
    "compute",
    "concat",
    "expand",
    "search",
    "orderby",
    "top",
    "skip",
    "topcount",
    "topsum",
    "toppercent",
    "bottomcount",
    "bottomsum",
    "bottompercent",
    "identity",
    "ancestors",
    "descendants",
    "traverse",
    "join",
    "outerjoin",
    "nest",
    "addnested",
]
_APPLY_STEP = re.compile(rf"(?:{'|'.join(_TRANSFORMATIONS)}|[^\W\d]\w*\.[\w.]+)(?=\(|/|\Z)")


def _parse_apply(value: str) -> str:
    """Checks that a chain of set transformations is well formed outside; what is inside of the brackets is kept."""
    position = 0
    while True:
        match = _APPLY_STEP.match(value, position)
        if match is None:
            found = value[position : position + 30]
            message = f"a transformation such as filter(…), groupby(…), aggregate(…) was expected, {found!r} was found"
            raise MalformedText("OPTION_VALUE", message, position)
        position = _closing(value, match.end()) if value.startswith("(", match.end()) else match.end()
        if position == len(value):
            return value
        if value[position] != "/":
            raise MalformedText("OPTION_VALUE", "transformations are joined by /", position)
        position += 1


def _closing(text: str, position: int) -> int:
    """Gives the position after the bracket that closes the one at `position`."""
    depth, quoted = 0, False
    for index in range(position, len(text)):
        letter = text[index]
        if letter == "'":
            quoted = not quoted
        elif not quoted and letter in "()":
            depth += 1 if letter == "(" else -1
            if depth == 0:
                return index + 1
    raise MalformedText("OPTION_VALUE", "a bracket is not closed", position)
