"""`Fault`: a problem while the rules are at work, with the one safe repair where there is one."""

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

from clew.domain.issues import Severity, Suggestion
from clew.domain.records import JsonValue
from clew.domain.verdicts import Problem

Path: TypeAlias = tuple[str | int, ...]
"""A place in the body: names and 0-based positions from the top."""


class Repair(NamedTuple):
    """One safe change: `kind` says of what.

    `value` and `name` change the body at `path` (the value there, the last name of it); `drop` removes the member;
    `url` replaces the path with `text`, `query` the query option `name` with `text`, `method` the method, and
    `header` the header `name` with `text`.
    """

    kind: str
    path: Path = ()
    value: JsonValue = None
    name: str = ""
    text: str = ""


class Fault(NamedTuple):
    """What a rule found. `pointer` is empty while a value's own rule speaks, which does not know where it stands."""

    code: str
    message: str
    pointer: str = ""
    expected: str = ""
    severity: Severity = Severity.ERROR
    suggestions: tuple[Suggestion, ...] = ()
    source: str = ""
    repair: Repair | None = None

    def problem(self) -> Problem:
        """Gives it as it travels."""
        return Problem(
            code=self.code,
            pointer=self.pointer,
            message=self.message,
            severity=self.severity,
            expected=self.expected,
            suggestions=self.suggestions,
            source=self.source,
        )


def pointer_of(path: Path) -> str:
    """Writes a place in the body as a JSON pointer (RFC 6901).

    >>> pointer_of(("to_Item", 0, "a/b"))
    '/to_Item/0/a~1b'
    """
    return "".join(f"/{str(part).replace('~', '~0').replace('/', '~1')}" for part in path)


def readable(path: Path) -> str:
    """Writes a place in the body as people name it: `Lines[1].Material`."""
    text = ""
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else part
    return text


def warning(code: str, message: str, *, expected: str = "", suggestions: Sequence[Suggestion] = ()) -> Fault:
    """Gives a finding that does not refuse the request."""
    return Fault(code, message, expected=expected, severity=Severity.WARNING, suggestions=tuple(suggestions))
