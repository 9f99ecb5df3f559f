"""What retrievers share: a query embedded once, scores of cards, and the choice of the best within a scope."""

import re
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from clew.domain.hits import Hit, Scope, Why
from clew.domain.ports import Embedder
from clew.index import CardKind, SearchIndex

Scores: TypeAlias = NDArray[np.float32]
Reasons: TypeAlias = Callable[[int], tuple[Why, ...]]

DEFAULT_KINDS = (CardKind.ENTITY_SET,)
LONGEST_QUERY = 4_000
_CLAUSE = re.compile(r"[,;:.?!]\s|\s+(?:and then|then|and|und|danach|dann|et|y|e)\s+", re.IGNORECASE)
_SHORTEST_CLAUSE = 8


def split_clauses(query: str) -> list[str]:
    """Gives the parts of a request that ask for several things, the whole of it where it asks for one.

    >>> split_clauses("order 500 bolts, receive them and settle the invoice")
    ['order 500 bolts', 'receive them', 'settle the invoice']
    """
    parts = [part.strip() for part in _CLAUSE.split(query)]
    return [part for part in parts if len(part) > _SHORTEST_CLAUSE] or [query]


class Asked:
    """One query against one index; what retrievers ask of it is reckoned once."""

    def __init__(self, query: str, index: SearchIndex, embedder: Embedder) -> None:
        """Takes the query, of which at most 4,000 characters are read."""
        self.query = query.strip()[:LONGEST_QUERY]
        self.index = index
        self._embedder = embedder

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to look for: no letter, no digit, or nothing to look in."""
        return not self.index.cards or not any(letter.isalnum() for letter in self.query)

    @cached_property
    def similarities(self) -> Scores:
        """The cosine of each card to the query (first column) and to its clauses, shape `(cards, 1 + clauses)`."""
        texts = [self.query, *split_clauses(self.query)]
        return self.index.similarities(np.asarray(self._embedder.embed(texts), dtype=np.float32))

    @property
    def dense(self) -> Scores:
        """The cosine of each card to the query, shape `(cards,)`, -1 to 1."""
        return self.similarities[:, 0]

    @cached_property
    def lexical(self) -> Scores:
        """The BM25F score of each card, shape `(cards,)`, at least 0."""
        return self.index.lexical.scores(self.query)

    def lexical_share(self, kind: CardKind) -> Scores:
        """Gives the BM25F scores of the cards of a kind as shares of the best one, shape `(cards of kind,)`, 0 to 1."""
        found = self.lexical[self.index.of_kind[kind]]
        best = float(found.max()) if found.size else 0.0
        return found / best if best > 0 else found


def choose(
    index: SearchIndex,
    scores: Mapping[int, float] | Scores,
    k: int,
    *,
    scope: Scope,
    reasons: Reasons,
    above: float = -np.inf,
) -> list[Hit]:
    """Gives the `k` best cards within the scope as hits; scores at or under `above` do not count.

    `scores` is by card number, an array over all cards or only some of them. Equal scores keep the order of the cards.
    """
    wanted = scope.kinds or tuple(kind.value for kind in DEFAULT_KINDS)
    if isinstance(scores, Mapping):
        ranked = sorted(scores, key=lambda number: (-scores[number], number))
    else:
        ranked = [int(number) for number in np.argsort(-scores, kind="stable")]
    hits: list[Hit] = []
    for number in ranked:
        score = float(scores[number])
        card = index.cards[number]
        if len(hits) == k or score <= above:
            break
        if card.kind.value not in wanted or (scope.services and card.owner not in scope.services):
            continue
        hits.append(Hit(node=card.id, score=score, rank=len(hits) + 1, why=reasons(number)))
    return hits
