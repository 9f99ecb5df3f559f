"""`hybrid` as published: dense entity-set seeds, bounded process-chain expansion from them, the dense top 1 kept.

`hybrid-nobpmn` is the same without processes: from the seeds along navigation. Both are baselines and stay as they are.
"""

import numpy as np

from clew.domain.hits import Hit, Scope, Why
from clew.domain.ports import Embedder
from clew.index import CardKind, SearchIndex
from clew.index.arrays import Floats
from clew.retrieval.choosing import choose, top
from clew.retrieval.evidence import Ground

SEEDS = 3
HOPS = 3
DECAY = 0.85
"""An expanded set scores its seed's score times this, once for each activity (or navigation) on the way."""


class HybridRetriever:
    """Seeds in entity sets only, and follows the processes that bind them, or their navigation."""

    name = "hybrid"

    def __init__(self, index: SearchIndex, embedder: Embedder, *, follows_processes: bool = True) -> None:
        """`follows_processes` is off for the ablation."""
        self._ground = Ground(index, embedder)
        self._index = index
        self._follows_processes = follows_processes
        if not follows_processes:
            self.name = "hybrid-nobpmn"
        steps = index.steps
        self._performs: dict[int, list[int]] = {}
        for activity, entity_set in zip(steps.sets.sources.tolist(), steps.sets.targets.tolist(), strict=True):
            self._performs.setdefault(entity_set, []).append(activity)

    def search(self, query: str, k: int, *, scope: Scope = Scope()) -> list[Hit]:
        """Gives at most `k` hits."""
        asked = self._ground.ask(query)
        if asked.is_empty or self._index.is_empty:
            return []
        dense = self._index.sets.dense.scores(asked.whole_vector)
        why = _Reasons(dense)
        scores = dense.copy()
        for seed in top(dense, SEEDS):
            self._expand(seed, dense, scores, why)
        others = {kind: layer.dense.scores(asked.whole_vector) for kind, layer in self._index.layers.items()}
        return choose(self._index, others | {CardKind.ENTITY_SET: scores}, k, scope=scope, reasons=why.of(others))

    def _expand(self, seed: int, dense: Floats, scores: Floats, why: "_Reasons") -> None:
        first = int(np.argmax(dense))
        for target, hops, path in self._chain(seed) if self._follows_processes else self._navigation(seed):
            score = float(dense[seed]) * DECAY**hops
            if target == first or score <= scores[target]:
                continue
            # The dense top 1 is kept: nothing that was expanded comes before it.
            scores[target] = min(score, float(dense[first]) * (1 - 1e-6))
            ids = self._index.sets.ids
            why.expanded[target] = Why(
                channel="process" if self._follows_processes else "navigation",
                score=score,
                seed=ids[seed],
                path=(ids[seed], *path, ids[target]),
            )

    def _chain(self, seed: int) -> list[tuple[int, int, tuple[str, ...]]]:
        """Gives (set, hops, activities between) along the processes that bind the seed."""
        steps, names = self._index.steps, self._index.activities.ids
        found: list[tuple[int, int, tuple[str, ...]]] = []
        for activity in self._performs.get(seed, ()):
            start = int(steps.near.starts[activity])
            for place, step in enumerate(steps.near.of(activity)):
                hops = int(steps.hops[start + place])
                if hops <= HOPS:
                    found += [(target, hops, (names[activity], names[step])) for target in steps.sets.of(step)]
        return found

    def _navigation(self, seed: int) -> list[tuple[int, int, tuple[str, ...]]]:
        """Gives (set, hops, nothing between) along the navigation of the seed."""
        return [(target, 1, ()) for target in self._index.structure.links.of(seed)]


class _Reasons:
    def __init__(self, dense: Floats) -> None:
        self._dense = dense
        self.expanded: dict[int, Why] = {}

    def of(self, others: dict[CardKind, Floats]):
        def reasons(kind: CardKind, number: int) -> tuple[Why, ...]:
            if kind is not CardKind.ENTITY_SET:
                return (Why(channel="dense", score=float(others[kind][number])),)
            near = Why(channel="dense", score=float(self._dense[number]))
            return (near, self.expanded[number]) if number in self.expanded else (near,)

        return reasons
