"""`lexical`: BM25F over cards."""

from clew.domain.hits import Hit, Scope, Why
from clew.domain.ports import Embedder
from clew.index import SearchIndex
from clew.retrieval.asking import Asked, choose


class LexicalRetriever:
    """Ranks by words that query and card share; it embeds nothing."""

    name = "lexical"

    def __init__(self, index: SearchIndex, embedder: Embedder) -> None:
        """Takes an embedder like every retriever, and does not use it."""
        self._index = index
        self._embedder = embedder

    def search(self, query: str, k: int, *, scope: Scope = Scope()) -> list[Hit]:
        """Gives at most `k` hits; none without a common word."""
        asked = Asked(query, self._index, self._embedder)
        if asked.is_empty:
            return []
        scores = asked.lexical

        def reasons(number: int) -> tuple[Why, ...]:
            return (Why(channel="lexical", score=float(scores[number])),)

        return choose(self._index, scores, k, scope=scope, reasons=reasons, above=0.0)
