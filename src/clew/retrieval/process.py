"""`process`, the product's retriever: seeds in both layers, the request's process found, its entity sets brought in.

A request speaks the language of the work, as activities and processes do, while entity sets speak the vendor's. So the
request is matched against activities and processes too. An entity set's score is

    fused(set) + max over the activities bound to it of (PROCESS · standing(process) + STEP · nearness(activity))

`standing` is how far a process stands out among all processes, 0 to 1: a request that means no process in particular
raises none, and then nothing is expanded. `nearness` is how far the activity itself is nearer than chance. A bound set
is raised and never another one lowered: a strong seed is displaced only by what stands in the request's process.
"""

import numpy as np

from clew.domain.hits import Hit, Scope, Why
from clew.domain.ports import Embedder
from clew.domain.records import Record
from clew.index import Card, CardKind, SearchIndex
from clew.retrieval.asking import Asked, Scores, choose
from clew.retrieval.fusion import fused, why_fused


class ProcessOptions(Record, frozen=True, kw_only=True):
    """The weights, in cosines. `lexical`: of the best lexical match; `process`: of a process that stands out fully;
    `step`: of an activity's nearness beyond `chance`. `spread` is how many standard deviations stand out fully."""

    lexical: float = 0.2
    process: float = 0.3
    step: float = 0.6
    chance: float = 0.3
    spread: float = 2.0


class ProcessRetriever:
    """Ranks entity sets by themselves and by the steps and the process that they take part in."""

    name = "process"

    def __init__(self, index: SearchIndex, embedder: Embedder, options: ProcessOptions = ProcessOptions()) -> None:
        """Notes which activities belong to which process, and which entity sets they are bound to."""
        self._index = index
        self._embedder = embedder
        self._options = options
        activities, processes = index.of_kind[CardKind.ACTIVITY], index.of_kind[CardKind.PROCESS]
        place = {index.cards[number].id: position for position, number in enumerate(processes)}
        parents = [index.cards[number].parent for number in activities]
        self._parent = np.array([place[parent] for parent in parents], dtype=np.int64)
        self._bound = [
            [index.number[node] for node in (*card.bound, *card.operations) if node in index.number]
            for card in (index.cards[number] for number in activities)
        ]

    def search(self, query: str, k: int, *, scope: Scope = Scope()) -> list[Hit]:
        """Gives at most `k` hits; each that a process brought in names it and the activity."""
        asked = Asked(query, self._index, self._embedder)
        if asked.is_empty:
            return []
        scores = fused(asked, self._options.lexical)
        best = self._raise(asked, scores)
        hits = choose(self._index, scores, k, scope=scope, reasons=lambda number: self._why(asked, number, best))
        return [self._placed(hit, best) for hit in hits]

    def standings(self, query: str) -> list[tuple[str, float]]:
        """Gives (id, standing 0-1) of the processes, the one that the request most likely means first."""
        asked = Asked(query, self._index, self._embedder)
        if asked.is_empty:
            return []
        raw, standing = self._stand(asked)
        processes = self._index.of_kind[CardKind.PROCESS]
        order = [int(place) for place in np.argsort(-raw, kind="stable")]
        return [(self._index.cards[processes[place]].id, float(standing[place])) for place in order]

    def _raise(self, asked: Asked, scores: Scores) -> dict[int, tuple[float, int]]:
        """Raises bound cards in `scores`; gives by how much and by which activity (its place among activities)."""
        options = self._options
        _, standing = self._stand(asked)
        near = self._nearness(asked)
        best: dict[int, tuple[float, int]] = {}
        for place, targets in enumerate(self._bound):
            gain = options.process * float(standing[self._parent[place]])
            gain += options.step * max(0.0, float(near[place]) - options.chance)
            for target in targets:
                if gain > best.get(target, (0.0, 0))[0]:
                    best[target] = (gain, place)
        for target, (gain, _) in best.items():
            scores[target] += gain
        return best

    def _nearness(self, asked: Asked) -> Scores:
        """Gives how near each activity is to the request or to a clause of it, shape `(activities,)`."""
        found = asked.similarities[self._index.of_kind[CardKind.ACTIVITY]]
        return np.maximum(found[:, 0], 0.95 * found[:, 1:].max(axis=1)) if found.size else found[:, 0]

    def _stand(self, asked: Asked) -> tuple[Scores, Scores]:
        """Gives each process's evidence, and how far it stands out (0-1), both of shape `(processes,)`."""
        processes = self._index.of_kind[CardKind.PROCESS]
        steps = asked.similarities[self._index.of_kind[CardKind.ACTIVITY]]
        evidence = np.array(asked.dense[processes], dtype=np.float32)
        for place in range(len(processes)):
            own = steps[self._parent == place]
            if own.size:
                # The two nearest steps to the whole request, and for each clause its nearest step.
                evidence[place] += np.sort(own[:, 0])[-2:].mean() + 0.5 * own[:, 1:].max(axis=0).mean()
        evidence += 0.15 * asked.lexical_share(CardKind.PROCESS)
        spread = float(evidence.std()) if len(evidence) > 1 else 0.0
        if spread == 0.0:
            return evidence, np.zeros_like(evidence)
        return evidence, np.clip((evidence - evidence.mean()) / spread, 0, self._options.spread) / self._options.spread

    def _why(self, asked: Asked, number: int, best: dict[int, tuple[float, int]]) -> tuple[Why, ...]:
        reasons = why_fused(asked, number)
        if number not in best:
            return reasons
        gain, place = best[number]
        activity = self._activity(place)
        path = (activity.parent, activity.id, self._index.cards[number].id)
        return (*reasons, Why(channel="process", score=gain, seed=activity.id, path=path, note="performs a step"))

    def _placed(self, hit: Hit, best: dict[int, tuple[float, int]]) -> Hit:
        number = self._index.number[hit.node]
        if number not in best:
            return hit
        activity = self._activity(best[number][1])
        return Hit(
            node=hit.node, score=hit.score, rank=hit.rank, why=hit.why, process=activity.parent, activity=activity.id
        )

    def _activity(self, place: int) -> Card:
        return self._index.cards[self._index.of_kind[CardKind.ACTIVITY][place]]
