"""`pagerank`: personalised PageRank from the nodes whose names and labels match, a baseline without a text model."""

import numpy as np

from clew.domain.hits import Hit, Scope, Why
from clew.domain.ports import Embedder
from clew.index import CardKind, SearchIndex
from clew.retrieval.choosing import NOT_AT_ALL, choose
from clew.retrieval.evidence import Ground
from clew.retrieval.net import Net

ROUNDS = 30
RESTART = 0.3


class PageRankRetriever:
    """Ranks by where a walk is found that starts anew at matching nodes with a chance of 0.3 at each step."""

    name = "pagerank"

    def __init__(self, index: SearchIndex, embedder: Embedder) -> None:
        """Takes an embedder like every retriever, and does not use it."""
        self._ground = Ground(index, embedder)
        self._index = index
        self._net = Net(index)

    def search(self, query: str, k: int, *, scope: Scope = Scope()) -> list[Hit]:
        """Gives at most `k` hits; none where nothing matches."""
        asked = self._ground.ask(query)
        if asked.is_empty or self._index.is_empty:
            return []
        seeds = self._net.seeds(asked)
        if not seeds.any():
            return []
        seeds = seeds / seeds.sum()
        found = seeds
        for _ in range(ROUNDS):
            found = RESTART * seeds + (1 - RESTART) * self._net.flow(found)
        scores = self._net.by_kind(np.where(found > 0, found, NOT_AT_ALL))

        def reasons(kind: CardKind, number: int) -> tuple[Why, ...]:
            return (Why(channel="graph", score=float(scores[kind][number]), note="personalised PageRank"),)

        return choose(self._index, scores, k, scope=scope, reasons=reasons)
