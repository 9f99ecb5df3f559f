"""Checks over a file that has been read: what is legal XML and yet contradicts the standard."""

from clew.domain.issues import Severity
from clew.domain.kinds import EdgeKind
from clew.domain.processes import Event
from clew.sources.bpmn.reading import Reading, children, is_model
from clew.sources.bpmn.vocabulary import FLOW_NODES, UNREAD_ROOTS
from clew.sources.xml import XmlElement

_CHOICES = frozenset({"exclusiveGateway", "inclusiveGateway", "complexGateway"})


def check(reading: Reading) -> None:
    """Runs every check."""
    elements = {reading.node_id(element): element for element in reading.root.walk() if _is_node(reading, element)}
    _check_duplicates(reading)
    _check_flow_lists(reading, elements)
    _check_conditions(reading, elements)
    _check_links(reading, elements)
    _check_roots(reading)


def _is_node(reading: Reading, element: XmlElement) -> bool:
    return is_model(element) and element.name in FLOW_NODES and bool(reading.node_id(element))


def _check_duplicates(reading: Reading) -> None:
    for name, elements in reading.index.by_id.items():
        for element in elements[1:]:
            known = reading.index.name_of(element)
            taken = f"; this {element.name} is known as {known!r}" if known != name else ""
            reading.report(
                "bpmn-duplicate-id",
                f"The id {name!r} of line {elements[0].line} is used again{taken}. References mean the first.",
                element,
            )


def _check_flow_lists(reading: Reading, elements: dict[str, XmlElement]) -> None:
    incoming: dict[str, set[str]] = {}
    outgoing: dict[str, set[str]] = {}
    for edge in reading.edges:
        if edge.kind is EdgeKind.HAS_NEXT:
            outgoing.setdefault(edge.source, set()).add(edge.key)
            incoming.setdefault(edge.target, set()).add(edge.key)
    for node, element in elements.items():
        for side, flows in (("incoming", incoming), ("outgoing", outgoing)):
            listed = [part.text.strip() for part in children(element, side) if part.text.strip()]
            known = flows.get(node, set())
            wrong = [name for name in listed if name not in known and name.rpartition(":")[2] not in known]
            if wrong:
                reading.report(
                    "bpmn-flow-list",
                    f"The {element.name} {reading.index.name_of(element)!r} lists {', '.join(map(repr, wrong))} as "
                    f"{side}, which is no {side} flow of it; the flows' own ends count.",
                    element,
                    source="BPMN 2.0.2, clause 8.4.13",
                )


def _check_conditions(reading: Reading, elements: dict[str, XmlElement]) -> None:
    for node, element in elements.items():
        if element.name not in _CHOICES:
            continue
        flows = [edge for edge in reading.edges if edge.kind is EdgeKind.HAS_NEXT and edge.source == node]
        bare = [edge.key for edge in flows if not edge.conditional and not edge.default]
        if bare and len(bare) < len(flows) and any(edge.conditional for edge in flows):
            reading.report(
                "bpmn-no-condition",
                f"The flow {', '.join(map(repr, bare))} leaves the gateway {reading.index.name_of(element)!r} with "
                "neither a condition nor the mark of the default flow; whether it may be taken is not known.",
                element,
                source="BPMN 2.0.2, clause 10.6.2",
            )


def _check_links(reading: Reading, elements: dict[str, XmlElement]) -> None:
    links = [node for node in reading.nodes if isinstance(node, Event) and "link" in node.definitions]
    targets: dict[tuple[str, str], list[Event]] = {}
    for event in links:
        if event.position == "intermediate_catch":
            targets.setdefault((event.process, event.reference), []).append(event)
    for (process, name), found in targets.items():
        for parent in dict.fromkeys(event.parent for event in found):
            twins = [event for event in found if event.parent == parent]
            if len(twins) > 1:
                _report_link(
                    reading,
                    "bpmn-link-ambiguous",
                    f"The link {name!r} has several targets: {_names(twins)}; only one may have the name.",
                    elements[twins[1].id],
                    process,
                )
    for event in links:
        if event.position in ("intermediate_throw", "end"):
            _check_link_source(reading, event, targets.get((event.process, event.reference), []), elements)


def _check_link_source(reading: Reading, event: Event, targets: list[Event], elements: dict[str, XmlElement]) -> None:
    if any(target.parent == event.parent for target in targets):
        return
    if targets:
        code, what = "bpmn-link-level", f"leads to {_names(targets)} on another level; links stay on one level"
    else:
        code, what = "bpmn-link-unmatched", "has no target of its name"
    message = f"The link event {_names([event])} ({event.reference!r}) {what}."
    _report_link(reading, code, message, elements[event.id], event.process)


def _names(events: list[Event]) -> str:
    return ", ".join(repr(event.id.partition("/")[2]) for event in events)


def _report_link(reading: Reading, code: str, message: str, element: XmlElement, process: str) -> None:
    reading.report(
        code,
        message,
        element,
        severity=Severity.ERROR,
        process=process,
        source="BPMN 2.0.2, clause 10.5.5 (link events)",
    )


def _check_roots(reading: Reading) -> None:
    for element in children(reading.root, *UNREAD_ROOTS):
        reading.report("bpmn-unread", f"The {element.name} {element.get('id')!r} is not read.", element)
