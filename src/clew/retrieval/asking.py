"""One request as retrievers see it: without numbers for the embedder, in terms for the lexical index, in clauses."""

import re
from functools import cached_property

import numpy as np

from clew.domain.ports import Embedder
from clew.index.arrays import Floats
from clew.index.spelling import Speller
from clew.index.terms import TermReader, Terms, identifiers, name_term
from clew.index.words import telling_words

LONGEST_REQUEST = 4_000
"""Characters of a request that are read; a hit's reasons say so where something was left out."""
CONCEPT_SHARE = 1.3
"""What a concept that request and card share weighs against a word that they share."""
_MOST_CLAUSES = 8
_SHORTEST_CLAUSE = 2

_CLAUSE = re.compile(
    r"[,;:.?!]+(?:\s|$)"
    r"|\s+(?:and then|then|and|but|until|und|dann|danach|bis|et|puis|ensuite|y|luego|después|e|poi)\s+",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W_]+")
_WITH_DIGITS = re.compile(r"(?<![^\W_])[\w/-]*\d(?:[\w/-]|[.,](?=\d))*")
_BLANKS = re.compile(r"\s+")


def split_clauses(request: str) -> list[str]:
    """Gives the parts of a request that ask for several things, the whole of it where it asks for one.

    >>> split_clauses("order 500 bolts, receive them and settle the invoice")
    ['order 500 bolts', 'receive them', 'settle the invoice']
    """
    parts = [part.strip() for part in _CLAUSE.split(request)]
    return [part for part in parts if len(_WORD.findall(part)) >= _SHORTEST_CLAUSE][:_MOST_CLAUSES] or [request]


def without_numbers(request: str) -> str:
    """Gives a request without ids, quantities and dates: they say which one is meant, not what is meant.

    >>> without_numbers("has the vendor confirmed dates for PO 4500001234 line 10?")
    'has the vendor confirmed dates for PO line ?'
    """
    for identifier in identifiers(request):
        request = request.replace(identifier, telling_words(identifier))
    bare = _BLANKS.sub(" ", _WITH_DIGITS.sub("", request)).strip()
    return bare if _WORD.search(bare) else request


class Asked:
    """A request; what retrievers ask of it is reckoned once, and its vectors are made when they are needed."""

    def __init__(self, request: str, embedder: Embedder, reader: TermReader, speller: Speller) -> None:
        """Reads at most 4,000 characters of the request."""
        self.text = request.strip()[:LONGEST_REQUEST]
        self.is_cut = len(request.strip()) > LONGEST_REQUEST
        self._embedder = embedder
        self._reader = reader
        self._speller = speller

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to look for: no letter and no digit."""
        return _WORD.search(self.text) is None

    @cached_property
    def bare(self) -> str:
        """The request without numbers, its slips of the finger mended."""
        return self._speller.mend(without_numbers(self.text))

    @cached_property
    def clauses(self) -> list[str]:
        """The clauses of the request without numbers; the whole where there is one."""
        return split_clauses(self.bare)

    @cached_property
    def terms(self) -> dict[str, float]:
        """The terms of the request with their weights, those that stand for whole identifiers too."""
        return weigh(self._reader.read(self.bare)) | {name_term(name): 1.0 for name in identifiers(self.text)}

    @cached_property
    def clause_terms(self) -> list[dict[str, float]]:
        """The terms of each clause."""
        return [weigh(self._reader.read(clause)) for clause in self.clauses]

    @cached_property
    def _vectors(self) -> Floats:
        texts = [self.bare, *self.clauses] if len(self.clauses) > 1 else [self.bare]
        vectors = np.asarray(self._embedder.embed(texts), dtype=np.float32)
        return vectors.reshape(len(texts), self._embedder.dimensions)

    @cached_property
    def whole_vector(self) -> Floats:
        """The vector of the request as it stands, numbers and all, shape `(dimensions,)`."""
        return np.asarray(self._embedder.embed([self.text]), dtype=np.float32).reshape(self._embedder.dimensions)

    @property
    def vector(self) -> Floats:
        """The vector of the whole request, shape `(dimensions,)`."""
        return self._vectors[0]

    @property
    def clause_vectors(self) -> Floats:
        """The vectors of the clauses, shape `(clauses, dimensions)`."""
        return self._vectors[1:] if len(self._vectors) > 1 else self._vectors


def weigh(terms: Terms) -> dict[str, float]:
    """Gives the weights with which terms of a request are looked up."""
    return dict.fromkeys(terms.words, 1.0) | {term: CONCEPT_SHARE * share for term, share in terms.concepts}
