"""Which process a request means, and where in it."""

from functools import cached_property

import numpy as np

from clew.domain.records import Record
from clew.index import SearchIndex
from clew.index.arrays import Floats
from clew.index.cards import CardKind
from clew.retrieval.evidence import Evidence


class ProcessWeights(Record, frozen=True, kw_only=True):
    """What each kind of evidence for a process is worth.

    `whole`: likeness to everything that the process says; `clauses`: for each clause of the request its likest step;
    `steps`: the three likest steps to the whole request; `passages`: the two likest stretches of three steps;
    `words`: a factor of the BM25F score; `system`: that the system of its steps is named; `sets`: what speaks for the
    two best of its entity sets by themselves. `sharpness` is how much one process must be ahead to be taken for sure.
    """

    whole: float = 1.0
    clauses: float = 0.5
    steps: float = 0.5
    passages: float = 0.5
    words: float = 0.02
    system: float = 0.3
    sets: float = 0.5
    sharpness: float = 25.0


_BEST_STEPS = 3
_BEST_PASSAGES = 2
_BEST_SETS = 2


class ProcessEvidence:
    """The evidence for processes of one request; each kind of it is reckoned once."""

    def __init__(self, evidence: Evidence, members: "Members", weights: ProcessWeights) -> None:
        """Takes what speaks for cards by themselves."""
        self._evidence = evidence
        self._index = evidence.index
        self._members = members
        self._weights = weights

    @cached_property
    def scores(self) -> Floats:
        """What speaks for each process, shape `(processes,)`."""
        evidence, members, weights = self._evidence, self._members, self._weights
        vector = evidence.asked.vector
        found = weights.whole * self._index.processes.dense.scores(vector)
        found += weights.words * self._index.processes.lexical.scores(evidence.asked.terms)
        around = self._index.others["surroundings"].scores(vector)
        found += weights.steps * members.best_steps(evidence.whole, _BEST_STEPS)
        found += weights.passages * members.best_steps(around, _BEST_PASSAGES)
        found += weights.clauses * members.covered(evidence.clauses)
        found += weights.sets * members.best_sets(self._sets, _BEST_SETS)
        found += weights.system * members.share_of_sets(self._named)
        return found

    @cached_property
    def chances(self) -> Floats:
        """How likely (0-1, 1 together) each process is meant, if one is."""
        if not self.scores.size:
            return self.scores
        found = np.exp(self._weights.sharpness * (self.scores - self.scores.max()))
        return (found / found.sum()).astype(np.float32)

    @property
    def _sets(self) -> Floats:
        evidence = self._evidence
        kind = CardKind.ENTITY_SET
        return evidence.dense[kind] + evidence.weights.words * evidence.words[kind]

    @property
    def _named(self) -> Floats:
        marks = self._evidence.named
        return marks[self._index.sets.owners] if marks.size else np.zeros(len(self._index.sets), dtype=np.float32)


class Members:
    """Steps and entity sets by process, laid out so that the best of each process are found at once."""

    def __init__(self, index: SearchIndex) -> None:
        """Lays out the members of all processes."""
        steps = index.steps
        self._size = len(index.processes)
        self._process = steps.process
        pairs = sorted(
            {
                (int(steps.process[source]), int(target))
                for source, target in zip(steps.sets.sources, steps.sets.targets, strict=True)
            }
        )
        self._set_process = np.array([process for process, _ in pairs], dtype=np.int32)
        self._set = np.array([entity_set for _, entity_set in pairs], dtype=np.int32)

    def best_steps(self, scores: Floats, most: int) -> Floats:
        """Gives the mean of the best `most` scores of each process's activities; `scores` has shape `(activities,)`."""
        return _mean_of_best(self._size, self._process, scores, most)

    def best_sets(self, scores: Floats, most: int) -> Floats:
        """Gives the mean of the best `most` scores of each process's entity sets; `scores` has shape `(sets,)`."""
        return _mean_of_best(self._size, self._set_process, scores[self._set], most)

    def covered(self, table: Floats) -> Floats:
        """Gives the mean over the clauses of the best score among each process's activities."""
        found = np.zeros((self._size, table.shape[1]), dtype=np.float32)
        np.maximum.at(found, self._process, table)
        return found.mean(axis=1)

    def share_of_sets(self, marks: Floats) -> Floats:
        """Gives the share (0-1) of each process's entity sets that are marked."""
        count = np.bincount(self._set_process, minlength=self._size)
        marked = np.bincount(self._set_process, weights=marks[self._set], minlength=self._size)
        return (marked / np.maximum(count, 1)).astype(np.float32)


def _mean_of_best(size: int, groups: np.ndarray, scores: Floats, most: int) -> Floats:
    """Gives the mean of the best `most` scores in each of `size` groups, 0 for an empty one."""
    order = np.lexsort((-scores, groups))
    counts = np.bincount(groups, minlength=size)
    first = np.concatenate(([0], np.cumsum(counts)[:-1]))
    found = np.zeros(size, dtype=np.float32)
    for place in range(most):
        has = counts > place
        found[has] += scores[order[first[has] + place]]
    return found / np.maximum(np.minimum(counts, most), 1)
