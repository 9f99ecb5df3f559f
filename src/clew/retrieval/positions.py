"""Where in its process a request stands: the steps that it is like, and those before and after them."""

from functools import cached_property

import numpy as np

from clew.index.arrays import Floats
from clew.retrieval.evidence import Evidence
from clew.retrieval.processes import Groups

_LEAST_SPREAD = 0.1
"""Steps of a process whose likeness differs by less are told apart less than fully."""


class Positions:
    """The steps of all processes, seen from one request."""

    def __init__(self, evidence: Evidence, groups: Groups) -> None:
        """Takes what the request has in common with each step, and the steps of each process."""
        self._evidence = evidence
        self._groups = groups
        self._steps = evidence.index.steps

    @cached_property
    def fit(self) -> Floats:
        """How well each activity fits the request among those of its process, 0 to 1, shape `(activities,)`."""
        process, scores = self._steps.process, self._evidence.steps
        best, worst = self._groups.best(scores), self._groups.worst(scores)
        return (scores - worst[process]) / np.maximum(best - worst, _LEAST_SPREAD)[process]

    @cached_property
    def anchors(self) -> Floats:
        """1 for the activities that the request or one of its clauses is like best within their process, else 0."""
        table = np.column_stack((self._evidence.whole, self._evidence.clauses))
        best = self._groups.best(table)[self._steps.process]
        return np.asarray(np.any(table >= best, axis=1), dtype=np.float32)

    def reach(self, decay: float, hops: int) -> Floats:
        """Gives how near each activity is to an anchor, 0 to 1: `decay` for each activity on the way, at most `hops`.

        The way goes along the sequence flow in both directions, through gateways, events and subprocesses.
        """
        found = self.anchors.copy()
        near = self._steps.near
        within = (self._steps.hops <= hops) & (self.anchors[near.sources] > 0)
        np.maximum.at(found, near.targets[within], decay ** self._steps.hops[within].astype(np.float32))
        return found

    def seed_of(self, activity: int) -> int:
        """Gives the anchor that an activity was reached from: itself, or the nearest one, the first of equals."""
        if self.anchors[activity]:
            return activity
        near = self._steps.near.of(activity)
        hops = self._steps.hops[self._steps.near.starts[activity] :][: len(near)].tolist()
        seeds = [(distance, step) for distance, step in zip(hops, near, strict=True) if self.anchors[step]]
        return min(seeds)[1] if seeds else activity
