"""`lexical`: BM25F over cards, words and the concepts that they name."""

import numpy as np

from clew.domain.hits import Hit, Scope, Why
from clew.domain.ports import Embedder
from clew.index import CardKind, SearchIndex
from clew.retrieval.choosing import NOT_AT_ALL, choose, wanted_kinds
from clew.retrieval.evidence import Ground


class LexicalRetriever:
    """Ranks by words and concepts that request and card share; it embeds nothing."""

    name = "lexical"

    def __init__(self, index: SearchIndex, embedder: Embedder) -> None:
        """Takes an embedder like every retriever, and does not use it."""
        self._ground = Ground(index, embedder)
        self._index = index

    def search(self, query: str, k: int, *, scope: Scope = Scope()) -> list[Hit]:
        """Gives at most `k` hits; none without a common word."""
        asked = self._ground.ask(query)
        if asked.is_empty or self._index.is_empty:
            return []
        scores = {kind: self._index.layers[kind].lexical.scores(asked.terms) for kind in wanted_kinds(scope)}

        def reasons(kind: CardKind, number: int) -> tuple[Why, ...]:
            return (Why(channel="lexical", score=float(scores[kind][number])),)

        shared = {kind: np.where(found > 0, found, NOT_AT_ALL) for kind, found in scores.items()}
        return choose(self._index, shared, k, scope=scope, reasons=reasons)
