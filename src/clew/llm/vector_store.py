"""`StoredEmbedder`: an embedder that remembers, so that a text is embedded once in a workspace's life."""

import hashlib
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from clew.domain.ports import Database, Embedder


def _hear_nothing(done: int, total: int) -> None:
    del done, total


class StoredEmbedder:
    """Wraps an embedder; vectors are kept in the database by the hash of their text and the model's name."""

    def __init__(
        self, inner: Embedder, database: Database, *, told: Callable[[int, int], None] = _hear_nothing
    ) -> None:
        """`told` hears how many of the texts that have no vector yet are done."""
        self._inner = inner
        self._database = database
        self._told = told
        self.name = inner.name
        self.dimensions = inner.dimensions

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Gives one vector a text, shape `(len(texts), dimensions)`; only unknown texts reach the model."""
        hashes = [hashlib.blake2b(text.encode(), digest_size=16).hexdigest() for text in texts]
        with self._database.read() as transaction:
            rows = transaction.all("list_vectors", {"model": self.name})
        known = {
            str(key): np.frombuffer(bytes(vector), dtype=np.float32)
            for key, vector in rows
            if isinstance(vector, bytes)
        }
        missing = {key: text for key, text in zip(hashes, texts, strict=True) if key not in known}
        for start in range(0, len(missing), 256):
            self._told(start, len(missing))
            keys = list(missing)[start : start + 256]
            made = np.asarray(self._inner.embed([missing[key] for key in keys]), dtype=np.float32)
            known |= dict(zip(keys, made, strict=True))
            with self._database.write() as transaction:
                rows_to_keep = [
                    {"model": self.name, "content_hash": key, "vector": known[key].tobytes()} for key in keys
                ]
                transaction.execute_many("put_vector", rows_to_keep)
        return np.stack([known[key] for key in hashes]) if texts else np.zeros((0, self.dimensions), dtype=np.float32)
