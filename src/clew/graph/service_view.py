"""`ServiceView`: one service's nodes, indexed by name, with inheritance resolved. The validator, the mock, the
specification and the cards all read services through it."""

from collections.abc import Iterable
from functools import cached_property

from clew.domain.facts import Node
from clew.domain.services import (
    ComplexType,
    EntitySet,
    EntityType,
    EnumType,
    NavigationProperty,
    Operation,
    Property,
    Service,
    ServiceNode,
    StructuredType,
    ValueHelp,
)

PRIMITIVE = "Edm."


class ServiceView:
    """A read-only view of one service.

    Names are as the service gives them: sets by simple name, types by qualified name, operations by simple name (with
    all overloads), code lists by node id.
    """

    def __init__(self, service: Service, nodes: Iterable[Node], *, version: str = "") -> None:
        """Indexes the service's `nodes`; `version` identifies this state of the description (a content hash)."""
        self.service = service
        self.version = version
        self.sets: dict[str, EntitySet] = {}
        self.types: dict[str, EntityType | ComplexType] = {}
        self.enums: dict[str, EnumType] = {}
        self.operations: dict[str, list[Operation]] = {}
        self.value_helps: dict[str, ValueHelp] = {}
        for node in nodes:
            self._place(node)

    def _place(self, node: Node) -> None:
        match node:
            case EntitySet():
                self.sets[node.name] = node
            case EntityType() | ComplexType():
                self.types[node.name] = node
            case EnumType():
                self.enums[node.name] = node
            case ValueHelp():
                self.value_helps[node.id] = node
            case Operation():
                for name in dict.fromkeys((node.name.rpartition(".")[2], *node.imports)):
                    self.operations.setdefault(name, []).append(node)
            case _:
                pass

    @property
    def id(self) -> str:
        """The service's name (its owner name, not its node id)."""
        return self.service.service

    @property
    def is_v4(self) -> bool:
        """Whether literals, options and bodies are written as in OData V4."""
        return self.service.version.startswith("V4")

    def type_of(self, entity_set: str) -> EntityType | None:
        """Gives the entity type of a set, `None` where the set or its type is not there."""
        node = self.sets.get(entity_set)
        found = self.types.get(node.type) if node else None
        return found if isinstance(found, EntityType) else None

    def lineage(self, type_name: str) -> list[EntityType | ComplexType]:
        """Gives the type and its base types, root first; a cycle or a missing base ends it."""
        chain: list[EntityType | ComplexType] = []
        seen: set[str] = set()
        name = type_name
        while name and name not in seen and (found := self.types.get(name)):
            seen.add(name)
            chain.append(found)
            name = found.base
        return chain[::-1]

    def properties(self, type_name: str) -> dict[str, Property]:
        """Gives all properties of a type by name, inherited ones first."""
        if (known := self._properties.get(type_name)) is None:
            known = {prop.name: prop for part in self.lineage(type_name) for prop in part.properties}
            self._properties[type_name] = known
        return known

    def navigations(self, type_name: str) -> dict[str, NavigationProperty]:
        """Gives all navigation properties of a type by name, inherited ones first."""
        if (known := self._navigations.get(type_name)) is None:
            known = {nav.name: nav for part in self.lineage(type_name) for nav in part.navigations}
            self._navigations[type_name] = known
        return known

    def key(self, type_name: str) -> tuple[str, ...]:
        """Gives the key's property paths; the nearest declaration, root first, wins."""
        for part in self.lineage(type_name):
            if isinstance(part, EntityType) and part.key:
                return part.key
        return ()

    def is_derived(self, type_name: str, base: str) -> bool:
        """Whether `type_name` is `base` or extends it."""
        return any(part.name == base for part in self.lineage(type_name))

    def derived_of(self, base: str) -> list[StructuredType]:
        """Gives the types that extend `base`, itself left out."""
        return [found for name, found in self.types.items() if name != base and self.is_derived(name, base)]

    def qualified(self, name: str) -> str:
        """Gives a qualified name with its schema's alias replaced by the namespace."""
        head, dot, rest = name.rpartition(".")
        return self._aliases.get(head, head) + dot + rest

    def underlying(self, type_name: str) -> str:
        """Gives the primitive type behind a type definition, or the name itself."""
        return self._definitions.get(type_name, type_name)

    def value_help_of(self, prop: Property) -> ValueHelp | None:
        """Gives the code list of a property: its own, or that of its enum type."""
        if prop.value_help:
            return self.value_helps.get(prop.value_help)
        enum = self.enums.get(prop.type)
        return self.value_helps.get("codes:" + enum.id.partition(":")[2]) if enum else None

    def target_set(self, entity_set: str, navigation: str) -> EntitySet | None:
        """Gives the set that following `navigation` from `entity_set` leads into.

        By the set's navigation binding (V4) or association set (V1-V3), else by being the only set of the target type.
        """
        node = self.sets.get(entity_set)
        if node is None:
            return None
        for binding in node.bindings:
            if binding.path == navigation:
                return self.sets.get(binding.target.rpartition("/")[2])
        nav = self.navigations(node.type).get(navigation)
        candidates = self.sets_of_type.get(nav.target, []) if nav else []
        return candidates[0] if len(candidates) == 1 else None

    @cached_property
    def sets_of_type(self) -> dict[str, list[EntitySet]]:
        """The sets by the qualified name of their type."""
        found: dict[str, list[EntitySet]] = {}
        for node in self.sets.values():
            found.setdefault(node.type, []).append(node)
        return found

    @cached_property
    def _properties(self) -> dict[str, dict[str, Property]]:
        return {}

    @cached_property
    def _navigations(self) -> dict[str, dict[str, NavigationProperty]]:
        return {}

    @cached_property
    def _aliases(self) -> dict[str, str]:
        return dict(self.service.aliases)

    @cached_property
    def _definitions(self) -> dict[str, str]:
        return dict(self.service.type_definitions)

    @classmethod
    def of(cls, nodes: Iterable[Node], *, version: str = "") -> "ServiceView":
        """Makes a view of the one service among `nodes`.

        Raises:
            ValueError: there is no service among them, or more than one.
        """
        listed = list(nodes)
        services = [node for node in listed if isinstance(node, Service)]
        if len(services) != 1:
            raise ValueError(f"one service expected, {len(services)} found")
        return cls(services[0], listed, version=version)


def nodes_of(view: ServiceView) -> list[ServiceNode]:
    """Gives every stored node of the service, the service first."""
    operations = {node.id: node for group in view.operations.values() for node in group}
    return [
        view.service,
        *view.sets.values(),
        *view.types.values(),
        *view.enums.values(),
        *operations.values(),
        *view.value_helps.values(),
    ]
