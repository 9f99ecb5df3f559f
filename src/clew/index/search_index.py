"""`SearchIndex`: layers of cards with their vectors and postings, and how the cards hang together."""

import shutil
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Self

import msgspec
import numpy as np

from clew.domain.ports import Embedder
from clew.domain.records import Record
from clew.index.arrays import Numbers, open_array
from clew.index.cards import Card, CardKind, CardOptions
from clew.index.dense import DenseIndex
from clew.index.lexical import LexicalIndex
from clew.index.steps import Steps
from clew.index.structure import SetStructure
from clew.index.terms import TermReader

FORMAT = 3


class Manifest(Record, frozen=True, kw_only=True):
    """What an index was built from: the snapshot's version, the embedder's name, the options of its cards."""

    format: int
    """Without a default: a default is left out when it is written, and an older index would be taken for this one."""
    snapshot: str
    model: str
    options: CardOptions = CardOptions()


class ServiceWords(Record, frozen=True, kw_only=True):
    """What a service is called by."""

    name: str
    system: str = ""
    about: str = ""


class LandscapeWords(Record, frozen=True, kw_only=True):
    """The words of a landscape: its services in the order of their layer, and the folded words of all cards."""

    services: tuple[ServiceWords, ...] = ()
    vocabulary: tuple[str, ...] = ()
    """What slips in requests are mended to, in alphabetical order."""


class Layer:
    """All cards of one kind. `owners` are positions in the layer of services (activities: of processes), -1: none."""

    def __init__(
        self, kind: CardKind, ids: Sequence[str], owners: Numbers, *, dense: DenseIndex, lexical: LexicalIndex
    ) -> None:
        """Takes the parts; all are in the order of `ids`."""
        self.kind = kind
        self.ids = ids
        self.owners = owners
        self.dense = dense
        self.lexical = lexical

    def __len__(self) -> int:
        """How many cards there are."""
        return len(self.ids)

    @cached_property
    def number(self) -> dict[str, int]:
        """The cards' positions by node id."""
        return {node: position for position, node in enumerate(self.ids)}

    @classmethod
    def build(
        cls, kind: CardKind, cards: Sequence[Card], owners: Mapping[str, int], *, embedder: Embedder, reader: TermReader
    ) -> Self:
        """Embeds and indexes cards; `owners` numbers the services or processes by name."""
        return cls(
            kind,
            [card.id for card in cards],
            np.array([owners.get(card.owner, -1) for card in cards], dtype=np.int32),
            dense=DenseIndex.build([card.faces for card in cards], embedder),
            lexical=LexicalIndex.build([card.fields for card in cards], reader),
        )

    def save(self, folder: Path) -> None:
        """Writes its files into a folder."""
        (folder / f"{self.kind}-ids.json").write_bytes(msgspec.json.encode(self.ids))
        np.save(folder / f"{self.kind}-owners.npy", self.owners)
        self.dense.save(folder, self.kind)
        self.lexical.save(folder, self.kind)

    @classmethod
    def open(cls, folder: Path, kind: CardKind) -> Self:
        """Opens what `save` wrote, memory-mapped."""
        ids = msgspec.json.decode((folder / f"{kind}-ids.json").read_bytes(), type=list[str])
        owners = open_array(folder / f"{kind}-owners.npy", np.int32)
        dense, lexical = DenseIndex.open(folder, kind), LexicalIndex.open(folder, kind)
        return cls(kind, ids, owners, dense=dense, lexical=lexical)


class SearchIndex:
    """What is searched: a layer of cards for each kind, the structure of the sets, the steps of the processes."""

    def __init__(
        self,
        manifest: Manifest,
        layers: Mapping[CardKind, Layer],
        *,
        words: LandscapeWords,
        structure: SetStructure,
        steps: Steps,
        others: Mapping[str, DenseIndex],
    ) -> None:
        """Takes the parts; `others` are vectors of activities' `surroundings` and, if asked for, sets' `summaries`."""
        self.manifest = manifest
        self.layers = layers
        self.words = words
        self.structure = structure
        self.steps = steps
        self.others = others

    @property
    def services(self) -> Sequence[ServiceWords]:
        """What the services are called by."""
        return self.words.services

    @property
    def sets(self) -> Layer:
        """The layer of entity sets."""
        return self.layers[CardKind.ENTITY_SET]

    @property
    def activities(self) -> Layer:
        """The layer of activities."""
        return self.layers[CardKind.ACTIVITY]

    @property
    def processes(self) -> Layer:
        """The layer of processes."""
        return self.layers[CardKind.PROCESS]

    @property
    def operations(self) -> Layer:
        """The layer of operations."""
        return self.layers[CardKind.OPERATION]

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to find."""
        return not any(len(layer) for layer in self.layers.values())

    def save(self, folder: Path) -> None:
        """Writes the index into `folder`, in place of what is there; an unfinished one is never taken for an index."""
        fresh = folder.with_name(folder.name + ".new")
        shutil.rmtree(fresh, ignore_errors=True)
        fresh.mkdir(parents=True)
        for layer in self.layers.values():
            layer.save(fresh)
        self.structure.save(fresh)
        self.steps.save(fresh)
        for name, dense in self.others.items():
            dense.save(fresh, name)
        (fresh / "words.json").write_bytes(msgspec.json.encode(self.words))
        (fresh / "manifest.json").write_bytes(msgspec.json.encode(self.manifest))
        shutil.rmtree(folder, ignore_errors=True)
        fresh.rename(folder)

    @classmethod
    def open(cls, folder: Path) -> Self | None:
        """Opens an index; `None` where there is none that this version can read."""
        manifest = read_manifest(folder)
        if manifest is None:
            return None
        names = ("surroundings", "summaries") if manifest.options.summaries else ("surroundings",)
        return cls(
            manifest,
            {kind: Layer.open(folder, kind) for kind in CardKind},
            words=msgspec.json.decode((folder / "words.json").read_bytes(), type=LandscapeWords),
            structure=SetStructure.open(folder),
            steps=Steps.open(folder),
            others={name: DenseIndex.open(folder, name) for name in names},
        )


def read_manifest(folder: Path) -> Manifest | None:
    """Gives what the index in `folder` was built from; `None` where there is none that this version can read."""
    try:
        manifest = msgspec.json.decode((folder / "manifest.json").read_bytes(), type=Manifest)
    except (OSError, msgspec.DecodeError):
        return None
    return manifest if manifest.format == FORMAT else None
