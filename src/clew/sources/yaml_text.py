"""YAML as text with lines: no tag resolved, no alias followed, no key twice, within bounds.

Scalars stay as written, so that `0010` keeps its zeros and `NO` stays a country. Aliases are refused: a few lines of
them can unfold into gigabytes, and nothing that is read here needs them.
"""

import codecs
from collections.abc import Iterator
from typing import TypeAlias

import yaml

from clew.domain.errors import MalformedText
from clew.domain.facts import Refused
from clew.domain.issues import Issue, Place
from clew.domain.records import Record

_LOADER: type[yaml.CSafeLoader] | type[yaml.SafeLoader] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_NULLS = frozenset({"", "~", "null", "Null", "NULL"})
_FLAGS = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}


class YamlLimits(Record, frozen=True, kw_only=True):
    """Bounds for one document: bytes of it, levels of nesting."""

    size_bytes: int = 8 * 1024 * 1024
    depth: int = 40


class Scalar(Record, frozen=True, kw_only=True):
    """A text as written; `plain` where it was not quoted. `line` and `end_line` are 1-based."""

    text: str
    plain: bool = True
    line: int = 0
    end_line: int = 0

    @property
    def is_null(self) -> bool:
        """Whether nothing was written, or one of YAML's words for it."""
        return self.plain and self.text in _NULLS

    @property
    def flag(self) -> bool | None:
        """The truth value that is written, `None` where it is none."""
        return _FLAGS.get(self.text) if self.plain else None


class Items(Record, frozen=True, kw_only=True):
    """A sequence; `flow` where it is written in brackets; `column` (0-based) is that of its first dash."""

    items: tuple["YamlNode", ...] = ()
    flow: bool = False
    line: int = 0
    end_line: int = 0
    column: int = 0


class Fields(Record, frozen=True, kw_only=True):
    """A mapping, with the line of each key."""

    entries: dict[str, "YamlNode"] = {}
    key_lines: dict[str, int] = {}
    line: int = 0
    end_line: int = 0


YamlNode: TypeAlias = Scalar | Items | Fields


def decode_text(data: bytes | str) -> str:
    """Gives a document as text: UTF-8, or UTF-16 with its byte order mark, which is dropped.

    Raises:
        MalformedText: `encoding`; the position is that of the first byte that does not fit.
    """
    if isinstance(data, str):
        return data.removeprefix("\ufeff")
    marks = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))
    encoding = next((name for mark, name in marks if data.startswith(mark)), "utf-8")
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        message = f"is not {encoding.removesuffix('-sig').upper()} from byte {error.start} on"
        raise MalformedText("encoding", message, error.start) from None


def read_yaml(data: bytes | str, *, document: str, limits: YamlLimits = YamlLimits()) -> YamlNode | Refused:
    """Reads the one YAML document in `data`."""
    if len(data) > limits.size_bytes:
        return refuse_yaml(document, "yaml-size", f"has {len(data):,} bytes; at most {limits.size_bytes:,} are read")
    try:
        text = decode_text(data)
    except MalformedText as error:
        return refuse_yaml(document, "yaml-encoding", str(error))
    try:
        return _Builder(text, limits.depth).document()
    except MalformedText as error:
        return refuse_yaml(document, f"yaml-{error.code}", str(error), line=error.position)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        problem = " ".join(filter(None, (error.context, error.problem))) or "it breaks off"
        return refuse_yaml(document, "yaml-syntax", f"is not YAML: {problem}", line=mark.line + 1 if mark else 0)
    except yaml.YAMLError as error:
        # The reader's own errors (a control character) give a position in the text and no mark.
        position = getattr(error, "position", 0)
        line = text.count("\n", 0, position) + 1 if isinstance(position, int) else 0
        return refuse_yaml(document, "yaml-syntax", "is not YAML: a character is not allowed in it", line=line)


def refuse_yaml(document: str, code: str, what: str, *, line: int = 0) -> Refused:
    """Gives the refusal of a whole document; `what` goes on after "The document"."""
    return Refused(issue=Issue(code=code, message=f"The document {what}.", place=Place(document=document, line=line)))


class _Builder:
    """Builds nodes from the parser's events; positions of `MalformedText` are lines."""

    def __init__(self, text: str, depth: int) -> None:
        self._events: Iterator[yaml.Event] = yaml.parse(text, Loader=_LOADER)  # pyright: ignore[reportUnknownMemberType]
        self._depth = depth

    def document(self) -> YamlNode:
        found: YamlNode | None = None
        for event in self._events:
            if isinstance(event, yaml.DocumentStartEvent):
                if found is not None:
                    raise MalformedText("several", "holds several YAML documents; one is read", _line(event))
                found = self._node(next(self._events), 1)
        if found is None or (isinstance(found, Scalar) and found.is_null):
            raise MalformedText("empty", "is empty", 0)
        return found

    def _node(self, event: yaml.Event, depth: int) -> YamlNode:
        if depth > self._depth:
            raise MalformedText("depth", f"is nested deeper than {self._depth} levels", _line(event))
        match event:
            case yaml.ScalarEvent():
                plain = event.implicit[0] and event.style in (None, "")
                end = event.end_mark
                # A block scalar ends where the next line begins.
                end_line = max(_line(event), end.line + (1 if end.column else 0))
                return Scalar(text=event.value, plain=plain, line=_line(event), end_line=end_line)
            case yaml.SequenceStartEvent():
                return self._items(event, depth)
            case yaml.MappingStartEvent():
                return self._fields(event, depth)
            case _:
                raise MalformedText("alias", "uses an alias (`*name`), which is not read; write it out", _line(event))

    def _items(self, start: yaml.SequenceStartEvent, depth: int) -> Items:
        items: list[YamlNode] = []
        while not isinstance(event := next(self._events), yaml.SequenceEndEvent):
            items.append(self._node(event, depth + 1))
        mark = start.start_mark
        end = items[-1].end_line if items else mark.line + 1
        return Items(
            items=tuple(items), flow=bool(start.flow_style), line=mark.line + 1, end_line=end, column=mark.column
        )

    def _fields(self, start: yaml.MappingStartEvent, depth: int) -> Fields:
        entries: dict[str, YamlNode] = {}
        lines: dict[str, int] = {}
        while not isinstance(event := next(self._events), yaml.MappingEndEvent):
            if not isinstance(event, yaml.ScalarEvent):
                raise MalformedText("key", "has a key that is no plain text", _line(event))
            key = str(event.value)
            if key in entries:
                message = f"has the key {key!r} twice in one mapping (first in line {lines[key]})"
                raise MalformedText("duplicate-key", message, _line(event))
            lines[key] = _line(event)
            entries[key] = self._node(next(self._events), depth + 1)
        line = start.start_mark.line + 1
        end = max((node.end_line for node in entries.values()), default=line)
        return Fields(entries=entries, key_lines=lines, line=line, end_line=max(end, *lines.values(), line))


def _line(event: yaml.Event) -> int:
    return event.start_mark.line + 1
