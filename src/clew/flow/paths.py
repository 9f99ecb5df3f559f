"""Where tokens can still get to along the flows of a scope: what inclusive joins and repeatable events need to know."""

from collections.abc import Iterable
from typing import TypeAlias

from clew.flow.net import Kind, Net

Children: TypeAlias = "tuple[tuple[int, object], ...]"


class Paths:
    """Reachability over the places of a net, worked out when first asked for."""

    def __init__(self, net: Net) -> None:
        """Keeps the net; nothing is worked out yet."""
        self._net = net
        self._arrivals: dict[int, dict[int, frozenset[int]]] = {}
        self._regions: dict[int, frozenset[int]] = {}
        self.limited: set[int] = set()
        """Repeatable nodes behind which flows join: what several occurrences do together is not explored."""

    def is_awaited(self, join: int, tokens: tuple[int, ...], children: Children) -> bool:
        """Whether an inclusive join has to wait (BPMN 2.0.2, clause 13.4.3).

        It waits if some token can reach an incoming flow that has none, and cannot reach one that has a token, on ways
        that do not pass the join. An event on an activity's boundary is such a way as well.
        """
        arrivals = self._arrivals_of(join)
        incoming = self._net.nodes[join].incoming
        full = {place for place in incoming if place in tokens}
        return any(ends and not ends & full for ends in self._ends(arrivals, tokens, children))

    def _ends(
        self, arrivals: dict[int, frozenset[int]], tokens: tuple[int, ...], children: Children
    ) -> Iterable[frozenset[int]]:
        nothing: frozenset[int] = frozenset()
        for place in dict.fromkeys(tokens):
            yield arrivals.get(place, nothing)
        for index, _ in children:
            yield nothing.union(*(arrivals.get(place, nothing) for place in self.leaving(index)))

    def _arrivals_of(self, join: int) -> dict[int, frozenset[int]]:
        """Gives by place the incoming flows of the join that a token there can reach."""
        found = self._arrivals.get(join)
        if found is None:
            incoming = self._net.nodes[join].incoming
            ends: dict[int, set[int]] = {}
            for end in incoming:
                for place in self._backward(end, join):
                    ends.setdefault(place, set()).add(end)
            found = self._arrivals[join] = {place: frozenset(reached) for place, reached in ends.items()}
        return found

    def _backward(self, end: int, join: int) -> set[int]:
        reached = {end}
        waiting = [end]
        while waiting:
            source = self._net.places[waiting.pop()].source
            if source < 0 or source == join:
                continue
            for place in self.arriving(source):
                if place not in reached:
                    reached.add(place)
                    waiting.append(place)
        return reached

    def arriving(self, index: int) -> list[int]:
        """Gives the places whose token leads to a node; for a boundary event those of its activity."""
        node = self._net.nodes[index]
        if node.kind is not Kind.BOUNDARY:
            return node.incoming
        hosts = (self._net.nodes[host] for host in self._net.scopes[node.scope].nodes)
        return [place for host in hosts if index in host.boundaries for place in host.incoming]

    def leaving(self, index: int) -> list[int]:
        """Gives the places to which an activity can give a token, also by the events on its boundary."""
        node = self._net.nodes[index]
        return node.outgoing + [place for event in node.boundaries for place in self._net.nodes[event].outgoing]

    def forward(self, places: Iterable[int], *, avoiding: int = -1) -> set[int]:
        """Gives the places that tokens can reach, not by way of the node `avoiding`."""
        reached = set(places)
        waiting = list(reached)
        while waiting:
            target = self._net.places[waiting.pop()].target
            node = self._net.nodes[target]
            ways = [target, *node.boundaries]
            for way in ways:
                if way == avoiding:
                    continue
                for place in self._net.nodes[way].outgoing:
                    if place not in reached:
                        reached.add(place)
                        waiting.append(place)
        return reached

    def is_underway(self, index: int, tokens: tuple[int, ...], children: Children) -> bool:
        """Whether something that only this repeatable node can have started is still on its way."""
        region = self._region_of(index)
        if any(place in region for place in tokens):
            return True
        return any(place in region for child, _ in children for place in self._net.nodes[child].incoming)

    def _region_of(self, index: int) -> frozenset[int]:
        found = self._regions.get(index)
        if found is None:
            node = self._net.nodes[index]
            scope = self._net.scopes[node.scope]
            behind = self.forward(node.outgoing)
            heads = [place for start in scope.starts for place in start]
            heads += [place for other in scope.ad_hoc if other != index for place in self._net.nodes[other].outgoing]
            found = self._regions[index] = frozenset(behind - self.forward(heads, avoiding=index))
            if any(self._joins(place, behind) for place in behind):
                self.limited.add(index)
        return found

    def _joins(self, place: int, behind: set[int]) -> bool:
        node = self._net.nodes[self._net.places[place].target]
        return node.kind in (Kind.PARALLEL, Kind.INCLUSIVE) and len(behind.intersection(node.incoming)) > 1
