"""What the mock derives from a service's description: tables, keys, how entities belong together.

How two types relate along a navigation property is found in this order:

1. its referential constraint, or that of its partner;
2. equal names: for a collection the source's key properties that the target has too, as `SalesOrder` of an order and of
   its items; for a single entity the target's key properties that the source has too. It takes no part where the name
   says nothing (`ID`), between entities of one type, and for a collection where it would be the target's whole key;
3. links, which creating through the navigation, deep inserts and `@odata.bind` make.

A collection related by 1 or 2 with properties of the target's key, one between entities that have drafts, or one that
is contained or deleted along, is a *composition*: its entities need the parent, take its key values, and go with it.
In drafts `IsActiveEntity` is equal on both sides, `DraftUUID` is not.
"""

from functools import cached_property

from clew.domain.records import JsonObject, JsonValue
from clew.domain.services import EntitySet, EntityType, NavigationBinding, NavigationProperty, Property
from clew.graph.service_view import ServiceView
from clew.mock.state import KeyTuple, Row
from clew.protocol.primitives import INTEGER_RANGES
from clew.protocol.values import comparable

ACTIVE = "IsActiveEntity"
DRAFT_KEYS = frozenset({ACTIVE, "DraftUUID"})
TEMPORAL = ("Edm.Date", "Edm.DateTime", "Edm.DateTimeOffset")

_SAYS_NOTHING = frozenset({"id", "key", "code", "name", "guid", "uuid", "number", "language"})
_ABAP = ("/IWFND/", "/IWBEP/", "com.sap.gateway.")

Pairs = tuple[tuple[str, str], ...]


class Schema:
    """A service view with what the mock reckons from it, reckoned once."""

    def __init__(self, view: ServiceView) -> None:
        self.view = view
        self.version = view.service.version
        self._pairs: dict[tuple[str, str], Pairs] = {}
        self._foreign: dict[str, frozenset[str]] = {}

    @cached_property
    def has_initial_values(self) -> bool:
        """Whether fields have initial values (an ABAP back end), so that leaving out a non-nullable one is no fault."""
        service = self.view.service
        named = (*service.references, *service.namespaces)
        return not self.view.is_v4 or any(sign in name for name in named for sign in _ABAP)

    def qualified(self, name: str) -> str:
        """Gives a qualified name with its alias resolved: `SELF.Order` as `demo.Order`."""
        prefix, dot, simple = name.rpartition(".")
        return self._namespaces.get(prefix, prefix) + dot + simple

    @cached_property
    def _namespaces(self) -> dict[str, str]:
        return dict(self.view.service.aliases)

    # -- tables and keys

    def table_of(self, entity_set: str) -> str:
        """Gives the table of a set or singleton."""
        node = self.view.sets[entity_set]
        return "=" + entity_set if node.singleton else entity_set

    def target_sets(self, entity_set: str, type_name: str, navigation: NavigationProperty) -> list[str]:
        """Gives the sets that a navigation leads into; none where the entities are in no set."""
        if navigation.contains:
            return []
        bound = self._bound_set(entity_set, type_name, navigation)
        if bound:
            return [bound]
        return [node.name for node in self._sets_for(navigation.target) if not node.singleton]

    def is_insertable_along(self, entity_set: str, navigation: NavigationProperty) -> bool:
        """Whether entities may be created along a navigation: by the property itself and by the set's restrictions.

        What association sets say (`sap:creatable`) is of links alone; deep inserts go along them all the same.
        """
        node = self.view.sets.get(entity_set)
        restricted = dict(node.navigation_capabilities).get(navigation.name) if node is not None else None
        return navigation.creatable and (restricted is None or restricted.insertable)

    def _bound_set(self, entity_set: str, type_name: str, navigation: NavigationProperty) -> str:
        found = self.view.target_set(entity_set, navigation.name) if entity_set else None
        if found is not None:
            return found.name
        paths = {binding.path: binding.target for binding in self._bindings(entity_set)}
        for path, target in paths.items():
            if path.rpartition("/")[2] == navigation.name and target.rpartition("/")[2] in self.view.sets:
                return target.rpartition("/")[2]
        return ""

    def _bindings(self, entity_set: str) -> tuple[NavigationBinding, ...]:
        node = self.view.sets.get(entity_set)
        return node.bindings if node is not None else ()

    def _sets_for(self, type_name: str) -> list[EntitySet]:
        lineage = [part.name for part in self.view.lineage(type_name)]
        return [node for name in reversed(lineage) for node in self.view.sets_of_type.get(name, [])]

    def key_types(self, type_name: str) -> dict[str, str]:
        """Gives a type's key properties in order with their primitive types."""
        properties = self.view.properties(type_name)
        found: dict[str, str] = {}
        for name in self.view.key(type_name):
            prop = properties.get(name)
            found[name] = self.view.underlying(prop.type) if prop else "Edm.String"
        return found

    def key_tuple(self, type_name: str, values: JsonObject, owner: Row | None = None) -> KeyTuple:
        """Gives what a row is found by; contained entities that know no key of their owner are found below it."""
        own = tuple(comparable(values.get(name), kind) for name, kind in self.key_types(type_name).items())
        return own if owner is None else (f"^{owner.number}", *own)

    def key_values(self, row: Row) -> JsonObject:
        """Gives a row's key by name in JSON terms."""
        return {name: row.values.get(name) for name in self.view.key(row.type)}

    def is_draft(self, type_name: str) -> bool:
        """Whether entities of the type have drafts."""
        return ACTIVE in self.view.key(type_name)

    def own_key(self, type_name: str) -> list[str]:
        """Gives the key's names without those of drafts."""
        return [name for name in self.view.key(type_name) if name not in DRAFT_KEYS]

    # -- how entities belong together

    def pairs(self, type_name: str, navigation: NavigationProperty) -> Pairs:
        """Gives the (own, target) properties that are equal along a navigation; none where only links relate."""
        key = (type_name, navigation.name)
        if (known := self._pairs.get(key)) is None:
            known = self._constraint_pairs(type_name, navigation) or self._name_pairs(type_name, navigation)
            if known and self.is_draft(type_name) and self.is_draft(navigation.target):
                known = tuple(dict.fromkeys((*known, (ACTIVE, ACTIVE))))
            self._pairs[key] = known
        return known

    def _constraint_pairs(self, type_name: str, navigation: NavigationProperty) -> Pairs:
        if navigation.constraints:
            own_first = not navigation.source_is_principal
            return tuple(
                (rule.property, rule.referenced) if own_first else (rule.referenced, rule.property)
                for rule in navigation.constraints
            )
        partner = self.view.navigations(navigation.target).get(navigation.partner)
        if partner is not None and partner.constraints and not partner.source_is_principal:
            return tuple((rule.referenced, rule.property) for rule in partner.constraints)
        return ()

    def _name_pairs(self, type_name: str, navigation: NavigationProperty) -> Pairs:
        if self.view.is_derived(navigation.target, type_name) or self.view.is_derived(type_name, navigation.target):
            return ()
        if navigation.multiplicity == "*":
            leading, following = type_name, navigation.target
        else:
            leading, following = navigation.target, type_name
        wanted = self.own_key(leading)
        there = self.view.properties(following)
        shared = [name for name in wanted if name in there]
        kinds = self.key_types(leading)
        complete = all(name in shared for name in wanted if kinds[name] not in TEMPORAL and name != "Language")
        says_nothing = all(name.lower() in _SAYS_NOTHING for name in shared)
        whole_key = navigation.multiplicity == "*" and set(self.own_key(following)) <= set(shared)
        if not complete or says_nothing or whole_key:
            return ()
        return tuple((name, name) for name in shared)

    def is_composition(self, type_name: str, navigation: NavigationProperty) -> bool:
        """Whether the target's entities are parts of the source's."""
        if navigation.multiplicity != "*":
            return navigation.contains
        pairs = self.pairs(type_name, navigation)
        target_key = self.own_key(navigation.target)
        covered = {target for _, target in pairs if target in target_key}
        own_covered = {own for own, _ in pairs} & set(self.own_key(type_name))
        is_part = bool(covered) and len(covered) < len(target_key)
        if navigation.contains or navigation.on_delete == "Cascade":
            return True
        if self.view.is_derived(navigation.target, type_name) or not own_covered:
            return False
        drafts = self.is_draft(type_name) and self.is_draft(navigation.target)
        return drafts or (is_part and navigation.source_multiplicity != "*")

    def compositions(self, type_name: str) -> list[NavigationProperty]:
        """Gives the navigations of a type that lead to its parts."""
        return [nav for nav in self.view.navigations(type_name).values() if self.is_composition(type_name, nav)]

    @cached_property
    def parents(self) -> dict[str, list[tuple[str, NavigationProperty]]]:
        """For each type that is a part: (parent type, navigation) of everything that it may be a part of."""
        found: dict[str, list[tuple[str, NavigationProperty]]] = {}
        for name, node in self.view.types.items():
            if isinstance(node, EntityType) and self.view.sets_of_type.get(name):
                for navigation in self.compositions(name):
                    found.setdefault(navigation.target, []).append((name, navigation))
        return found

    def foreign(self, type_name: str) -> frozenset[str]:
        """Gives the properties of a part's key that are its parents', which the server never numbers."""
        if (known := self._foreign.get(type_name)) is None:
            key = set(self.own_key(type_name))
            named = {
                target
                for parent, navigation in self.parents.get(type_name, [])
                for _, target in self.pairs(parent, navigation)
            }
            known = self._foreign[type_name] = frozenset(named & key)
        return known

    # -- values

    def initial(self, prop: Property) -> JsonValue:
        """Gives what a property holds that nobody gave: null, or where it cannot be null its type's initial value."""
        if prop.collection:
            return []
        if prop.nullable:
            return None
        kind = self.view.underlying(prop.type)
        if kind == "Edm.Boolean":
            return False
        if kind == "Edm.String":
            return ""
        return 0 if kind in INTEGER_RANGES or kind in ("Edm.Decimal", "Edm.Double") else None
