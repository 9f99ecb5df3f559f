"""Implied relations by their ends: a unit's are made once and kept while the unit is asked about."""

from collections.abc import Iterator
from functools import cached_property

from clew.graph.implied import implied_edges
from clew.graph.loading import CODES, Loader, Recent, foreign_lists
from clew.graph.rows import unit_of
from clew.graph.shown import ShownEdge

_RECENT = 4


class _Ends:
    """A unit's implied relations by source and by target."""

    def __init__(self, edges: Iterator[ShownEdge]) -> None:
        self.outgoing: dict[str, list[ShownEdge]] = {}
        self.incoming: dict[str, list[ShownEdge]] = {}
        for edge in edges:
            self.outgoing.setdefault(edge.source, []).append(edge)
            self.incoming.setdefault(edge.target, []).append(edge)


class Neighbours:
    """Gives implied relations; only those that lead to code lists of others leave their unit."""

    def __init__(self, loader: Loader) -> None:
        """Keeps nothing yet."""
        self._loader = loader
        self._recent: Recent[_Ends] = Recent(_RECENT)

    def implied(self, source: str, target: str) -> Iterator[ShownEdge]:
        """Gives the implied relations from `source`, or to `target`, or all of them."""
        if source:
            yield from self._ends(unit_of(source)).outgoing.get(source, ())
        elif target:
            key = unit_of(target)
            yield from self._ends(key).incoming.get(target, ())
            if key.startswith(CODES):
                for user in self._users.get(target, ()):
                    yield from self._ends(user).incoming.get(target, ())
        else:
            for key in self._loader.all_units():
                yield from self._edges(key)

    def of_unit(self, key: str) -> Iterator[ShownEdge]:
        """Gives the implied relations of a unit."""
        return self._edges(key)

    def _ends(self, key: str) -> _Ends:
        return self._recent.get(key, lambda key: _Ends(self._edges(key)))

    def _edges(self, key: str) -> Iterator[ShownEdge]:
        return implied_edges(self._loader.unit(key), self._lists)

    @cached_property
    def _lists(self) -> frozenset[str]:
        """Ids of the code lists that belong to no service."""
        return frozenset(
            record_id
            for key in self._loader.all_units()
            if key.startswith(CODES)
            for record_id in self._loader.unit(key).records
        )

    @cached_property
    def _users(self) -> dict[str, list[str]]:
        """The units that use a code list of their own, by its id; made only when such a list's users are asked for."""
        found: dict[str, list[str]] = {}
        if self._lists:
            for key in self._loader.all_units():
                for list_id in foreign_lists(self._loader.load(key).records):
                    found.setdefault(list_id, []).append(key)
        return found
