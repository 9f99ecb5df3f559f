"""Preconditions and soundness of a process, from its markings."""

from functools import cached_property
from itertools import pairwise

from clew.domain.issues import Issue, Place, Severity
from clew.domain.processes import Activity, Event, Gateway
from clew.flow.choices import is_bounded
from clew.flow.exploration import Exploration, FlowLimits
from clew.flow.net import Kind, Net, NetNode
from clew.flow.paths import Paths
from clew.flow.relaxation import Relaxation
from clew.flow.semantics import Marking
from clew.graph.process_view import FlowElement

_SHOWN = 5


class Analysis:
    """What can be known of a process before it runs; everything is worked out when first asked for."""

    def __init__(self, net: Net, paths: Paths, limits: FlowLimits) -> None:
        """Keeps the net; nothing is explored yet."""
        self._net = net
        self._paths = paths
        self._limits = limits
        self._relaxation = Relaxation(net)

    @cached_property
    def exploration(self) -> Exploration:
        """The markings that were explored."""
        return Exploration(self._net, self._paths, self._limits)

    @cached_property
    def is_exact(self) -> bool:
        """Whether the markings explored are enough to disprove as well as to prove a precondition."""
        explored = self.exploration
        bounded = all(is_bounded(node) for node in self._net.nodes)
        return bounded and not explored.cut_off and not explored.semantics.overflow and not self._paths.limited

    @cached_property
    def _found(self) -> dict[str, frozenset[str]]:
        """By activity that can start: what every explored way to its start has completed."""
        explored = self.exploration
        names = list(dict.fromkeys(node.id for node in self._net.nodes if node.kind in (Kind.TASK, Kind.SCOPE)))
        positions = {name: 1 << position for position, name in enumerate(names)}
        bits = {node.index: positions[node.id] for node in self._net.nodes if node.id in positions}
        must = explored.completed(bits)
        common: dict[int, int] = {}
        for number, marking in enumerate(explored.markings):
            for index in explored.semantics.startable(marking):
                bit = bits[index]
                common[bit] = common.get(bit, ~0) & must[number]
        return {
            name: frozenset(other for other, bit in positions.items() if common[own] & bit and other != name)
            for name, own in positions.items()
            if own in common
        }

    def preconditions(self, activity: str) -> frozenset[str]:
        """Gives the activities that every execution that starts the activity has completed; only what is certain."""
        found = self._needed(activity)
        for host in self._hosts(activity):
            found |= {host} | self._needed(host)
        return found - {activity}

    def _needed(self, activity: str) -> frozenset[str]:
        if self.is_exact:
            return self._found.get(activity, frozenset())
        return self._relaxation.needed_before(activity)

    def undecided(self, activity: str) -> frozenset[str]:
        """Gives the activities of which it is not known whether they are preconditions, for the bounds were met."""
        if self.is_exact:
            return frozenset()
        known = self.preconditions(activity)
        if activity in self._found:
            return self._found[activity] - known
        names = {node.id for node in self._net.nodes if node.kind in (Kind.TASK, Kind.SCOPE)}
        return frozenset(names) - known - {activity}

    def _hosts(self, activity: str) -> list[str]:
        """Gives the activities that an activity compensates: they have been completed before (clause 13.5.5)."""
        found: list[str] = []
        for node in self._net.nodes:
            element = node.element
            if isinstance(element, Event) and element.handler == activity and element.attached_to:
                found.append(element.attached_to)
        return found

    def can_start(self, activity: str) -> bool | None:
        """Whether some execution starts the activity; `None` where the bounds were met before one was found."""
        if activity in self._found:
            return True
        return False if self.is_exact else None

    # Soundness

    @cached_property
    def issues(self) -> tuple[Issue, ...]:
        """What is wrong with the model, or could not be found out."""
        return (*self._net.issues, *self._notes(), *self._bounds(), *self._dead(), *self._endings(), *self._crowds())

    def _notes(self) -> list[Issue]:
        found: list[Issue] = []
        for node in self._net.nodes:
            if isinstance(node.element, Gateway) and node.element.type == "complexGateway":
                message = f"The complex gateway {shown(node.element)} is treated as an inclusive one."
                found.append(_issue("flow-complex-gateway", message, node.id, Severity.NOTE))
        return found

    def _bounds(self) -> list[Issue]:
        explored = self.exploration
        found: list[Issue] = []
        if explored.cut_off:
            message = (
                f"The process can be in more than {self._limits.markings} states; only what is certain without "
                "all of them is claimed about its order."
            )
            found.append(_issue("flow-bounds", message, ""))
        for place in sorted(explored.semantics.overflow):
            node = self._net.nodes[self._net.places[place].target]
            message = f"Tokens can gather before {shown(node.element)} without bound."
            found.append(_issue("flow-unbounded", message, node.id))
        for index in sorted(self._paths.limited):
            node = self._net.nodes[index]
            message = (
                f"Flows behind {shown(node.element)}, which can occur again and again, join; what several of its "
                "occurrences do together is not explored."
            )
            found.append(_issue("flow-repeatable-join", message, node.id, Severity.NOTE))
        return found

    def _dead(self) -> list[Issue]:
        if not self.is_exact:
            return []
        dead = [
            node.element
            for node in self._net.nodes
            if node.kind in (Kind.TASK, Kind.SCOPE) and node.id not in self._found and not _is_aside(node)
        ]
        return [
            _issue("flow-dead-activity", f"No execution can start {shown(element)}.", element.id)
            for element in dict.fromkeys(dead)
        ]

    def _endings(self) -> list[Issue]:
        explored = self.exploration
        if explored.cut_off or explored.semantics.overflow:
            return []
        doomed = explored.doomed()
        if not doomed:
            return []
        stuck = [number for number in doomed if not explored.steps[number]]
        number = (stuck or doomed)[0]
        where = self._waiting_at(explored.markings[number])
        if stuck:
            message = f"The process can come to a stop before its end, with tokens waiting at {where}."
            return [_issue("flow-deadlock", message, "")]
        message = f"The process can come to where it never ends, with tokens at {where}."
        return [_issue("flow-never-ends", message, "")]

    def _crowds(self) -> list[Issue]:
        places: dict[int, None] = {}
        for marking in self.exploration.markings:
            _crowded(marking, places)
        nodes = dict.fromkeys(self._net.places[place].target for place in places)
        found = [self._net.nodes[index] for index in nodes]
        return [
            _issue(
                "flow-unsynchronised",
                f"Two tokens can be before {shown(node.element)} at once: parallel branches meet without a join.",
                node.id,
                Severity.NOTE,
            )
            for node in found
        ]

    def _waiting_at(self, marking: Marking) -> str:
        names = list(dict.fromkeys(self._waiting_nodes(marking)))
        more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
        return ", ".join(names[:_SHOWN]) + more

    def _waiting_nodes(self, marking: Marking) -> list[str]:
        tokens, children = marking
        found = [shown(self._net.nodes[self._net.places[place].target].element) for place in tokens]
        for _, inner in children:
            found += self._waiting_nodes(inner)
        return found


def _crowded(marking: Marking, places: dict[int, None]) -> None:
    tokens, children = marking
    for before, after in pairwise(tokens):
        if before == after:
            places[before] = None
    for _, inner in children:
        _crowded(inner, places)


def _is_aside(node: NetNode) -> bool:
    """Whether an activity is started by something that only its surroundings can throw."""
    element = node.element
    return isinstance(element, Activity) and (element.for_compensation or element.triggered_by_event)


def shown(element: FlowElement) -> str:
    """Gives a node as a person knows it: its name and its id within the process."""
    local = element.id.partition("/")[2] or element.id
    return f"{element.name!r} ({local})" if element.name else repr(local)


def _issue(code: str, message: str, node: str, severity: Severity = Severity.WARNING) -> Issue:
    source = "BPMN 2.0.2, clause 13"
    return Issue(code=code, message=message, place=Place(pointer=node), severity=severity, source=source)
