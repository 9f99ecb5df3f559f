"""Which outgoing flows a node may give tokens to (BPMN 2.0.2, clauses 13.3.1, 13.4.2 and 13.4.3).

Conditions are not evaluated unless values are given: then whatever they leave open is a choice. A flow out of a
gateway without condition and without the mark of the default is open too.
"""

from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import NamedTuple

from clew.flow.net import Kind, Net, NetNode

MOST_OPEN_FLOWS = 10
"""With more open flows than this at one inclusive split, single flows and all of them are tried, and it is said."""


class Choice(NamedTuple):
    """Places that get a token, and those of them that were taken although their condition is not known."""

    places: tuple[int, ...]
    assumed: frozenset[int] = frozenset()


def choices_of(net: Net, node: NetNode, truths: Mapping[int, bool]) -> tuple[Choice, ...]:
    """Gives the alternatives of a node; none where every condition is false and there is no default flow."""
    if not node.outgoing:
        return (Choice(()),)
    if node.kind is Kind.CHOICE:
        return tuple(_exclusive(net, node, truths))
    plain = node.kind is Kind.PARALLEL or not any(net.places[place].conditional for place in node.outgoing)
    if plain and (node.kind is not Kind.INCLUSIVE or len(node.outgoing) == 1):
        return (Choice(tuple(node.outgoing)),)
    return tuple(_subsets(net, node, truths))


def is_bounded(node: NetNode) -> bool:
    """Whether all combinations of the node's open flows are tried."""
    return len(node.outgoing) <= MOST_OPEN_FLOWS or node.kind in (Kind.CHOICE, Kind.PARALLEL)


def _exclusive(net: Net, node: NetNode, truths: Mapping[int, bool]) -> Iterator[Choice]:
    asks = _asks(net, node, truths)
    open_flows: list[int] = []
    for place in node.outgoing:
        if place == node.default or truths.get(place) is False:
            continue
        open_flows.append(place)
        if truths.get(place) is True:
            break
    else:
        if node.default >= 0:
            open_flows.append(node.default)
    for place in open_flows:
        yield Choice((place,), frozenset({place}) if asks and len(open_flows) > 1 else frozenset())


def _subsets(net: Net, node: NetNode, truths: Mapping[int, bool]) -> Iterator[Choice]:
    gateway = node.kind is Kind.INCLUSIVE
    certain = [place for place in node.outgoing if place != node.default and _is_certain(net, place, truths, gateway)]
    always = [place for place in certain if truths.get(place) is not True]
    rest = [place for place in node.outgoing if place not in certain and place != node.default]
    unknown = [place for place in rest if truths.get(place) is None]
    asks = _asks(net, node, truths)
    for picked in _combinations(unknown):
        taken = (*certain, *picked)
        if len(taken) == len(always) and node.default >= 0:
            taken = (*taken, node.default)
        if taken:
            yield Choice(tuple(sorted(taken)), frozenset(picked or taken) if asks and unknown else frozenset())


def _is_certain(net: Net, place: int, truths: Mapping[int, bool], gateway: bool) -> bool:  # noqa: FBT001 - a fact
    if truths.get(place) is True:
        return True
    return not gateway and not net.places[place].conditional


def _combinations(unknown: list[int]) -> Iterator[tuple[int, ...]]:
    sizes = range(len(unknown) + 1) if len(unknown) <= MOST_OPEN_FLOWS else (0, 1, len(unknown))
    for size in sizes:
        yield from combinations(unknown, size)


def _asks(net: Net, node: NetNode, truths: Mapping[int, bool]) -> bool:
    """Whether a value that was not given would decide between the flows."""
    return any(net.places[place].condition is not None and place not in truths for place in node.outgoing)
