"""What the workspace answers, frozen; doors print it, `--json` writes it as it is."""

from typing import Literal

from clew.domain.facts import SourceReport
from clew.domain.hits import Hit
from clew.domain.issues import Issue
from clew.domain.plans import Question
from clew.domain.records import JsonObject, Record
from clew.domain.verdicts import Verdict


class DocumentOutcome(Record, frozen=True, kw_only=True):
    """What became of one document: read, unchanged since it was read, the same as another one, refused, removed."""

    document: str
    outcome: Literal["read", "unchanged", "same", "refused", "removed"]
    report: SourceReport | None = None
    issues: tuple[Issue, ...] = ()
    same_as: str = ""


class IngestReport(Record, frozen=True, kw_only=True):
    """What an ingest did; `version` is the graph's after it. `seconds` is wall-clock time."""

    documents: tuple[DocumentOutcome, ...]
    version: str
    seconds: float = 0.0
    size_bytes: int = 0

    @property
    def refused(self) -> tuple[DocumentOutcome, ...]:
        """The documents that were not read."""
        return tuple(document for document in self.documents if document.outcome == "refused")


class Status(Record, frozen=True, kw_only=True):
    """What the workspace holds: the published table's counts, what it was read from, how it is searched."""

    folder: str
    version: str
    counts: tuple[tuple[str, int], ...]
    services: tuple[str, ...]
    processes: tuple[str, ...]
    documents: int
    issues: int
    index: Literal["fresh", "stale", "none"]
    model: str = ""


class Title(Record, frozen=True, kw_only=True):
    """How a node is shown in a list."""

    id: str
    kind: str
    owner: str
    name: str
    label: str = ""


class SearchAnswer(Record, frozen=True, kw_only=True):
    """Hits, best first, and the recipe that found them."""

    query: str
    recipe: str
    hits: tuple[Hit, ...]


class CallAnswer(Record, frozen=True, kw_only=True):
    """One call: the verdict, and where it was allowed what the service answered. `reasons` say why it was not sent."""

    verdict: Verdict
    sent: bool = False
    status: int = 0
    result: JsonObject | list[JsonObject] | None = None
    reasons: tuple[str, ...] = ()
    questions: tuple[Question, ...] = ()


class HealthCheck(Record, frozen=True, kw_only=True):
    """One line of `clew doctor`: what was looked at, whether it is well, and the command that mends it."""

    name: str
    ok: bool
    found: str
    remedy: str = ""


class Trace(Record, frozen=True, kw_only=True):
    """One run as the journal knows it."""

    run_id: str
    principal: str
    events: int
    first: str
    last: str
    kinds: tuple[str, ...] = ()
