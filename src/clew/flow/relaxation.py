"""A bound from below for preconditions of models that are too large to explore.

The net is relaxed: a token that was ever on a place stays there, an inclusive join needs one flow only, and a scope can
end as soon as one of its ends can be reached. Whatever cannot start in the relaxed net without completing an activity
cannot start in the real one either. The converse does not hold, so this proves preconditions and never disproves one.
"""

from functools import cached_property

from clew.flow.net import Kind, Net, NetNode


class Relaxation:
    """The relaxed net, once whole and once without each of the activities."""

    def __init__(self, net: Net) -> None:
        """Keeps the net; nothing is worked out yet."""
        self._net = net

    @cached_property
    def _started(self) -> dict[str, frozenset[str]]:
        """By activity that is never completed (none: the empty text) the activities that can start nevertheless."""
        whole = self._names(_Relaxed(self._net, "").started)
        return {"": whole, **{name: self._names(_Relaxed(self._net, name).started) for name in sorted(whole)}}

    def _names(self, nodes: set[int]) -> frozenset[str]:
        return frozenset(self._net.nodes[index].id for index in nodes)

    def needed_before(self, activity: str) -> frozenset[str]:
        """Gives activities that the relaxed net must complete before an activity can start."""
        if activity not in self._started[""]:
            return frozenset()
        return frozenset(
            name for name, others in self._started.items() if name not in ("", activity) and activity not in others
        )


class _Relaxed:
    """The fixed point of the relaxed net in which the activity `without` is never completed."""

    def __init__(self, net: Net, without: str) -> None:
        self.started: set[int] = set()
        self._net = net
        self._without = without
        self._places: set[int] = set()
        self._waiting: list[int] = []
        self._open: set[int] = set()
        self._enter(0)
        while self._waiting:
            self._arrive(self._waiting.pop())

    def _mark(self, places: list[int] | tuple[int, ...]) -> None:
        for place in places:
            if place not in self._places:
                self._places.add(place)
                self._waiting.append(place)

    def _enter(self, scope_index: int) -> None:
        if scope_index in self._open:
            return
        self._open.add(scope_index)
        scope = self._net.scopes[scope_index]
        for start in scope.starts:
            self._mark(start)
            if not start:
                self._end(scope_index)
        for index, place, *_ in scope.event_starts:
            self.started.add(index)
            self._mark((place,))
        for index in scope.ad_hoc:
            self._start(self._net.nodes[index])

    def _arrive(self, place: int) -> None:
        node = self._net.nodes[self._net.places[place].target]
        if node.kind is Kind.PARALLEL and not self._is_joined(node, place):
            return
        for index in node.handlers:
            self._start(self._net.nodes[index])
        if node.kind in (Kind.TASK, Kind.SCOPE):
            self._start(node)
        else:
            self._leave(node)
            if node.kind in (Kind.TERMINATE, Kind.ERROR, Kind.ESCALATION, Kind.CANCEL):
                self._end(node.scope)

    def _is_joined(self, node: NetNode, place: int) -> bool:
        return place not in node.incoming or all(one in self._places for one in node.incoming)

    def _start(self, node: NetNode) -> None:
        if node.index in self.started:
            return
        self.started.add(node.index)
        for event in node.boundaries:
            self._leave(self._net.nodes[event])
        if node.kind is Kind.SCOPE:
            self._enter(node.inner)
        elif node.id != self._without:
            self._leave(node)
        if node.may_be_skipped:
            self._leave(node)

    def _leave(self, node: NetNode) -> None:
        self._mark(node.outgoing)
        if not node.outgoing:
            self._end(node.scope)

    def _end(self, scope_index: int) -> None:
        holder = self._net.scopes[scope_index].holder
        if holder >= 0 and self._net.nodes[holder].id != self._without:
            self._leave(self._net.nodes[holder])
