"""Plans: several calls with references between them, confirmed by hash, executed step by step."""

from typing import Literal

from clew.domain.decisions import Decision
from clew.domain.records import JsonObject, Record
from clew.domain.requests import Call, Request
from clew.domain.verdicts import Verdict


class Question(Record, frozen=True, kw_only=True):
    """A value that the request did not give and that must be asked for, never invented.

    `slot` says where it belongs (`2:/to_Item/0/Plant`: step 2, JSON pointer); `allowed` lists codes where there is a
    closed list.
    """

    slot: str
    question: str
    type: str = "Edm.String"
    allowed: tuple[str, ...] = ()


class Plan(Record, frozen=True, kw_only=True):
    """Calls in order. `hash` covers the calls with their references, the schema lock and the principal."""

    calls: tuple[Call, ...]
    principal: str
    schema_lock: tuple[tuple[str, str], ...]
    """(service, version of its description), sorted."""
    hash: str
    case: str = ""
    process: str = ""


class Earlier(Record, frozen=True, kw_only=True):
    """An earlier step of a plan, to which later ones refer; `result` is `None` where it has not been carried out."""

    call: Call
    result: JsonObject | list[JsonObject] | None = None
    carried_out: bool = False


class StepCheck(Record, frozen=True, kw_only=True):
    """The dry run of one step: its request with references left in, the verdict, the decision."""

    position: int
    """1-based, as references count."""
    call: Call
    request: Request
    verdict: Verdict
    decision: Decision


class DryRun(Record, frozen=True, kw_only=True):
    """What a plan would do, step by step. `executable` when every step is allowed and no decision denies or asks."""

    plan: Plan
    steps: tuple[StepCheck, ...]
    executable: bool


class Receipt(Record, frozen=True, kw_only=True):
    """Proof that one call was carried out: what was sent, what came back."""

    run_id: str
    position: int
    request: Request
    status: int
    result: JsonObject | list[JsonObject] | None = None
    at: str = ""
    """UTC, ISO 8601 with milliseconds."""


class Run(Record, frozen=True, kw_only=True):
    """The execution of a plan, finished or not; `clew run --resume` goes on after the last receipt."""

    run_id: str
    plan: Plan
    receipts: tuple[Receipt, ...] = ()
    state: Literal["running", "done", "failed", "uncertain"] = "running"
    """`uncertain`: a write was sent and no answer is recorded; it is never sent again before somebody has looked."""
    failure: str = ""
