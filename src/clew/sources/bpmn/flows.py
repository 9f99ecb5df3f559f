"""Sequence flows, message flows, and the associations of compensation, texts and data."""

import json

from clew.domain.facts import Edge
from clew.domain.issues import Severity
from clew.domain.kinds import EdgeKind
from clew.domain.services import Annotation
from clew.sources.bpmn.opaque import opaque_of
from clew.sources.bpmn.reading import Reading, children, fold
from clew.sources.bpmn.vocabulary import ACTIVITIES, CONTAINERS, DATA, FLOW_NODES
from clew.sources.xml import XmlElement

_ENDS = frozenset({"sourceRef", "targetRef"})
_SEQUENCE = frozenset({"sequenceFlow"})


def read_sequence_flows(reading: Reading, container: XmlElement, process: str) -> None:
    """Reads the sequence flows of a process or subprocess and of the subprocesses in it."""
    for element in container.children:
        if element.name in CONTAINERS:
            read_sequence_flows(reading, element, process)
    for flow in children(container, "sequenceFlow"):
        _read_sequence_flow(reading, flow, process)


def _read_sequence_flow(reading: Reading, flow: XmlElement, process: str) -> None:
    key = reading.index.name_of(flow)
    ends = [reading.index.resolve(flow.get(name), FLOW_NODES) for name in ("sourceRef", "targetRef")]
    source, target = ends
    if source is None or target is None or not reading.node_id(source) or not reading.node_id(target):
        _report_dangling(reading, flow, process)
        return
    if reading.index.parents[id(source)] is not reading.index.parents[id(target)]:
        reading.report(
            "bpmn-flow-level",
            f"The sequence flow {key!r} leads from {source.get('id')!r} to {target.get('id')!r}, which is in another "
            "process or subprocess; sequence flows stay on one level.",
            flow,
            severity=Severity.ERROR,
            process=process,
            source="BPMN 2.0.2, clause 7.6.1",
        )
    condition = next(children(flow, "conditionExpression"), None)
    default = reading.index.resolve(source.get("default"), _SEQUENCE) if source.get("default") else None
    reading.edges.append(
        Edge(
            kind=EdgeKind.HAS_NEXT,
            source=reading.node_id(source),
            target=reading.node_id(target),
            key=key,
            name=fold(flow.get("name")),
            condition=condition.text.strip() if condition is not None else "",
            conditional=condition is not None,
            default=default is flow,
            opaque=opaque_of(flow, attributes=_ENDS, elements=frozenset({"conditionExpression"})),
            line=flow.line,
        )
    )


def _report_dangling(reading: Reading, flow: XmlElement, process: str) -> None:
    for name in ("sourceRef", "targetRef"):
        written = flow.get(name)
        if reading.find(written, FLOW_NODES):
            continue
        what = f"{written!r}, which is no flow node here" if written else "nothing"
        reading.report(
            "bpmn-dangling-reference",
            f"The {name} of the sequence flow {reading.index.name_of(flow)!r} is {what}.",
            flow,
            severity=Severity.ERROR,
            process=process,
            source="BPMN 2.0.2, clause 7.6.1",
        )


def read_message_flows(reading: Reading, collaboration: XmlElement) -> None:
    """Reads the message flows of a collaboration; they end on participants or on flow nodes (clause 9.4)."""
    for flow in children(collaboration, "messageFlow"):
        ends = [_message_end(reading, flow.get(name)) for name in ("sourceRef", "targetRef")]
        if not all(ends):
            lost = [flow.get(name) for name, end in zip(("sourceRef", "targetRef"), ends, strict=True) if not end]
            reading.report(
                "bpmn-dangling-reference",
                f"The message flow {reading.index.name_of(flow)!r} ends on {', '.join(map(repr, lost))}, "
                "which is no participant and no flow node here.",
                flow,
            )
            continue
        reading.edges.append(
            Edge(
                kind=EdgeKind.MESSAGES,
                source=ends[0],
                target=ends[1],
                key=reading.index.name_of(flow),
                name=fold(flow.get("name")),
                opaque=opaque_of(flow, attributes=_ENDS),
                line=flow.line,
            )
        )


def _message_end(reading: Reading, reference: str) -> str:
    return reading.find(reference, FLOW_NODES) or reading.find(reference, frozenset({"participant", "process"}))


class Attachments:
    """What associations add to nodes that have been read: texts by node id, and the handler of a compensation event."""

    def __init__(self) -> None:
        """Begins without any."""
        self.texts: dict[str, list[Annotation]] = {}
        self.handlers: dict[str, str] = {}


def read_artifacts(reading: Reading, container: XmlElement, owner: str, attachments: Attachments) -> None:
    """Reads text annotations, groups and associations of a process, subprocess or collaboration.

    `owner` is the id of the node that keeps what is attached to nothing.
    """
    attached: set[int] = set()
    for association in children(container, "association"):
        _read_association(reading, association, attachments, attached)
    for artifact in children(container, "textAnnotation", "group"):
        if artifact.name == "group" or id(artifact) not in attached:
            attachments.texts.setdefault(owner, []).append(_annotation(artifact))
    for element in container.children:
        if element.name in CONTAINERS and container.name != "definitions":
            read_artifacts(reading, element, reading.node_id(element), attachments)


def _annotation(artifact: XmlElement) -> Annotation:
    if artifact.name == "group":
        return Annotation(term="bpmn:group", value=json.dumps(artifact.get("categoryValueRef"), ensure_ascii=False))
    text = "\n".join(part.text.strip() for part in children(artifact, "text"))
    return Annotation(term="bpmn:textAnnotation", value=json.dumps(text, ensure_ascii=False))


def _read_association(reading: Reading, association: XmlElement, attachments: Attachments, attached: set[int]) -> None:
    ends = [association.get(name) for name in ("sourceRef", "targetRef")]
    for here, there in (ends, ends[::-1]):
        note = reading.index.resolve(here, frozenset({"textAnnotation"}))
        node = reading.find(there, FLOW_NODES | DATA) or reading.find(there, frozenset({"participant"}))
        if note is not None:
            if node:
                attached.add(id(note))
                attachments.texts.setdefault(node, []).append(_annotation(note))
            return
    source, target = (reading.find(end, FLOW_NODES | DATA) for end in ends)
    if not source or not target:
        _report_association(reading, association, ends)
    elif _is_data(reading, ends[0]) != _is_data(reading, ends[1]):
        reads = _is_data(reading, ends[0])
        reading.edges.append(
            Edge(
                kind=EdgeKind.READS if reads else EdgeKind.WRITES,
                source=target if reads else source,
                target=source if reads else target,
                key=association.get("id"),
                note="association",
                line=association.line,
            )
        )
    else:
        _read_compensation(reading, ends, attachments)


def _read_compensation(reading: Reading, ends: list[str], attachments: Attachments) -> None:
    for here, there in (ends, ends[::-1]):
        event = reading.index.resolve(here, frozenset({"boundaryEvent"}))
        handler = reading.find(there, ACTIVITIES)
        if event is not None and handler:
            attachments.handlers[reading.node_id(event)] = handler
            return


def _is_data(reading: Reading, reference: str) -> bool:
    return reading.index.resolve(reference, FLOW_NODES) is None and bool(reading.find(reference, DATA))


def _report_association(reading: Reading, association: XmlElement, ends: list[str]) -> None:
    lost = [end for end in ends if end.rpartition(":")[2] not in reading.index.by_id]
    if lost:
        reading.report(
            "bpmn-dangling-reference",
            f"An association ends on {', '.join(map(repr, lost))}, which is not there.",
            association,
        )
