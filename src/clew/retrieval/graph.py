"""`graph`: no text model. Terms are matched to names and labels of nodes, and spread over typed edges."""

import numpy as np

from clew.domain.hits import Hit, Scope, Why
from clew.domain.ports import Embedder
from clew.index import CardKind, SearchIndex
from clew.retrieval.choosing import NOT_AT_ALL, choose
from clew.retrieval.evidence import Ground
from clew.retrieval.net import Net

ROUNDS = 3
SHARE = 0.5
"""What a round of spreading is worth beside the one before it."""


class GraphRetriever:
    """Ranks by the matches of a node and of those around it, nearer ones counting more."""

    name = "graph"

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
        total, wave = seeds.copy(), seeds
        for _ in range(ROUNDS):
            wave = SHARE * self._net.flow(wave)
            total += wave
        scores, own = self._net.by_kind(np.where(total > 0, total, NOT_AT_ALL)), self._net.by_kind(seeds)

        def reasons(kind: CardKind, number: int) -> tuple[Why, ...]:
            matched, score = float(own[kind][number]), float(scores[kind][number])
            note = "its own words match" if matched else "nodes around it match"
            return (Why(channel="graph", score=score, note=note),)

        return choose(self._index, scores, k, scope=scope, reasons=reasons)
