"""Flow nodes: activities, events and gateways, subprocesses with all that is in them (BPMN 2.0.2, clause 10)."""

from clew.domain.facts import Edge
from clew.domain.ids import process_id
from clew.domain.issues import Severity
from clew.domain.kinds import EdgeKind
from clew.domain.processes import Activity, Gateway, LoopKind
from clew.sources.bpmn.data import read_data_associations, read_data_object
from clew.sources.bpmn.events import is_true, read_event
from clew.sources.bpmn.hints import hints_of
from clew.sources.bpmn.opaque import opaque_of
from clew.sources.bpmn.reading import Reading, children, fold, is_model
from clew.sources.bpmn.vocabulary import (
    CONTAINER_CHILDREN,
    CONTAINERS,
    DATA,
    EVENTS,
    FLOW_NODES,
    GATEWAYS,
    GLOBAL_TASKS,
    SUB_PROCESSES,
)
from clew.sources.xml import XmlElement

_ACTIVITY_ATTRIBUTES = frozenset({"default", "isForCompensation", "triggeredByEvent", "calledElement", "instantiate"})
_ACTIVITY_ELEMENTS = frozenset(
    {
        "dataInputAssociation",
        "dataOutputAssociation",
        "laneSet",
        "sequenceFlow",
        "association",
        "textAnnotation",
        "artifact",
    }
)
_GATEWAY_ATTRIBUTES = frozenset({"default", "gatewayDirection", "instantiate", "eventGatewayType"})
_LOOPS = ("multiInstanceLoopCharacteristics", "standardLoopCharacteristics")


def documentation_of(element: XmlElement) -> str:
    """Gives an element's documentation, several pieces as lines."""
    return "\n".join(text for part in children(element, "documentation") if (text := part.text.strip()))


def place_nodes(reading: Reading, container: XmlElement, process: str) -> None:
    """Gives every flow node and data object of a process its id, before any of them is read."""
    for element in container.children:
        if is_model(element) and element.name in FLOW_NODES | DATA:
            reading.place(element, process)
            if not element.get("id"):
                reading.report(
                    "bpmn-missing-id",
                    f"A {element.name} has no id; it is known as {reading.index.name_of(element)!r}.",
                    element,
                    severity=Severity.NOTE,
                )
            if element.name in CONTAINERS:
                place_nodes(reading, element, process)


def read_container(reading: Reading, container: XmlElement, process: str) -> None:
    """Reads the nodes directly in a process or subprocess, and those of the subprocesses in it."""
    parent = reading.node_id(container) if container.name != "process" else ""
    for element in container.children:
        if not is_model(element):
            continue
        if element.name in FLOW_NODES:
            _read_node(reading, element, process, parent)
        elif element.name in DATA:
            read_data_object(reading, element, process, parent)
        elif element.name not in CONTAINER_CHILDREN:
            reading.report("bpmn-unread", f"An element <{element.name}> is not read.", element, process=process)


def _read_node(reading: Reading, element: XmlElement, process: str, parent: str) -> None:
    shared = {
        "id": reading.place(element, process),
        "process": process,
        "name": fold(element.get("name")),
        "parent": parent,
        "documentation": documentation_of(element),
    }
    if element.name in EVENTS:
        reading.nodes.append(read_event(reading, element, process, shared))
    elif element.name in GATEWAYS:
        reading.nodes.append(_gateway(reading, element, process, shared))
    else:
        reading.nodes.append(_activity(reading, element, process, shared))
    read_data_associations(reading, element, process)
    if element.name in SUB_PROCESSES:
        read_container(reading, element, process)


def _gateway(reading: Reading, element: XmlElement, process: str, shared: dict[str, str]) -> Gateway:
    return Gateway(
        **shared,
        type=element.name,
        direction=element.get("gatewayDirection"),
        default_flow=_default(reading, element, process),
        instantiate=is_true(element.get("instantiate")),
        all_events=element.get("eventGatewayType") == "Parallel",
        opaque=opaque_of(element, attributes=_GATEWAY_ATTRIBUTES),
        line=element.line,
    )


def _activity(reading: Reading, element: XmlElement, process: str, shared: dict[str, str]) -> Activity:
    loop, tested_before = _loop(element)
    inner = (FLOW_NODES | DATA) if element.name in SUB_PROCESSES else frozenset[str]()
    opaque = opaque_of(element, attributes=_ACTIVITY_ATTRIBUTES, elements=_ACTIVITY_ELEMENTS | inner)
    for name in ("startQuantity", "completionQuantity"):
        if element.get(name, "1").strip() not in ("", "1"):
            reading.report(
                "bpmn-quantity",
                f"The activity {shared['id']!r} has {name}={element.get(name)!r}; tokens are counted as if it were 1.",
                element,
                severity=Severity.ERROR,
                process=process,
                source="BPMN 2.0.2, clause 10.3",
            )
    return Activity(
        **shared,
        type=element.name,
        loop=loop,
        loop_test_before=tested_before,
        instantiate=is_true(element.get("instantiate")),
        triggered_by_event=is_true(element.get("triggeredByEvent")),
        for_compensation=is_true(element.get("isForCompensation")),
        calls=_called(reading, element, shared["id"]) if element.name == "callActivity" else "",
        default_flow=_default(reading, element, process),
        hints=hints_of(element),
        opaque=opaque,
        line=element.line,
    )


def _loop(element: XmlElement) -> tuple[LoopKind, bool]:
    for marker in children(element, *_LOOPS):
        if marker.name == "standardLoopCharacteristics":
            return "standard", is_true(marker.get("testBefore"))
        return ("sequential" if is_true(marker.get("isSequential")) else "parallel"), False
    return "", False


def _default(reading: Reading, element: XmlElement, process: str) -> str:
    written = element.get("default")
    if not written:
        return ""
    flow = reading.index.resolve(written, frozenset({"sequenceFlow"}))
    leaves = flow is not None and reading.index.resolve(flow.get("sourceRef"), FLOW_NODES) is element
    if flow is not None and leaves:
        return reading.index.name_of(flow)
    what = "does not leave it" if flow is not None else "is not there"
    reading.report(
        "bpmn-default-foreign",
        f"The default flow {written!r} of {reading.index.name_of(element)!r} {what}; name one of its outgoing flows.",
        element,
        severity=Severity.ERROR,
        process=process,
        source="BPMN 2.0.2, clause 10.6.2",
    )
    return ""


def _called(reading: Reading, element: XmlElement, node: str) -> str:
    """Gives the called element as written, and adds the edge to the process.

    In SAP Cloud Integration flows a call activity is an integration step, told by its property `activityType`; it
    calls nothing. Zeebe names the process in an extension element.
    """
    for extensions in children(element, "extensionElements"):
        for extension in extensions.children:
            key = extension.child("key")
            if key is not None and key.text.strip() == "activityType":
                return ""
    written = element.get("calledElement") or _zeebe_called(element)
    if not written:
        return ""
    target = reading.index.resolve(written, frozenset({"process"}))
    if target is not None:
        owner = reading.processes[id(target)]
        reading.edges.append(
            Edge(kind=EdgeKind.CALLS_PROCESS, source=node, target=process_id(owner), line=element.line)
        )
        return written
    if reading.index.resolve(written, GLOBAL_TASKS) is not None:
        return written
    name = written.strip().rpartition(":")[2]
    reading.report(
        "bpmn-call-unresolved",
        f"The call activity {reading.index.name_of(element)!r} calls {name!r}, which is not in this file; it is one "
        "step until that process is ingested.",
        element,
        source="BPMN 2.0.2, clause 10.3.6",
    )
    if not any(mark in name for mark in "${}#= "):
        reading.edges.append(Edge(kind=EdgeKind.CALLS_PROCESS, source=node, target=process_id(name), line=element.line))
    return written


def _zeebe_called(element: XmlElement) -> str:
    for extensions in children(element, "extensionElements"):
        for called in extensions.children_of("calledElement"):
            return called.get("processId")
    return ""
