"""Ports of the planner: what it asks of others."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from clew.agent.planner.masters import Told
from clew.agent.planner.vocabulary import split_words, stem
from clew.domain.proposals import MasterRecord
from clew.domain.records import JsonValue
from clew.domain.services import Capabilities
from clew.graph.service_view import ServiceView
from clew.grounding.requirements import filled_by_parent, required_on_create


class Lookup(Protocol):
    """Finds master data by the names that people use."""

    def find(self, name: str) -> Sequence[MasterRecord]:
        """Gives the records that a name may mean, best first; several are as good as none and are asked about."""
        ...


class Requirements(Protocol):
    """Says what a call must hold."""

    def on_create(self, view: ServiceView, entity_set: str) -> Sequence[str]:
        """Gives the names of the properties without which a create is refused."""
        ...

    def on_create_inside(self, view: ServiceView, entity_set: str, navigation: str) -> Sequence[str]:
        """Gives the names of the properties without which an entity that is created inside another is refused."""
        ...


class Defaults(Protocol):
    """Tells what goes with what is known, from master data."""

    def value(self, wanted: str, known: Mapping[str, JsonValue]) -> Told | None:
        """Gives the one value of a property that goes with the known ones, `None` where there is none or several."""
        ...


class NamedRecords:
    """A `Lookup` over records in memory: a record is meant when all words of what was said are words of its name."""

    def __init__(self, records: Iterable[MasterRecord] = ()) -> None:
        """Indexes the records by the stems of their names."""
        self._records = [(record, {stem(word) for word in split_words(record.name)}) for record in records]

    def find(self, name: str) -> Sequence[MasterRecord]:
        """Gives the records whose name, or key, is said; the shortest names first."""
        said = {stem(word) for word in split_words(name)}
        if not said:
            return ()
        exact = [record for record, _ in self._records if record.key.casefold() == name.casefold()]
        found = [(len(words), record) for record, words in self._records if said <= words]
        return exact or [record for _, record in sorted(found, key=lambda pair: (pair[0], pair[1].key, pair[1].kind))]


class StatedRequirements:
    """`Requirements` as the validator reads them from the metadata."""

    def on_create(self, view: ServiceView, entity_set: str) -> Sequence[str]:
        """Gives what the validator would demand of a create, hints left out."""
        node = view.sets.get(entity_set)
        if node is None:
            return ()
        return self._names(view, node.type, node.capabilities)

    def on_create_inside(self, view: ServiceView, entity_set: str, navigation: str) -> Sequence[str]:
        """Gives what the validator would demand of an entity inside a create, what the whole fills left out."""
        node, inner = view.sets.get(entity_set), view.target_set(entity_set, navigation)
        way = view.navigations(node.type).get(navigation) if node else None
        if node is None or way is None:
            return ()
        capabilities = inner.capabilities if inner else Capabilities()
        return self._names(view, way.target, capabilities, given=filled_by_parent(view, node.type, way))

    def _names(
        self, view: ServiceView, type_name: str, capabilities: Capabilities, given: frozenset[str] = frozenset()
    ) -> list[str]:
        found = required_on_create(view, type_name, capabilities, given_by_parent=given)
        return [requirement.name for requirement in found if requirement.binding]
