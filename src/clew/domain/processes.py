"""The process side of the graph: BPMN 2.0 elements. Sequence and message flows are edges (`clew.domain.facts.Edge`)."""

from typing import Literal, TypeAlias

from clew.domain.records import Record
from clew.domain.services import Annotation

EventPosition: TypeAlias = Literal["start", "end", "intermediate_catch", "intermediate_throw", "boundary"]
LoopKind: TypeAlias = Literal["", "standard", "parallel", "sequential"]


class Process(Record, tag_field="node_kind", tag="Process", frozen=True, kw_only=True):
    """A process, or a pool without one (`black_box`)."""

    id: str
    process: str
    """Owner name, as in `clew.domain.ids`."""
    name: str = ""
    documentation: str = ""
    participant: str = ""
    executable: bool = False
    black_box: bool = False
    source_id: str = ""
    """The id that the file gives, where a collision made `process` another one."""
    defects: tuple[str, ...] = ()
    """Codes of what is broken in the model, so that its order can be shown but must not be enforced."""
    opaque: tuple[Annotation, ...] = ()
    line: int = 0


class FlowNode(Record, frozen=True, kw_only=True):
    """What activities, events and gateways share. `parent` and `lane` are node ids, empty where there is none."""

    id: str
    process: str
    name: str = ""
    type: str
    """The BPMN element's local name, e.g. `userTask`, `subProcess`, `exclusiveGateway`, `boundaryEvent`."""
    parent: str = ""
    """Id of the subprocess that holds this node."""
    lane: str = ""
    documentation: str = ""
    opaque: tuple[Annotation, ...] = ()
    line: int = 0


class Activity(FlowNode, tag_field="node_kind", tag="Activity", frozen=True, kw_only=True):
    """A task of any type, a subprocess (embedded, event, ad hoc, transaction) or a call activity."""

    loop: LoopKind = ""
    loop_test_before: bool = False
    """Standard loops: the condition is tested before the first iteration too, so there may be none."""
    instantiate: bool = False
    """Receive tasks: the message starts the process."""
    triggered_by_event: bool = False
    for_compensation: bool = False
    calls: str = ""
    """Call activity: the called element as written (a process id, perhaps prefixed)."""
    default_flow: str = ""
    hints: tuple[str, ...] = ()
    """Endpoints that the model itself names (extension attributes, documentation), as written."""


class Event(FlowNode, tag_field="node_kind", tag="Event", frozen=True, kw_only=True):
    """An event; `definitions` are local names without the suffix, e.g. `timer`, `message`."""

    position: EventPosition
    definitions: tuple[str, ...] = ()
    parallel_multiple: bool = False
    interrupting: bool = True
    attached_to: str = ""
    """Boundary events: id of the activity."""
    reference: str = ""
    """Message, signal, error, escalation or link name that it refers to; the timer's expression for a timer."""
    handler: str = ""
    """Compensation boundary events: id of the activity that compensates."""
    compensates: str = ""
    """Compensation throw and end events: id of the one activity that is compensated; empty: all of the scope."""


class Gateway(FlowNode, tag_field="node_kind", tag="Gateway", frozen=True, kw_only=True):
    """A gateway; `type` tells which."""

    direction: str = ""
    default_flow: str = ""
    instantiate: bool = False
    all_events: bool = False
    """Event-based gateways: all of the events are waited for (`eventGatewayType="Parallel"`)."""


class Lane(Record, tag_field="node_kind", tag="Lane", frozen=True, kw_only=True):
    """A lane; `parent` is the lane that holds it."""

    id: str
    process: str
    name: str = ""
    parent: str = ""
    opaque: tuple[Annotation, ...] = ()
    line: int = 0


class DataObject(Record, tag_field="node_kind", tag="DataObject", frozen=True, kw_only=True):
    """A data object (reference), data store (reference), data input or output."""

    id: str
    process: str
    name: str = ""
    type: str = "dataObject"
    parent: str = ""
    collection: bool = False
    state: str = ""
    refers_to: str = ""
    """References: id of the data object or data store that is meant."""
    opaque: tuple[Annotation, ...] = ()
    line: int = 0


ProcessNode: TypeAlias = Process | Activity | Event | Gateway | Lane | DataObject
