"""Tokens that need not wait: they pass on at once until each of them rests (BPMN 2.0.2, clauses 13.3 and 13.4)."""

from collections.abc import Iterator, Mapping
from typing import TypeAlias

from clew.flow.choices import Choice, choices_of
from clew.flow.net import Kind, Net, NetNode

Tokens: TypeAlias = tuple[int, ...]
"""Places by number, sorted; a place with two tokens is there twice, one with any number of them as `endless(place)`."""


_PASSABLE = frozenset(
    {Kind.TASK, Kind.CHOICE, Kind.PARALLEL, Kind.INCLUSIVE, Kind.PASS, Kind.COMPENSATION, Kind.BOUNDARY, Kind.END}
)


def endless(place: int) -> int:
    """Gives what stands for any number of tokens on a place, none included; and the place for that."""
    return -1 - place


class Settling:
    """Moves tokens on through the nodes of one scope; `visible` nodes let none pass without being asked."""

    def __init__(self, net: Net, visible: frozenset[int], truths: Mapping[int, bool], most_tokens: int) -> None:
        """Begins with nothing worked out; `most_tokens` bounds the tokens of one place."""
        self.overflow: set[int] = set()
        """Places that would have held more tokens than that."""
        self._net = net
        self._visible = visible
        self._truths = truths
        self._most_tokens = most_tokens
        self._choices: dict[int, tuple[Choice, ...]] = {}
        self._settled: dict[Tokens, tuple[Choice, ...]] = {}
        self._circling = self._endless()

    def put(self, tokens: Tokens, node: NetNode) -> Iterator[Choice]:
        """Gives where tokens come to rest once the node has given tokens to its outgoing flows."""
        for choice in self._choices_of(node):
            for settled in self.settle(added(tokens, choice.places)):
                yield Choice(settled.places, choice.assumed | settled.assumed)

    def target(self, place: int) -> NetNode:
        """Gives the node that a place, or what stands for many tokens on it, leads to."""
        return self._net.nodes[self._net.places[place if place >= 0 else endless(place)].target]

    def flood(self, tokens: Tokens, node: NetNode) -> Tokens:
        """Gives the tokens once the node may have given any number of them to its outgoing flows."""
        reached = list(self._ways(node))
        resting: set[int] = set()
        for place in reached:
            target = self.target(place)
            through = [one for event in target.boundaries for one in self._net.nodes[event].outgoing]
            joins = target.kind in (Kind.PARALLEL, Kind.INCLUSIVE) and len(target.incoming) > 1
            if joins or target.kind not in _PASSABLE or target.index in self._visible:
                resting.add(endless(place))
            else:
                through += self._ways(target)
            reached += [one for one in dict.fromkeys(through) if one not in reached]
        more = tuple(resting.difference(tokens))
        return added(tokens, more)

    def _ways(self, node: NetNode) -> list[int]:
        return list(dict.fromkeys(place for choice in self._choices_of(node) for place in choice.places))

    def _choices_of(self, node: NetNode) -> tuple[Choice, ...]:
        found = self._choices.get(node.index)
        if found is None:
            found = self._choices[node.index] = choices_of(self._net, node, self._truths)
        return found

    def settle(self, tokens: Tokens) -> tuple[Choice, ...]:
        """Gives where tokens come to rest, as alternatives."""
        found = self._settled.get(tokens)
        if found is not None:
            return found
        resting: dict[Tokens, frozenset[int]] = {}
        seen = {tokens}
        waiting: list[tuple[Tokens, frozenset[int]]] = [(tokens, frozenset())]
        while waiting:
            here, assumed = waiting.pop()
            passed = self._pass_one(here)
            if passed is None:
                resting.setdefault(here, assumed)
                continue
            for there, more in passed:
                if self._is_too_much(there):
                    resting.setdefault(here, assumed)
                elif there not in seen:
                    seen.add(there)
                    waiting.append((there, assumed | more))
        found = self._settled[tokens] = tuple(Choice(*item) for item in resting.items())
        return found

    def _is_too_much(self, tokens: Tokens) -> bool:
        crowded = [place for place in set(tokens) if place >= 0 and tokens.count(place) > self._most_tokens]
        self.overflow.update(crowded)
        return bool(crowded)

    def _pass_one(self, tokens: Tokens) -> list[tuple[Tokens, frozenset[int]]] | None:
        """Moves the first token that need not wait; `None` where all of them wait."""
        for place in dict.fromkeys(tokens):
            if place < 0:
                continue
            node = self.target(place)
            consumed = self._consumed(node, place, tokens)
            if consumed is None:
                continue
            rest = without(tokens, consumed)
            if node.kind is Kind.END:
                return [(rest, frozenset())]
            return [(added(rest, choice.places), choice.assumed) for choice in self._choices_of(node)]
        return None

    def _consumed(self, node: NetNode, place: int, tokens: Tokens) -> tuple[int, ...] | None:
        """Gives the tokens with which a node lets one pass at once; `None` where the token waits."""
        kind = node.kind
        if place in self._circling:
            return None
        if kind is Kind.PARALLEL:
            needed = tuple(node.incoming) if place in node.incoming else (place,)
            return needed if all(one in tokens for one in needed) else None
        if kind is Kind.INCLUSIVE:
            return (place,) if len(node.incoming) < 2 or place not in node.incoming else None
        if node.index in self._visible:
            return None
        if kind is Kind.TASK:
            return None if node.boundaries else (place,)
        return (place,) if kind in (Kind.CHOICE, Kind.PASS, Kind.END) else None

    def _endless(self) -> frozenset[int]:
        """Gives the places from which a token would pass on for ever, for no way out of a circle of gateways exists."""
        self._circling: frozenset[int] = frozenset()
        ends: set[int] = set()
        while True:
            more = [place for place in range(len(self._net.places)) if place not in ends and self._ends(place, ends)]
            if not more:
                return frozenset(range(len(self._net.places))) - ends
            ends.update(more)

    def _ends(self, place: int, ends: set[int]) -> bool:
        node = self.target(place)
        if self._consumed(node, place, (place,)) is None or node.kind is Kind.END:
            return True
        choices = self._choices_of(node)
        return not choices or any(not choice.places or not ends.isdisjoint(choice.places) for choice in choices)


def added(tokens: Tokens, more: tuple[int, ...]) -> Tokens:
    """Gives the tokens with more of them."""
    return tuple(sorted(tokens + more)) if more else tokens


def without(tokens: Tokens, removed: tuple[int, ...]) -> Tokens:
    """Gives the tokens without some of them; what is not there cannot be removed and is passed over."""
    rest = list(tokens)
    for place in removed:
        if place in rest:
            rest.remove(place)
    return tuple(rest)
