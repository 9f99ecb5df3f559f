"""Where a process can be after what has been observed: all markings that agree with it, kept as one state.

States are numbered, and the steps between them are kept, so that a process that has been prepared answers by looking
them up. There are as many states as different histories have been asked about.
"""

from collections.abc import Iterable, Mapping
from typing import NamedTuple, TypeAlias

from clew.domain.records import JsonValue
from clew.flow.exploration import FlowLimits
from clew.flow.net import Net
from clew.flow.paths import Paths
from clew.flow.semantics import Marking, Move, Semantics

Truths: TypeAlias = tuple[tuple[int, bool], ...]
"""What is known of conditions: place and whether its condition holds."""


class State(NamedTuple):
    """Markings that are possible, each with the flows taken on the way to it although their condition is not known."""

    possible: tuple[tuple[Marking, frozenset[int]], ...]
    cut_off: bool
    """Whether more markings are possible than are kept."""


class Opening(NamedTuple):
    """What may be observed next in a state, by node."""

    together: dict[int, frozenset[int]]
    """By node that may come next the other ones that some possible marking opens at the same time."""
    assumed: dict[int, frozenset[int]]
    """The flows whose condition has to hold for a node to come next."""
    may_end: bool
    cut_off: bool


class Replay:
    """Follows observed steps; only `visible` nodes are observed, all else may happen unseen."""

    def __init__(self, net: Net, paths: Paths, visible: frozenset[int], limits: FlowLimits) -> None:
        """Prepares the replay; nothing is followed yet."""
        self._net = net
        self._paths = paths
        self._visible = visible
        self._limits = limits
        self._rules: dict[Truths, Semantics] = {}
        self._states: list[State] = []
        self._numbers: dict[State, int] = {}
        self._starts: dict[Truths, int] = {}
        self._steps: dict[tuple[int, int, Truths], int] = {}
        self._openings: dict[tuple[int, Truths], Opening] = {}
        self._conditional = tuple(
            (index, place.condition) for index, place in enumerate(net.places) if place.condition is not None
        )

    def truths(self, values: Mapping[str, JsonValue]) -> Truths:
        """Gives what the values say of the conditions."""
        if not values or not self._conditional:
            return ()
        known = ((index, condition.evaluate(values)) for index, condition in self._conditional)
        return tuple((index, truth) for index, truth in known if truth is not None)

    def start(self, truths: Truths) -> int:
        """Gives the state before anything has been observed."""
        found = self._starts.get(truths)
        if found is None:
            found = self._starts[truths] = self._close(self._semantics(truths).initial(), truths)
        return found

    def follow(self, state: int, nodes: Iterable[int], truths: Truths) -> int | None:
        """Gives the state after one of the nodes has been observed, `None` where none of them can come next."""
        after: list[int] = []
        for node in nodes:
            key = (state, node, truths)
            if key not in self._steps:
                self._steps[key] = self._step(state, node, truths)
            if self._steps[key] >= 0:
                after.append(self._steps[key])
        return self._merged(after) if after else None

    def opening(self, state: int, truths: Truths) -> Opening:
        """Gives what may be observed next."""
        found = self._openings.get((state, truths))
        if found is None:
            found = self._openings[state, truths] = self._open(self._states[state], self._semantics(truths))
        return found

    def _semantics(self, truths: Truths) -> Semantics:
        found = self._rules.get(truths)
        if found is None:
            # Several tokens on one place are no sign of growth without bound here: somebody has observed them coming.
            most = 8 * self._limits.tokens
            found = self._rules[truths] = Semantics(
                self._net, self._paths, visible=self._visible, single=False, truths=dict(truths), most_tokens=most
            )
        return found

    def _number(self, state: State) -> int:
        found = self._numbers.get(state)
        if found is None:
            found = self._numbers[state] = len(self._states)
            self._states.append(state)
        return found

    def _merged(self, numbers: list[int]) -> int:
        if len(set(numbers)) == 1:
            return numbers[0]
        found: dict[Marking, frozenset[int]] = {}
        for number in numbers:
            for marking, assumed in self._states[number].possible:
                found.setdefault(marking, assumed)
        return self._number(State(_in_order(found), any(self._states[number].cut_off for number in numbers)))

    def _step(self, number: int, node: int, truths: Truths) -> int:
        state = self._states[number]
        begun = [
            move._replace(assumed=self._assume(assumed, move.assumed))
            for marking, assumed in state.possible
            for move in self._semantics(truths).moves(marking)
            if move.label == node
        ]
        return self._close(begun, truths, cut_off=state.cut_off) if begun else -1

    def _assume(self, before: frozenset[int], more: frozenset[int]) -> frozenset[int]:
        """Joins assumptions; a gateway's newest choice takes the place of what was assumed of it before."""
        if not more or not before:
            return more or before
        sources = {self._net.places[place].source for place in more}
        return more | {place for place in before if self._net.places[place].source not in sources}

    def _close(self, begun: list[Move], truths: Truths, *, cut_off: bool = False) -> int:
        """Adds everything that may happen unseen."""
        rules = self._semantics(truths)
        found: dict[Marking, frozenset[int]] = {}
        waiting = [(move.marking, move.assumed) for move in begun]
        for marking, assumed in waiting:
            if marking in found:
                continue
            if len(found) >= self._limits.possible:
                cut_off = True
                break
            found[marking] = assumed
            waiting.extend(
                (move.marking, self._assume(assumed, move.assumed))
                for move in rules.moves(marking)
                if move.label not in self._visible and move.marking not in found
            )
        return self._number(State(_in_order(_without_shared(found)), cut_off or bool(rules.overflow)))

    def _open(self, state: State, rules: Semantics) -> Opening:
        together: dict[int, set[int]] = {}
        assumed: dict[int, frozenset[int]] = {}
        for marking, taken in state.possible:
            nodes = {move.label for move in rules.moves(marking)} & self._visible
            for node in nodes:
                together.setdefault(node, set()).update(nodes)
                assumed[node] = assumed[node] & taken if node in assumed else taken
        return Opening(
            together={node: frozenset(others - {node}) for node, others in together.items()},
            assumed={node: places for node, places in assumed.items() if places},
            may_end=any(rules.is_over(marking) for marking, _ in state.possible),
            cut_off=state.cut_off,
        )


def _without_shared(found: dict[Marking, frozenset[int]]) -> dict[Marking, frozenset[int]]:
    """Drops what all markings assume: what has been observed since leaves no other choice."""
    shared: frozenset[int] | None = None
    for assumed in found.values():
        shared = assumed if shared is None else shared & assumed
    if not shared:
        return found
    return {marking: assumed - shared for marking, assumed in found.items()}


def _in_order(found: dict[Marking, frozenset[int]]) -> tuple[tuple[Marking, frozenset[int]], ...]:
    return tuple(sorted(found.items(), key=lambda item: item[0]))
