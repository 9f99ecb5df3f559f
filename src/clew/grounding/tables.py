"""Per-type tables, prepared once for a service: what each name of a body is, and what its values must keep to.

A table is made for a use of a type: at the top of a request to a set or below one of its navigation or complex
properties, on create, update or replacement, or as the parameters of an operation.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum
from functools import cached_property
from typing import NamedTuple, TypeAlias

from clew.domain.records import JsonObject, JsonValue
from clew.domain.services import (
    Capabilities,
    EnumType,
    NavigationProperty,
    Operation,
    Parameter,
    Property,
    ValueHelp,
)
from clew.graph.service_view import ServiceView
from clew.grounding.faults import Fault
from clew.grounding.requirements import Requirement, filled_by_parent, keys_from_above, required_on_create

Reader: TypeAlias = Callable[[JsonValue], JsonValue]
"""Reads a JSON value into JSON terms; raises `MalformedText` where it is none of the type."""

ValueCheck: TypeAlias = Callable[[JsonValue, JsonObject], Fault | None]
"""Checks one value, read and not null, beside the other members of its object."""


class Use(StrEnum):
    """What a body is sent for."""

    CREATE = "create"
    UPDATE = "update"
    REPLACE = "replace"
    CALL = "call"
    """Parameters of an operation, and structured values in them."""


class Scope(NamedTuple):
    """Where a type is used: the set that states restrictions, and the path below it (empty at the top)."""

    entity_set: str = ""
    path: str = ""
    use: Use = Use.CREATE
    ieee754: bool = False
    parent: str = ""
    """Qualified name of the type above, whose key fills part of this one; empty where the set itself is addressed."""
    way: str = ""
    """The navigation property that leads here from the type above."""


@dataclass(slots=True, frozen=True)
class Slot:
    """A structural property or parameter as a body may hold it."""

    name: str
    prop: Property | Parameter
    read: Reader
    checks: tuple[ValueCheck, ...] = ()
    standing: tuple[Fault, ...] = ()
    """What is wrong with giving it at all, whatever its value."""
    certain: Callable[[JsonValue], bool] | None = None
    """True of values that need no further look."""
    structured: str = ""
    """Qualified name of the complex or entity type of its value; empty for a primitive one."""
    source: str = ""


@dataclass(slots=True, frozen=True)
class Way:
    """A navigation property as a body may hold it."""

    navigation: NavigationProperty
    insertable: bool = True
    source: str = ""


@dataclass(slots=True)
class Table:
    """What the members of one object may be."""

    type: str
    scope: Scope
    slots: dict[str, Slot] = field(default_factory=dict[str, Slot])
    ways: dict[str, Way] = field(default_factory=dict[str, Way])
    requirements: tuple[Requirement, ...] = ()
    open: bool = False
    key: tuple[str, ...] = ()
    units: tuple[tuple[str, str], ...] = ()
    """(amount, property that holds its unit), where a caller may give both."""
    texts: tuple[tuple[str, str], ...] = ()
    """(text, property that holds its code), where a caller may give both."""

    def labels(self) -> dict[str, str]:
        """Gives the names that a caller may give, with their labels."""
        found = {name: slot.prop.texts.label for name, slot in self.slots.items() if not slot.standing}
        return found | {name: way.navigation.texts.label for name, way in self.ways.items()}


class Spot(NamedTuple):
    """A property or parameter where a body may hold it: what the rules for values are prepared for."""

    node_id: str
    prop: Property | Parameter
    scope: Scope


class SlotRules(NamedTuple):
    """The rules for single values; `clew.grounding.rules` holds them in order."""

    reader: Callable[["Tables", Spot], Reader]
    standing: tuple[Callable[["Tables", Spot], Fault | None], ...]
    checks: tuple[Callable[["Tables", Spot], ValueCheck | None], ...]
    certain: Callable[["Tables", Spot], Callable[[JsonValue], bool] | None]


class Tables:
    """Makes and keeps the tables of one service."""

    def __init__(
        self,
        view: ServiceView,
        rules: SlotRules,
        *,
        code_lists: Mapping[str, ValueHelp] = {},
        today: Callable[[], date],
    ) -> None:
        """Prepares nothing yet. `code_lists` maps a property's node id, or the id of a list that the metadata only
        locates, to its codes; they come before those of the metadata.
        """
        self.view = view
        self.code_lists = dict(code_lists)
        self.today = today
        self._rules = rules
        self._tables: dict[tuple[str, Scope], Table] = {}
        self._parameters: dict[tuple[str, bool], Table] = {}

    def of(self, type_name: str, scope: Scope) -> Table:
        """Gives the table of a type in a scope."""
        table = self._tables.get((type_name, scope))
        if table is None:
            table = self._tables[type_name, scope] = self._make(type_name, scope)
        return table

    def of_parameters(self, operation: Operation, *, ieee754: bool = False) -> Table:
        """Gives the table of an operation's parameters."""
        table = self._parameters.get((operation.id, ieee754))
        if table is None:
            scope = Scope(use=Use.CALL, ieee754=ieee754)
            table = Table(type=operation.name, scope=scope)
            for node in operation.parameters:
                table.slots[node.name] = self._finish(Spot(f"{operation.id}/{node.name}", node, scope), ())
            self._parameters[operation.id, ieee754] = table
        return table

    def codes_of(self, spot: Spot) -> ValueHelp | None:
        """Gives the code list that a property or parameter keeps to: one that was handed in, else the metadata's."""
        named = spot.prop.value_help
        given = self.code_lists.get(spot.node_id) or self.code_lists.get(named)
        return given or (self.view.value_helps.get(named) if named else None)

    def names_parent(self, type_name: str, name: str) -> bool:
        """Whether a key property is also key of a type that leads to this one."""
        return name in self._keys_from_above.get(type_name, frozenset())

    @cached_property
    def _keys_from_above(self) -> dict[str, frozenset[str]]:
        return keys_from_above(self.view)

    def enum_of(self, prop: Property | Parameter) -> EnumType | None:
        """Gives the enumeration of a property, `None` where its type is none."""
        return self.view.enums.get(prop.type)

    def _make(self, type_name: str, scope: Scope) -> Table:
        view = self.view
        capabilities = self._capabilities(scope)
        table = Table(type=type_name, scope=scope, key=view.key(type_name))
        table.open = any(part.open for part in view.lineage(type_name))
        for part in view.lineage(type_name):
            for prop in part.properties:
                table.slots[prop.name] = self._slot(Spot(f"{part.id}/{prop.name}", prop, scope), capabilities)
        refused = self._refused_ways(scope, capabilities)
        for name, way in view.navigations(type_name).items():
            allowed = name not in refused and (way.creatable if scope.use is Use.CREATE else way.updatable)
            table.ways[name] = Way(way, insertable=allowed, source=f"{type_name}/{name} line {way.line}")
        if scope.use in {Use.CREATE, Use.REPLACE}:
            table.requirements = self._requirements(type_name, scope, capabilities)
        elif scope.use is Use.UPDATE:
            stated = capabilities.required_on_update
            table.requirements = tuple(Requirement(name=name, reason="stated") for name in stated)
        table.units = tuple(_pairs(table, lambda prop: prop.unit))
        texts = _pairs(table, lambda prop: prop.text)
        table.texts = tuple((text, code) for code, text in texts if code not in table.key)
        return table

    def _refused_ways(self, scope: Scope, capabilities: Capabilities) -> set[str]:
        """Gives the navigation properties that the set states as not to be nested, or not reached by any insert."""
        if scope.use is not Use.CREATE:
            return set(capabilities.non_updatable_navigations)
        refused = set(capabilities.non_insertable_navigations)
        node = self.view.sets.get(scope.entity_set)
        prefix = f"{scope.path}/" if scope.path else ""
        for path, stated in node.navigation_capabilities if node is not None else ():
            if path.startswith(prefix) and not stated.insertable:
                refused.add(path[len(prefix) :])
        return refused

    def _requirements(self, type_name: str, scope: Scope, capabilities: Capabilities) -> tuple[Requirement, ...]:
        way = self.view.navigations(scope.parent).get(scope.way) if scope.parent else None
        if way is not None:
            filled = filled_by_parent(self.view, scope.parent, way)
            return required_on_create(self.view, type_name, capabilities, given_by_parent=filled)
        above = frozenset[str]() if scope.path else self._keys_from_above.get(type_name, frozenset())
        return required_on_create(self.view, type_name, capabilities, names_parent=above)

    def _slot(self, spot: Spot, capabilities: Capabilities) -> Slot:
        standing = [fault for rule in self._rules.standing if (fault := rule(self, spot)) is not None]
        listed = capabilities.non_insertable if spot.scope.use is Use.CREATE else capabilities.non_updatable
        if spot.prop.name in listed and not standing:
            standing = [_restricted(spot)]
        return self._finish(spot, tuple(standing))

    def _finish(self, spot: Spot, standing: tuple[Fault, ...]) -> Slot:
        prop = spot.prop
        structured = prop.type if prop.type in self.view.types else ""
        checks = () if structured else (rule(self, spot) for rule in self._rules.checks)
        line = f" line {prop.line}" if prop.line else ""
        return Slot(
            name=prop.name,
            prop=prop,
            read=self._rules.reader(self, spot),
            checks=tuple(check for check in checks if check is not None),
            standing=standing,
            certain=None if standing or self._is_key(spot) else self._rules.certain(self, spot),
            structured=structured,
            source=f"{spot.node_id}{line}",
        )

    def _is_key(self, spot: Spot) -> bool:
        """Whether an update compares the value with the URL's key."""
        owner = spot.node_id.partition("#")[2].rpartition("/")[0]
        return spot.scope.use is not Use.CREATE and spot.prop.name in self.view.key(owner)

    def _capabilities(self, scope: Scope) -> Capabilities:
        """What the set states of the place: its own capabilities, or its restrictions of the navigation path."""
        node = self.view.sets.get(scope.entity_set)
        if node is None:
            return Capabilities()
        if not scope.path:
            return node.capabilities
        for path, capabilities in node.navigation_capabilities:
            if path == scope.path:
                return capabilities
        return _below(node.capabilities, scope.path + "/")


def _pairs(table: Table, other: Callable[[Property], str]) -> list[tuple[str, str]]:
    """Gives (property, the one that belongs to it) for those that a caller may both give."""
    return [
        (name, partner)
        for name, slot in table.slots.items()
        if isinstance(slot.prop, Property)
        and (partner := other(slot.prop)) in table.slots
        and not slot.standing
        and not table.slots[partner].standing
    ]


def _restricted(spot: Spot) -> Fault:
    name = spot.prop.name
    if spot.scope.use is Use.CREATE:
        return Fault("NOT_CREATABLE", f"{name} cannot be given on create here", expected=f"leave {name} out")
    return Fault("NOT_UPDATABLE", f"{name} cannot be changed here", expected=f"leave {name} out")


def _below(capabilities: Capabilities, prefix: str) -> Capabilities:
    """Gives what a set's lists of property paths say of the properties below a path."""
    cut = len(prefix)
    return Capabilities(
        required_on_insert=tuple(path[cut:] for path in capabilities.required_on_insert if path.startswith(prefix)),
        non_insertable=tuple(path[cut:] for path in capabilities.non_insertable if path.startswith(prefix)),
        required_on_update=tuple(path[cut:] for path in capabilities.required_on_update if path.startswith(prefix)),
        non_updatable=tuple(path[cut:] for path in capabilities.non_updatable if path.startswith(prefix)),
    )
