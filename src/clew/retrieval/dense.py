"""`dense`: embeddings of cards."""

from clew.domain.hits import Hit, Scope, Why
from clew.domain.ports import Embedder
from clew.index import SearchIndex
from clew.retrieval.asking import Asked, choose


class DenseRetriever:
    """Ranks by the cosine of query and card."""

    name = "dense"

    def __init__(self, index: SearchIndex, embedder: Embedder) -> None:
        """Takes the embedder that the index was built with."""
        self._index = index
        self._embedder = embedder

    def search(self, query: str, k: int, *, scope: Scope = Scope()) -> list[Hit]:
        """Gives the `k` nearest."""
        asked = Asked(query, self._index, self._embedder)
        if asked.is_empty:
            return []
        scores = asked.dense

        def reasons(number: int) -> tuple[Why, ...]:
            return (Why(channel="dense", score=float(scores[number])),)

        return choose(self._index, scores, k, scope=scope, reasons=reasons)
