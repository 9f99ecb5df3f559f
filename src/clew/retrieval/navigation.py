"""What navigation adds: a part of a document is reached through the document, and with the document come its parts."""

from collections.abc import Iterable
from typing import NamedTuple

from clew.index.arrays import Adjacency, Floats
from clew.index.structure import SetStructure
from clew.retrieval.choosing import top

_PARTS = 20
_OWNERS = 5
_SECOND = 0.8
"""What the owner of the owner gets of the part's standing."""


_JUST_BELOW = 1 - 1e-6


class Drawn(NamedTuple):
    """What sets gain from their parts and owners (shape `(sets,)`, at least 0), and the one that each was drawn by."""

    gain: Floats
    origin: dict[int, int]


def draw(standing: Floats, structure: SetStructure, *, lift: float, kin: float) -> Drawn:
    """Gives what sets gain from each other.

    Owners gain `lift` times the standing of their best part, for the twenty sets that stand highest; then parts gain
    `kin` times the standing of their owner, for the five that stand highest. Nothing is drawn past what draws it: a set
    that a request names stays before its owner and its parts.
    """
    origin: dict[int, int] = {}
    raised = _pass(standing, top(standing, _PARTS), structure.parents, (lift, _SECOND), origin)
    raised = _pass(raised, top(raised, _OWNERS), structure.parts, (kin, 1.0), origin)
    return Drawn(raised - standing, origin)


def _pass(
    standing: Floats, seeds: Iterable[int], ways: Adjacency, shares: tuple[float, float], origin: dict[int, int]
) -> Floats:
    """Gives the standings after the seeds have drawn what is one or two ways off; the second way counts less."""
    raised: dict[int, float] = {}
    share, second = shares
    for seed in seeds:
        near = ways.of(seed)
        far = [number for owner in near for number in ways.of(owner) if number != seed]
        for numbers, height in ((near, float(standing[seed])), (far, second * float(standing[seed]))):
            for number in numbers:
                own = float(standing[number])
                level = min(own + share * height, height * _JUST_BELOW)
                if level > raised.get(number, own):
                    raised[number] = level
                    origin[number] = seed
    found = standing.copy()
    found[list(raised)] = list(raised.values())
    return found
