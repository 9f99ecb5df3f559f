"""Slips of the finger: two letters changed over, one left out, one too many, inside a word that the landscape knows."""

import re
from collections.abc import Iterable, Iterator
from functools import cached_property

from clew.index.words import fold, split_identifier

_WORD = re.compile(r"[^\W\d_]+")
_SHORTEST = 6
"""Letters of a word that is mended: shorter ones are too often another word."""


def known_words(texts: Iterable[str]) -> set[str]:
    """Gives the folded words of texts and identifiers that are long enough to be mended to."""
    found = (word for text in texts for word in _WORD.findall(fold(split_identifier(text))))
    return {word for word in found if len(word) >= _SHORTEST - 1}


class Speller:
    """Mends slips in requests by the words that the landscape and the thesaurus know.

    Only slips inside a word are mended, never its first and last letter and never one letter for another: those make
    other words too easily. A word that nothing is one slip away from is left as it is.
    """

    def __init__(self, vocabulary: Iterable[str]) -> None:
        """Takes folded words."""
        self._known = set(vocabulary)

    @cached_property
    def _with_a_letter_missing(self) -> dict[str, str]:
        found: dict[str, str] = {}
        for word in sorted(self._known):
            for shorter in _without_a_letter(word):
                found.setdefault(shorter, word)
        return found

    def mend(self, request: str) -> str:
        """Gives the request with its slips mended.

        >>> Speller({"customer", "service"}).mend("a cutsomer of the sevice")
        'a customer of the service'
        """
        return _WORD.sub(lambda found: self._mend(found.group()), request)

    def _mend(self, written: str) -> str:
        word = fold(written)
        if len(word) < _SHORTEST or word in self._known or written[1:] != written[1:].lower():
            return written
        for swapped in _with_letters_swapped(word):
            if swapped in self._known:
                return swapped
        if word in self._with_a_letter_missing:
            return self._with_a_letter_missing[word]
        return next((shorter for shorter in _without_a_letter(word) if shorter in self._known), written)


def _without_a_letter(word: str) -> Iterator[str]:
    return (word[:place] + word[place + 1 :] for place in range(1, len(word) - 1))


def _with_letters_swapped(word: str) -> Iterator[str]:
    for place in range(1, len(word) - 2):
        if word[place] != word[place + 1]:
            yield word[:place] + word[place + 1] + word[place] + word[place + 2 :]
