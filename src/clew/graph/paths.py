"""Why two nodes have to do with each other: the shortest path of typed relations between them."""

from collections import deque

from clew.domain.errors import UnknownReference
from clew.domain.records import Record
from clew.graph.shown import ShownEdge
from clew.graph.snapshot import Snapshot

LONGEST_STEPS = 8
MOST_NODES = 20_000


class PathStep(Record, frozen=True, kw_only=True):
    """One relation on the way; `forward` tells whether it was walked from its source to its target."""

    edge: ShownEdge
    forward: bool

    @property
    def end(self) -> str:
        """Id of the node that the step leads to."""
        return self.edge.target if self.forward else self.edge.source


class Explanation(Record, frozen=True, kw_only=True):
    """The shortest path; without steps there is none within the bounds, or both ends are one node.

    `complete` says whether everything within `longest_steps` was looked at, so that no path means that there is none.
    """

    source: str
    target: str
    steps: tuple[PathStep, ...] = ()
    complete: bool = True

    @property
    def found(self) -> bool:
        """Whether the two have to do with each other, as far as was looked."""
        return bool(self.steps) or self.source == self.target

    def __str__(self) -> str:
        """Gives the path in one line: `a -OF_TYPE-> b <-EXPOSES- c`."""
        parts = [self.source]
        for step in self.steps:
            kind = step.edge.kind.value
            parts.append(f"-{kind}-> {step.end}" if step.forward else f"<-{kind}- {step.end}")
        return " ".join(parts)


def explain(
    snapshot: Snapshot,
    source: str,
    target: str,
    *,
    longest_steps: int = LONGEST_STEPS,
    most_nodes: int = MOST_NODES,
) -> Explanation:
    """Gives the shortest path from one node to another, relations walked either way.

    Args:
        snapshot: the graph to walk in.
        source: id of the node to begin at.
        target: id of the node to reach.
        longest_steps: no path of more relations is looked for.
        most_nodes: no more nodes are looked at.

    Raises:
        UnknownReference: one of the two ends is not there.
    """
    for node_id in (source, target):
        if snapshot.node(node_id) is None:
            raise UnknownReference("node", node_id)
    came_by: dict[str, PathStep | None] = {source: None}
    queue = deque([(source, 0)])
    complete = True
    while queue and target not in came_by:
        node, steps = queue.popleft()
        if steps == longest_steps:
            continue
        for step in _steps_from(snapshot, node):
            if step.end not in came_by:
                if len(came_by) >= most_nodes:
                    complete = False
                    break
                came_by[step.end] = step
                queue.append((step.end, steps + 1))
    return Explanation(source=source, target=target, steps=_way_to(target, came_by), complete=complete)


def _steps_from(snapshot: Snapshot, node: str) -> list[PathStep]:
    outgoing = [PathStep(edge=edge, forward=True) for edge in snapshot.edges(source=node)]
    return outgoing + [PathStep(edge=edge, forward=False) for edge in snapshot.edges(target=node)]


def _way_to(target: str, came_by: dict[str, PathStep | None]) -> tuple[PathStep, ...]:
    way: list[PathStep] = []
    step = came_by.get(target)
    while step is not None:
        way.append(step)
        step = came_by[step.edge.source if step.forward else step.edge.target]
    return tuple(reversed(way))
