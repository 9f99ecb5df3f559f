"""`OrderGate`: what process order says of a checked call, by the evidence of the case in which it is made.

- Reads are never held back: a read shows what has been done and disturbs nothing.
- A call that performs no step of the case's process is none of this gate's business.
- A step may come where some execution of the model, with what has been done, opens it now; once more where the model
  repeats it. Activities without binding are done outside and cannot be seen: they count as possible whenever they may
  come, unless the settings want somebody's word for them.
- Evidence counts for its own object (`clew.process.links`): what was done for one order opens nothing for another.
- Writes that no execution has in this order (made where order was only advised) leave the certain preconditions.
- A model that is broken, or whose order could not be worked out, holds nothing back; the decision says so.
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
from clew.process.steps import missing_before, name_of, remedy_for

SOURCE = "order"


class OrderSettings(Record, frozen=True, kw_only=True):
    """`stated` are activities without binding that count as done only once somebody has said so."""

    stated: frozenset[str] = frozenset()


class OrderGate:
    """Permits, advises against or denies a call by the order of its case's process (the port `RehearsingGate`)."""

    name = SOURCE

    def __init__(
        self,
        book: CaseBook,
        processes: Processes,
        links: Links,
        settings: OrderSettings = OrderSettings(),
        *,
        earlier: Sequence[CheckedRequest] = (),
    ) -> None:
        """Keeps where cases, processes and links are looked up; `earlier` are taken as carried out."""
        self._book = book
        self._processes = processes
        self._links = links
        self._settings = settings
        self._earlier = tuple(earlier)

    def rehearse(self, earlier: Sequence[CheckedRequest]) -> "OrderGate":
        """Gives the gate as it would decide once the earlier requests of a plan had succeeded."""
        return OrderGate(self._book, self._processes, self._links, self._settings, earlier=earlier)

    def decide(self, request: CheckedRequest, *, principal: str, case: str = "") -> Decision:
        """Gives the contribution of process order to the decision on a call."""
        if not case:
            return self._without_case(request, principal)
        try:
            found = self._book.show(case, principal=principal)
            if found.mode == "off":
                return _permit("off", "Order is switched off in this case")
            flow = self._processes.flow(found.process)
        except UnknownReference as error:
            code = "unknown-case" if error.what == "case" else "unknown-process"
            return _decision(Effect.DENY, Reason(code=code, message=str(error), remedy="clew case open"))
        if not request.writes:
            return _permit("reads", "A read is never held back")
        if found.state == "closed":
            message = "The case is closed; nothing more is written in it"
            return _decision(Effect.DENY, Reason(code="closed-case", message=message, remedy="clew case open"))
        steps = steps_performed(flow, request)
        return self._judge(request, steps, found, flow) if steps else _no_step(request, found, flow)

    def _without_case(self, request: CheckedRequest, principal: str) -> Decision:
        """A call in no case is outside of every process; whether it is meant for one that is open, is asked."""
        concerned = self._concerned(request, principal) if request.writes else []
        if not concerned:
            return _permit("off", "The call belongs to no case, so no order is asked of it")
        handles = " and ".join(repr(one.handle) for one in concerned)
        message = f"The call performs a step of an open case and does not say of which: {handles}"
        remedy = "Say which case it belongs to"
        reason = Reason(code="case-needed", message=message, subject=request.target, remedy=remedy)
        return _decision(Effect.ASK if len(concerned) > 1 else Effect.ADVISE, reason)

    def _concerned(self, request: CheckedRequest, principal: str) -> list[Case]:
        found: list[Case] = []
        for case in self._book.list(principal=principal, state="open"):
            try:
                if case.mode != "off" and steps_performed(self._processes.flow(case.process), request):
                    found.append(case)
            except UnknownReference:
                continue
        return found

    def _judge(self, request: CheckedRequest, steps: list[Edge], case: Case, flow: ProcessFlow) -> Decision:
        evidence = [*case.evidence, *self._rehearsed(flow)]
        wanted = [step.source for step in steps]
        stated = self._settings.stated
        standing = stand(flow, evidence, subject_of(request, self._links), self._links, wanted=wanted, stated=stated)
        shown = tuple(one.object_key or one.activity for one in case.evidence)
        refusals = [_refusals(flow, activity, standing) for activity in wanted]
        if [] in refusals:
            remark = _remark(flow, wanted[refusals.index([])], standing)
            effect = Effect.ADVISE if remark else Effect.PERMIT
            return Decision(effect=effect, source=SOURCE, reasons=tuple(remark), evidence=shown)
        reasons = tuple(refusals[0])
        if doubt := _doubt(flow, wanted, standing):
            return Decision(effect=Effect.ADVISE, source=SOURCE, reasons=(doubt, *reasons), evidence=shown)
        return Decision(
            effect=_held_back(case), source=SOURCE, reasons=reasons, evidence=shown, directive=reasons[0].remedy
        )

    def _rehearsed(self, flow: ProcessFlow) -> list[Evidence]:
        return [
            evidence
            for position, request in enumerate(self._earlier, 1)
            for evidence in rehearsed_evidence(request, position, flow=flow, links=self._links)
        ]


def _no_step(request: CheckedRequest, case: Case, flow: ProcessFlow) -> Decision:
    activity = request.call.activity if request.call else ""
    process = flow.view.process.name or case.process
    bound = flow.view.bindings.get(activity, ())
    if not bound:
        return _permit("no-step", f"The call performs no step of {process!r}")
    message = f"The call does not perform {name_of(flow, activity)!r}, the step of {process!r} that it names"
    remedy = remedy_for(flow, activity)
    return _decision(_held_back(case), Reason(code="other-step", message=message, subject=activity, remedy=remedy))


def _refusals(flow: ProcessFlow, activity: str, standing: Standing) -> list[Reason]:
    """Says which steps are missing before one, and which read would show each done; else what could come now."""
    if standing.fits and activity in standing.enabled.activities:
        return []
    name = name_of(flow, activity)
    missing = missing_before(flow, activity, standing.shown, visible=standing.visible)
    if missing or not standing.fits:
        return [
            Reason(
                code="missing-step",
                message=f"{name!r} cannot come yet: {name_of(flow, step)!r} is missing" + _whose(standing, step),
                subject=step,
                remedy=remedy_for(flow, step),
            )
            for step in missing
        ]
    open_now = [name_of(flow, step) for step in standing.enabled.activities]
    done = activity in standing.completed
    state = "has been done and cannot come again" if done else "cannot come now"
    message = f"{name!r} {state}; what may come is {', '.join(map(repr, open_now)) or 'nothing more'}"
    remedy = "Open a new case for a new run" if done or not open_now else f"Do {open_now[0]!r} first"
    return [Reason(code="done-before" if done else "not-next", message=message, subject=activity, remedy=remedy)]


def _remark(flow: ProcessFlow, activity: str, standing: Standing) -> list[Reason]:
    """Says what is to be known of a step that may come."""
    if not standing.fits:
        message = f"What must be done before {name_of(flow, activity)!r} is done, though not in the model's order"
        return [Reason(code="unusual-order", message=message, subject=activity)]
    if needs := standing.enabled.needs.get(activity):
        values = ", ".join(needs)
        message = f"Whether {name_of(flow, activity)!r} is due depends on {values}, which is not known"
        return [Reason(code="data-needed", message=message, subject=activity, remedy=f"Make sure of {values}")]
    return []


def _doubt(flow: ProcessFlow, wanted: list[str], standing: Standing) -> Reason | None:
    """Says why the model must not hold a call back that it does not open, `None` where it may."""
    if not flow.is_enforceable:
        what = f"is broken ({', '.join(flow.view.process.defects)})"
    elif all(flow.can_start(activity) is False for activity in wanted):
        what = f"never comes to {name_of(flow, wanted[0])!r}"
    elif standing.enabled.issues and not any(
        missing_before(flow, activity, standing.shown, visible=standing.visible) for activity in wanted
    ):
        what = "has too many states to be followed to here"
    else:
        return None
    message = f"The model of {flow.view.process.name or flow.view.id!r} {what}, so this is advice"
    return Reason(code="unsound", message=message, subject=flow.view.process.id)


def _whose(standing: Standing, activity: str) -> str:
    other = standing.elsewhere.get(activity, "")
    return f" for {other}" if other else ""


def _held_back(case: Case) -> Effect:
    return Effect.DENY if case.mode == "enforce" else Effect.ADVISE


def _permit(code: str, message: str) -> Decision:
    return _decision(Effect.PERMIT, Reason(code=code, message=message))


def _decision(effect: Effect, reason: Reason) -> Decision:
    return Decision(effect=effect, source=SOURCE, reasons=(reason,), directive=reason.remedy)
