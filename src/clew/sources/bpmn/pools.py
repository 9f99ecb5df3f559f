"""Processes, participants (pools) and lanes (BPMN 2.0.2, clauses 9.3 and 10.8)."""

import json

from clew.domain.ids import process_id
from clew.domain.processes import Lane, Process
from clew.domain.services import Annotation
from clew.sources.bpmn.events import is_true
from clew.sources.bpmn.nodes import documentation_of
from clew.sources.bpmn.opaque import opaque_of
from clew.sources.bpmn.reading import Reading, children, fold
from clew.sources.bpmn.vocabulary import CONTAINER_CHILDREN, CONTAINERS, FLOW_NODES
from clew.sources.xml import XmlElement

_PROCESS_ATTRIBUTES = frozenset({"isExecutable", "processType", "isClosed"})
_KEPT_CHILDREN = frozenset({"extensionElements", "ioSpecification", "potentialOwner", "performer", "humanPerformer"})
COLLABORATIONS = ("collaboration", "conversation", "globalConversation")


def place_processes(reading: Reading) -> list[XmlElement]:
    """Names the processes and the pools without one, gives both their node ids; gives the process elements."""
    processes = list(children(reading.root, "process"))
    for element in processes:
        _place(reading, element)
    for participant in participants(reading):
        target = _process_of(reading, participant)
        if target is None:
            _place(reading, participant)
        else:
            reading.ids[id(participant)] = reading.ids[id(target)]
    return processes


def _place(reading: Reading, element: XmlElement) -> None:
    owner = reading.naming(element.get("id") or reading.index.path_of(element))
    reading.processes[id(element)] = owner
    reading.ids[id(element)] = process_id(owner)


def participants(reading: Reading) -> list[XmlElement]:
    """Gives the participants of all collaborations."""
    found = children(reading.root, *COLLABORATIONS)
    return [participant for collaboration in found for participant in children(collaboration, "participant")]


def _process_of(reading: Reading, participant: XmlElement) -> XmlElement | None:
    written = participant.get("processRef")
    return reading.index.resolve(written, frozenset({"process"})) if written else None


def read_processes(reading: Reading, processes: list[XmlElement]) -> None:
    """Reads the processes, then the pools without one."""
    pools: dict[int, list[XmlElement]] = {}
    for participant in participants(reading):
        target = _process_of(reading, participant)
        if target is not None:
            pools.setdefault(id(target), []).append(participant)
    for element in processes:
        _read_process(reading, element, pools.get(id(element), []))
    for participant in participants(reading):
        if id(participant) in reading.processes:
            _read_black_box(reading, participant)


def _read_process(reading: Reading, element: XmlElement, pools: list[XmlElement]) -> None:
    name = fold(element.get("name"))
    if len(pools) > 1:
        named = ", ".join(repr(reading.index.name_of(pool)) for pool in pools)
        reading.report("bpmn-shared-process", f"The pools {named} share one process; it is read once.", element)
    reading.nodes.append(
        Process(
            id=reading.ids[id(element)],
            process=reading.processes[id(element)],
            name=name,
            documentation=_documentation(element, pools),
            participant=fold(pools[0].get("name") or pools[0].get("id")) if pools else "",
            executable=is_true(element.get("isExecutable")),
            source_id=_source_id(reading, element),
            opaque=opaque_of(
                element, attributes=_PROCESS_ATTRIBUTES, elements=frozenset(CONTAINER_CHILDREN - _KEPT_CHILDREN)
            )
            + tuple(_pool(reading, pool) for pool in pools),
            line=element.line,
        )
    )


def _documentation(element: XmlElement, pools: list[XmlElement]) -> str:
    texts = [documentation_of(element), *(documentation_of(pool) for pool in pools)]
    return "\n".join(dict.fromkeys(text for text in texts if text))


def _pool(reading: Reading, pool: XmlElement) -> Annotation:
    said = {"id": reading.index.name_of(pool), "name": fold(pool.get("name"))}
    said |= {annotation.term: annotation.value for annotation in opaque_of(pool, attributes=frozenset({"processRef"}))}
    return Annotation(term="bpmn:participant", value=json.dumps(said, ensure_ascii=False))


def _read_black_box(reading: Reading, participant: XmlElement) -> None:
    written = participant.get("processRef")
    if written:
        reading.report(
            "bpmn-dangling-reference",
            f"The pool {reading.index.name_of(participant)!r} refers to the process {written!r}, which is not in this "
            "file; it is read as a pool whose process is not known.",
            participant,
        )
    name = fold(participant.get("name"))
    reading.nodes.append(
        Process(
            id=reading.ids[id(participant)],
            process=reading.processes[id(participant)],
            name=name,
            documentation=documentation_of(participant),
            participant=name or participant.get("id"),
            black_box=True,
            source_id=_source_id(reading, participant),
            opaque=opaque_of(participant, attributes=frozenset({"processRef"})),
            line=participant.line,
        )
    )


def _source_id(reading: Reading, element: XmlElement) -> str:
    own = element.get("id")
    return own if own != reading.processes[id(element)] else ""


def read_lanes(reading: Reading, container: XmlElement, process: str) -> dict[str, str]:
    """Reads the lanes of a process and its subprocesses; gives the innermost lane's id by node id."""
    members: dict[str, str] = {}
    for lane_set in children(container, "laneSet"):
        _read_lane_set(reading, lane_set, process, "", members)
    for element in container.children:
        if element.name in CONTAINERS:
            members |= read_lanes(reading, element, process)
    return members


def _read_lane_set(reading: Reading, lane_set: XmlElement, process: str, parent: str, members: dict[str, str]) -> None:
    for lane in children(lane_set, "lane"):
        own = reading.place(lane, process)
        reading.nodes.append(
            Lane(
                id=own,
                process=process,
                name=fold(lane.get("name")),
                parent=parent,
                opaque=opaque_of(lane, elements=frozenset({"flowNodeRef", "childLaneSet"})),
                line=lane.line,
            )
        )
        for reference in children(lane, "flowNodeRef"):
            node = reading.find(reference.text, FLOW_NODES)
            if node:
                members[node] = own
            elif reference.text.strip() not in reading.index.by_id:
                reading.report(
                    "bpmn-dangling-reference",
                    f"The lane {reading.index.name_of(lane)!r} lists {reference.text.strip()!r}, which is not there.",
                    lane,
                )
        for inner in children(lane, "childLaneSet"):
            _read_lane_set(reading, inner, process, own, members)
