"""Arrays of an index: their types, and lists of numbers by number, all of which can be memory-mapped."""

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Self, TypeAlias, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.floating[Any]]
"""float32 as stored; sums with Python numbers are taken for wider ones by the type checker alone."""
Numbers: TypeAlias = NDArray[np.int32]
Scalar = TypeVar("Scalar", bound=np.generic)


class Adjacency:
    """For each of `size` things a list of numbers: those of thing *i* are `targets[starts[i]:starts[i + 1]]`."""

    def __init__(self, starts: NDArray[np.int64], targets: Numbers) -> None:
        """Takes the arrays, of shapes `(size + 1,)` and `(links,)`."""
        self.starts = starts
        self.targets = targets
        self._read: dict[int, list[int]] = {}

    def of(self, thing: int) -> list[int]:
        """Gives the numbers of one thing; they are kept, since the same things come up again and again."""
        found = self._read.get(thing)
        if found is None:
            found = self._read[thing] = self.targets[self.starts[thing] : self.starts[thing + 1]].tolist()
        return found

    @cached_property
    def sources(self) -> Numbers:
        """The thing that each link starts at, shape `(links,)`."""
        return np.repeat(np.arange(len(self.starts) - 1, dtype=np.int32), np.diff(self.starts))

    @classmethod
    def build(cls, lists: Sequence[Sequence[int]]) -> Self:
        """Makes it from one list a thing."""
        starts = np.cumsum([0, *map(len, lists)], dtype=np.int64)
        return cls(starts, np.array([number for listed in lists for number in listed], dtype=np.int32))

    def save(self, folder: Path, name: str) -> None:
        """Writes two files into a folder."""
        np.save(folder / f"{name}-starts.npy", self.starts)
        np.save(folder / f"{name}-targets.npy", self.targets)

    @classmethod
    def open(cls, folder: Path, name: str) -> Self:
        """Opens what `save` wrote, memory-mapped."""
        starts = open_array(folder / f"{name}-starts.npy", np.int64)
        return cls(starts, open_array(folder / f"{name}-targets.npy", np.int32))


def open_array(path: Path, kind: type[Scalar]) -> NDArray[Scalar]:
    """Opens an array of `kind`, memory-mapped; an empty one is read, since nothing cannot be mapped."""
    try:
        found: NDArray[np.generic] = np.load(path, mmap_mode="r")
    except ValueError:
        found = np.load(path)
    return cast("NDArray[Scalar]", found) if found.dtype == kind else found.astype(kind)
