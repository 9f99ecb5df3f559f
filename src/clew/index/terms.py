"""`TermReader`: the terms of texts, words and concepts, each distinct text read once."""

import re
from collections.abc import Iterable

from clew.domain.records import Record
from clew.index.thesaurus import Thesaurus
from clew.index.words import words_and_tokens

NAME_MARK = "="
"""First letter of the term that stands for a whole identifier, so that one who knows a name finds it at once."""

_HUMP = r"[A-Z]?[a-z]{2,}"
_IDENTIFIER = re.compile(rf"\b[^\W\d_]\w*_\w*\w|\b{_HUMP}(?:[A-Z][a-z]{{2,}})+\w*")
"""With an underscore, or of several humps: GmbH is a word and no identifier."""


class Terms(Record, frozen=True, kw_only=True):
    """The terms of a text: stems of its words, in order and as often as they occur; its concepts, with weights 0-1."""

    words: tuple[str, ...] = ()
    concepts: tuple[tuple[str, float], ...] = ()


class TermReader:
    """Reads texts of cards and requests into terms."""

    def __init__(self, thesaurus: Thesaurus) -> None:
        """Takes the thesaurus."""
        self._thesaurus = thesaurus
        self._read: dict[str, Terms] = {}

    def read(self, text: str) -> Terms:
        """Gives the terms of a text; stop words are no terms, yet count as parts of phrases."""
        listed, telling = words_and_tokens(text)
        return Terms(words=tuple(telling), concepts=tuple(sorted(self._thesaurus.concepts(listed).items())))

    def recall(self, text: str) -> Terms:
        """Gives the terms of a text that is likely to come again, such as the label of a property."""
        found = self._read.get(text)
        if found is None:
            found = self._read[text] = self.read(text)
        return found

    @property
    def recalled(self) -> Iterable[str]:
        """The texts that were recalled so far."""
        return self._read.keys()


def name_term(identifier: str) -> str:
    """Gives the term of a whole identifier."""
    return NAME_MARK + identifier.casefold()


def identifiers(request: str) -> list[str]:
    """Gives the words of a request that are written like identifiers.

    >>> identifiers("the key of A_SalesOrder, and of PurchaseOrders")
    ['A_SalesOrder', 'PurchaseOrders']
    """
    return _IDENTIFIER.findall(request)
