"""Words of business that mean the same: a word of a card and another one of a request meet in their concept."""

from collections.abc import Iterator, Mapping, Sequence
from importlib.resources import files
from typing import Self

from clew.index.words import stem, words

CONCEPT_MARK = "§"
"""First letter of a concept's term, so that it is never taken for a word."""
_SHORTEST_PART = 4
_SHORTEST_COMPOUND = 8
_LONG_PART = 6
_OF_A_PART = 0.7
"""A concept that only a part of a compound names weighs less than one that a whole word names."""
_LINKS = ("", "s", "n", "e", "en", "es", "er")
"""What joins the parts of a German compound: Lieferant-en-rechnung, Auftrag-s-bestätigung."""

Phrase = tuple[str, ...]


class Thesaurus:
    """Concepts by the words and phrases that name them."""

    def __init__(self, concepts: Mapping[str, Sequence[str]]) -> None:
        """Takes each concept's words; a phrase of several words counts as a whole only."""
        self.names = tuple(name for names in concepts.values() for name in names)
        """The words and phrases as they are written."""
        self._concepts: dict[Phrase, tuple[str, ...]] = {}
        for concept, names in concepts.items():
            for name in names:
                phrase = tuple(words(name))
                term = CONCEPT_MARK + concept
                if phrase and term not in self._concepts.get(phrase, ()):
                    self._concepts[phrase] = (*self._concepts.get(phrase, ()), term)
        self._longest = max(map(len, self._concepts), default=0)
        self._parts = {phrase[0] for phrase in self._concepts if len(phrase) == 1 and len(phrase[0]) >= _SHORTEST_PART}

    def concepts(self, found: Sequence[str]) -> dict[str, float]:
        """Gives the concepts that a sequence of stems names, with a weight of 0 to 1: less where a word has several.

        >>> sorted(Thesaurus({"invoice": ["bill", "Rechnung"], "stock": ["on hand"]}).concepts(words("bills on hand")))
        ['§invoice', '§stock']
        """
        weights: dict[str, float] = {}
        for phrase, share in self._phrases(found):
            named = self._concepts[phrase]
            for concept in named:
                weights[concept] = max(weights.get(concept, 0.0), share / len(named) ** 0.5)
        return weights

    def _phrases(self, found: Sequence[str]) -> Iterator[tuple[Phrase, float]]:
        """Gives the known phrases, longest first; a word inside a longer phrase does not count by itself."""
        taken = [False] * len(found)
        for length in range(min(self._longest, len(found)), 0, -1):
            for start in range(len(found) - length + 1):
                phrase = tuple(found[start : start + length])
                if phrase not in self._concepts or any(taken[start : start + length]):
                    continue
                yield phrase, 1.0
                taken[start : start + length] = [True] * length
        for word, is_taken in zip(found, taken, strict=True):
            if not is_taken:
                for part in self._split(word):
                    yield (part,), _OF_A_PART

    def _split(self, compound: str) -> tuple[str, ...]:
        """Gives the known words that a compound is made of: both of its halves, or one that is long enough."""
        if len(compound) < _SHORTEST_COMPOUND:
            return ()
        alone: tuple[str, ...] = ()
        for cut in range(_SHORTEST_PART, len(compound) - _SHORTEST_PART + 1):
            head, tail = self._head(compound[:cut]), compound[cut:]
            if head and tail in self._parts:
                return head, tail
            if tail in self._parts and len(tail) >= _LONG_PART:
                alone = alone or (tail,)
            elif len(head) >= _LONG_PART:
                alone = alone or (head,)
        return alone

    def _head(self, text: str) -> str:
        """Gives the known word that the first half of a compound is, without what joins it to the second."""
        for link in _LINKS:
            bare = stem(text.removesuffix(link))
            if text.endswith(link) and bare in self._parts:
                return bare
        return ""

    @classmethod
    def load(cls) -> Self:
        """Reads the thesaurus of the package."""
        text = files("clew.index").joinpath("thesaurus.txt").read_text(encoding="utf-8")
        return cls(dict(_read_lines(text)))


def _read_lines(text: str) -> Iterator[tuple[str, list[str]]]:
    for line in text.splitlines():
        concept, colon, names = line.partition(":")
        if colon and not line.startswith("#"):
            yield concept.strip(), [name.strip() for name in names.split(",")]
