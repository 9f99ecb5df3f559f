"""Which process a request means, and where in it."""

from collections.abc import Sequence
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
    system: float = 0.4
    sets: float = 0.3
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
        steps = members.activities
        found += weights.steps * steps.mean_of_best(evidence.whole, _BEST_STEPS)
        found += weights.passages * steps.mean_of_best(around, _BEST_PASSAGES)
        found += weights.clauses * np.maximum(steps.best(evidence.clauses), 0).mean(axis=1)
        found += weights.sets * members.sets.mean_of_best(self._sets, _BEST_SETS)
        if evidence.named.any():
            found += weights.system * members.sets.share(evidence.named[self._index.sets.owners])
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
        return evidence.dense(kind) + evidence.weights.words * evidence.words(kind)


class Members:
    """Steps and entity sets by process, laid out so that the best of each process are found at once."""

    def __init__(self, index: SearchIndex) -> None:
        """Lays out the members of all processes."""
        steps = index.steps
        sets: list[list[int]] = [[] for _ in index.processes.ids]
        activities: list[list[int]] = [[] for _ in index.processes.ids]
        of_activity: list[int] = steps.process.tolist()
        for activity, process in enumerate(of_activity):
            activities[process].append(activity)
            sets[process] += [number for number in steps.sets.of(activity) if number not in sets[process]]
        self.activities = Groups(activities)
        self.sets = Groups(sets)


class Groups:
    """Groups of numbers as rows of one table, so that a whole group is compared at once."""

    def __init__(self, groups: Sequence[Sequence[int]]) -> None:
        """Takes the members of each group."""
        width = max(map(len, groups), default=0)
        self._table = np.full((len(groups), width), -1, dtype=np.int32)
        for row, members in enumerate(groups):
            self._table[row, : len(members)] = members
        self._sizes = np.array([len(members) for members in groups], dtype=np.int32)
        self._spans = np.maximum(self._sizes, 1)

    def mean_of_best(self, scores: Floats, most: int) -> Floats:
        """Gives the mean of the best `most` scores of each group's members, 0 for an empty group."""
        rows = self._spread(scores, -np.inf)
        rows.sort(axis=1)
        best = rows[:, -most:]
        return np.asarray(np.where(np.isinf(best), 0, best).sum(axis=1) / np.minimum(self._spans, most))

    def best(self, scores: Floats) -> Floats:
        """Gives each group's best score, for scores of shape `(members,)` or, for several at once, `(members, n)`."""
        return self._spread(scores, -np.inf).max(axis=1, initial=-np.inf)

    def worst(self, scores: Floats) -> Floats:
        """Gives each group's worst score."""
        return self._spread(scores, np.inf).min(axis=1, initial=np.inf)

    def share(self, marks: Floats) -> Floats:
        """Gives the share (0-1) of each group's members that are marked with 1."""
        return self._spread(marks, 0.0).sum(axis=1) / self._spans

    def _spread(self, scores: Floats, instead: float) -> Floats:
        """Gives the scores of each group's members in rows, filled up with `instead`."""
        padded = np.empty((len(scores) + 1, *scores.shape[1:]), dtype=np.float32)
        padded[:-1] = scores
        padded[-1] = instead
        return padded[self._table]
