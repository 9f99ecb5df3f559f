"""Distances along the flows: the order of activities for ranking, and what lies around an activity."""

from collections import deque
from typing import Literal

from clew.domain.processes import Event
from clew.domain.records import Record
from clew.flow.net import Kind, Net, NetNode


class Neighbour(Record, frozen=True, kw_only=True):
    """An activity near another one; `hops` counts the activities on the way, itself included (1: the very next).

    `branch` is the flow (or the boundary event) by which the way leaves the split that is nearest to the activity
    asked about, empty where the way has no alternative.
    """

    activity: str
    hops: int
    direction: Literal["before", "after"]
    branch: str = ""


class Chart:
    """The net as a graph of nodes: into scopes and out of them again, along links and boundary events."""

    def __init__(self, net: Net) -> None:
        """Joins the nodes of all scopes."""
        self._net = net
        self.after: list[list[tuple[int, str]]] = [[] for _ in net.nodes]
        self.before: list[list[tuple[int, str]]] = [[] for _ in net.nodes]
        self._heads: dict[int, list[int]] = {}
        self._tails: dict[int, list[int]] = {}
        for node in net.nodes:
            self._join(node)

    def _join(self, node: NetNode) -> None:
        net = self._net
        exits = self._exits(node)
        splits = len(node.outgoing) > 1 and node.kind is not Kind.PARALLEL
        for place in node.outgoing:
            branch = net.places[place].key if splits else ""
            for entry in self._entries(net.nodes[net.places[place].target]):
                for leaving in exits:
                    self._link(leaving, entry, branch)
        for event in node.boundaries:
            element = net.nodes[event].element
            if isinstance(element, Event) and "compensate" in element.definitions:
                continue
            for entry in self._entries(node):
                self._link(entry, event, net.nodes[event].id)
        if node.kind is Kind.SCOPE:
            for index, place, *_ in net.scopes[node.inner].event_starts:
                for entry in self._entries(node):
                    self._link(entry, net.places[place].target, net.nodes[index].id)

    def _link(self, source: int, target: int, branch: str) -> None:
        self.after[source].append((target, branch))
        self.before[target].append((source, branch))

    def _entries(self, node: NetNode) -> list[int]:
        """Gives where one gets to by entering a node: itself, or the first nodes of its scope."""
        if node.kind is not Kind.SCOPE:
            return [node.index]
        found = self._heads.get(node.index)
        if found is None:
            scope = self._net.scopes[node.inner]
            places = [place for start in scope.starts for place in start]
            heads = [self._net.places[place].target for place in places] + scope.ad_hoc
            found = [entry for head in heads for entry in self._entries(self._net.nodes[head])]
            found = self._heads[node.index] = list(dict.fromkeys(found))
        return found

    def _exits(self, node: NetNode) -> list[int]:
        """Gives from where one gets on when a node is done: itself, or the last nodes of its scope."""
        if node.kind is not Kind.SCOPE:
            return [node.index]
        found = self._tails.get(node.index)
        if found is None:
            ends = (self._net.nodes[index] for index in self._net.scopes[node.inner].nodes)
            tails = [end for end in ends if not end.outgoing and (end.incoming or end.kind is not Kind.SCOPE)]
            leaving = [exit_ for tail in tails for exit_ in self._exits(tail)]
            found = self._tails[node.index] = list(dict.fromkeys(leaving)) or self._entries(node)
        return found

    def roots(self) -> list[int]:
        """Gives where the process begins."""
        scope = self._net.scopes[0]
        places = [place for start in scope.starts for place in start]
        heads = [self._net.places[place].target for place in places] + scope.ad_hoc
        heads += [self._net.places[place].target for _, place, *_ in scope.event_starts]
        return list(dict.fromkeys(entry for head in heads for entry in self._entries(self._net.nodes[head])))

    def positions(self) -> dict[str, int]:
        """Gives the activities' places in a topological order, from 0; flows that lead back are left out.

        Alternatives and parallel branches follow each other in the order of the source; what cannot be reached comes
        last. A subprocess has the place of the first activity in it.
        """
        seen: set[int] = set()
        ordered = self._finished(self.roots(), seen)
        ordered += self._finished([node.index for node in self._net.nodes if node.index not in seen], seen)
        nodes = [self._net.nodes[index] for index in ordered]
        names = dict.fromkeys(node.id for node in nodes if node.kind is Kind.TASK)
        found = {name: position for position, name in enumerate(names)}
        for node in reversed(self._net.nodes):
            if node.kind is Kind.SCOPE:
                inside = [self._net.nodes[index].id for index in self._net.scopes[node.inner].nodes]
                found.setdefault(node.id, min((found[name] for name in inside if name in found), default=len(names)))
        return found

    def _finished(self, roots: list[int], seen: set[int]) -> list[int]:
        """Gives the nodes below the roots in the reverse order in which depth-first search is done with them."""
        finished: list[int] = []
        for root in reversed(roots):
            if root in seen:
                continue
            seen.add(root)
            stack = [(root, iter(self.after[root][::-1]))]
            while stack:
                node, ways = stack[-1]
                following = next((target for target, _ in ways if target not in seen), None)
                if following is None:
                    stack.pop()
                    finished.append(node)
                else:
                    seen.add(following)
                    stack.append((following, iter(self.after[following][::-1])))
        return finished[::-1]

    def neighbours(self, activity: str, hops: int) -> list[Neighbour]:
        """Gives the activities within some hops in both directions, nearest first, those before it first."""
        starts = self._net.by_id.get(activity, [])
        entries = [entry for index in starts for entry in self._entries(self._net.nodes[index])]
        exits = [leaving for index in starts for leaving in self._exits(self._net.nodes[index])]
        found = [
            *self._spread(entries, self.before, hops, "before"),
            *self._spread(exits, self.after, hops, "after"),
        ]
        return sorted((one for one in found if one.activity != activity), key=lambda one: one.hops)

    def _spread(
        self,
        starts: list[int],
        ways: list[list[tuple[int, str]]],
        hops: int,
        direction: Literal["before", "after"],
    ) -> list[Neighbour]:
        best: dict[int, int] = dict.fromkeys(starts, 0)
        found: dict[str, Neighbour] = {}
        waiting = deque((start, 0, "") for start in starts)
        while waiting:
            here, distance, branch = waiting.popleft()
            if distance > best[here]:
                continue
            for there, taken in ways[here]:
                node = self._net.nodes[there]
                cost = distance + (1 if node.kind is Kind.TASK else 0)
                if cost > hops or cost >= best.get(there, cost + 1):
                    continue
                best[there] = cost
                way = branch or taken
                if node.kind is Kind.TASK:
                    found[node.id] = Neighbour(activity=node.id, hops=cost, direction=direction, branch=way)
                    waiting.append((there, cost, way))
                else:
                    waiting.appendleft((there, cost, way))
        return list(found.values())
