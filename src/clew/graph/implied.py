"""The relations that records imply: nothing of them is stored, all of them are shown."""

from collections.abc import Container, Iterator

from clew.domain.facts import Node
from clew.domain.ids import entity_set_id, member_id, type_id
from clew.domain.kinds import EdgeKind
from clew.domain.processes import Activity, DataObject, Event, Gateway, Lane, Process
from clew.domain.services import (
    ComplexType,
    EntitySet,
    EntityType,
    EnumType,
    Operation,
    Parameter,
    Property,
    Service,
    ValueHelp,
)
from clew.graph.shown import ShownEdge
from clew.graph.units import Unit, members_of

IMPLIED = frozenset(
    {
        EdgeKind.EXPOSES,
        EdgeKind.OF_TYPE,
        EdgeKind.HAS_PROPERTY,
        EdgeKind.HAS_KEY,
        EdgeKind.EXTENDS,
        EdgeKind.NAVIGATES_TO,
        EdgeKind.BOUND_TO,
        EdgeKind.RETURNS,
        EdgeKind.TAKES,
        EdgeKind.HAS_VALUE_HELP,
        EdgeKind.HAS_CODE,
        EdgeKind.CONTAINS,
    }
)


def implied_edges(unit: Unit, lists: Container[str]) -> Iterator[ShownEdge]:
    """Gives the relations that a unit's records imply, record by record; `lists` are ids of code lists of others.

    A relation to something that no document describes is not shown.
    """
    implied = _Implied(unit, lists)
    for record in unit.records.values():
        yield from implied.of(record)


class _Implied:
    def __init__(self, unit: Unit, lists: Container[str]) -> None:
        self._unit = unit
        self._records = unit.records
        self._lists = lists
        self._root = next((key for key, node in unit.records.items() if isinstance(node, Service | Process)), "")
        self._documents: tuple[str, ...] = ()

    def of(self, record: Node) -> Iterator[ShownEdge]:
        self._documents = self._unit.documents(record.id)
        match record:
            case EntitySet():
                yield from self._of_set(record)
            case EntityType() | ComplexType():
                yield from self._of_type(record)
            case Operation():
                yield from self._of_operation(record)
            case EnumType():
                yield from self._to_list(record.id, "codes:" + record.id.partition(":")[2])
            case ValueHelp():
                for member in members_of(record):
                    yield self._edge(EdgeKind.HAS_CODE, record.id, member.id)
            case Activity() | Event() | Gateway() | Lane() | DataObject():
                yield from self._of_element(record)
            case _:
                return

    def _edge(self, kind: EdgeKind, source: str, target: str, name: str = "", path: str = "") -> ShownEdge:
        return ShownEdge(kind=kind, source=source, target=target, name=name, path=path, documents=self._documents)

    def _to_type(self, kind: EdgeKind, source: str, service: str, qualified_name: str) -> Iterator[ShownEdge]:
        if not qualified_name.startswith("Edm."):
            target = type_id(service, qualified_name)
            if target in self._records:
                yield self._edge(kind, source, target)

    def _to_list(self, source: str, list_id: str) -> Iterator[ShownEdge]:
        if list_id and (list_id in self._records or list_id in self._lists):
            yield self._edge(EdgeKind.HAS_VALUE_HELP, source, list_id)

    def _exposed(self, node_id: str) -> Iterator[ShownEdge]:
        if self._root:
            yield self._edge(EdgeKind.EXPOSES, self._root, node_id)

    def _of_set(self, record: EntitySet) -> Iterator[ShownEdge]:
        yield from self._exposed(record.id)
        yield from self._to_type(EdgeKind.OF_TYPE, record.id, record.service, record.type)
        for binding in record.bindings:
            target = entity_set_id(record.service, binding.target.rpartition("/")[2])
            if target in self._records:
                yield self._edge(EdgeKind.BOUND_TO, record.id, target, binding.path.rpartition("/")[2], binding.path)

    def _of_type(self, record: EntityType | ComplexType) -> Iterator[ShownEdge]:
        if record.base:
            yield from self._to_type(EdgeKind.EXTENDS, record.id, record.service, record.base)
        for prop in record.properties:
            yield from self._of_member(EdgeKind.HAS_PROPERTY, record.id, record.service, prop)
        if isinstance(record, EntityType):
            for path in record.key:
                if target := self._key_property(record, path):
                    yield self._edge(EdgeKind.HAS_KEY, record.id, target, path, path)
        for navigation in record.navigations:
            target = type_id(record.service, navigation.target)
            if target in self._records:
                yield ShownEdge(
                    kind=EdgeKind.NAVIGATES_TO,
                    source=record.id,
                    target=target,
                    key=navigation.name,
                    name=navigation.name,
                    multiplicity=navigation.multiplicity,
                    source_multiplicity=navigation.source_multiplicity,
                    contains=navigation.contains,
                    constraints=navigation.constraints,
                    documents=self._documents,
                )

    def _of_member(
        self, kind: EdgeKind, parent: str, service: str, member: Property | Parameter
    ) -> Iterator[ShownEdge]:
        node_id = member_id(parent, member.name)
        yield self._edge(kind, parent, node_id)
        yield from self._to_type(EdgeKind.OF_TYPE, node_id, service, member.type)
        yield from self._to_list(node_id, member.value_help)

    def _key_property(self, record: EntityType, path: str) -> str:
        """Gives the id of the property that a key's path begins with, which a base type may declare."""
        name = path.partition("/")[0]
        seen: set[str] = set()
        found: Node | None = record
        while isinstance(found, EntityType) and found.id not in seen:
            seen.add(found.id)
            if any(prop.name == name for prop in found.properties):
                return member_id(found.id, name)
            found = self._records.get(type_id(found.service, found.base)) if found.base else None
        return ""

    def _of_operation(self, record: Operation) -> Iterator[ShownEdge]:
        yield from self._exposed(record.id)
        if record.returns:
            yield from self._to_type(EdgeKind.RETURNS, record.id, record.service, record.returns)
        if record.bound_to:
            yield from self._to_type(EdgeKind.TAKES, record.id, record.service, record.bound_to)
        for parameter in record.parameters:
            yield from self._of_member(EdgeKind.TAKES, record.id, record.service, parameter)

    def _of_element(self, record: Activity | Event | Gateway | Lane | DataObject) -> Iterator[ShownEdge]:
        holder = record.parent if record.parent in self._records else self._root
        if holder:
            yield self._edge(EdgeKind.CONTAINS, holder, record.id)
        lane = "" if isinstance(record, Lane | DataObject) else record.lane
        if lane in self._records:
            yield self._edge(EdgeKind.CONTAINS, lane, record.id)
