"""Catalogue: the services and processes that a plan may use, with the words of their sets and operations."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from clew.agent.planner.matching import Wording
from clew.agent.planner.vocabulary import Terms, Vocabulary, split_name
from clew.domain.facts import Edge
from clew.domain.processes import Activity
from clew.domain.records import Record
from clew.domain.services import EntitySet, Operation
from clew.flow import positions
from clew.graph.process_view import ProcessView
from clew.graph.service_view import ServiceView

_AFFIXES = frozenset(
    {
        "a",
        "c",
        "i",
        "p",
        "r",
        "z",
        "y",
        "tp",
        "wd",
        "enh",
        "type",
        "set",
        "collection",
        "entity",
        "entities",
        "api",
        "srv",
    }
)
_DRAFT = frozenset({"DraftUUID", "IsActiveEntity"})
_HASH = re.compile(r"^[0-9A-F]{9,}(?=[A-Z][a-z])")
_VERSION = frozenset({"v1", "v2", "v3", "v4"})


class SetCard(Record, frozen=True, kw_only=True):
    """An entity set with its words; `parts` tells whether it holds parts of another set's objects (items, partners)."""

    id: str
    service: str
    name: str
    type: str
    wording: Wording
    key: tuple[str, ...]
    insertable: bool
    updatable: bool
    deletable: bool
    parts: bool = False


class OperationCard(Record, frozen=True, kw_only=True):
    """An operation with its words; `sets` are the entity sets on whose instances it is called."""

    id: str
    service: str
    name: str
    method: str
    terms: Terms
    label: Terms = ()
    parameters: tuple[str, ...] = ()
    required: tuple[str, ...] = ()
    bound_to: str = ""
    sets: tuple[str, ...] = ()
    returns: str = ""


class Bound(Record, frozen=True, kw_only=True):
    """A step of a process that a set or an operation performs, with the words of its activity."""

    process: str
    activity: str
    name: str
    terms: Terms
    target: str
    method: str
    bound_to: str = ""
    via: str = ""
    values: tuple[tuple[str, str], ...] = ()
    order: int = 0


class Catalogue:
    """Reads services and processes when they are asked for, each once."""

    def __init__(
        self,
        vocabulary: Vocabulary,
        services: Mapping[str, Callable[[], ServiceView]],
        processes: Mapping[str, Callable[[], ProcessView]],
    ) -> None:
        """Takes, by name, what gives each service and each process."""
        self.vocabulary = vocabulary
        self._services = services
        self._processes = processes
        self._views: dict[str, ServiceView] = {}
        self._sets: dict[str, dict[str, SetCard]] = {}
        self._operations: dict[str, list[OperationCard]] = {}
        self._bound: dict[str, list[Bound]] = {}
        self._process_views: dict[str, ProcessView] = {}
        self._business: dict[str, Terms] = {}

    @property
    def services(self) -> tuple[str, ...]:
        """The names of all services."""
        return tuple(self._services)

    @property
    def processes(self) -> tuple[str, ...]:
        """The names of all processes."""
        return tuple(self._processes)

    def view(self, service: str) -> ServiceView:
        """Gives a service."""
        if (known := self._views.get(service)) is None:
            known = self._views[service] = self._services[service]()
        return known

    def process(self, name: str) -> ProcessView:
        """Gives a process."""
        if (known := self._process_views.get(name)) is None:
            known = self._process_views[name] = self._processes[name]()
        return known

    def sets(self, service: str) -> dict[str, SetCard]:
        """Gives the entity sets of a service by name."""
        if (known := self._sets.get(service)) is None:
            view = self.view(service)
            known = self._sets[service] = {name: self._set_card(view, node) for name, node in view.sets.items()}
        return known

    def operations(self, service: str) -> list[OperationCard]:
        """Gives the operations of a service, one card for each overload."""
        if (known := self._operations.get(service)) is None:
            view = self.view(service)
            seen = {node.id: (name, node) for name, nodes in view.operations.items() for node in nodes}
            known = self._operations[service] = [self._operation_card(view, name, node) for name, node in seen.values()]
        return known

    def bound(self, process: str) -> list[Bound]:
        """Gives the bound steps of a process in the order of the source."""
        if (known := self._bound.get(process)) is None:
            view = self.process(process)
            known = self._bound[process] = list(self._bindings(view))
        return known

    def _bindings(self, view: ProcessView) -> Iterator[Bound]:
        places = positions(view)
        for order, activity in enumerate(view.activities):
            for edge in view.bindings.get(activity.id, ()):
                yield self._bound_step(view.id, activity, edge, places.get(activity.id, order))

    def _bound_step(self, process: str, activity: Activity, edge: Edge, order: int) -> Bound:
        return Bound(
            process=process,
            activity=activity.id,
            name=activity.name,
            terms=self.vocabulary.terms(activity.name),
            target=edge.target,
            method=edge.method or "POST",
            bound_to=edge.bound_to,
            via=edge.via,
            values=edge.values,
            order=order,
        )

    def business_terms(self, name: str) -> Terms:
        """Gives the terms of a set's or type's name without the affixes that metadata adds (`A_`, `TP`, `Type`)."""
        simple = name.rpartition(".")[2]
        if (known := self._business.get(simple)) is not None:
            return known
        parts = [part for part in split_name(simple) if part.casefold() not in _AFFIXES and not part.isdigit()]
        known = self.vocabulary.canonical([part for part in parts if part.casefold() not in _VERSION])
        self._business[simple] = known
        return known

    def _set_card(self, view: ServiceView, node: EntitySet) -> SetCard:
        kind = view.types.get(node.type)
        labels = [text for text in (node.texts.label, kind.texts.label if kind else "") if text]
        key = view.key(node.type)
        return SetCard(
            id=node.id,
            service=view.id,
            name=node.name,
            type=node.type,
            wording=Wording(
                name=self.business_terms(node.name),
                label=self.vocabulary.terms(labels[0]) if labels else (),
                info=self.business_terms(node.type),
            ),
            key=key,
            insertable=node.capabilities.insertable,
            updatable=node.capabilities.updatable,
            deletable=node.capabilities.deletable,
            parts=self._is_part(view, node, key),
        )

    def _is_part(self, view: ServiceView, node: EntitySet, key: Sequence[str]) -> bool:
        """Whether another set's key is a true part of this one's, so that it holds parts of the other's objects."""
        mine, terms = set(key) - _DRAFT, set(self.business_terms(node.name))
        if len(mine) <= 1:
            return False
        others = (other for other in view.sets.values() if set(self.business_terms(other.name)) < terms)
        return any(set(view.key(other.type)) - _DRAFT < mine for other in others)

    def _operation_card(self, view: ServiceView, name: str, node: Operation) -> OperationCard:
        sets = [found.name for found in view.sets_of_type.get(node.bound_to, [])]
        own = (
            {part.casefold() for part in split_name(node.bound_to.rpartition(".")[2])} if node.bound_to else set[str]()
        )
        parts = [part for part in split_name(_HASH.sub("", name)) if part.casefold() not in _AFFIXES]
        kept = [part for part in parts if part.casefold() not in own] or parts
        return OperationCard(
            id=node.id,
            service=view.id,
            name=name,
            method=node.method,
            terms=self.vocabulary.canonical(kept, directed=True),
            label=self.vocabulary.terms(node.texts.label),
            parameters=tuple(parameter.name for parameter in node.parameters),
            required=tuple(p.name for p in node.parameters if not p.nullable and not p.optional),
            bound_to=node.bound_to,
            sets=tuple(sets),
            returns=node.returns,
        )
