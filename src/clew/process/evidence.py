"""Evidence: what carrying out a call shows of a case. `CaseWitness` takes it down."""

from clew.domain.cases import Case, Evidence
from clew.domain.errors import UnknownReference
from clew.domain.facts import Edge
from clew.domain.ids import entity_set_id
from clew.domain.plans import Receipt
from clew.domain.records import JsonObject, JsonValue
from clew.domain.requests import CheckedRequest
from clew.flow import ProcessFlow
from clew.process.case_book import CaseBook
from clew.process.links import Links
from clew.process.matching import names_of_interest, object_name, object_target, steps_performed, subject_of
from clew.process.standing import Processes, stand
from clew.process.values import gather, said_by

_MOST_SHOWN = 100
_DONE = range(200, 300)


def evidence_of(
    request: CheckedRequest, receipt: Receipt, *, case: Case, flow: ProcessFlow, links: Links
) -> tuple[Evidence, ...]:
    """Gives what a call that was carried out shows.

    A write shows that the step which it performs has been done: the step that it names, else the first one that was
    open, else the first one. A read shows the step that it performs, and of each object that it brings (the first 100)
    that the step which creates such objects has been done, in this case or before it.
    """
    if receipt.status not in _DONE:
        return ()
    names = names_of_interest(flow, links)
    if request.writes:
        return _by_write(request, receipt, case, flow, links, names)
    return _by_read(request, receipt, flow, links, names)


def _by_write(
    request: CheckedRequest,
    receipt: Receipt,
    case: Case,
    flow: ProcessFlow,
    links: Links,
    names: frozenset[str],
) -> tuple[Evidence, ...]:
    steps = steps_performed(flow, request)
    if not steps:
        return ()
    if len(steps) > 1:
        standing = stand(flow, case.evidence, subject_of(request, links), links, wanted=[step.source for step in steps])
        steps.sort(key=lambda step: step.source not in standing.enabled.activities)
    answer: JsonValue = receipt.result if isinstance(receipt.result, dict) else [*(receipt.result or ())]
    values = gather(*said_by(request), answer, names=names)
    return (_evidence(request, receipt, steps[0], values, links),)


def _by_read(
    request: CheckedRequest, receipt: Receipt, flow: ProcessFlow, links: Links, names: frozenset[str]
) -> tuple[Evidence, ...]:
    brought = receipt.result if isinstance(receipt.result, list) else [receipt.result] if receipt.result else []
    said: list[JsonValue] = said_by(request)
    found = [
        _evidence(request, receipt, step, gather(*said, *brought, names=names), links)
        for step in steps_performed(flow, request)
    ]
    creating = [
        edge
        for edges in flow.view.bindings.values()
        for edge in edges
        if edge.target == request.target and edge.method.upper() == "POST"
    ]
    for shown in brought[:_MOST_SHOWN]:
        values = gather(said[0] if request.call else None, shown, names=names)
        found += [_evidence(request, receipt, edge, values, links) for edge in creating]
    return tuple(found)


def _evidence(request: CheckedRequest, receipt: Receipt, step: Edge, values: JsonObject, links: Links) -> Evidence:
    target = object_target(step, links)
    if request.call and request.call.entity_set:
        target = entity_set_id(request.call.service, request.call.entity_set)
    return Evidence(
        activity=step.source,
        by="write" if request.writes else "read",
        target=target,
        object_key=object_name(target, links.key_of(target), values),
        values=values,
        receipt=f"{receipt.run_id}/{receipt.position}",
        at=receipt.at,
    )


def rehearsed_evidence(
    request: CheckedRequest, position: int, *, flow: ProcessFlow, links: Links
) -> tuple[Evidence, ...]:
    """Gives the evidence that a step of a plan will be: what it makes is known by reference to it (`$1`)."""
    steps = steps_performed(flow, request)
    names = names_of_interest(flow, links)
    values = gather(*said_by(request), names=names)
    made: JsonObject = {name: [f"${position}.{name}"] for name in names if name not in values}
    found: list[Evidence] = []
    for step in steps[:1]:
        target = object_target(step, links)
        found.append(
            Evidence(
                activity=step.source,
                by="write" if request.writes else "read",
                target=target,
                values={**values, **made},
                receipt=f"/{position}",
            )
        )
    return tuple(found)


class CaseWitness:
    """Takes down what calls show in the cases in which they are made (the port `Witness`)."""

    def __init__(self, book: CaseBook, processes: Processes, links: Links) -> None:
        """Keeps where cases, processes and links are looked up."""
        self._book = book
        self._processes = processes
        self._links = links

    def saw(self, request: CheckedRequest, receipt: Receipt, *, principal: str, case: str = "") -> None:
        """Takes note of one receipt; without an open case of this principal there is nothing to note."""
        if not case:
            return
        try:
            found = self._book.show(case, principal=principal)
            flow = self._processes.flow(found.process)
            for evidence in evidence_of(request, receipt, case=found, flow=flow, links=self._links):
                self._book.add(case, evidence, principal=principal)
        except UnknownReference:
            return
