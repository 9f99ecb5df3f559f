"""`chunk` as published: dense search over summaries of entity sets (their name, service and properties in one text)."""

from clew.domain.errors import WorkspaceError
from clew.domain.hits import Hit, Scope, Why
from clew.domain.ports import Embedder
from clew.index import CardKind, SearchIndex
from clew.retrieval.choosing import choose
from clew.retrieval.evidence import Ground

SUMMARIES = "summaries"


class ChunkRetriever:
    """Ranks by how near the meaning of a summary is to that of the request; the request is taken as it is."""

    name = "chunk"

    def __init__(self, index: SearchIndex, embedder: Embedder) -> None:
        """Takes an index that was built with summaries.

        Raises:
            WorkspaceError: the index has none.
        """
        if SUMMARIES not in index.others:
            raise WorkspaceError("This index has no summaries; build it with CardOptions(summaries=True).")
        self._ground = Ground(index, embedder)
        self._index = index

    def search(self, query: str, k: int, *, scope: Scope = Scope()) -> list[Hit]:
        """Gives at most `k` hits, entity sets alone."""
        asked = self._ground.ask(query)
        if asked.is_empty or self._index.is_empty:
            return []
        scores = self._index.others[SUMMARIES].scores(asked.whole_vector)

        def reasons(kind: CardKind, number: int) -> tuple[Why, ...]:
            del kind
            return (Why(channel="chunk", score=float(scores[number])),)

        return choose(self._index, {CardKind.ENTITY_SET: scores}, k, scope=scope, reasons=reasons)
