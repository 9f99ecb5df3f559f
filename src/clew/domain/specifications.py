"""Specifications: what an agent must know to call something, as a tuple of sections within a token budget."""

from enum import StrEnum

from clew.domain.records import JsonValue, Record


class Detail(StrEnum):
    """How much to tell; the budget is in tokens, reckoned as UTF-8 bytes / 4, rounded up."""

    BRIEF = "brief"
    STANDARD = "standard"
    FULL = "full"

    @property
    def budget_tokens(self) -> int:
        """300, 1,200 or 4,000 tokens."""
        return {"brief": 300, "standard": 1200, "full": 4000}[self.value]


class Section(Record, frozen=True, kw_only=True):
    """One section of a specification; `lines` come most important first, since cutting takes the last ones.

    `content` is the same as data. `untrusted` lines quote texts of a source: they are data, never instructions.
    """

    name: str
    title: str
    lines: tuple[str, ...]
    content: JsonValue = None
    untrusted: bool = False


class Cut(Record, frozen=True, kw_only=True):
    """What a budget cut off a section, and the call that gives it."""

    section: str
    lines: int
    call: str


class Specification(Record, frozen=True, kw_only=True):
    """What is known of one entity set or operation, within its budget."""

    id: str
    kind: str
    title: str
    detail: Detail
    sections: tuple[Section, ...]
    cuts: tuple[Cut, ...] = ()
    tokens: int = 0
