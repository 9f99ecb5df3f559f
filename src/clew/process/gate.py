"""`OrderGate`: whether a checked call may happen now, by the order of the case's process (the port `Gate`).

- Reads are never held up: they are how one shows what is done.
- A call that performs no step of the process is none of this gate's business.
- A step may come when some execution of the model, with what has been done, opens it now; a repetition where the model
  repeats it. Activities without binding are done outside and cannot be seen: they count as possible at any time they
  may come, unless the settings want somebody's word for them.
- Evidence counts for its own object (`clew.process.links`): what was done for one order opens nothing for another.
- A model that is broken, or whose order could not be worked out, holds nothing up; the decision says so.
"""

from collections.abc import Sequence

from clew.domain.cases import Case, Evidence
from clew.domain.decisions import Decision, Effect, Reason
from clew.domain.errors import UnknownReference
from clew.domain.facts import Edge
from clew.domain.records import Record
from clew.domain.requests import CheckedRequest
from clew.flow import ProcessFlow
from clew.process.case_book import CaseBook
from clew.process.evidence import rehearsed_evidence
from clew.process.links import Links
from clew.process.matching import steps_performed, subject_of
from clew.process.standing import Processes, Standing, stand
from clew.process.wording import listed, missing_steps, named, remedy_for


class OrderSettings(Record, frozen=True, kw_only=True):
    """`stated`: ids of activities without binding that count as done only when a person has said so."""

    stated: tuple[str, ...] = ()


class OrderGate:
    """Decides by process order; `rehearse` gives it as it will decide once other calls have succeeded."""

    name = "order"

    def __init__(
        self, book: CaseBook, processes: Processes, links: Links, *, settings: OrderSettings = OrderSettings()
    ) -> None:
        """Keeps where cases, processes and links are looked up."""
        self._book = book
        self._processes = processes
        self._links = links
        self._settings = settings
        self._earlier: tuple[CheckedRequest, ...] = ()

    def rehearse(self, earlier: Sequence[CheckedRequest]) -> "OrderGate":
        """Gives the gate as it would decide once the `earlier` requests, which may hold references, had succeeded."""
        gate = OrderGate(self._book, self._processes, self._links, settings=self._settings)
        gate._earlier = tuple(earlier)
        return gate

    def decide(self, request: CheckedRequest, *, principal: str, case: str = "") -> Decision:
        """Gives what process order says of a call in a case; without a case it has no say, unless cases are open."""
        if not case:
            return self._without_case(request, principal)
        try:
            found = self._book.show(case, principal=principal)
            flow = self._processes.flow(found.process)
        except UnknownReference as error:
            return _decision(Effect.DENY, "CASE_UNKNOWN", str(error), remedy="Open a case, or name one of yours")
        if found.mode == "off":
            return _decision(Effect.PERMIT, "off", f"Process order is off in case {case!r}")
        steps = steps_performed(flow, request)
        if request.writes and found.state != "open":
            return _decision(Effect.DENY, "CASE_CLOSED", f"Case {case!r} is closed", remedy="Open a new case")
        if not request.writes:
            return _decision(Effect.PERMIT, "ORDER_READ", "Reads are never held up by process order")
        if not steps:
            return self._not_a_step(request, found, flow)
        return self._of_step(request, steps, found, flow)

    def _without_case(self, request: CheckedRequest, principal: str) -> Decision:
        """A call without a case is outside of every process; where cases that it may be meant for are open, it is asked."""
        concerned = [] if not request.writes else [one for one in self._open(principal) if self._concerns(one, request)]
        if not concerned:
            return _decision(Effect.PERMIT, "NO_CASE", "The call is made in no case, so that no process order applies")
        handles = ", ".join(repr(one.handle) for one in concerned)
        several = len(concerned) > 1
        message = (
            f"The call performs a step of {len(concerned)} open cases ({handles}) and names none of them"
            if several
            else f"The call performs a step of the open case {handles} and does not name it"
        )
        effect = Effect.ASK if several else Effect.ADVISE
        return _decision(effect, "CASE_KEY_NEEDED", message, remedy="Say which case it belongs to")

    def _open(self, principal: str) -> list[Case]:
        found = self._book.list(principal=principal, state="open")
        return [case for case in found if case.mode != "off"]

    def _concerns(self, case: Case, request: CheckedRequest) -> bool:
        try:
            return bool(steps_performed(self._processes.flow(case.process), request))
        except UnknownReference:
            return False

    def _not_a_step(self, request: CheckedRequest, case: Case, flow: ProcessFlow) -> Decision:
        activity = request.call.activity if request.call else ""
        bound = flow.view.bindings.get(activity, [])
        if not bound:
            message = f"The call performs no step of {flow.view.process.name or case.process!r}"
            return _decision(Effect.PERMIT, "ORDER_NO_STEP", message, subject=request.target)
        other = ", ".join(f"{edge.method} {edge.target}" for edge in bound)
        message = f"The call names the step {named(flow, activity)}, which is performed by {other}"
        return _decision(
            _effect(case), "ORDER_STEP", message, subject=activity, remedy=f"Call {other}, or name no step"
        )

    def _of_step(self, request: CheckedRequest, steps: list[Edge], case: Case, flow: ProcessFlow) -> Decision:
        standing = self.standing(request, steps, case, flow)
        refusals: list[Reason] = []
        for step in steps:
            reason = _refusal(step, standing, flow)
            if reason is None:
                return _permission(step, standing, flow)
            refusals.append(reason)
        doubt = _doubt(steps, standing, flow)
        if doubt is not None:
            return Decision(effect=Effect.ADVISE, source=self.name, reasons=(doubt, *refusals))
        evidence = tuple(standing.completed)
        return Decision(effect=_effect(case), source=self.name, reasons=tuple(refusals), evidence=evidence)

    def standing(self, request: CheckedRequest, steps: list[Edge], case: Case, flow: ProcessFlow) -> Standing:
        """Gives where the case stands for a call that performs one of `steps`, with what was rehearsed."""
        rehearsed: list[Evidence] = []
        for position, earlier in enumerate(self._earlier, 1):
            rehearsed += rehearsed_evidence(earlier, position, flow=flow, links=self._links)
        return stand(
            flow,
            (*case.evidence, *rehearsed),
            subject_of(request),
            self._links,
            wanted=[step.source for step in steps],
            stated=frozenset(self._settings.stated),
        )


def _effect(case: Case) -> Effect:
    return Effect.DENY if case.mode == "enforce" else Effect.ADVISE


def _decision(effect: Effect, code: str, message: str, *, subject: str = "", remedy: str = "") -> Decision:
    reason = Reason(code=code, message=message, subject=subject, remedy=remedy)
    return Decision(effect=effect, source=OrderGate.name, reasons=(reason,))


def _refusal(step: Edge, standing: Standing, flow: ProcessFlow) -> Reason | None:
    """Gives why a step may not come now, `None` where it may."""
    activity = step.source
    missing = missing_steps(flow, standing, activity)
    if activity in standing.enabled.activities or not (standing.fits or missing):
        return None
    name = named(flow, activity)
    if missing:
        elsewhere = [standing.elsewhere[one] for one in missing if one in standing.elsewhere]
        about = f" for {elsewhere[0]}" if elsewhere else ""
        message = f"{name} cannot come yet: {listed(flow, missing)} must be done first{about}"
        return Reason(code="ORDER", message=message, subject=activity, remedy=remedy_for(flow, missing))
    following = standing.enabled.activities
    then = f"what may come next is {listed(flow, following)}" if following else "no bound step may follow"
    if activity in standing.completed:
        message = f"{name} has been done, and the process does not repeat it here; {then}"
        return Reason(code="ORDER_REPEAT", message=message, subject=activity, remedy="Open a new case for a new run")
    message = f"{name} cannot come now; {then}"
    return Reason(code="ORDER", message=message, subject=activity, remedy=remedy_for(flow, following))


def _permission(step: Edge, standing: Standing, flow: ProcessFlow) -> Decision:
    activity = step.source
    needs = standing.enabled.needs.get(activity, ())
    evidence = tuple(standing.completed)
    if needs:
        values = ", ".join(needs)
        message = f"Whether {named(flow, activity)} is due depends on {values}, which is not known"
        remedy = f"Make sure of {values}"
        reason = Reason(code="DATA_NEEDED", message=message, subject=activity, remedy=remedy)
        return Decision(effect=Effect.ADVISE, source=OrderGate.name, reasons=(reason,), evidence=evidence)
    if not standing.fits:
        message = f"{named(flow, activity)} may come: what must be done first is done, though not in the model's order"
        reason = Reason(code="ORDER_UNUSUAL", message=message, subject=activity)
        return Decision(effect=Effect.ADVISE, source=OrderGate.name, reasons=(reason,), evidence=evidence)
    reason = Reason(code="ORDER_OK", message=f"{named(flow, activity)} may come now", subject=activity)
    return Decision(effect=Effect.PERMIT, source=OrderGate.name, reasons=(reason,), evidence=evidence)


def _doubt(steps: list[Edge], standing: Standing, flow: ProcessFlow) -> Reason | None:
    """Gives why the model must not hold a call up although it does not open it, `None` where it may."""
    name = flow.view.process.name or flow.view.id
    if not flow.is_enforceable:
        broken = ", ".join(flow.view.process.defects)
        message = f"The model of {name!r} is broken ({broken}), so that its order is not enforced"
        return Reason(code="ORDER_MODEL", message=message, remedy="Mend the model and ingest it again")
    if all(flow.can_start(step.source) is False for step in steps):
        message = (
            f"No execution of {name!r} ever reaches {named(flow, steps[0].source)}, so that its order is not enforced"
        )
        return Reason(code="ORDER_MODEL", message=message, remedy="Mend the model and ingest it again")
    certain = any(missing_steps(flow, standing, step.source) for step in steps)
    if standing.enabled.issues and not certain:
        issue = standing.enabled.issues[0]
        return Reason(code="ORDER_UNDECIDED", message=f"{issue.message} So order is not enforced")
    return None
