"""`LexicalIndex`: BM25F over cards (Robertson and Zaragoza 2009), postings as arrays that can be memory-mapped."""

from array import array
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Self

import msgspec
import numpy as np
from numpy.typing import NDArray

from clew.domain.records import Record
from clew.index.arrays import Floats, Numbers, open_array
from clew.index.terms import TermReader, name_term

K1 = 1.2
IDENTIFIER = "identifier"
"""The field whose text is one term as a whole."""


class FieldWeight(Record, frozen=True, kw_only=True):
    """How much a field's terms weigh, and the share (0-1) of that which its length takes away (b of BM25)."""

    weight: float = 1.0
    length_share: float = 0.75


FIELDS: Mapping[str, FieldWeight] = {
    "name": FieldWeight(weight=3.0),
    "label": FieldWeight(weight=2.0),
    "description": FieldWeight(weight=1.0),
    "operations": FieldWeight(weight=0.5),
    "properties": FieldWeight(weight=0.5, length_share=0.9),
    "work": FieldWeight(weight=1.5, length_share=0.3),
    "service": FieldWeight(weight=0.5),
    IDENTIFIER: FieldWeight(weight=10.0, length_share=0.0),
}
"""`work` are the activities that an entity set performs."""
PLAIN = FieldWeight()


class LexicalIndex:
    """Terms → postings (card, saturated weight × inverse document frequency), ready to be summed."""

    def __init__(
        self,
        size: int,
        terms: Mapping[str, int],
        starts: NDArray[np.int64],
        cards: Numbers,
        weights: Floats,
    ) -> None:
        """Takes the arrays: postings of term *t* are `cards[starts[t]:starts[t + 1]]` with their `weights`."""
        self.size = size
        self._terms = terms
        self._starts = starts
        self._cards = cards
        self._weights = weights

    def __contains__(self, term: str) -> bool:
        """Whether a term occurs in any card."""
        return term in self._terms

    def scores(self, query: Mapping[str, float]) -> Floats:
        """Gives a score of at least 0 for each card, shape `(size,)`; `query` weighs each of its terms."""
        found = np.zeros(self.size, dtype=np.float32)
        for term, weight in query.items():
            number = self._terms.get(term)
            if number is not None:
                part = slice(self._starts[number], self._starts[number + 1])
                found[self._cards[part]] += weight * self._weights[part]
        return found

    @classmethod
    def build(cls, cards: Sequence[Iterable[tuple[str, str]]], reader: TermReader) -> Self:
        """Builds the index of cards, each a sequence of (field, text) pairs; card numbers are their positions."""
        counted = _Counted(reader)
        for number, fields in enumerate(cards):
            counted.take(number, fields)
        terms, starts, places, weights = counted.postings(len(cards))
        return cls(len(cards), {term: number for number, term in enumerate(terms)}, starts, places, weights)

    def save(self, folder: Path, name: str) -> None:
        """Writes four files into a folder."""
        np.save(folder / f"{name}-starts.npy", self._starts)
        np.save(folder / f"{name}-cards.npy", self._cards)
        np.save(folder / f"{name}-weights.npy", self._weights)
        (folder / f"{name}-terms.json").write_bytes(msgspec.json.encode((self.size, list(self._terms))))

    @classmethod
    def open(cls, folder: Path, name: str) -> Self:
        """Opens what `save` wrote, memory-mapped."""
        size, terms = msgspec.json.decode((folder / f"{name}-terms.json").read_bytes(), type=tuple[int, list[str]])
        return cls(
            size,
            {term: number for number, term in enumerate(terms)},
            open_array(folder / f"{name}-starts.npy", np.int64),
            open_array(folder / f"{name}-cards.npy", np.int32),
            open_array(folder / f"{name}-weights.npy", np.float32),
        )


class _Counted:
    """Occurrences of terms: how often (concepts: how surely) a term occurs in a field of a card."""

    def __init__(self, reader: TermReader) -> None:
        self._reader = reader
        self._terms: dict[str, int] = {}
        self._fields: dict[str, int] = {}
        self._of_term, self._of_card, self._of_length = array("i"), array("i"), array("i")
        self._often = array("f")
        self._length_field, self._lengths = array("i"), array("f")

    def take(self, number: int, fields: Iterable[tuple[str, str]]) -> None:
        """Counts the terms of one card; texts of one field are one text, and each of them is read by itself."""
        found: dict[str, tuple[dict[str, float], list[int]]] = {}
        for field, text in fields:
            weights, length = found.setdefault(field, ({}, [0]))
            if field == IDENTIFIER:
                weights[name_term(text)] = 1.0
                continue
            terms = self._reader.recall(text)
            length[0] += len(terms.words)
            for term, count in Counter(terms.words).items():
                weights[term] = weights.get(term, 0.0) + count
            for term, share in terms.concepts:
                weights[term] = weights.get(term, 0.0) + share
        for field, (weights, length) in found.items():
            row = len(self._lengths)
            self._length_field.append(self._fields.setdefault(field, len(self._fields)))
            self._lengths.append(length[0])
            for term, often in weights.items():
                self._of_term.append(self._terms.setdefault(term, len(self._terms)))
                self._of_card.append(number)
                self._of_length.append(row)
                self._often.append(often)

    def postings(self, cards: int) -> tuple[list[str], NDArray[np.int64], Numbers, Floats]:
        """Gives the terms, and for them the starts, cards and weights of `LexicalIndex`."""
        if not self._terms:
            return [], np.zeros(1, dtype=np.int64), np.zeros(0, dtype=np.int32), np.zeros(0, dtype=np.float32)
        of_term, of_card = np.array(self._of_term), np.array(self._of_card)
        evened = np.array(self._often, dtype=np.float64) * self._shares()[np.array(self._of_length)]
        order = np.lexsort((of_card, of_term))
        of_term, of_card, evened = of_term[order], of_card[order], evened[order]
        begins = np.flatnonzero(np.diff(of_term, prepend=-1) | np.diff(of_card, prepend=-1))
        weights = np.add.reduceat(evened, begins)
        of_term, of_card = of_term[begins], of_card[begins]
        frequency = np.bincount(of_term, minlength=len(self._terms))
        rarity = np.log(1 + (cards - frequency + 0.5) / (frequency + 0.5))
        saturated = rarity[of_term] * weights * (K1 + 1) / (weights + K1)
        starts = np.concatenate(([0], np.cumsum(frequency))).astype(np.int64)
        return list(self._terms), starts, of_card.astype(np.int32), saturated.astype(np.float32)

    def _shares(self) -> NDArray[np.float64]:
        """Gives what one occurrence weighs in each field of each card, by the field's weight and length."""
        fields, lengths = np.array(self._length_field), np.array(self._lengths, dtype=np.float64)
        weights = [FIELDS.get(field, PLAIN) for field in self._fields]
        weight = np.array([field.weight for field in weights])[fields]
        share = np.array([field.length_share for field in weights])[fields]
        mean = np.maximum(np.bincount(fields, weights=lengths) / np.maximum(np.bincount(fields), 1), 1.0)[fields]
        return weight / (1 - share + share * lengths / mean)
