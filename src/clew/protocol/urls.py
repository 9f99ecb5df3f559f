"""Resource paths and query strings below a service's root (OData URL Conventions 4.01, clauses 2 to 4; OData V2 URIs).

A path is split at `/` *before* it is percent-decoded, so that `%2F` inside a key is a slash of the value. In a query a
`+` is a plus: OData does not know the form encoding of HTML.
"""

import re
from enum import StrEnum
from urllib.parse import quote as percent_encode

from clew.domain.errors import MalformedText
from clew.domain.records import Record
from clew.protocol.keys import SAFE_IN_KEY, Key, parse_key

__all__ = [
    "QueryPairs",
    "ResourcePath",
    "Segment",
    "SegmentKind",
    "check_options",
    "decode_percent",
    "format_path",
    "format_query",
    "format_url",
    "parse_path",
    "split_query",
    "split_url",
]

QueryPairs = tuple[tuple[str, str], ...]
"""(name, value) pairs in order, percent-decoded."""

MOST_SEGMENTS = 64

# `&`, `#`, `+`, `%` and everything outside of ASCII is encoded; what filters are made of stays readable.
SAFE_IN_QUERY = "'(),:;=@!$*-._~/"

_IDENTIFIER = re.compile(r"[^\W\d][\w-]*(?:\.[^\W\d][\w-]*)*")
_BAD_PERCENT = re.compile(r"%(?![0-9A-Fa-f]{2})")


class SegmentKind(StrEnum):
    """What a segment is by its grammar alone; whether a name is a set, a property or an operation, metadata tells."""

    NAME = "name"
    QUALIFIED = "qualified"
    """`Ns.Name`: a type cast, or a bound operation."""
    COUNT = "$count"
    VALUE = "$value"
    REF = "$ref"
    LINKS = "$links"
    BATCH = "$batch"
    METADATA = "$metadata"
    ALL = "$all"
    ENTITY = "$entity"
    CROSSJOIN = "$crossjoin"
    EACH = "$each"
    QUERY = "$query"
    FILTER = "$filter"


class Segment(Record, frozen=True, kw_only=True):
    """One segment: its name, the predicate or parameter list that follows it, where it begins in the raw path.

    `second` is the key that selects one result of a function: `Ns.Open(Min=1)(7)`.
    """

    name: str
    kind: SegmentKind = SegmentKind.NAME
    key: Key | None = None
    second: Key | None = None
    position: int = 0


class ResourcePath(Record, frozen=True, kw_only=True):
    """A parsed path; without segments it is the service root."""

    segments: tuple[Segment, ...] = ()

    @property
    def last(self) -> Segment | None:
        """The last segment, `None` for the service root."""
        return self.segments[-1] if self.segments else None


def parse_path(path: str) -> ResourcePath:
    """Reads a percent-encoded path, relative to the service root; one slash before or after it is ignored.

    >>> [(s.name, s.kind.value) for s in parse_path("A_SalesOrder('1')/to_Item/$count").segments]
    [('A_SalesOrder', 'name'), ('to_Item', 'name'), ('$count', '$count')]

    Raises:
        MalformedText: `URL_PERCENT`, `URL_SEGMENT`, `URL_SIZE`, `KEY_SLASH` (in a key it must be `%2F`), and those of
            `parse_key`; the position is in the raw path.
    """
    begin = 1 if path.startswith("/") else 0
    body = path[begin:].removesuffix("/")
    if not body:
        return ResourcePath()
    raw_segments = body.split("/")
    if len(raw_segments) > MOST_SEGMENTS:
        raise MalformedText("URL_SIZE", f"the path has more than {MOST_SEGMENTS} segments")
    segments: list[Segment] = []
    position = begin
    for index, raw in enumerate(raw_segments):
        if _is_open(raw) and any(_is_open(later) for later in raw_segments[index + 1 :]):
            message = "a slash inside a key is percent-encoded: %2F"
            raise MalformedText("KEY_SLASH", message, position + len(raw))
        segments.append(_segment(raw, position))
        position += len(raw) + 1
    return ResourcePath(segments=tuple(segments))


def format_path(path: ResourcePath) -> str:
    """Writes a path, percent-encoded."""
    return "/".join(_format_segment(segment) for segment in path.segments)


def split_url(url: str) -> tuple[str, QueryPairs]:
    """Splits a URL relative to the service root into its raw path and its decoded query options.

    Raises:
        MalformedText: `URL_PERCENT`, `URL_SIZE`; `URL_FRAGMENT` where there is a `#`.
    """
    path, mark, query = url.partition("?")
    if "#" in url:
        raise MalformedText("URL_FRAGMENT", "a # in a URL is percent-encoded: %23", url.index("#"))
    try:
        return path, split_query(query) if mark else ()
    except MalformedText as error:
        error.position += len(path) + 1
        raise


def split_query(query: str) -> QueryPairs:
    """Splits a raw query string at `&` and the first `=`, and decodes both sides; a `+` stays a plus.

    >>> split_query("$filter=Name%20eq%20'A%26B'&$top=5")
    (('$filter', "Name eq 'A&B'"), ('$top', '5'))

    Raises:
        MalformedText: `URL_PERCENT`.
    """
    pairs: list[tuple[str, str]] = []
    position = 0
    for part in query.split("&"):
        name, equals, value = part.partition("=")
        if part:
            decoded_name = decode_percent(name, position)
            pairs.append((decoded_name, decode_percent(value, position + len(name) + len(equals))))
        position += len(part) + 1
    return tuple(pairs)


def format_query(pairs: QueryPairs) -> str:
    """Writes query options, percent-encoded, a blank as `%20`.

    >>> format_query((("$filter", "Name eq 'Fruit & Nut'"),))
    "$filter=Name%20eq%20'Fruit%20%26%20Nut'"
    """
    return "&".join(
        percent_encode(name, safe="$@-._~") + "=" + percent_encode(value, safe=SAFE_IN_QUERY) for name, value in pairs
    )


def format_url(path: str, query: QueryPairs) -> str:
    """Writes a percent-encoded path and decoded options as one URL relative to the service root."""
    return path + ("?" + format_query(query) if query else "")


def check_options(query: QueryPairs) -> None:
    """Checks that no system query option or parameter alias comes twice (URL Conventions 4.01, clause 5.1).

    Raises:
        MalformedText: `OPTION_DUPLICATE`.
    """
    seen: set[str] = set()
    for name, _ in query:
        if name.startswith(("$", "@")):
            if name in seen:
                raise MalformedText("OPTION_DUPLICATE", f"the query option {name} is given twice")
            seen.add(name)


def decode_percent(text: str, position: int = 0) -> str:
    """Decodes percent-encoding; a `+` stays a plus.

    Raises:
        MalformedText: `URL_PERCENT` where `%` is not followed by two hexadecimal digits or the bytes are not UTF-8.
    """
    if "%" not in text:
        return text
    if (bad := _BAD_PERCENT.search(text)) is not None:
        message = "a % is followed by two hexadecimal digits; the character itself is written %25"
        raise MalformedText("URL_PERCENT", message, position + bad.start())
    pieces = text.split("%")
    content = pieces[0].encode("utf-8", "surrogatepass")
    for piece in pieces[1:]:
        content += bytes.fromhex(piece[:2]) + piece[2:].encode("utf-8", "surrogatepass")
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        raise MalformedText("URL_PERCENT", "the percent-encoded bytes are not UTF-8", position) from None


def _is_open(raw: str) -> bool:
    """Whether a raw segment begins or ends inside of quotes."""
    return (raw.count("'") + raw.upper().count("%27")) % 2 == 1


def _segment(raw: str, position: int) -> Segment:
    if not raw:
        raise MalformedText("URL_SEGMENT", "a segment of the path is empty", position)
    text = decode_percent(raw, position)
    name, bracket, _ = text.partition("(")
    key, second = _predicates(text[len(name) :], position + len(name)) if bracket else (None, None)
    return Segment(name=name, kind=_kind(name, position), key=key, second=second, position=position)


def _kind(name: str, position: int) -> SegmentKind:
    if name.startswith("$"):
        try:
            return SegmentKind(name)
        except ValueError:
            raise MalformedText("URL_SEGMENT", f"there is no segment {name!r}", position) from None
    if _IDENTIFIER.fullmatch(name) is None:
        message = f"{name!r} is no name of a set, property or operation"
        raise MalformedText("URL_SEGMENT", message, position)
    return SegmentKind.QUALIFIED if "." in name else SegmentKind.NAME


def _predicates(text: str, position: int) -> tuple[Key, Key | None]:
    end = _closing(text)
    if end == len(text) - 1 or not text.startswith("(", end + 1):
        return parse_key(text, position=position), None
    return parse_key(text[: end + 1], position=position), parse_key(text[end + 1 :], position=position + end + 1)


def _closing(text: str) -> int:
    """Gives where the first bracket is closed, quotes left out; the end of the text where it is not."""
    depth = 0
    quoted = False
    for index, letter in enumerate(text):
        if letter == "'":
            quoted = not quoted
        elif not quoted and letter in "()":
            depth += 1 if letter == "(" else -1
            if depth == 0:
                return index
    return len(text) - 1


def _format_segment(segment: Segment) -> str:
    predicates = "".join(_format_predicate(key) for key in (segment.key, segment.second) if key is not None)
    return percent_encode(segment.name, safe="$") + predicates


def _format_predicate(key: Key) -> str:
    inner = ",".join(f"{part.name}={part.text}" if part.name else part.text for part in key.parts)
    return "(" + percent_encode(inner, safe=SAFE_IN_KEY) + ")"
