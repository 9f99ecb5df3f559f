"""`dense`: likeness of meaning of cards and the request as it stands, and nothing else."""

from clew.domain.hits import Hit, Scope, Why
from clew.domain.ports import Embedder
from clew.index import CardKind, SearchIndex
from clew.retrieval.choosing import choose, wanted_kinds
from clew.retrieval.evidence import Ground


class DenseRetriever:
    """Ranks by how near the meaning of a card is to that of the request."""

    name = "dense"

    def __init__(self, index: SearchIndex, embedder: Embedder) -> None:
        """Takes the embedder that the index was built with."""
        self._ground = Ground(index, embedder)
        self._index = index

    def search(self, query: str, k: int, *, scope: Scope = Scope()) -> list[Hit]:
        """Gives at most `k` hits."""
        asked = self._ground.ask(query)
        if asked.is_empty or self._index.is_empty:
            return []
        scores = {kind: self._index.layers[kind].dense.scores(asked.whole_vector) for kind in wanted_kinds(scope)}

        def reasons(kind: CardKind, number: int) -> tuple[Why, ...]:
            return (Why(channel="dense", score=float(scores[kind][number])),)

        return choose(self._index, scores, k, scope=scope, reasons=reasons)
