"""`Org.OData.Capabilities.V1`: which member of which restriction goes to which field of `Capabilities`."""

from collections.abc import Callable, Mapping
from typing import TypeAlias

from clew.domain.records import JsonObject, JsonValue
from clew.sources.odata.attributes import Fields
from clew.sources.odata.statements import Statement

ReadMember: TypeAlias = Callable[[JsonValue], object]
"""Reads a member's value; `None` where it is not a constant of the right kind (a path, a condition)."""
Members: TypeAlias = Mapping[str, tuple[str, ReadMember]]


def _flag(value: JsonValue) -> bool | None:
    return value if isinstance(value, bool) else None


def _paths(value: JsonValue) -> tuple[str, ...] | None:
    if not isinstance(value, list):
        return None
    paths = [item if isinstance(item, str) else _path(item) for item in value]
    return tuple(paths) if all(paths) else None


def _path(value: JsonValue) -> str:
    found = value.get("$Path") if isinstance(value, dict) else None
    return found if isinstance(found, str) else ""


def _expressions(value: JsonValue) -> tuple[tuple[str, str], ...] | None:
    if not isinstance(value, list):
        return None
    found: list[tuple[str, str]] = []
    for item in value:
        name = item.get("Property") if isinstance(item, dict) else None
        allowed = item.get("AllowedExpressions") if isinstance(item, dict) else None
        if not isinstance(allowed, str):
            return None
        found.append((name if isinstance(name, str) else _path(name), allowed))
    return tuple(found)


_READ: Members = {"Readable": ("readable", _flag)}
_READ_BY_KEY: Members = {"Readable": ("readable_by_key", _flag)}

RESTRICTIONS: Mapping[str, Members] = {
    "InsertRestrictions": {
        "Insertable": ("insertable", _flag),
        "RequiredProperties": ("required_on_insert", _paths),
        "NonInsertableProperties": ("non_insertable", _paths),
        "NonInsertableNavigationProperties": ("non_insertable_navigations", _paths),
    },
    "UpdateRestrictions": {
        "Updatable": ("updatable", _flag),
        "Upsertable": ("upsertable", _flag),
        "RequiredProperties": ("required_on_update", _paths),
        "NonUpdatableProperties": ("non_updatable", _paths),
        "NonUpdatableNavigationProperties": ("non_updatable_navigations", _paths),
    },
    "DeleteRestrictions": {"Deletable": ("deletable", _flag)},
    "ReadRestrictions": _READ,
    "FilterRestrictions": {
        "Filterable": ("filterable", _flag),
        "RequiresFilter": ("requires_filter", _flag),
        "RequiredProperties": ("required_in_filter", _paths),
        "NonFilterableProperties": ("non_filterable", _paths),
        "FilterExpressionRestrictions": ("filter_expressions", _expressions),
    },
    "SortRestrictions": {"Sortable": ("sortable", _flag), "NonSortableProperties": ("non_sortable", _paths)},
    "ExpandRestrictions": {"Expandable": ("expandable", _flag), "NonExpandableProperties": ("non_expandable", _paths)},
    "CountRestrictions": {"Countable": ("countable", _flag)},
    "SearchRestrictions": {"Searchable": ("searchable", _flag)},
    "TopSupported": {"": ("top_supported", _flag)},
    "SkipSupported": {"": ("skip_supported", _flag)},
    "NavigationRestrictions": {},
}
"""The empty member is the value of the term itself."""


def restrict(members: Members) -> Callable[[Statement, JsonValue], bool]:
    """Gives the rule of a restriction term."""

    def state(statement: Statement, value: JsonValue) -> bool:
        if not statement.allows("capabilities"):
            return False
        if not members:
            return _restrict_navigations(statement, value)
        if "" in members:
            value = {"": value}
        return isinstance(value, dict) and _state_members(statement.capabilities, value, members)

    return state


def _state_members(stated: Fields, value: JsonObject, members: Members) -> bool:
    is_complete = True
    for name, member in value.items():
        if name == "ReadByKeyRestrictions" and members is _READ and isinstance(member, dict):
            is_complete &= _state_members(stated, member, _READ_BY_KEY)
            continue
        entry = members.get(name)
        found = entry[1](member) if entry else None
        if entry and found is not None:
            stated[entry[0]] = found
        elif name != "@type":
            is_complete = False
    return is_complete


def _restrict_navigations(statement: Statement, value: JsonValue) -> bool:
    """States `NavigationRestrictions/RestrictedProperties` per navigation path."""
    if not isinstance(value, dict):
        return False
    restricted = value.get("RestrictedProperties")
    is_complete = all(name in {"RestrictedProperties", "@type"} for name in value)
    for item in restricted if isinstance(restricted, list) else ():
        navigation = item.get("NavigationProperty") if isinstance(item, dict) else None
        path = navigation if isinstance(navigation, str) else _path(navigation)
        if not path or not isinstance(item, dict):
            return False
        stated: Fields = {}
        for name, member in item.items():
            members = {"": member} if name in {"TopSupported", "SkipSupported"} else member
            if name in RESTRICTIONS and name != "NavigationRestrictions" and isinstance(members, dict):
                is_complete &= _state_members(stated, members, RESTRICTIONS[name])
            elif name not in {"NavigationProperty", "@type"}:
                is_complete = False
        if stated:
            statement.navigation_capabilities.setdefault(path, {}).update(stated)
    return is_complete
