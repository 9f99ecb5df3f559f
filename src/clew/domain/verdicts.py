"""Verdicts: what the validator says of one request."""

from typing import Literal

from clew.domain.issues import Severity, Suggestion
from clew.domain.records import Record
from clew.domain.requests import CheckedRequest, Request


class Problem(Record, frozen=True, kw_only=True):
    """One thing that is wrong with a request.

    `pointer` is a JSON pointer into the body (`/to_Item/0/Material`), or `url:` and the position for the URL, or
    `header:` and a name. `expected` says what would be right in words, with an example.
    """

    code: str
    pointer: str
    message: str
    severity: Severity = Severity.ERROR
    expected: str = ""
    suggestions: tuple[Suggestion, ...] = ()
    source: str = ""


class Verdict(Record, frozen=True, kw_only=True):
    """Allowed (`checked` is there, perhaps with warnings), or refused with problems; a repair if just one is safe."""

    allowed: bool
    problems: tuple[Problem, ...] = ()
    checked: CheckedRequest | None = None
    repaired: Request | None = None
    kind: Literal["request"] = "request"
