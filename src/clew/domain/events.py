"""Journal events: one append-only record of calls, verdicts, decisions, evidence and receipts."""

from typing import Literal, TypeAlias

from clew.domain.records import JsonObject, Record

EventKind: TypeAlias = Literal[
    "call", "verdict", "decision", "evidence", "receipt", "plan", "ask", "search", "ingest", "case", "run", "tool"
]


class JournalEvent(Record, frozen=True, kw_only=True):
    """One event. `sequence` is given by the journal; a trace is the journal filtered by `run_id`."""

    kind: EventKind
    run_id: str
    principal: str
    tenant: str = ""
    case_id: str = ""
    conversation_id: str = ""
    plan_hash: str = ""
    body: JsonObject = {}
    at: str = ""
    sequence: int = 0
