"""`SearchIndex`: cards, their vectors and their postings, persisted beside the workspace and memory-mapped."""

import shutil
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Self

import msgspec
import numpy as np
from numpy.typing import NDArray

from clew.domain.ports import Embedder
from clew.domain.records import Record
from clew.index.cards import Card, CardKind, CardOptions
from clew.index.lexical import LexicalIndex

FORMAT = 1


class Manifest(Record, frozen=True, kw_only=True):
    """What an index was built from: the snapshot's version, the embedder's name, the options of its cards."""

    snapshot: str
    model: str
    options: CardOptions = CardOptions()
    format: int = FORMAT


class SearchIndex:
    """What is searched. Vectors of a card are rows `first[card]` to `first[card + 1]` of the matrix."""

    def __init__(
        self,
        manifest: Manifest,
        cards: Sequence[Card],
        *,
        matrix: NDArray[np.float32],
        first: NDArray[np.int64],
        lexical: LexicalIndex,
    ) -> None:
        """Takes the parts; `matrix` has shape `(rows, dimensions)`, `first` `(len(cards) + 1,)`."""
        self.manifest = manifest
        self.cards = cards
        self.lexical = lexical
        self._matrix = matrix
        self._first = first

    def similarities(self, vectors: NDArray[np.float32]) -> NDArray[np.float32]:
        """Gives the cosine of each card's nearest text to each vector, shape `(len(cards), len(vectors))`, -1 to 1."""
        if not self.cards:
            return np.zeros((0, len(vectors)), dtype=np.float32)
        return np.maximum.reduceat(self._matrix @ vectors.T, self._first[:-1], axis=0)

    @cached_property
    def number(self) -> dict[str, int]:
        """The cards' positions by node id."""
        return {card.id: position for position, card in enumerate(self.cards)}

    @cached_property
    def of_kind(self) -> dict[CardKind, list[int]]:
        """The positions of the cards of each kind."""
        found: dict[CardKind, list[int]] = {kind: [] for kind in CardKind}
        for number, card in enumerate(self.cards):
            found[card.kind].append(number)
        return found

    @classmethod
    def build(cls, manifest: Manifest, cards: Sequence[Card], embedder: Embedder) -> Self:
        """Embeds and indexes cards."""
        texts = [text for card in cards for text in (card.dense or (card.id,))]
        counts = [len(card.dense) or 1 for card in cards]
        matrix = np.ascontiguousarray(np.asarray(embedder.embed(texts), dtype=np.float32))
        first = np.cumsum([0, *counts], dtype=np.int64)
        return cls(manifest, list(cards), matrix=matrix, first=first, lexical=LexicalIndex.build(cards))

    def save(self, folder: Path) -> None:
        """Writes the index into `folder`, in place of what is there; an unfinished one is never taken for an index."""
        fresh = folder.with_name(folder.name + ".new")
        shutil.rmtree(fresh, ignore_errors=True)
        fresh.mkdir(parents=True)
        np.save(fresh / "vectors.npy", self._matrix)
        np.save(fresh / "first.npy", self._first)
        self.lexical.save(fresh)
        (fresh / "cards.msgpack").write_bytes(msgspec.msgpack.encode(self.cards))
        (fresh / "manifest.json").write_bytes(msgspec.json.encode(self.manifest))
        shutil.rmtree(folder, ignore_errors=True)
        fresh.rename(folder)

    @classmethod
    def open(cls, folder: Path) -> Self | None:
        """Opens an index; `None` where there is none that this version can read."""
        manifest = read_manifest(folder)
        if manifest is None:
            return None
        cards = msgspec.msgpack.decode((folder / "cards.msgpack").read_bytes(), type=list[Card])
        matrix = np.load(folder / "vectors.npy", mmap_mode="r")
        first = np.load(folder / "first.npy")
        return cls(manifest, cards, matrix=matrix, first=first, lexical=LexicalIndex.open(folder))


def read_manifest(folder: Path) -> Manifest | None:
    """Gives what the index in `folder` was built from; `None` where there is none that this version can read."""
    try:
        manifest = msgspec.json.decode((folder / "manifest.json").read_bytes(), type=Manifest)
    except (OSError, msgspec.DecodeError):
        return None
    return manifest if manifest.format == FORMAT else None
