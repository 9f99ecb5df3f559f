"""Where a path leads: sets, entities, properties, operations, found segment by segment in a state."""

from collections.abc import Mapping
from typing import TypeAlias

from clew.domain.errors import CallRefused, MalformedText
from clew.domain.records import JsonObject, Record
from clew.domain.services import EntityType, NavigationProperty, Operation, Property
from clew.mock.relations import related
from clew.mock.schema import Schema
from clew.mock.state import Row, State
from clew.protocol.keys import Key, read_key
from clew.protocol.urls import ResourcePath, Segment, SegmentKind


class Root(Record, frozen=True, kw_only=True):
    """The service root, `$metadata` or `$batch`."""

    kind: str = ""


class Many(Record, frozen=True, kw_only=True):
    """A collection of entities: a set, or what a navigation leads to from `parent`."""

    type: str
    rows: tuple[Row, ...]
    entity_set: str = ""
    parent: Row | None = None
    navigation: NavigationProperty | None = None


class One(Record, frozen=True, kw_only=True):
    """One entity, or the lack of it (`row` is `None`: a navigation that leads nowhere)."""

    type: str
    row: Row | None
    entity_set: str = ""
    parent: Row | None = None
    navigation: NavigationProperty | None = None


class Value(Record, frozen=True, kw_only=True):
    """A property of an entity; `path` are the names down to it."""

    row: Row
    prop: Property
    path: tuple[str, ...]
    entity_set: str = ""
    is_raw: bool = False


class Count(Record, frozen=True, kw_only=True):
    """The number of entities of a collection."""

    of: Many


class Invocation(Record, frozen=True, kw_only=True):
    """An operation with its overloads, what it is bound to, and the parameters that the path gives."""

    overloads: tuple[Operation, ...]
    bound: "Many | One | None" = None
    inline: Key | None = None


class References(Record, frozen=True, kw_only=True):
    """The links of a navigation, rather than the entities (`$ref`, `$links`)."""

    of: Many | One


Address: TypeAlias = Root | Many | One | Value | Count | Invocation | References


def resolve(schema: Schema, state: State, path: ResourcePath, aliases: Mapping[str, str]) -> Address:
    """Finds what a path leads to.

    Raises:
        CallRefused: 404, something on the way is not there; 400, a key is malformed; 501, not implemented.
    """
    return _Walk(schema, state, aliases).walk(path)


class _Walk:
    """The walk along one path."""

    def __init__(self, schema: Schema, state: State, aliases: Mapping[str, str]) -> None:
        self.schema = schema
        self.view = schema.view
        self.state = state
        self.aliases = aliases

    def walk(self, path: ResourcePath) -> Address:
        if not path.segments:
            return Root()
        current = self.first(path.segments[0])
        rest = list(path.segments[1:])
        while rest:
            segment = rest.pop(0)
            if segment.kind is SegmentKind.LINKS and isinstance(current, One) and rest:
                current = References(of=self._linkable(self.step(current, rest.pop(0))))
            else:
                current = self.step(current, segment)
        return current

    def first(self, segment: Segment) -> Address:
        if segment.kind in (SegmentKind.METADATA, SegmentKind.BATCH):
            return Root(kind=segment.kind.value)
        node = self.view.sets.get(segment.name)
        if node is not None:
            table = self.schema.table_of(node.name)
            if node.singleton:
                rows = self.state.table(table)
                return One(type=node.type, row=rows[0] if rows else None, entity_set=node.name)
            if segment.key:  # found by the index, not by looking through all rows
                return self.keyed(Many(type=node.type, rows=(), entity_set=node.name), segment.key)
            return Many(type=node.type, rows=tuple(self.state.table(table)), entity_set=node.name)
        imported = [op for op in self.view.operations.get(segment.name, []) if segment.name in op.imports]
        if imported:
            return Invocation(overloads=tuple(imported), inline=segment.key)
        raise _missing(f"there is nothing named {segment.name!r} in this service")

    def step(self, current: Address, segment: Segment) -> Address:
        match current:
            case Many():
                return self.from_many(current, segment)
            case One():
                return self.from_one(current, segment)
            case Value():
                return self.from_value(current, segment)
            case _:
                raise CallRefused(501, "NOT_IMPLEMENTED", f"going on with {segment.name!r} here is not implemented")

    # -- from a collection

    def from_many(self, many: Many, segment: Segment) -> Address:
        if segment.kind is SegmentKind.COUNT:
            return Count(of=many)
        if segment.kind is SegmentKind.REF:
            return References(of=many)
        if self.schema.qualified(segment.name) in self.view.types:
            return self._cast_many(many, segment)
        bound = self._bound(segment.name, many.type, on_collection=True)
        if bound:
            return Invocation(overloads=bound, bound=many, inline=segment.key)
        raise _missing(f"{segment.name!r} does not follow a collection")

    def keyed(self, many: Many, key: Key) -> One:
        types = self.schema.key_types(many.type)
        implied = self._implied_key(many, key)
        try:
            asked = {name: kind for name, kind in types.items() if name not in implied}
            values = {**implied, **read_key(key, asked, self.schema.version, aliases=self.aliases)}
        except MalformedText as error:
            raise CallRefused(400, error.code, f"{many.entity_set or many.type}: {error}") from None
        wanted = self.schema.key_tuple(many.type, values)
        row = self._row_of(many, wanted, values)
        if row is None:
            raise _missing(f"{many.entity_set or many.type} has no entity with the key {_shown(values)}")
        return One(type=row.type, row=row, entity_set=many.entity_set, parent=many.parent, navigation=many.navigation)

    def _implied_key(self, many: Many, key: Key) -> JsonObject:
        """Gives the key values that the parent tells, where the predicate leaves them out (4.01, clause 4.3.2)."""
        if many.parent is None or many.navigation is None:
            return {}
        names = self.view.key(many.type)
        pairs = self.schema.pairs(many.parent.type, many.navigation)
        told = {target: many.parent.values.get(own) for own, target in pairs if target in names}
        given = len(key.parts)
        return told if given == len(names) - len(told) and not set(told) & set(key.names) else {}

    def _row_of(self, many: Many, wanted: tuple[object, ...], values: JsonObject) -> Row | None:
        if many.parent is None and many.entity_set:
            return self.state.find(self.schema.table_of(many.entity_set), self.schema.key_tuple(many.type, values))
        return next((row for row in many.rows if self.schema.key_tuple(many.type, row.values) == wanted), None)

    def _cast_many(self, many: Many, segment: Segment) -> Many | One:
        wanted = self.schema.qualified(segment.name)
        if not self.view.is_derived(wanted, many.type):
            raise _missing(f"{wanted} is not derived from {many.type}")
        rows = tuple(row for row in many.rows if self.view.is_derived(row.type, wanted))
        cast = Many(
            type=wanted,
            rows=rows,
            entity_set=many.entity_set,
            parent=many.parent,
            navigation=many.navigation,
        )
        return self.keyed(cast, segment.key) if segment.key else cast

    # -- from an entity

    def from_one(self, one: One, segment: Segment) -> Address:
        if segment.kind is SegmentKind.REF:
            return References(of=one)
        if one.row is None:
            raise _missing("there is no entity to go on from")
        if segment.kind not in (SegmentKind.NAME, SegmentKind.QUALIFIED):
            raise CallRefused(501, "NOT_IMPLEMENTED", f"{segment.name} of an entity is not implemented")
        cast = self.schema.qualified(segment.name)
        if cast in self.view.types:
            if not self.view.is_derived(one.row.type, cast):
                raise _missing(f"the entity is no {segment.name}")
            return One(type=cast, row=one.row, entity_set=one.entity_set)
        navigation = self.view.navigations(one.row.type).get(segment.name)
        if navigation is not None:
            return self._navigated(one.row, one.entity_set, navigation, segment.key)
        prop = self.view.properties(one.row.type).get(segment.name)
        if prop is not None:
            return Value(row=one.row, prop=prop, path=(prop.name,), entity_set=one.entity_set)
        bound = self._bound(segment.name, one.row.type, on_collection=False)
        if bound:
            return Invocation(overloads=bound, bound=one, inline=segment.key)
        short = one.row.type.rpartition(".")[2]
        raise _missing(f"{short} has neither a property nor a navigation nor an operation {segment.name!r}")

    def _navigated(self, row: Row, entity_set: str, navigation: NavigationProperty, key: Key | None) -> Many | One:
        sets = self.schema.target_sets(entity_set, row.type, navigation)
        target = sets[0] if len(sets) == 1 else ""
        rows = related(self.schema, self.state, row, navigation, entity_set=entity_set)
        if navigation.multiplicity != "*":
            found = rows[0] if rows else None
            return One(
                type=found.type if found else navigation.target,
                row=found,
                entity_set=target,
                parent=row,
                navigation=navigation,
            )
        many = Many(type=navigation.target, rows=tuple(rows), entity_set=target, parent=row, navigation=navigation)
        return self.keyed(many, key) if key else many

    # -- from a property

    def from_value(self, value: Value, segment: Segment) -> Value:
        if segment.kind is SegmentKind.VALUE:
            return Value(row=value.row, prop=value.prop, path=value.path, entity_set=value.entity_set, is_raw=True)
        kind = self.view.underlying(value.prop.type)
        structured = self.view.types.get(kind)
        prop = self.view.properties(kind).get(segment.name) if not isinstance(structured, EntityType) else None
        if prop is None or value.prop.collection:
            raise _missing(f"{value.prop.name} has nothing named {segment.name!r}")
        return Value(row=value.row, prop=prop, path=(*value.path, prop.name), entity_set=value.entity_set)

    # -- operations

    def _bound(self, name: str, type_name: str, *, on_collection: bool) -> tuple[Operation, ...]:
        """Gives the overloads bound to a type or one that it derives from, the nearest first."""
        simple = name.rpartition(".")[2]
        lineage = [part.name for part in reversed(self.view.lineage(type_name))]
        found = [
            operation
            for operation in self.view.operations.get(simple, [])
            if operation.bound_to in lineage
            and operation.bound_to_collection == on_collection
            and ("." not in name or operation.name == self.schema.qualified(name))
            and not (operation.imports and operation.flavor == "function_import" and not operation.binding_parameter)
        ]
        return tuple(sorted(found, key=lambda operation: lineage.index(operation.bound_to)))

    def _linkable(self, address: Address) -> Many | One:
        if isinstance(address, Many | One):
            return address
        raise _missing("$links is followed by a navigation property")


def _missing(message: str) -> CallRefused:
    return CallRefused(404, "NOT_FOUND", message)


def _shown(values: JsonObject) -> str:
    return ", ".join(f"{name}={value!r}" for name, value in values.items())


__all__ = [
    "Address",
    "Count",
    "Invocation",
    "Many",
    "One",
    "References",
    "Root",
    "Value",
    "resolve",
]
