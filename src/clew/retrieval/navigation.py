"""What navigation adds: a part of a document is reached through the document."""

from typing import NamedTuple

import numpy as np

from clew.index.arrays import Floats
from clew.index.structure import SetStructure
from clew.retrieval.choosing import top

_SEEDS = 20
_OWNERS = 5
_SECOND_OWNER = 0.8
"""What the owner of the owner gets of the part's standing."""


class Lift(NamedTuple):
    """What owners get from their parts (shape `(sets,)`, 0 to 1), and the part that each got it from."""

    gain: Floats
    part: dict[int, int]


def lift_owners(standing: Floats, structure: SetStructure) -> Lift:
    """Gives each owner the standing of its best part, among the twenty sets that stand highest."""
    gain = np.zeros_like(standing)
    origin: dict[int, int] = {}
    for seed in top(standing, _SEEDS):
        height = float(standing[seed])
        for owner in structure.parents.of(seed):
            _give(owner, height, seed, gain, origin)
            for above in structure.parents.of(owner):
                if above != seed:
                    _give(above, _SECOND_OWNER * height, seed, gain, origin)
    return Lift(gain, origin)


def raise_parts(standing: Floats, structure: SetStructure) -> Lift:
    """Gives each part the standing of its owner, for the owners among the five sets that stand highest."""
    gain = np.zeros_like(standing)
    origin: dict[int, int] = {}
    for owner in top(standing, _OWNERS):
        height = min(float(standing[owner]), 1.0)
        for part in structure.parts.of(owner):
            _give(part, height, owner, gain, origin)
            for below in structure.parts.of(part):
                if below != owner:
                    _give(below, height, owner, gain, origin)
    return Lift(gain, origin)


def _give(owner: int, height: float, seed: int, gain: Floats, origin: dict[int, int]) -> None:
    if height > gain[owner]:
        gain[owner] = height
        origin[owner] = seed
