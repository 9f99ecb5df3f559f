"""`DenseIndex`: exact search over unit vectors, or weighted sums of them."""

from collections.abc import Sequence
from pathlib import Path
from typing import Self

import numpy as np

from clew.domain.ports import Embedder
from clew.index.arrays import Floats, open_array

Face = tuple[str, float]
"""A text and its weight."""


class DenseIndex:
    """One vector a card: the sum of the vectors of its texts, each times its weight.

    The score of a card is therefore the weighted sum of its texts' cosines, for the price of one.
    """

    def __init__(self, matrix: Floats) -> None:
        """Takes the matrix, shape `(cards, dimensions)`."""
        self.matrix = matrix

    def scores(self, vector: Floats) -> Floats:
        """Gives the score of each card, shape `(cards,)`; `vector` has shape `(dimensions,)` and length 1.

        numpy hands a product of this size to threads of BLAS, which on a busy machine wait for each other longer than
        the whole product takes; `einsum` does it on the spot.
        """
        return np.einsum("ij,j->i", self.matrix, vector)

    def table(self, vectors: Floats) -> Floats:
        """Gives the scores of each card for each vector of shape `(vectors, dimensions)`: `(cards, vectors)`."""
        return np.einsum("ij,kj->ik", self.matrix, vectors)

    @classmethod
    def build(cls, cards: Sequence[Sequence[Face]], embedder: Embedder) -> Self:
        """Embeds the faces of each card; each distinct text is embedded once."""
        numbers: dict[str, int] = {}
        for faces in cards:
            for text, _ in faces:
                numbers.setdefault(text, len(numbers))
        vectors = np.asarray(embedder.embed(list(numbers)), dtype=np.float32).reshape(len(numbers), embedder.dimensions)
        matrix = np.zeros((len(cards), embedder.dimensions), dtype=np.float32)
        for row, faces in enumerate(cards):
            for text, weight in faces:
                matrix[row] += weight * vectors[numbers[text]]
        return cls(matrix)

    def save(self, folder: Path, name: str) -> None:
        """Writes one file into a folder."""
        np.save(folder / f"{name}-vectors.npy", self.matrix)

    @classmethod
    def open(cls, folder: Path, name: str) -> Self:
        """Opens what `save` wrote, memory-mapped."""
        return cls(open_array(folder / f"{name}-vectors.npy", np.float32))
