"""`LexicalIndex`: BM25F over cards (Robertson and Zaragoza 2009), postings as arrays that can be memory-mapped."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Self

import msgspec
import numpy as np
from numpy.typing import NDArray

from clew.index.cards import Card
from clew.index.words import tokens

K1 = 1.2
WEIGHTS: Mapping[str, float] = {"name": 3.0, "label": 2.0, "service": 1.0, "properties": 0.6}
LENGTH_SHARE: Mapping[str, float] = {"name": 0.4, "label": 0.4, "service": 0.2, "properties": 0.75}
"""How much a field's length counts (b of BM25): little for names, which are short for reasons of their own."""


class LexicalIndex:
    """Terms → postings (card, saturated weight × inverse document frequency), ready to be summed."""

    def __init__(
        self,
        size: int,
        terms: Mapping[str, int],
        starts: NDArray[np.int64],
        cards: NDArray[np.int32],
        weights: NDArray[np.float32],
    ) -> None:
        """Takes the arrays: postings of term *t* are `cards[starts[t]:starts[t + 1]]` with their `weights`."""
        self.size = size
        self._terms = terms
        self._starts = starts
        self._cards = cards
        self._weights = weights

    def scores(self, query: str) -> NDArray[np.float32]:
        """Gives a score of at least 0 for each card, shape `(size,)`; 0 where no term of the query occurs."""
        found = np.zeros(self.size, dtype=np.float32)
        for term in set(tokens(query)):
            number = self._terms.get(term)
            if number is not None:
                part = slice(self._starts[number], self._starts[number + 1])
                found[self._cards[part]] += self._weights[part]
        return found

    @classmethod
    def build(cls, cards: Sequence[Card]) -> Self:
        """Builds the index of cards; card numbers are their positions."""
        weighed = [_weights_of(card, lengths) for lengths in [_mean_lengths(cards)] for card in cards]
        frequency = Counter(term for terms in weighed for term in terms)
        postings: dict[str, list[tuple[int, float]]] = {term: [] for term in sorted(frequency)}
        for number, terms in enumerate(weighed):
            for term, weight in terms.items():
                rarity = np.log(1 + (len(cards) - frequency[term] + 0.5) / (frequency[term] + 0.5))
                postings[term].append((number, float(rarity) * weight * (K1 + 1) / (weight + K1)))
        starts = np.cumsum([0, *(len(rows) for rows in postings.values())], dtype=np.int64)
        flat = [row for rows in postings.values() for row in rows]
        return cls(
            len(cards),
            {term: number for number, term in enumerate(postings)},
            starts,
            np.array([number for number, _ in flat], dtype=np.int32),
            np.array([weight for _, weight in flat], dtype=np.float32),
        )

    def save(self, folder: Path) -> None:
        """Writes the arrays into a folder."""
        np.save(folder / "lexical-starts.npy", self._starts)
        np.save(folder / "lexical-cards.npy", self._cards)
        np.save(folder / "lexical-weights.npy", self._weights)
        (folder / "lexical-terms.json").write_bytes(msgspec.json.encode((self.size, list(self._terms))))

    @classmethod
    def open(cls, folder: Path) -> Self:
        """Opens what `save` wrote, memory-mapped."""
        size, terms = msgspec.json.decode((folder / "lexical-terms.json").read_bytes(), type=tuple[int, list[str]])
        parts = [np.load(folder / f"lexical-{part}.npy", mmap_mode="r") for part in ("starts", "cards", "weights")]
        return cls(size, {term: number for number, term in enumerate(terms)}, *parts)


def _mean_lengths(cards: Iterable[Card]) -> dict[str, float]:
    lengths: dict[str, list[int]] = {}
    for card in cards:
        for field, text in card.fields:
            lengths.setdefault(field, []).append(len(tokens(text)))
    return {field: max(sum(found) / len(found), 1.0) for field, found in lengths.items()}


def _weights_of(card: Card, mean_lengths: Mapping[str, float]) -> dict[str, float]:
    """Gives each term's weight over all fields before saturation, each field's share evened out by its length."""
    found: dict[str, float] = {}
    for field, text in card.fields:
        terms = tokens(text)
        share = LENGTH_SHARE.get(field, 0.5)
        length = 1 - share + share * len(terms) / mean_lengths[field]
        for term, count in Counter(terms).items():
            found[term] = found.get(term, 0.0) + WEIGHTS.get(field, 1.0) * count / length
    return found
