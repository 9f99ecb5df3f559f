"""The compiled form of a process: nodes, places and scopes by number.

A place holds the tokens of one sequence flow; a node without incoming flow that can begin has a place of its own. A
scope is what a process, a subprocess or a called process opens each time it is entered.
"""

from enum import Enum, auto

from clew.domain.issues import Issue, Place, Severity
from clew.domain.processes import Activity
from clew.flow.conditions import Condition
from clew.graph.process_view import FlowElement


class Kind(Enum):
    """What a node does with a token."""

    TASK = auto()
    SCOPE = auto()
    CHOICE = auto()
    """Exclusive and event-based gateways: one of the outgoing flows."""
    PARALLEL = auto()
    INCLUSIVE = auto()
    PASS = auto()
    """Start events, throwing events without effect on the flow, catching events, links: on to all outgoing flows."""
    END = auto()
    TERMINATE = auto()
    ERROR = auto()
    ESCALATION = auto()
    CANCEL = auto()
    COMPENSATION = auto()
    BOUNDARY = auto()


class NetNode:
    """One node of the net; flows, nodes and scopes are numbers, -1 for none."""

    __slots__ = (
        "boundaries",
        "default",
        "element",
        "handlers",
        "id",
        "incoming",
        "index",
        "inner",
        "kind",
        "outgoing",
        "scope",
    )

    def __init__(self, index: int, element: FlowElement, kind: Kind, scope: int) -> None:
        """Makes a node without flows."""
        self.index = index
        self.id = element.id
        self.element = element
        self.kind = kind
        self.scope = scope
        self.incoming: list[int] = []
        self.outgoing: list[int] = []
        self.default = -1
        self.boundaries: list[int] = []
        self.handlers: list[int] = []
        """Compensation throws: the activities that they may start."""
        self.inner = -1

    @property
    def loops(self) -> bool:
        """Whether the activity may be performed several times in a row."""
        return isinstance(self.element, Activity) and bool(self.element.loop)

    @property
    def may_be_skipped(self) -> bool:
        """Whether the loop tests its condition first, so that there may be no iteration (clause 13.3.6)."""
        return isinstance(self.element, Activity) and self.element.loop == "standard" and self.element.loop_test_before

    @property
    def instances_overlap(self) -> bool:
        """Whether several instances may run at the same time."""
        return isinstance(self.element, Activity) and self.element.loop == "parallel"


class NetPlace:
    """The place of one sequence flow, or of a node that begins without one (`source` -1)."""

    __slots__ = ("condition", "conditional", "key", "source", "target")

    def __init__(self, source: int, target: int, key: str) -> None:
        """Makes a place without condition."""
        self.source = source
        self.target = target
        self.key = key
        self.conditional = False
        self.condition: Condition | None = None


class NetScope:
    """What one process or subprocess holds."""

    __slots__ = ("ad_hoc", "event_starts", "holder", "nodes", "starts")

    def __init__(self, holder: int) -> None:
        """Makes an empty scope that the node `holder` opens."""
        self.holder = holder
        self.nodes: list[int] = []
        self.starts: list[tuple[int, ...]] = []
        """Each alternative is the places that get a token when the scope is entered."""
        self.event_starts: list[tuple[int, int, bool, str, str]] = []
        """Event subprocesses: node, place of the start event, whether it interrupts, definition, reference."""
        self.ad_hoc: list[int] = []
        """Ad hoc subprocesses: the nodes that can be started at any time."""


class Net:
    """A process compiled."""

    def __init__(self) -> None:
        """Makes an empty net."""
        self.nodes: list[NetNode] = []
        self.places: list[NetPlace] = []
        self.scopes: list[NetScope] = []
        self.by_id: dict[str, list[int]] = {}
        self.issues: list[Issue] = []

    def note(self, code: str, message: str, node_id: str, severity: Severity = Severity.WARNING) -> None:
        """Adds an issue about a node."""
        place = Place(pointer=node_id)
        self.issues.append(Issue(code=code, message=message, place=place, severity=severity))
