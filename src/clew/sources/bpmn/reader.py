"""`read_bpmn`: one BPMN 2.0 document into facts, pass by pass."""

from collections import Counter

import msgspec

from clew.domain.facts import Edge, Node, Refused, SourceFacts, SourceReport
from clew.domain.kinds import EdgeKind
from clew.domain.processes import Activity, DataObject, Event, Gateway, Lane, Process
from clew.domain.services import Annotation
from clew.sources.bpmn.checks import check
from clew.sources.bpmn.data import place_stores, read_data_object
from clew.sources.bpmn.diagram import TERM, read_diagrams
from clew.sources.bpmn.flows import Attachments, read_artifacts, read_message_flows, read_sequence_flows
from clew.sources.bpmn.hints import adapter_hints
from clew.sources.bpmn.nodes import place_nodes, read_container
from clew.sources.bpmn.opaque import properties_of, term_of
from clew.sources.bpmn.pools import COLLABORATIONS, place_processes, read_lanes, read_processes
from clew.sources.bpmn.reading import Naming, Reading, children, is_model
from clew.sources.bpmn.vocabulary import DIAGRAM, MODEL, UNREAD_ROOTS
from clew.sources.xml import XmlElement, parse_xml
from clew.sources.xml_text import refuse

_READ_ROOTS = UNREAD_ROOTS | {"process", "collaboration", "dataStore", "dataObject"}


def read_bpmn(data: bytes, *, document: str, naming: Naming) -> SourceFacts | Refused:
    """Reads a BPMN 2.0 document.

    Args:
        data: the document's bytes, in any encoding that XML allows.
        document: the key that issues and provenance name it by.
        naming: gives the owner name for a process id (for a pool without process, the participant's id); called once
            for each.

    Returns:
        The facts. An issue of severity `ERROR` among them means that the order of one process is broken (its code is
        in the process's `defects`); everything else of it is usable. `Refused` where there is nothing to read.
    """
    parsed = parse_xml(data, document=document)
    if isinstance(parsed, Refused):
        return parsed
    root = parsed.root
    if root.name != "definitions" or root.namespace != MODEL:
        found = f"<{root.name}> in the namespace {root.namespace!r}" if root.namespace else f"<{root.name}>"
        wanted = f"its root is {found}, where <definitions> in {MODEL!r} is wanted"
        return refuse(document, "bpmn-not-bpmn", f"is not BPMN 2.0: {wanted}", line=root.line)
    reading = Reading(document, root, naming)
    processes = place_processes(reading)
    if not reading.processes:
        return refuse(document, "bpmn-no-process", "is BPMN 2.0 without a process and without a pool", line=root.line)
    _run(reading, processes)
    return SourceFacts(
        report=_report(reading, data),
        nodes=tuple(reading.nodes),
        edges=tuple(reading.edges),
        issues=(*parsed.issues, *reading.issues),
    )


def _run(reading: Reading, processes: list[XmlElement]) -> None:
    read_processes(reading, processes)
    stores = place_stores(reading)
    for element in processes:
        owner = reading.processes[id(element)]
        place_nodes(reading, element, owner)
        for inputs in children(element, "ioSpecification"):
            for item in children(inputs, "dataInput", "dataOutput"):
                reading.place(item, owner)
    for store, owner in stores:
        read_data_object(reading, store, owner, "")
    attachments = Attachments()
    lanes: dict[str, str] = {}
    for element in processes:
        _read_process(reading, element, attachments, lanes)
    for collaboration in children(reading.root, *COLLABORATIONS):
        read_message_flows(reading, collaboration)
        read_artifacts(reading, collaboration, next(iter(reading.ids.values())), attachments)
    check(reading)
    _complete(reading, attachments, lanes)


def _read_process(reading: Reading, element: XmlElement, attachments: Attachments, lanes: dict[str, str]) -> None:
    owner = reading.processes[id(element)]
    read_container(reading, element, owner)
    for inputs in children(element, "ioSpecification"):
        for item in children(inputs, "dataInput", "dataOutput"):
            read_data_object(reading, item, owner, "")
    lanes |= read_lanes(reading, element, owner)
    read_sequence_flows(reading, element, owner)
    read_artifacts(reading, element, reading.ids[id(element)], attachments)


def _complete(reading: Reading, attachments: Attachments, lanes: dict[str, str]) -> None:
    """Puts into nodes and edges what only later passes found: lanes, handlers, texts, drawings, adapters, defects."""
    drawings = read_diagrams(reading)
    hints = _adapters(reading.edges)
    added: dict[str, list[Annotation]] = {}
    for node, texts in attachments.texts.items():
        added.setdefault(node, []).extend(texts)
    for name, drawn in drawings.items():
        node = next((found for element in reading.index.by_id[name] if (found := reading.node_id(element))), "")
        added.setdefault(node, []).extend(drawn)
    reading.nodes = [
        _completed(node, added.get(node.id, []), _later(reading, node, attachments, lanes, hints))
        for node in reading.nodes
    ]
    reading.edges = [
        msgspec.structs.replace(edge, opaque=(*edge.opaque, *drawings[edge.key])) if edge.key in drawings else edge
        for edge in reading.edges
    ]


def _completed(node: Node, added: list[Annotation], later: dict[str, object]) -> Node:
    if added and isinstance(node, Process | Activity | Event | Gateway | Lane | DataObject):
        later["opaque"] = (*node.opaque, *added)
    return msgspec.structs.replace(node, **later) if later else node


def _later(
    reading: Reading,
    node: Node,
    attachments: Attachments,
    lanes: dict[str, str],
    hints: dict[str, list[str]],
) -> dict[str, object]:
    changes: dict[str, object] = {}
    if node.id in lanes:
        changes["lane"] = lanes[node.id]
    if node.id in attachments.handlers:
        changes["handler"] = attachments.handlers[node.id]
    if isinstance(node, Activity) and node.id in hints:
        changes["hints"] = tuple(dict.fromkeys((*hints[node.id], *node.hints)))
    if isinstance(node, Process) and (defects := reading.defects.get(node.process)):
        changes["defects"] = tuple(defects)
    return changes


def _adapters(edges: list[Edge]) -> dict[str, list[str]]:
    """Gives the endpoints that the adapters of message flows name, by the node at either end."""
    found: dict[str, list[str]] = {}
    for edge in edges:
        if edge.kind is EdgeKind.MESSAGES and (named := adapter_hints(properties_of(edge.opaque))):
            for end in (edge.source, edge.target):
                found.setdefault(end, []).extend(named)
    return found


def _report(reading: Reading, data: bytes) -> SourceReport:
    root = reading.root
    nodes = Counter(type(node).__name__ for node in reading.nodes)
    edges = Counter(str(edge.kind) for edge in reading.edges)
    opaque = Counter(
        annotation.term
        for item in (*reading.nodes, *reading.edges)
        for annotation in getattr(item, "opaque", ())
        if annotation.term != TERM
    )
    opaque.update(
        term_of(child)
        for child in root.children
        if child.namespace != DIAGRAM and not (is_model(child) and child.name in _READ_ROOTS)
    )
    producer = " ".join(part for part in (root.get("exporter"), root.get("exporterVersion")) if part)
    return SourceReport(
        document=reading.document,
        kind="bpmn",
        version="2.0",
        producer=producer,
        owners=tuple(node.id for node in reading.nodes if isinstance(node, Process)),
        counts=(*sorted(nodes.items()), *sorted(edges.items())),
        opaque=tuple(sorted(opaque.items())),
        size_bytes=len(data),
    )
