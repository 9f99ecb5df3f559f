"""Where in its process a request stands: the steps that it is like, and those before and after them."""

from functools import cached_property

import numpy as np

from clew.index.arrays import Floats
from clew.retrieval.evidence import Evidence

_LEAST_SPREAD = 0.1
"""Steps of a process whose likeness differs by less are told apart less than fully."""


class Positions:
    """The steps of all processes, seen from one request."""

    def __init__(self, evidence: Evidence) -> None:
        """Takes what the request has in common with each step."""
        self._evidence = evidence
        self._steps = evidence.index.steps
        self._size = len(evidence.index.processes)

    @cached_property
    def fit(self) -> Floats:
        """How well each activity fits the request among those of its process, 0 to 1, shape `(activities,)`."""
        process, scores = self._steps.process, self._evidence.steps
        best, worst = np.full(self._size, -1.0, dtype=np.float32), np.full(self._size, 1.0, dtype=np.float32)
        np.maximum.at(best, process, scores)
        np.minimum.at(worst, process, scores)
        return (scores - worst[process]) / np.maximum(best - worst, _LEAST_SPREAD)[process]

    @cached_property
    def anchors(self) -> Floats:
        """1 for the activities that the request or one of its clauses is like best within their process, else 0."""
        table = np.column_stack((self._evidence.whole, self._evidence.clauses))
        best = np.full((self._size, table.shape[1]), -np.inf, dtype=np.float32)
        np.maximum.at(best, self._steps.process, table)
        return np.asarray(np.any(table >= best[self._steps.process], axis=1), dtype=np.float32)

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
