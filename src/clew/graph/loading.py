"""Loads units from the database: their rows, and for services what other documents state about them."""

import threading
from collections.abc import Callable
from functools import cached_property
from typing import Generic, TypeVar

import msgspec

from clew.domain.facts import Node, Overlay
from clew.domain.ids import owner_of, scheme_of
from clew.domain.ports import SqlValue, Transaction
from clew.domain.processes import Process
from clew.domain.records import Record
from clew.domain.services import ComplexType, EntityType, Operation, Service
from clew.graph.overlays import Application
from clew.graph.rows import decode_overlay, digest_of, namespace_of, split_target
from clew.graph.units import Unit, version_of

V = TypeVar("V")

_RECENT_UNITS = 16
_RECENT_RECORDS = 512

SERVICE, PROCESS, CODES = "service:", "process:", "codes:"


class OverlayPlace(Record, frozen=True, kw_only=True):
    """How many overlays of a document are about one namespace, and how many of them state a value list."""

    document: str
    namespace: str
    service: str
    overlays: int
    value_helps: int


class Recent(Generic[V]):
    """The values that were asked for last."""

    def __init__(self, size: int) -> None:
        """Keeps at most `size` values."""
        self._size = size
        self._values: dict[str, V] = {}
        self._lock = threading.Lock()

    def peek(self, key: str) -> V | None:
        """Gives a value if it is here."""
        return self._values.get(key)

    def get(self, key: str, make: Callable[[str], V]) -> V:
        """Gives a value, made where it is not here."""
        with self._lock:
            if key in self._values:
                self._values[key] = self._values.pop(key)
                return self._values[key]
        made = make(key)
        with self._lock:
            self._values[key] = made
            while len(self._values) > self._size:
                del self._values[next(iter(self._values))]
        return made


class Loader:
    """Reads one state of the graph through one unit of work."""

    def __init__(self, transaction: Transaction, *, tenant: str) -> None:
        """Reads nothing yet."""
        self._transaction = transaction
        self._tenant = tenant
        self._units: Recent[Unit] = Recent(_RECENT_UNITS)
        self._records: Recent[Unit] = Recent(_RECENT_RECORDS)

    def rows(self, query: str, **parameters: SqlValue) -> list[tuple[SqlValue, ...]]:
        """Gives the rows of a query for this tenant."""
        return self._transaction.all(query, {"tenant": self._tenant, **parameters})

    def load(self, key: str) -> Unit:
        """Gives a unit, overlays applied; an unknown one has no records."""
        unit = Unit(self.rows("nodes_of_owner", owner=key))
        if key.startswith(SERVICE) and (service := self.services.get(key.removeprefix(SERVICE))) is not None:
            self._apply_overlays(service, unit)
        return unit

    def unit(self, key: str) -> Unit:
        """Gives a unit as `load` does, and keeps it among those that were asked for last."""
        return self._units.get(key, self.load)

    def unit_at_hand(self, key: str) -> Unit | None:
        """Gives a unit if it is among those that were asked for last."""
        return self._units.peek(key)

    def record(self, node_id: str) -> Unit:
        """Gives a record as `load_rows` does, and keeps it among those that were asked for last."""
        return self._records.get(node_id, self.load_rows)

    def has_overlays(self, key: str) -> bool:
        """Whether another document states something about a unit."""
        service = self.services.get(key.removeprefix(SERVICE)) if key.startswith(SERVICE) else None
        return service is not None and any(self.is_about(place, service.service) for place in self.places_of(service))

    def load_rows(self, node_id: str) -> Unit:
        """Gives a unit of one record only, without overlays."""
        return Unit(self.rows("node_by_id", id=node_id))

    def unit_keys(self, kind: str = "") -> list[str]:
        """Gives the keys of all units, or of those that hold a kind of record."""
        rows = self.rows("node_owners_of_kind", kind=kind) if kind else self.rows("node_owners")
        return [str(key) for (key,) in rows]

    def all_units(self) -> list[str]:
        """Gives the keys of all units."""
        return self._all_units

    @cached_property
    def _all_units(self) -> list[str]:
        return self.unit_keys()

    def units_with_stated_lists(self) -> list[str]:
        """Gives the services for which other documents state value lists, which are nodes without a row."""
        return [
            SERVICE + name
            for name, service in self.services.items()
            if any(place.value_helps and self.is_about(place, name) for place in self.places_of(service))
        ]

    @cached_property
    def roots(self) -> Unit:
        """All services and processes, without overlays."""
        return Unit(self.rows("node_roots"))

    @cached_property
    def services(self) -> dict[str, Service]:
        """The services by owner name."""
        return {node.service: node for node in self.roots.records.values() if isinstance(node, Service)}

    @cached_property
    def processes(self) -> dict[str, Process]:
        """The processes by owner name."""
        return {node.process: node for node in self.roots.records.values() if isinstance(node, Process)}

    @cached_property
    def places(self) -> list[OverlayPlace]:
        """What all overlays are about."""
        return [
            OverlayPlace(
                document=str(document),
                namespace=str(namespace),
                service=str(service),
                overlays=int(count or 0),
                value_helps=int(value_helps or 0),
            )
            for document, namespace, service, count, value_helps in self.rows("overlay_places")
        ]

    def places_of(self, service: Service) -> list[OverlayPlace]:
        """Gives what overlays say of the service's namespaces, whichever service they mean."""
        return [place for space in _spaces(service) for place in self._places_by_namespace.get(space, ())]

    def is_about(self, place: OverlayPlace, service: str) -> bool:
        """Whether overlays are meant for a service: the one they name, their document's own, else any that fits."""
        if place.service:
            return place.service == service
        own = self._own_services.get(place.document, frozenset())
        fitting = {name for name in own if name in self.services and place.namespace in _spaces(self.services[name])}
        return service in fitting or not fitting

    def lists_of(self, unit: Unit) -> list[Unit]:
        """Gives the code lists that a service's records name and that are not among them, each as a unit of its own."""
        found = [self.load_rows(help_id) for help_id in foreign_lists(unit.records)]
        return [each for each in found if each.records]

    @cached_property
    def _own_services(self) -> dict[str, frozenset[str]]:
        found: dict[str, frozenset[str]] = {}
        for document, _, owners in self.rows("source_owners"):
            listed = msgspec.json.decode(str(owners), type=list[str])
            found[str(document)] = frozenset(
                owner_of(each) for each in listed if scheme_of(each) in {"odata", "openapi"}
            )
        return found

    @cached_property
    def _places_by_namespace(self) -> dict[str, list[OverlayPlace]]:
        found: dict[str, list[OverlayPlace]] = {}
        for place in self.places:
            found.setdefault(place.namespace, []).append(place)
        return found

    def _apply_overlays(self, service: Service, unit: Unit) -> None:
        spaces = dict.fromkeys(place.namespace for place in self.places_of(service))
        if not spaces:
            return
        application = Application(service, unit.records, unit.first_documents())
        for document, position, overlay in self._overlays(spaces):
            place = OverlayPlace(
                document=document,
                namespace=namespace_of(split_target(overlay.target)[0]),
                service=overlay.service,
                overlays=1,
                value_helps=0,
            )
            if self.is_about(place, service.service) and application.apply(document, overlay):
                unit.resolved.add((document, position))
        unit.contradictions.extend(application.contradictions)
        for node_id in application.changed:
            unit.digests[node_id] = digest_of(unit.records[node_id])

    def _overlays(self, namespaces: dict[str, None]) -> list[tuple[str, int, Overlay]]:
        found = [
            (str(document), int(position or 0), decode_overlay(payload))
            for namespace in namespaces
            for document, position, payload in self.rows("overlays_of_namespace", namespace=namespace)
        ]
        return sorted(found, key=lambda each: each[:2])


def _spaces(service: Service) -> dict[str, None]:
    """Gives the namespaces under which targets of a service are filed: a target may be a namespace itself."""
    spaces = dict.fromkeys(service.namespaces)
    return spaces | dict.fromkeys(namespace_of(space) for space in service.namespaces)


def foreign_lists(records: dict[str, Node]) -> list[str]:
    """Gives the ids of the code lists that a service's records name and that are not among them."""
    found: dict[str, None] = {}
    for record in records.values():
        members = ()
        if isinstance(record, EntityType | ComplexType):
            members = record.properties
        elif isinstance(record, Operation):
            members = record.parameters
        for member in members:
            if member.value_help and member.value_help not in records:
                found[member.value_help] = None
    return list(found)


def joined_version(unit: Unit, lists: list[Unit]) -> str:
    """Gives the version of a service's description together with the code lists of others that it uses."""
    if not lists:
        return unit.version
    return version_of({**unit.digests, **{key: value for each in lists for key, value in each.digests.items()}})
