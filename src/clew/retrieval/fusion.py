"""`fusion`: meaning and words added, each clause of a request seeding in turn.

The scores are calibrated against each other (`evidence.Weights`) and not merged by rank: equal ranks lost to dense
alone wherever it was measured. Of a request that asks for several things, the whole and its clauses take turns.
"""

import numpy as np

from clew.domain.hits import Hit, Scope, Why
from clew.domain.ports import Embedder
from clew.index import CardKind, SearchIndex
from clew.index.arrays import Floats
from clew.retrieval.choosing import choose, top, wanted_kinds
from clew.retrieval.evidence import PLAIN_WEIGHTS, SEEDED, Evidence, Ground

_TURNS = 20
"""How many cards of a clause take turns with those of the others."""


class FusionRetriever:
    """Ranks by meaning, words, the system that is named and the role of sets; it knows nothing of processes."""

    name = "fusion"

    def __init__(self, index: SearchIndex, embedder: Embedder) -> None:
        """Takes the embedder that the index was built with."""
        self._ground = Ground(index, embedder)
        self._index = index

    def search(self, query: str, k: int, *, scope: Scope = Scope()) -> list[Hit]:
        """Gives at most `k` hits."""
        asked = self._ground.ask(query)
        if asked.is_empty or self._index.is_empty:
            return []
        evidence = Evidence(self._ground, asked, PLAIN_WEIGHTS)
        scored = {kind: self._scores(evidence, kind) for kind in wanted_kinds(scope)}

        def reasons(kind: CardKind, number: int) -> tuple[Why, ...]:
            if kind in SEEDED:
                return evidence.why(kind, number)
            return (Why(channel="dense", score=float(scored[kind][number])),)

        return choose(self._index, scored, k, scope=scope, reasons=reasons)

    def _scores(self, evidence: Evidence, kind: CardKind) -> Floats:
        if kind not in SEEDED:
            return self._index.layers[kind].dense.scores(evidence.asked.vector)
        whole = evidence.of(kind)
        if len(evidence.asked.clauses) == 1 or not whole.size:
            return whole
        return take_turns(whole, self._by_clause(evidence, kind))

    def _by_clause(self, evidence: Evidence, kind: CardKind) -> list[Floats]:
        layer, asked, weights = self._index.layers[kind], evidence.asked, evidence.weights
        table = layer.dense.table(asked.clause_vectors)
        return [
            table[:, clause] + weights.words * layer.lexical.scores(terms) + evidence.services[layer.owners]
            for clause, terms in enumerate(asked.clause_terms)
        ]


def take_turns(whole: Floats, clauses: list[Floats]) -> Floats:
    """Gives scores in whose order the best of the whole and of each clause follow each other in turn.

    The first card of each list comes first, in the order of the lists, then the second of each. Other cards keep their
    order behind them. Scores fall from that of the best card of the whole.
    """
    lists = [top(whole, _TURNS), *(top(clause, _TURNS) for clause in clauses)]
    turn = dict.fromkeys(listed[place] for place in range(_TURNS) for listed in lists if place < len(listed))
    height = float(whole.max())
    found = whole - (height - float(whole.min())) - 1.0
    for place, number in enumerate(turn):
        found[number] = height - place / len(turn)
    return found.astype(np.float32)
