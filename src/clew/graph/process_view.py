"""`ProcessView`: one process's nodes and flows, indexed; flow semantics, expansion and drawing read it."""

from collections.abc import Iterable

from clew.domain.facts import Edge, Node
from clew.domain.kinds import EdgeKind
from clew.domain.processes import Activity, DataObject, Event, Gateway, Lane, Process

FlowElement = Activity | Event | Gateway


class ProcessView:
    """A read-only view of one process: flow nodes by id, sequence flows by source and target, bindings by activity."""

    def __init__(self, process: Process, nodes: Iterable[Node], edges: Iterable[Edge]) -> None:
        """Indexes the process's nodes and the edges that touch them."""
        self.process = process
        self.elements: dict[str, FlowElement] = {}
        self.lanes: dict[str, Lane] = {}
        self.data_objects: dict[str, DataObject] = {}
        for node in nodes:
            if isinstance(node, Activity | Event | Gateway):
                self.elements[node.id] = node
            elif isinstance(node, Lane):
                self.lanes[node.id] = node
            elif isinstance(node, DataObject):
                self.data_objects[node.id] = node
        self.outgoing: dict[str, list[Edge]] = {}
        self.incoming: dict[str, list[Edge]] = {}
        self.messages: list[Edge] = []
        self.bindings: dict[str, list[Edge]] = {}
        self.data_edges: list[Edge] = []
        for edge in edges:
            self._place(edge)

    def _place(self, edge: Edge) -> None:
        match edge.kind:
            case EdgeKind.HAS_NEXT:
                self.outgoing.setdefault(edge.source, []).append(edge)
                self.incoming.setdefault(edge.target, []).append(edge)
            case EdgeKind.PERFORMED_BY:
                self.bindings.setdefault(edge.source, []).append(edge)
            case EdgeKind.MESSAGES:
                self.messages.append(edge)
            case EdgeKind.READS | EdgeKind.WRITES:
                self.data_edges.append(edge)
            case _:
                pass

    @property
    def id(self) -> str:
        """The process's name (its owner name, not its node id)."""
        return self.process.process

    @property
    def activities(self) -> list[Activity]:
        """The activities in the order of the source."""
        return [node for node in self.elements.values() if isinstance(node, Activity)]

    def children(self, parent: str) -> list[FlowElement]:
        """Gives the flow nodes directly inside a subprocess; the empty text asks for those of the process itself."""
        return [node for node in self.elements.values() if node.parent == parent]

    def boundary_events(self, activity: str) -> list[Event]:
        """Gives the events attached to an activity."""
        return [node for node in self.elements.values() if isinstance(node, Event) and node.attached_to == activity]
