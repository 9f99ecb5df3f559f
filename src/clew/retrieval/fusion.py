"""`fusion`: dense and lexical scores added; the lexical share is calibrated, since equal ranks lost to dense alone."""

import numpy as np

from clew.domain.hits import Hit, Scope, Why
from clew.domain.ports import Embedder
from clew.index import CardKind, SearchIndex
from clew.retrieval.asking import Asked, Scores, choose

LEXICAL_SHARE = 0.2
"""What the best lexical match is worth in cosines."""


class FusionRetriever:
    """Ranks by cosine plus a share of the best BM25F score."""

    name = "fusion"

    def __init__(self, index: SearchIndex, embedder: Embedder) -> None:
        """Takes the embedder that the index was built with."""
        self._index = index
        self._embedder = embedder

    def search(self, query: str, k: int, *, scope: Scope = Scope()) -> list[Hit]:
        """Gives at most `k` hits."""
        asked = Asked(query, self._index, self._embedder)
        if asked.is_empty:
            return []
        scores = fused(asked)
        return choose(self._index, scores, k, scope=scope, reasons=lambda number: why_fused(asked, number))


def fused(asked: Asked, share: float = LEXICAL_SHARE) -> Scores:
    """Gives the fused score of each card, shape `(cards,)`; the lexical share is reckoned within each kind of card."""
    scores = np.array(asked.dense, dtype=np.float32)
    for kind in CardKind:
        scores[asked.index.of_kind[kind]] += share * asked.lexical_share(kind)
    return scores


def why_fused(asked: Asked, number: int) -> tuple[Why, ...]:
    """Says how near a card is, and whether it shares words."""
    reasons = [Why(channel="dense", score=float(asked.dense[number]))]
    if asked.lexical[number] > 0:
        reasons.append(Why(channel="lexical", score=float(asked.lexical[number])))
    return tuple(reasons)
