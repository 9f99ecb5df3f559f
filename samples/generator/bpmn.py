"""BPMN 2.0 models with a plain left-to-right diagram, from steps and flows written one a line."""

import re
from dataclasses import dataclass, field
from typing import Any

from .model import Mistake
from .xml_text import Lines

MODEL = "http://www.omg.org/spec/BPMN/20100524/MODEL"
_TASKS = {
    "task": "task",
    "user": "userTask",
    "service": "serviceTask",
    "manual": "manualTask",
    "send": "sendTask",
    "receive": "receiveTask",
    "rule": "businessRuleTask",
    "script": "scriptTask",
}
_GATEWAYS = {
    "exclusive": "exclusiveGateway",
    "parallel": "parallelGateway",
    "inclusive": "inclusiveGateway",
    "eventbased": "eventBasedGateway",
}
_EVENTS = {
    "start": "startEvent",
    "end": "endEvent",
    "catch": "intermediateCatchEvent",
    "throw": "intermediateThrowEvent",
    "boundary": "boundaryEvent",
}
_DEFINITIONS = {"message", "timer", "signal", "error", "escalation", "conditional", "terminate"}
_ARROW = re.compile(r"\s*>\s*")
_LINE = re.compile(r"([^:]+?)(?:\s*:\s*(.*?))?(\s*\(default\))?")


@dataclass
class Step:
    id: str
    kind: str
    name: str
    lane: str = ""
    doc: str = ""
    call: str = ""
    marks: tuple[str, ...] = ()
    attached_to: str = ""
    inner: "Flow | None" = None

    @property
    def element(self) -> str:
        if self.inner is not None:
            return "subProcess"
        return (_TASKS | _GATEWAYS | _EVENTS)[self.kind]

    @property
    def is_activity(self) -> bool:
        return self.kind in _TASKS or self.inner is not None


@dataclass
class Arrow:
    id: str
    source: str
    target: str
    name: str = ""
    default: bool = False


@dataclass
class Flow:
    steps: dict[str, Step]
    arrows: list[Arrow] = field(default_factory=list)

    def every_step(self) -> list[Step]:
        return [
            inner for step in self.steps.values() for inner in (step, *(step.inner.every_step() if step.inner else []))
        ]


@dataclass
class Process:
    id: str
    name: str
    doc: str
    lanes: dict[str, str]
    flow: Flow
    partner: str = ""
    messages: list[tuple[str, str, str]] = field(default_factory=list)
    """(from, to, name); `partner` stands for the pool of the other side."""
    objects: dict[str, str] = field(default_factory=dict)
    reads: dict[str, list[str]] = field(default_factory=dict)
    writes: dict[str, list[str]] = field(default_factory=dict)

    def activities(self) -> list[Step]:
        return [step for step in self.flow.every_step() if step.is_activity]


def read_process(text: dict[str, Any]) -> Process:
    unknown = set(text) - {
        "id",
        "name",
        "doc",
        "lanes",
        "steps",
        "flow",
        "partner",
        "messages",
        "objects",
        "reads",
        "writes",
    }
    if unknown:
        raise Mistake(f"process {text.get('id')} has unknown keys {unknown}")
    process = Process(
        id=text["id"],
        name=text["name"],
        doc=text["doc"],
        lanes=text["lanes"],
        flow=_flow(text["id"], text["steps"], text["flow"]),
        partner=text.get("partner", ""),
        messages=[tuple(part) for part in text.get("messages", [])],
        objects=text.get("objects", {}),
        reads={step: names.split() for step, names in text.get("reads", {}).items()},
        writes={step: names.split() for step, names in text.get("writes", {}).items()},
    )
    ids = [step.id for step in process.flow.every_step()]
    if twice := {name for name in ids if ids.count(name) > 1}:
        raise Mistake(f"process {process.id} has the steps {twice} twice")
    for step in process.flow.every_step():
        if step.lane and step.lane not in process.lanes:
            raise Mistake(f"process {process.id}: step {step.id} is in lane {step.lane!r}, which is not there")
    return process


def _flow(prefix: str, steps: dict[str, Any], text: str) -> Flow:
    found = {name: _step(name, entry, prefix) for name, entry in steps.items()}
    arrows: list[Arrow] = []
    for line in filter(None, (line.strip() for line in text.splitlines())):
        match = _LINE.fullmatch(line)
        if match is None:
            raise Mistake(f"{prefix}: {line!r} is no flow")
        names = _ARROW.split(match[1].strip())
        for source, target in zip(names, names[1:], strict=False):
            if source not in found or target not in found:
                raise Mistake(f"{prefix}: {line!r} names a step that is not there")
            arrows.append(Arrow(f"{prefix}_f{len(arrows) + 1}", source, target))
        if match[2] is not None or match[3]:
            arrows[-1].name, arrows[-1].default = match[2] or "", bool(match[3])
    return Flow(found, arrows)


def _step(name: str, entry: Any, prefix: str) -> Step:
    if isinstance(entry, dict):
        inner = _flow(f"{prefix}_{name}", entry["steps"], entry["flow"])
        return Step(name, "sub", entry["name"], entry.get("lane", ""), entry.get("doc", ""), inner=inner)
    kind, title, lane, doc, call = (*entry, "", "", "", "")[:5]
    word, *marks = kind.split()
    attached = ""
    if word == "boundary":
        attached = marks.pop(0)
    if word not in _TASKS | _GATEWAYS | _EVENTS:
        raise Mistake(f"{prefix}: step {name} is of kind {word!r}, which is not there")
    return Step(name, word, title, lane, doc, call, tuple(marks), attached)


def write_bpmn(process: Process) -> str:
    lines = Lines()
    lines.open(
        "bpmn:definitions",
        xmlns__bpmn=MODEL,
        xmlns__bpmndi="http://www.omg.org/spec/BPMN/20100524/DI",
        xmlns__dc="http://www.omg.org/spec/DD/20100524/DC",
        xmlns__di="http://www.omg.org/spec/DD/20100524/DI",
        id=f"definitions_{process.id}",
        targetNamespace="urn:clew:samples",
    )
    for _, _, name in process.messages:
        lines.empty("bpmn:message", id=_message_id(process, name), name=name)
    if process.partner:
        _collaboration(lines, process)
    lines.open("bpmn:process", id=process.id, name=process.name, isExecutable="false")
    lines.text("bpmn:documentation", process.doc)
    _lanes(lines, process)
    for object_id, name in process.objects.items():
        lines.empty("bpmn:dataObject", id=f"{object_id}_object", name=name)
        lines.empty("bpmn:dataObjectReference", id=object_id, name=name, dataObjectRef=f"{object_id}_object")
    _elements(lines, process, process.flow)
    lines.close()
    _Diagram(process).write(lines)
    return lines.done()


def _message_id(process: Process, name: str) -> str:
    return "message_" + re.sub(r"\W+", "_", name.lower())


def _partner_id(process: Process) -> str:
    # Ids of pools are those of processes of their own; two files must not share one.
    return f"partner_of_{process.id}"


def _collaboration(lines: Lines, process: Process) -> None:
    lines.open("bpmn:collaboration", id=f"collaboration_{process.id}")
    lines.empty("bpmn:participant", id=f"pool_{process.id}", name=process.name, processRef=process.id)
    lines.empty("bpmn:participant", id=_partner_id(process), name=process.partner)
    for number, (source, target, name) in enumerate(process.messages, 1):
        lines.empty(
            "bpmn:messageFlow",
            id=f"{process.id}_m{number}",
            name=name,
            sourceRef=_partner_id(process) if source == "partner" else source,
            targetRef=_partner_id(process) if target == "partner" else target,
            messageRef=_message_id(process, name),
        )
    lines.close()


def _lanes(lines: Lines, process: Process) -> None:
    lines.open("bpmn:laneSet", id=f"lanes_{process.id}")
    for lane, name in process.lanes.items():
        lines.open("bpmn:lane", id=f"lane_{lane}", name=name)
        for step in process.flow.steps.values():
            if step.lane == lane:
                lines.text("bpmn:flowNodeRef", step.id)
        lines.close()
    lines.close()


def _elements(lines: Lines, process: Process, flow: Flow) -> None:
    for step in flow.steps.values():
        _element(lines, process, flow, step)
    for arrow in flow.arrows:
        lines.empty(
            "bpmn:sequenceFlow", id=arrow.id, name=arrow.name or None, sourceRef=arrow.source, targetRef=arrow.target
        )


def _element(lines: Lines, process: Process, flow: Flow, step: Step) -> None:
    default = next((arrow.id for arrow in flow.arrows if arrow.source == step.id and arrow.default), None)
    quiet = "nonstop" in step.marks
    lines.open(
        f"bpmn:{step.element}",
        id=step.id,
        name=step.name or None,
        default=default,
        attachedToRef=step.attached_to or None,
        cancelActivity="false" if step.attached_to and quiet else None,
    )
    if step.doc:
        lines.text("bpmn:documentation", step.doc)
    for arrow in flow.arrows:
        if arrow.target == step.id:
            lines.text("bpmn:incoming", arrow.id)
    for arrow in flow.arrows:
        if arrow.source == step.id:
            lines.text("bpmn:outgoing", arrow.id)
    _associations(lines, process, step)
    if "many" in step.marks:
        lines.empty("bpmn:multiInstanceLoopCharacteristics", isSequential="true")
    for mark in step.marks:
        if mark in _DEFINITIONS:
            _definition(lines, process, step, mark)
    if step.inner is not None:
        _elements(lines, process, step.inner)
    lines.close()


def _associations(lines: Lines, process: Process, step: Step) -> None:
    inputs = process.reads.get(step.id, [])
    if inputs:
        # The schema wants a target; modelling tools write a property that stands for "the activity".
        lines.empty("bpmn:property", id=f"{step.id}_input", name="__targetRef_placeholder")
    for number, name in enumerate(inputs, 1):
        lines.open("bpmn:dataInputAssociation", id=f"{step.id}_in{number}")
        lines.text("bpmn:sourceRef", name)
        lines.text("bpmn:targetRef", f"{step.id}_input")
        lines.close()
    for number, name in enumerate(process.writes.get(step.id, []), 1):
        lines.open("bpmn:dataOutputAssociation", id=f"{step.id}_out{number}")
        lines.text("bpmn:targetRef", name)
        lines.close()


def _definition(lines: Lines, process: Process, step: Step, mark: str) -> None:
    name = f"bpmn:{mark}EventDefinition"
    message = next((text for source, target, text in process.messages if step.id in (source, target)), "")
    if mark == "message" and message:
        lines.empty(name, id=f"{step.id}_definition", messageRef=_message_id(process, message))
    elif mark == "timer":
        duration = next((part for part in step.marks if part.startswith("P")), "P1D")
        lines.open(name, id=f"{step.id}_definition")
        lines.text("bpmn:timeDuration", duration)
        lines.close()
    else:
        lines.empty(name, id=f"{step.id}_definition")


class _Diagram:
    """Places steps by their distance from the start, one row a lane; enough to be read, not to be admired."""

    COLUMN, ROW, LEFT = 150, 120, 80

    def __init__(self, process: Process) -> None:
        self._process = process
        self._lanes = list(process.lanes)
        self._bounds: dict[str, tuple[int, int, int, int]] = {}
        self._place(process.flow, self.LEFT + 40, None)
        self._width = max(x + w for x, _, w, _ in self._bounds.values()) + 60

    def _place(self, flow: Flow, left: int, top: int | None) -> int:
        columns = _ranks(flow)
        taken: dict[tuple[int, int], int] = {}
        offset = 0
        for column in range(max(columns.values(), default=0) + 1):
            widest = 0
            for step in flow.steps.values():
                if step.attached_to or columns.get(step.id) != column:
                    continue
                row = self._lanes.index(step.lane) if step.lane in self._lanes and top is None else 0
                again = taken.setdefault((column, row), 0)
                taken[column, row] += 1
                x = left + offset
                y = (20 + row * self.ROW * 2 if top is None else top) + again * self.ROW // 2
                width, height = self._size(step, x, y)
                self._bounds[step.id] = (x, y, width, height)
                widest = max(widest, width)
            offset += widest + 50
        for step in flow.steps.values():
            if step.attached_to:
                x, y, width, height = self._bounds[step.attached_to]
                self._bounds[step.id] = (x + width // 2 - 18, y + height - 18, 36, 36)
        return offset

    def _size(self, step: Step, x: int, y: int) -> tuple[int, int]:
        if step.inner is not None:
            return self._place(step.inner, x + 20, y + 40), 160
        return (100, 60) if step.is_activity else (50, 50) if step.kind in _GATEWAYS else (36, 36)

    def write(self, lines: Lines) -> None:
        process = self._process
        plane = f"collaboration_{process.id}" if process.partner else process.id
        lines.open("bpmndi:BPMNDiagram", id=f"diagram_{process.id}")
        lines.open("bpmndi:BPMNPlane", id=f"plane_{process.id}", bpmnElement=plane)
        height = len(self._lanes) * self.ROW * 2
        if process.partner:
            self._shape(lines, f"pool_{process.id}", (self.LEFT - 60, 0, self._width, height), horizontal=True)
            self._shape(lines, _partner_id(process), (self.LEFT - 60, height + 40, self._width, 60), horizontal=True)
        for number, lane in enumerate(self._lanes):
            top = number * self.ROW * 2
            self._shape(lines, f"lane_{lane}", (self.LEFT - 30, top, self._width - 30, self.ROW * 2), horizontal=True)
        for step_id, bounds in self._bounds.items():
            self._shape(lines, step_id, bounds)
        for arrow in _every_arrow(process.flow):
            self._edge(lines, arrow)
        lines.close()
        lines.close()

    def _shape(
        self, lines: Lines, element: str, bounds: tuple[int, int, int, int], *, horizontal: bool = False
    ) -> None:
        x, y, width, height = bounds
        flag = "true" if horizontal else None
        lines.open("bpmndi:BPMNShape", id=f"{element}_shape", bpmnElement=element, isHorizontal=flag)
        lines.empty("dc:Bounds", x=str(x), y=str(y), width=str(width), height=str(height))
        lines.close()

    def _edge(self, lines: Lines, arrow: Arrow) -> None:
        x1, y1, w1, h1 = self._bounds[arrow.source]
        x2, y2, _, h2 = self._bounds[arrow.target]
        lines.open("bpmndi:BPMNEdge", id=f"{arrow.id}_edge", bpmnElement=arrow.id)
        lines.empty("di:waypoint", x=str(x1 + w1), y=str(y1 + h1 // 2))
        lines.empty("di:waypoint", x=str(x2), y=str(y2 + h2 // 2))
        lines.close()


def _every_arrow(flow: Flow) -> list[Arrow]:
    inner = [arrow for step in flow.steps.values() if step.inner for arrow in _every_arrow(step.inner)]
    return [*flow.arrows, *inner]


def _ranks(flow: Flow) -> dict[str, int]:
    """Gives each step its longest distance from a start; an arrow back does not count."""
    ranks = {step.id: 0 for step in flow.steps.values()}
    order = list(flow.steps)
    for _ in order:
        for arrow in flow.arrows:
            source = flow.steps[arrow.source].attached_to or arrow.source
            if order.index(arrow.target) > order.index(arrow.source):
                ranks[arrow.target] = max(ranks[arrow.target], ranks[source] + 1)
    return ranks
