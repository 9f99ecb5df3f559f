"""Which properties of one object name another one: how evidence for one order does not open the way for another.

A link between two targets (entity sets or operations) is a pair of property names: where the values are equal, the
object of the first target refers to that of the second. Links come, in this order, from

1. what the bindings say (`declared`);
2. referential constraints of navigation properties in either direction (also those of items to the other's type);
3. a key property of the second that the first one has too, by name and type, itself or in its items or parameters,
   unless that name is the first one's own key as well, so that both merely number themselves alike.

Where none is found, the objects are not compared, and evidence counts whatever it is about.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Protocol

from clew.domain.ids import entity_set_id, local_part, owner_of
from clew.domain.records import Record
from clew.domain.services import NavigationProperty, Operation
from clew.graph.service_view import ServiceView

_DEPTH = 2


class Link(Record, frozen=True, kw_only=True):
    """The property `name` of the referring object equals `referenced` of the other; `reason` says who says so."""

    name: str
    referenced: str
    reason: str = ""


class Links(Protocol):
    """Tells how objects refer to each other; targets are node ids of entity sets and operations."""

    def key_of(self, target: str) -> tuple[str, ...]:
        """Gives the key's property names, empty for an operation and for what is not known."""
        ...

    def object_of(self, operation: str) -> str:
        """Gives the entity set whose object an operation is called on, empty where that is not known."""
        ...

    def between(self, source: str, target: str) -> tuple[Link, ...]:
        """Gives how an object of `source` names one of `target`."""
        ...


class MetadataLinks:
    """Links by the services' own descriptions."""

    def __init__(
        self,
        service: Callable[[str], ServiceView | None],
        *,
        declared: Mapping[tuple[str, str], tuple[Link, ...]] | None = None,
    ) -> None:
        """Keeps where services are looked up; `declared` links by (source, target) win over what is found."""
        self._service = service
        self._declared = dict(declared or {})
        self._found: dict[tuple[str, str], tuple[Link, ...]] = {}

    def refresh(self) -> None:
        """Forgets what was found in earlier descriptions of the services."""
        self._found.clear()

    def key_of(self, target: str) -> tuple[str, ...]:
        """Gives the key's property names, empty for an operation and for what is not known."""
        view, type_name = self._type_of(target)
        return view.key(type_name) if view and type_name else ()

    def object_of(self, operation: str) -> str:
        """Gives the only set of the type that an operation is bound to, else the one whose key its parameters hold.

        Of several sets whose whole key is among the parameters, it is the one with the longest key.
        """
        view, type_name = self._type_of(operation)
        if view is None or type_name:
            return ""
        found = next((each for group in view.operations.values() for each in group if each.id == operation), None)
        if found is None:
            return ""
        return _bound_set(view, found) or _keyed_set(view, found)

    def between(self, source: str, target: str) -> tuple[Link, ...]:
        """Gives how an object of `source` names one of `target`."""
        if (source, target) in self._declared:
            return self._declared[source, target]
        found = self._found.get((source, target))
        if found is None:
            found = self._found[source, target] = tuple(dict.fromkeys(self._find(source, target)))
        return found

    def _type_of(self, target: str) -> tuple[ServiceView | None, str]:
        view = self._service(owner_of(target))
        if view is None or "#" in target.partition("/")[0]:
            return view, ""
        entity_set = view.sets.get(local_part(target))
        return view, entity_set.type if entity_set else ""

    def _find(self, source: str, target: str) -> Iterator[Link]:
        view, type_name = self._type_of(target)
        if view is None or not type_name:
            return
        key = view.key(type_name)
        if source == target:
            yield from (Link(name=name, referenced=name, reason="the same entity set's key") for name in key)
            return
        own, own_type = self._type_of(source)
        if own is not None and own.id == view.id and own_type:
            yield from _constraints(view, own_type, type_name)
        yield from self._equal_names(source, view, type_name)

    def _equal_names(self, source: str, view: ServiceView, type_name: str) -> Iterator[Link]:
        key = view.key(type_name)
        types = view.properties(type_name)
        own = self.key_of(source)
        for name, edm_type in self._names(source):
            if name in key and types[name].type == edm_type and own != key:
                yield Link(name=name, referenced=name, reason="the same name as the key")

    def _names(self, source: str) -> Iterator[tuple[str, str]]:
        """Gives (name, type) of the properties that a request to a target may hold."""
        view, type_name = self._type_of(source)
        if view is None:
            return
        if type_name:
            for part in _parts(view, type_name):
                yield from ((prop.name, prop.type) for prop in view.properties(part).values())
            return
        for overloads in view.operations.values():
            for operation in overloads:
                if operation.id == source:
                    yield from ((parameter.name, parameter.type) for parameter in operation.parameters)
                    yield from self._names(_bound_set(view, operation))


def _bound_set(view: ServiceView, operation: Operation) -> str:
    sets = view.sets_of_type.get(operation.bound_to, []) if operation.bound_to else []
    return entity_set_id(view.id, sets[0].name) if len(sets) == 1 else ""


def _keyed_set(view: ServiceView, operation: Operation) -> str:
    given = {(parameter.name, parameter.type) for parameter in operation.parameters}
    keys: dict[str, tuple[str, ...]] = {}
    for entity_set in view.sets.values():
        types = view.properties(entity_set.type)
        key = view.key(entity_set.type)
        if key and all(name in types and (name, types[name].type) in given for name in key):
            keys[entity_set.name] = key
    longest = max(map(len, keys.values()), default=0)
    named = [name for name, key in keys.items() if len(key) == longest]
    return entity_set_id(view.id, named[0]) if len(named) == 1 else ""


def _parts(view: ServiceView, type_name: str) -> list[str]:
    """Gives a type and those that its navigations to many lead to: the items of a deep insert."""
    found = [type_name]
    level = [type_name]
    for _ in range(_DEPTH):
        level = [
            navigation.target
            for part in level
            for navigation in view.navigations(part).values()
            if navigation.multiplicity == "*" and navigation.target not in found
        ]
        found += dict.fromkeys(level)
    return list(dict.fromkeys(found))


def _constraints(view: ServiceView, source: str, target: str) -> Iterator[Link]:
    for part in _parts(view, source):
        if part == target:
            continue
        for navigation in view.navigations(part).values():
            if view.is_derived(target, navigation.target):
                yield from _pairs(navigation, reverse=navigation.source_is_principal)
    for navigation in view.navigations(target).values():
        if view.is_derived(source, navigation.target) and navigation.source_is_principal:
            yield from _pairs(navigation, reverse=False)


def _pairs(navigation: NavigationProperty, *, reverse: bool) -> Iterator[Link]:
    for constraint in navigation.constraints:
        pair = (constraint.property, constraint.referenced)
        name, referenced = pair[::-1] if reverse else pair
        yield Link(name=name, referenced=referenced, reason=f"the constraint of {navigation.name}")
