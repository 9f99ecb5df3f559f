"""What an entity set is among the others of its service: a document, a part of one, a list of values, machinery."""

from collections.abc import Iterable, Sequence
from enum import IntEnum
from pathlib import Path
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from clew.domain.services import EntitySet, NavigationProperty, Property
from clew.graph.service_view import ServiceView
from clew.index.arrays import Adjacency, open_array

_FEW_PROPERTIES = 3


class Role(IntEnum):
    """What a set is, by its structure alone."""

    PLAIN = 0
    """Stands by itself, and can be created."""
    ROOT = 1
    """Has parts: a header."""
    PART = 2
    """Belongs to another set, whose key its own key extends, or to which it leads back."""
    VALUES = 3
    """Lists values for properties of others, and cannot be changed."""
    VIEW = 4
    """Can only be read, and has no parts."""
    MACHINERY = 5
    """Serves the protocol: what a function returns, administrative records of drafts."""


class SetNode(NamedTuple):
    """What the structure of sets is reckoned from."""

    view: ServiceView
    node: EntitySet


class SetStructure:
    """Roles of entity sets, and how they hang together by navigation; sets are numbered as in their layer."""

    def __init__(self, roles: NDArray[np.int8], parents: Adjacency, parts: Adjacency, links: Adjacency) -> None:
        """Takes `roles` of shape `(sets,)`; `links` are all navigations, `parents` and `parts` those of containment."""
        self.roles = roles
        self.parents = parents
        self.parts = parts
        self.links = links

    @classmethod
    def build(cls, sets: Sequence[SetNode]) -> Self:
        """Reads the structure off the services' descriptions."""
        number = {entry.node.id: position for position, entry in enumerate(sets)}
        ways = [_ways(entry, number) for entry in sets]
        parts = [_parts(sets, position, listed, ways) for position, listed in enumerate(ways)]
        parents: list[list[int]] = [[] for _ in sets]
        for position, listed in enumerate(parts):
            for part in listed:
                parents[part].append(position)
        links = [[target for target, _ in listed] for listed in ways]
        reached = np.bincount([target for listed in links for target in listed] or [0], minlength=len(sets))
        values, results = _value_lists(sets), _results(sets)
        roles = [
            _role(
                entry,
                (parts[position], parents[position]),
                is_list=entry.node.id in values,
                is_result=entry.node.type in results and not reached[position],
            )
            for position, entry in enumerate(sets)
        ]
        made = (Adjacency.build(listed) for listed in (parents, parts, links))
        return cls(np.array(roles, dtype=np.int8), *made)

    def save(self, folder: Path) -> None:
        """Writes its files into a folder."""
        np.save(folder / "roles.npy", self.roles)
        for name in ("parents", "parts", "links"):
            getattr(self, name).save(folder, name)

    @classmethod
    def open(cls, folder: Path) -> Self:
        """Opens what `save` wrote, memory-mapped."""
        listed = (Adjacency.open(folder, name) for name in ("parents", "parts", "links"))
        return cls(open_array(folder / "roles.npy", np.int8), *listed)


Way = tuple[int, NavigationProperty]


def _ways(entry: SetNode, number: dict[str, int]) -> list[Way]:
    """Gives the sets that the navigations of a set lead into, itself left out, each once, to-many ways first."""
    found: dict[int, NavigationProperty] = {}
    navigations = entry.view.navigations(entry.node.type)
    for name, navigation in sorted(navigations.items(), key=lambda item: item[1].multiplicity != "*"):
        target = entry.view.target_set(entry.node.name, name)
        if target is not None and target.id != entry.node.id:
            found.setdefault(number[target.id], navigation)
    return list(found.items())


def _parts(sets: Sequence[SetNode], position: int, ways: list[Way], all_ways: Sequence[list[Way]]) -> list[int]:
    key = _key(sets[position])
    found: list[int] = []
    for target, navigation in ways:
        leads_back = any(way == position and back.multiplicity != "*" for way, back in all_ways[target])
        extends_key = bool(key) and key < _key(sets[target])
        if navigation.contains or extends_key or (navigation.multiplicity == "*" and leads_back):
            found.append(target)
    return found


def _key(entry: SetNode) -> frozenset[str]:
    return frozenset(entry.view.key(entry.node.type))


def _value_lists(sets: Iterable[SetNode]) -> set[str]:
    """Gives the ids of the sets that lists of values are taken from."""
    views = {entry.view.id: entry.view for entry in sets}
    found: set[str] = set()
    for view in views.values():
        for listed in view.value_helps.values():
            entity_set = view.sets.get(listed.collection)
            if entity_set is not None and not listed.collection_service:
                found.add(entity_set.id)
    return found


def _results(sets: Iterable[SetNode]) -> set[str]:
    """Gives the qualified names of the types that operations return and are not bound to."""
    views = {entry.view.id: entry.view for entry in sets}
    operations = [operation for view in views.values() for group in view.operations.values() for operation in group]
    return {operation.returns for operation in operations} - {operation.bound_to for operation in operations}


def _role(entry: SetNode, kin: tuple[list[int], list[int]], *, is_list: bool, is_result: bool) -> Role:
    node = entry.node
    parts, parents = kin
    can_create = node.capabilities.insertable
    stands_alone = not parts and not parents
    if node.name.rpartition("_")[2] == "DraftAdministrativeData":
        return Role.MACHINERY
    if is_list and (stands_alone or not can_create) and node.draft is None:
        return Role.VALUES
    if parents:
        return Role.PART
    if parts:
        return Role.ROOT
    if not can_create:
        return Role.VIEW
    telling = [prop for prop in entry.view.properties(node.type).values() if tells(prop)]
    return Role.MACHINERY if is_result and len(telling) <= _FEW_PROPERTIES else Role.PLAIN


_CONTROL_ENDINGS = ("_fc", "_ac", "_oc", "_pc")
"""Of properties that say what may be done with another property, action or navigation just now."""


def tells(prop: Property) -> bool:
    """Whether a property says something of the matter itself, and not only of what may be done with it."""
    return not prop.name.endswith(_CONTROL_ENDINGS) and prop.type != "Edm.Guid" and "UUID" not in prop.name
