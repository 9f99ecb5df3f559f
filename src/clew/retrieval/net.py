"""The graph as spreading retrievers see it: all cards as nodes, typed edges as weights, in both directions."""

from collections.abc import Mapping

import numpy as np

from clew.index import CardKind, SearchIndex
from clew.index.arrays import Adjacency, Floats
from clew.retrieval.asking import Asked
from clew.retrieval.choosing import Scored

EDGE_WEIGHTS: Mapping[str, float] = {
    "PERFORMED_BY": 1.0,
    "HAS_NEXT": 0.8,
    "NAVIGATES_TO": 0.5,
    "CONTAINS": 0.3,
    "EXPOSES": 0.1,
}
"""How much of a node's activation goes along an edge of each type, before the node's degree evens it out."""


class Net:
    """Nodes of all kinds in one numbering, and the edges between them."""

    def __init__(self, index: SearchIndex) -> None:
        """Collects the edges that the index keeps."""
        self._index = index
        self._first: dict[CardKind, int] = {}
        self.size = 0
        for kind in CardKind:
            self._first[kind] = self.size
            self.size += len(index.layers[kind])
        sources, targets, weights = self._edges()
        both = (
            np.concatenate((sources, targets)),
            np.concatenate((targets, sources)),
            np.concatenate((weights, weights)),
        )
        total = np.bincount(both[0], weights=both[2], minlength=self.size)
        self._sources, self._targets = both[0], both[1]
        self._shares = both[2] / np.maximum(total[both[0]], 1e-12) if both[2].size else both[2]

    def _edges(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        index, kinds = self._index, CardKind
        steps, sets = index.steps, index.layers[kinds.ENTITY_SET]
        next_steps = steps.hops == 1
        parts = [
            self._linked(kinds.ACTIVITY, steps.sets, kinds.ENTITY_SET, "PERFORMED_BY"),
            self._linked(kinds.ACTIVITY, steps.operations, kinds.OPERATION, "PERFORMED_BY"),
            self._linked(kinds.ENTITY_SET, index.structure.links, kinds.ENTITY_SET, "NAVIGATES_TO"),
            self._owned(kinds.ENTITY_SET, sets.owners, kinds.SERVICE, "EXPOSES"),
            self._owned(kinds.OPERATION, index.operations.owners, kinds.SERVICE, "EXPOSES"),
            self._owned(kinds.ACTIVITY, steps.process, kinds.PROCESS, "CONTAINS"),
        ]
        first = self._first[kinds.ACTIVITY]
        sources, targets = steps.near.sources[next_steps] + first, steps.near.targets[next_steps] + first
        parts.append((sources, targets, np.full(len(sources), EDGE_WEIGHTS["HAS_NEXT"])))
        sources, targets, weights = (np.concatenate(listed) for listed in zip(*parts, strict=True))
        return sources, targets, weights

    def _linked(
        self, source: CardKind, links: Adjacency, target: CardKind, edge: str
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        weights = np.full(len(links.targets), EDGE_WEIGHTS[edge])
        return links.sources + self._first[source], links.targets + self._first[target], weights

    def _owned(
        self, source: CardKind, owners: np.ndarray, target: CardKind, edge: str
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        has = np.flatnonzero(owners >= 0)
        return has + self._first[source], owners[has] + self._first[target], np.full(len(has), EDGE_WEIGHTS[edge])

    def seeds(self, asked: Asked) -> Floats:
        """Gives how well names and labels match the request's terms, shape `(size,)`; the best of each kind is 1."""
        found = np.zeros(self.size, dtype=np.float64)
        for kind, first in self._first.items():
            scores = self._index.layers[kind].lexical.scores(asked.terms)
            if scores.size and scores.max() > 0:
                found[first : first + len(scores)] = scores / scores.max()
        return found

    def flow(self, activation: Floats) -> Floats:
        """Gives what reaches each node when every node hands its activation on along its edges."""
        handed = activation[self._sources] * self._shares
        return np.asarray(np.bincount(self._targets, weights=handed, minlength=self.size), dtype=np.float64)

    def by_kind(self, activation: Floats) -> Scored:
        """Gives the activation of the cards of each kind."""
        return {kind: activation[first : first + len(self._index.layers[kind])] for kind, first in self._first.items()}
