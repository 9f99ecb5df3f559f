"""What may happen any number of times: when it happens once more.

With `single` set, it happens once at a time. Else a scope is opened again as soon as something in the one before has
been observed: until then one more would make no difference to what can be observed next.
"""

from typing import Protocol

from clew.flow.marking import Children, Marking, Move
from clew.flow.net import Net, NetNode
from clew.flow.paths import Paths
from clew.flow.settling import without

_MOST_FRESH = 500


class Rules(Protocol):
    """What the semantics offers here."""

    def initial(self, scope: int = 0) -> list[Move]:
        """Gives the markings in which a scope may begin."""
        ...

    def moves_in(self, scope: int, marking: Marking) -> tuple[Move, ...]:
        """Gives what may follow a marking of a scope."""
        ...

    def is_over(self, marking: Marking) -> bool:
        """Whether a scope has come to its end."""
        ...


class Repetition:
    """Keeps what is fresh: the markings of scopes that are reached before anything in them is observed."""

    def __init__(self, net: Net, paths: Paths, rules: Rules, *, visible: frozenset[int], single: bool) -> None:
        """Begins with nothing worked out."""
        self._net = net
        self._paths = paths
        self._rules = rules
        self._visible = visible
        self._single = single
        self._fresh: dict[int, frozenset[Marking]] = {}

    def is_hindered(self, node: NetNode, children: Children) -> bool:
        """Whether a scope need not be opened once more, for one of its kind is as good as new."""
        if self._single or node.instances_overlap:
            return any(index == node.index for index, _ in children)
        return any(index == node.index and self.is_fresh(node, inner) for index, inner in children)

    def is_fresh(self, node: NetNode, marking: Marking) -> bool:
        """Whether nothing in a scope that the node has opened has been observed yet."""
        return marking in self._fresh_of(node.index)

    def is_due(self, node: NetNode, before: Marking, move: Move) -> bool:
        """Whether a node that nothing but itself hinders may occur once more, as `move` has it, once at a time."""
        tokens, children = before
        if self._paths.is_underway(node.index, tokens, children):
            return False
        return not any(place in tokens for place in without(move.marking[0], tokens))

    def _fresh_of(self, index: int) -> frozenset[Marking]:
        """Gives the markings that a scope can be in before anything in it has been observed."""
        found = self._fresh.get(index)
        if found is not None:
            return found
        self._fresh[index] = frozenset()
        scope = self._net.nodes[index].inner
        reached = [move.marking for move in self._rules.initial(scope)]
        for marking in reached:
            for move in self._rules.moves_in(scope, marking):
                hidden = move.label not in self._visible and move.thrown is None
                if hidden and move.marking not in reached and len(reached) < _MOST_FRESH:
                    reached.append(move.marking)
        self._fresh[index] = frozenset(reached)
        return self._fresh[index]
