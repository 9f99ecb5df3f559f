"""Proposals: what the planner makes of a request in words: calls, questions, what it used and what it could not use."""

from typing import Literal, TypeAlias

from clew.domain.plans import Question
from clew.domain.records import JsonValue, Record
from clew.domain.requests import Call

MentionKind: TypeAlias = Literal["quantity", "amount", "number", "date", "identifier", "quoted", "name", "code", "flag"]
"""A `quantity` counts something, an `amount` is a price or a sum, a `number` may be either or an identifier."""

FillRule: TypeAlias = Literal["mention", "code", "lookup", "flag", "unit", "same", "reference", "default", "answer"]
"""Where a value came from. There is no rule that makes one up.

`mention`: words of the request; `code`: a code whose text they name; `lookup`: the key of a master record that they
name; `flag`: a yes or no that they state; `unit`: the unit of a quantity; `same`: a value given for an earlier step
which this one follows; `reference`: the result of an earlier step; `default`: declared by the metadata; `answer`: a
person's.
"""


class Mention(Record, frozen=True, kw_only=True):
    """A value that the request names; `start` and `end` are 0-based positions in its text, the end exclusive."""

    kind: MentionKind
    text: str
    start: int
    end: int
    value: JsonValue = None
    """A date as ISO text, a number as `int` or `Decimal`, everything else as text."""
    unit: str = ""
    """The unit as written (`PC`, `hours`, `EUR`)."""


class MasterRecord(Record, frozen=True, kw_only=True):
    """A record of master data that may be meant by its name: `kind` is its business word (`supplier`, `material`)."""

    kind: str
    key: str
    name: str


class Fill(Record, frozen=True, kw_only=True):
    """Why a slot holds its value: which words, by which rule, how sure (0-1)."""

    slot: str
    """As in `Question.slot`: `1:/to_Item/0/Material`, or `1:key/SalesOrder`."""
    value: JsonValue
    words: str
    rule: FillRule
    score: float = 1.0


class Unused(Record, frozen=True, kw_only=True):
    """A mention that found no slot; it is told and never dropped."""

    mention: Mention
    reason: str
    again: bool = False
    """Whether it only says once more what was placed already."""


class Choice(Record, frozen=True, kw_only=True):
    """Why a step calls what it calls: the words, the entity set or operation, the activity, and the score (0-1)."""

    step: int
    words: str
    target: str
    """Node id of the entity set or operation."""
    activity: str = ""
    score: float = 0.0
    reason: str = ""


class Proposal(Record, frozen=True, kw_only=True):
    """What is to be done, in order, and what must be asked first.

    `calls` refer to each other as a plan does (`$1.SalesOrder`). Nothing in here is checked or carried out.
    """

    request: str
    language: str = ""
    """`en` or `de`; empty where the language was not recognised."""
    calls: tuple[Call, ...] = ()
    questions: tuple[Question, ...] = ()
    choices: tuple[Choice, ...] = ()
    fills: tuple[Fill, ...] = ()
    unused: tuple[Unused, ...] = ()
    process: str = ""
    """Owner name of the process that the request is about; empty where none was recognised."""
    position: str = ""
    """Id of the activity with which the calls begin."""

    @property
    def complete(self) -> bool:
        """Whether there is something to do, nothing to ask, and nothing that was said and found no place."""
        left = any(not unused.again for unused in self.unused)
        return bool(self.calls) and not self.questions and not left
