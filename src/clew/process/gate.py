"""`OrderGate`: what process order says of a checked call, by the evidence of the case in which it is made."""

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
from clew.process.steps import missing_before, name_of, read_of

SOURCE = "order"


class OrderSettings(Record, frozen=True, kw_only=True):
    """`stated` are activities without binding that count as done only once somebody has said so."""

    stated: frozenset[str] = frozenset()


class OrderGate:
    """Permits, advises against or denies a call by the order of its case's process (the port `RehearsingGate`).

    Only writes are held back: a read shows what has been done and disturbs nothing. A call outside a case, or one that
    performs no step of the case's process, is not its business and is permitted with a reason that says so.
    """

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
            return _permit("off", "The call belongs to no case, so no order is asked of it")
        try:
            found = self._book.show(case, principal=principal)
        except UnknownReference as error:
            return _decision(Effect.DENY, Reason(code="unknown-case", message=str(error), remedy="clew case open"))
        if found.mode == "off":
            return _permit("off", "Order is switched off in this case")
        if found.state == "closed" and request.writes:
            message = "The case is closed; nothing more is written in it"
            return _decision(Effect.DENY, Reason(code="closed-case", message=message, remedy="clew case open"))
        return self._judge(request, found)

    def _judge(self, request: CheckedRequest, case: Case) -> Decision:
        flow = self._processes.flow(case.process)
        steps = steps_performed(flow, request)
        if not steps:
            return _permit("no-step", f"The call performs no step of {flow.view.process.name or case.process}")
        if not request.writes:
            return _permit("reads", "A read is never held back")
        evidence = [*case.evidence, *self._rehearsed(flow)]
        wanted = [step.source for step in steps]
        stated = self._settings.stated
        standing = stand(flow, evidence, subject_of(request), self._links, wanted=wanted, stated=stated)
        shown = tuple(one.object_key or one.activity for one in case.evidence)
        if standing.fits and not set(wanted).isdisjoint(standing.enabled.activities):
            return Decision(effect=Effect.PERMIT, source=SOURCE, evidence=shown)
        reasons = tuple(_reasons(flow, steps[0], standing))
        if not flow.is_enforceable:
            first = flow.issues[0].message if flow.issues else "its order is not certain"
            reasons = (Reason(code="unsound", message=f"The model is not sound ({first}), so this is advice"), *reasons)
            return Decision(effect=Effect.ADVISE, source=SOURCE, reasons=reasons, evidence=shown)
        effect = Effect.DENY if case.mode == "enforce" else Effect.ADVISE
        directive = reasons[0].remedy
        return Decision(effect=effect, source=SOURCE, reasons=reasons, evidence=shown, directive=directive)

    def _rehearsed(self, flow: ProcessFlow) -> list[Evidence]:
        return [
            evidence
            for position, request in enumerate(self._earlier, 1)
            for evidence in rehearsed_evidence(request, position, flow=flow, links=self._links)
        ]


def _reasons(flow: ProcessFlow, step: Edge, standing: Standing) -> list[Reason]:
    """Says which steps are missing before one, and which read would show each done; else what could come now."""
    name = name_of(flow, step.source)
    missing = missing_before(flow, step.source, standing.completed, visible=standing.visible)
    reasons = [
        Reason(
            code="missing-step",
            message=f"{name!r} cannot come yet: {name_of(flow, activity)!r} is missing" + _whose(standing, activity),
            subject=activity,
            remedy=_remedy(flow, activity),
        )
        for activity in missing
    ]
    if reasons:
        return reasons
    open_now = [name_of(flow, activity) for activity in standing.enabled.activities if activity in standing.visible]
    done = step.source in standing.completed
    state = "has been done and cannot come again" if done else "cannot come now"
    now = ", ".join(repr(one) for one in open_now) or "nothing more"
    message = f"{name!r} {state}; what may come is {now}"
    return [Reason(code="not-next", message=message, subject=step.source)]


def _whose(standing: Standing, activity: str) -> str:
    other = standing.elsewhere.get(activity, "")
    return f" for this object (there is evidence for {other})" if other else ""


def _remedy(flow: ProcessFlow, activity: str) -> str:
    read = read_of(flow, activity)
    return f"Do it first, or show it done: {read}" if read else "Do it first"


def _permit(code: str, message: str) -> Decision:
    return _decision(Effect.PERMIT, Reason(code=code, message=message))


def _decision(effect: Effect, reason: Reason) -> Decision:
    return Decision(effect=effect, source=SOURCE, reasons=(reason,), directive=reason.remedy)
