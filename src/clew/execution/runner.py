"""`Runner`: executes confirmed plans step by step, with receipts, and takes interrupted runs up again."""

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

import msgspec

from clew.domain.clocks import Clock, stamp
from clew.domain.decisions import Decision, Effect
from clew.domain.errors import CallFailed, NotPermitted
from clew.domain.issues import Severity
from clew.domain.plans import DryRun, Earlier, Plan, Receipt, Run
from clew.domain.ports import Checker, Gate, Response, Transport, Witness
from clew.domain.records import JsonObject
from clew.domain.requests import CheckedRequest, Request
from clew.domain.verdicts import Verdict
from clew.execution.drivers import drive
from clew.execution.plans import decide, dry_run, make_plan
from clew.execution.responses import missing_references, read_back, read_error, read_result
from clew.execution.runs import RunStore
from clew.graph.service_view import ServiceView

RunState: TypeAlias = Literal["running", "done", "failed", "uncertain"]
Conversation: TypeAlias = Generator[Request, Response, Run]
"""A run as protocol logic: yields the requests to send and receives their responses."""


@dataclass(frozen=True, kw_only=True)
class Surroundings:
    """What a runner meets the world through; the workspace wires it.

    `views` gives a service's present description, whose `version` is compared with the plan's schema lock; `new_id`
    gives the id of a new run.
    """

    store: RunStore
    checker: Checker
    gates: Sequence[Gate]
    transport: Transport
    views: Callable[[str], ServiceView]
    clock: Clock
    new_id: Callable[[], str]
    witnesses: Sequence[Witness] = field(default=())


class Runner:
    """Carries out plans: one confirmed hash, one run, no request sent twice."""

    def __init__(self, surroundings: Surroundings) -> None:
        """Keeps what it works with."""
        self._around = surroundings

    def rehearse(self, plan: Plan) -> DryRun:
        """Makes the dry run of a plan and keeps the plan, so that its hash can be confirmed."""
        self._around.store.put_plan(plan, self._now())
        return dry_run(plan, self._around.checker, self._around.gates)

    def execute(self, plan: Plan, confirmed_hash: str, *, principal: str) -> Run:
        """Executes a plan whose hash was confirmed, up to its end or to the first step that does not succeed.

        Raises:
            NotPermitted: the hash is another one, the plan is another principal's, the services changed since the
                plan was made, or the plan was confirmed before. Nothing was sent.
        """
        self._check_confirmation(plan, confirmed_hash, principal)
        run = Run(run_id=self._around.new_id(), plan=plan)
        claimed = self._around.store.claim(run, self._now())
        if claimed != run.run_id:
            message = f"This plan was confirmed before, as run {claimed}; `clew run --resume {claimed}` goes on with it"
            raise NotPermitted((message,))
        return drive(self.conversation(run), self._around.transport)

    def resume(self, run_id: str, *, principal: str) -> Run:
        """Goes on with a run after its last receipt; a finished run is given back as it is.

        Raises:
            NotPermitted: there is no such run of this principal, the services changed, or a write was sent whose
                answer is not known: it must be settled first.
        """
        run = self._owned(run_id, principal)
        if run.state == "done":
            return run
        self._check_lock(run.plan)
        return drive(self.conversation(run), self._around.transport)

    def settle(self, run_id: str, position: int, *, principal: str, result: JsonObject | None) -> Run:
        """Records what somebody found out about a write whose answer is not known.

        `result` is what the service holds if the write arrived (`{}` where there is nothing to show); `None` says that
        it did not arrive, and the next `resume` sends it.

        Raises:
            NotPermitted: there is no such run of this principal, or no such uncertain step in it.
        """
        self._owned(run_id, principal)
        request = dict(self._around.store.uncertain(run_id)).get(position)
        if request is None:
            raise NotPermitted((f"Step {position} of run {run_id} is not uncertain",))
        if result is None:
            self._around.store.delete_intent(run_id, position)
        else:
            at = self._now()
            receipt = Receipt(run_id=run_id, position=position, request=request, status=0, result=result, at=at)
            self._around.store.put_receipt(receipt, principal=principal)
            self._show_last(self._owned(run_id, principal))
        return self._closed(self._owned(run_id, principal), "failed", "settled; resume it to go on")

    def conversation(self, run: Run) -> Conversation:
        """Gives the rest of a run as protocol logic, for a driver."""
        if (uncertain := self._uncertain_step(run)) is not None:
            return self._closed(run, "uncertain", uncertain)
        run = self._closed(run, "running", "")
        self._show_last(run)
        earlier = _earlier(run)
        for position in range(len(run.receipts) + 1, len(run.plan.calls) + 1):
            yield from self._read_missing(run, position, earlier)
            ended = yield from self._step(run, position, earlier)
            if isinstance(ended, Run):
                return ended
            run = msgspec.structs.replace(run, receipts=(*run.receipts, ended))
            call = run.plan.calls[position - 1]
            earlier.append(Earlier(call=call, result=ended.result, carried_out=True))
        return self._closed(run, "done", "")

    def _show_last(self, run: Run) -> None:
        """Shows the last receipt to the witnesses again: the run may have ended before they saw it."""
        if not run.receipts:
            return
        receipt, plan = run.receipts[-1], run.plan
        before = _earlier(msgspec.structs.replace(run, receipts=run.receipts[:-1]))
        checked = self._around.checker.check(plan.calls[receipt.position - 1], before).checked
        if checked is None:
            return
        for witness in self._around.witnesses:
            witness.saw(checked, receipt, principal=plan.principal, case=plan.case)

    def _step(self, run: Run, position: int, earlier: Sequence[Earlier]) -> Generator[Request, Response, Receipt | Run]:
        plan, store = run.plan, self._around.store
        verdict = self._around.checker.check(plan.calls[position - 1], tuple(earlier))
        decision = decide(verdict, self._around.gates, principal=plan.principal, case=plan.case)
        if verdict.checked is None or not decision.open:
            return self._closed(run, "failed", f"step {position}: {_why(verdict, decision)}")
        checked = verdict.checked
        if checked.writes and not store.put_intent(run, position, checked.request, self._now()):
            return self._closed(run, "uncertain", _uncertainty(position, checked.request))
        try:
            response = yield checked.request
        except CallFailed as error:
            return self._unanswered(run, position, checked, str(error))
        if response.status >= 400:
            return self._refused(run, position, checked, response)
        receipt = self._receipt(run, position, checked, response)
        store.put_receipt(receipt, principal=plan.principal)
        for witness in self._around.witnesses:
            witness.saw(checked, receipt, principal=plan.principal, case=plan.case)
        return receipt

    def _receipt(self, run: Run, position: int, checked: CheckedRequest, response: Response) -> Receipt:
        view = self._around.views(checked.request.service)
        return Receipt(
            run_id=run.run_id,
            position=position,
            request=checked.request,
            status=response.status,
            result=read_result(view, checked, response),
            at=self._now(),
        )

    def _unanswered(self, run: Run, position: int, checked: CheckedRequest, failure: str) -> Run:
        if checked.writes:
            return self._closed(run, "uncertain", f"{_uncertainty(position, checked.request)} ({failure})")
        return self._closed(run, "failed", f"step {position}: {failure}")

    def _refused(self, run: Run, position: int, checked: CheckedRequest, response: Response) -> Run:
        message = read_error(response)
        if checked.writes and response.status >= 500:
            # A gateway's 502 or 504 says nothing about what the service behind it did.
            return self._closed(run, "uncertain", f"{_uncertainty(position, checked.request)} ({message})")
        self._around.store.delete_intent(run.run_id, position)
        return self._closed(run, "failed", f"step {position}: {message}")

    def _read_missing(self, run: Run, position: int, earlier: list[Earlier]) -> Generator[Request, Response, None]:
        """Reads what the next call refers to and an answer did not hold (an empty answer, a deferred navigation)."""
        for step, paths in missing_references(run.plan.calls[position - 1], earlier).items():
            known = earlier[step - 1]
            read = read_back(self._around.views(known.call.service), known, paths)
            checked = self._around.checker.check(read, ()).checked if read is not None else None
            if checked is None:
                continue
            try:
                response = yield checked.request
            except CallFailed:
                continue
            if response.status < 300:
                found = read_result(self._around.views(known.call.service), checked, response)
                earlier[step - 1] = msgspec.structs.replace(known, result=found)

    def _check_confirmation(self, plan: Plan, confirmed_hash: str, principal: str) -> None:
        made = make_plan(plan.calls, principal=plan.principal, schema_lock=plan.schema_lock, case=plan.case)
        if confirmed_hash != plan.hash or made.hash != plan.hash:
            raise NotPermitted((f"The confirmed hash {confirmed_hash!r} is not this plan's; make its dry run again",))
        if principal != plan.principal:
            raise NotPermitted((f"The plan was made for another principal than {principal!r}, who cannot confirm it",))
        self._check_lock(plan)

    def _check_lock(self, plan: Plan) -> None:
        used = {call.service for call in plan.calls}
        locked = dict(plan.schema_lock)
        changed = sorted(service for service in used if locked.get(service) != self._around.views(service).version)
        if changed:
            names = ", ".join(changed)
            raise NotPermitted((f"The description of {names} changed since the plan was made; make its dry run again",))

    def _owned(self, run_id: str, principal: str) -> Run:
        run = self._around.store.run(run_id)
        if run is None or run.plan.principal != principal:
            raise NotPermitted((f"There is no run {run_id!r} of {principal!r}",))
        return run

    def _uncertain_step(self, run: Run) -> str | None:
        for position, request in self._around.store.uncertain(run.run_id):
            return _uncertainty(position, request)
        return None

    def _closed(self, run: Run, state: RunState, failure: str) -> Run:
        closed = msgspec.structs.replace(run, state=state, failure=failure)
        self._around.store.set_state(closed, self._now())
        return closed

    def _now(self) -> str:
        return stamp(self._around.clock())


def _earlier(run: Run) -> list[Earlier]:
    return [
        Earlier(call=run.plan.calls[receipt.position - 1], result=receipt.result, carried_out=True)
        for receipt in run.receipts
    ]


def _why(verdict: Verdict, decision: Decision) -> str:
    if verdict.checked is None:
        errors = [problem.message for problem in verdict.problems if problem.severity is Severity.ERROR]
        return "; ".join(errors)
    reasons = [reason.message for reason in decision.reasons if reason.code != "off"]
    word = "needs a person's consent" if decision.effect is Effect.ASK else "denied"
    return f"{word}: {'; '.join(reasons)}"


def _uncertainty(position: int, request: Request) -> str:
    return (
        f"step {position} ({request.method} {request.path} of {request.service}) was sent and its answer is not known; "
        f"look whether it arrived, then settle it"
    )
