"""`hybrid` as published: dense entity-set seeds, bounded process-chain expansion from them, the dense top 1 kept.

`hybrid-nobpmn` is the same without the expansion. Both are baselines and stay as they are.
"""

from clew.domain.hits import Hit, Scope, Why
from clew.domain.ports import Embedder
from clew.index import CardKind, SearchIndex
from clew.retrieval.asking import Asked, choose

SEEDS = 3
HOPS = 3
DECAY = 0.85
"""An expanded set scores its seed's score times this, once for each activity on the way."""


class HybridRetriever:
    """Seeds in entity sets only, and follows the processes that bind them."""

    name = "hybrid"

    def __init__(self, index: SearchIndex, embedder: Embedder, *, expands: bool = True) -> None:
        """`expands` is off for the ablation without processes."""
        self._index = index
        self._embedder = embedder
        self._expands = expands
        self._performs: dict[str, list[int]] = {}
        for number in index.of_kind[CardKind.ACTIVITY]:
            for entity_set in index.cards[number].bound:
                self._performs.setdefault(entity_set, []).append(int(number))
        if not expands:
            self.name = "hybrid-nobpmn"

    def search(self, query: str, k: int, *, scope: Scope = Scope()) -> list[Hit]:
        """Gives at most `k` hits."""
        asked = Asked(query, self._index, self._embedder)
        if asked.is_empty:
            return []
        sets = self._index.of_kind[CardKind.ENTITY_SET]
        scores = {int(number): float(asked.dense[number]) for number in sets}
        why = {number: (Why(channel="dense", score=score),) for number, score in scores.items()}
        seeds = sorted(scores, key=lambda number: (-scores[number], number))[:SEEDS]
        if self._expands and seeds:
            self._expand(seeds, scores, why)
        return choose(self._index, scores, k, scope=scope, reasons=why.__getitem__)

    def _expand(self, seeds: list[int], scores: dict[int, float], why: dict[int, tuple[Why, ...]]) -> None:
        first, cards, numbers = seeds[0], self._index.cards, self._index.number
        dense = dict(scores)
        for seed in seeds:
            for activity in self._performs.get(cards[seed].id, ()):
                for step, hops in cards[activity].near:
                    if hops > HOPS or step not in numbers:
                        continue
                    for entity_set in cards[numbers[step]].bound:
                        target = numbers.get(entity_set)
                        score = dense[seed] * DECAY**hops
                        # The dense top 1 is kept: nothing that was expanded comes before it.
                        if target is None or target == first or score <= scores[target]:
                            continue
                        scores[target] = min(score, dense[first])
                        path = (cards[seed].id, cards[activity].id, step, entity_set)
                        why[target] = (Why(channel="process", score=score, seed=cards[seed].id, path=path),)
