"""Issues: findings about input, as values. An error (`clew.domain.errors`) means that *we* could not go on."""

from enum import StrEnum
from typing import Literal

from clew.domain.records import Record


class Severity(StrEnum):
    """How much an issue weighs: `ERROR` refuses the input, `WARNING` uses it, `NOTE` informs."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


class Place(Record, frozen=True, kw_only=True):
    """Where in the input: document or request part, line and column (1-based, 0 unknown), JSON pointer or path."""

    document: str = ""
    line: int = 0
    column: int = 0
    pointer: str = ""

    def __str__(self) -> str:
        """Gives `document:line:column pointer`, leaving out what is unknown."""
        text = self.document
        if self.line:
            text += f":{self.line}" + (f":{self.column}" if self.column else "")
        return f"{text} {self.pointer}".strip()


class Suggestion(Record, frozen=True, kw_only=True):
    """What would be right: the value to write, why it is meant, how sure (0-1)."""

    value: str
    reason: Literal["spelling", "label", "synonym", "code", "type", "rule"] = "spelling"
    score: float = 1.0


class Issue(Record, frozen=True, kw_only=True):
    """One finding: stable code, place, message in one line, suggestions best first."""

    code: str
    message: str
    place: Place = Place()
    severity: Severity = Severity.ERROR
    suggestions: tuple[Suggestion, ...] = ()
    source: str = ""
    """Who says so: a document and line, a standard's clause."""

    def __str__(self) -> str:
        """Gives the one line that a person reads."""
        where = str(self.place)
        line = f"{where}: {self.message}" if where else self.message
        if self.suggestions:
            line += " Did you mean " + ", ".join(repr(s.value) for s in self.suggestions[:3]) + "?"
        return line
