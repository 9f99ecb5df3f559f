"""Rows along navigation properties: found by equal values, by links, or both."""

from clew.domain.records import JsonObject, JsonValue
from clew.domain.services import NavigationProperty
from clew.mock.schema import ACTIVE, Schema
from clew.mock.state import Row, State
from clew.protocol.primitives import INTEGER_RANGES
from clew.protocol.values import comparable

SIBLING = "SiblingEntity"
SPELT_ONCE = ("Edm.String", "Edm.Guid")
"""Types whose equal values are spelt alike; moments and decimals are not."""


def related(
    schema: Schema, state: State, row: Row, navigation: NavigationProperty, *, entity_set: str = ""
) -> list[Row]:
    """Gives the rows that `navigation` leads to from `row`, in the order of their creation."""
    if navigation.name == SIBLING and schema.is_draft(row.type):
        return _siblings(schema, state, row)
    pairs = schema.pairs(row.type, navigation)
    found = state.linked(row, navigation.name)
    if pairs:
        linked = {other.number for other in found}
        tables = tables_of(schema, row, navigation, entity_set)
        found += [
            other
            for table in tables
            for other in _candidates(schema, state, row, (table, pairs))
            if other.number not in linked and _is_equal(schema, row, other, pairs)
        ]
        found = [other for other in found if _is_equal(schema, row, other, pairs)]
    else:
        found += _linked_back(schema, state, row, navigation, found)
    found.sort(key=lambda other: other.number)
    return found


def tables_of(schema: Schema, row: Row, navigation: NavigationProperty, entity_set: str = "") -> list[str]:
    """Gives the tables in which the target's rows are."""
    origin = entity_set or row.table.lstrip("=")
    sets = schema.target_sets(origin if origin in schema.view.sets else "", row.type, navigation)
    return [schema.table_of(name) for name in sets] or ["#" + navigation.target]


def parts(schema: Schema, state: State, row: Row) -> list[Row]:
    """Gives all rows that are parts of `row`, at every depth, nearest first."""
    found: list[Row] = []
    for navigation in schema.compositions(row.type):
        for child in related(schema, state, row, navigation):
            if child.number != row.number:
                found.append(child)
                found += parts(schema, state, child)
    return found


def own_values(schema: Schema, row: Row) -> JsonObject:
    """Gives the values of the row's key without those of drafts."""
    return {name: row.values.get(name) for name in schema.own_key(row.type)}


def _candidates(schema: Schema, state: State, row: Row, asked: tuple[str, tuple[tuple[str, str], ...]]) -> list[Row]:
    """Gives the rows of a table that may be equal along pairs: by the index of a value that is its own spelling."""
    table, pairs = asked
    kinds = schema.view.properties(row.type)
    for own, target in pairs:
        value = row.values.get(own)
        kind = schema.view.underlying(kinds[own].type) if own in kinds else ""
        if value is not None and own != ACTIVE and (kind in SPELT_ONCE or kind in INTEGER_RANGES):
            return state.having(table, target, value)
    return state.table(table)


def _is_equal(schema: Schema, row: Row, other: Row, pairs: tuple[tuple[str, str], ...]) -> bool:
    kinds = schema.view.properties(row.type)
    for own, target in pairs:
        value = row.values.get(own)
        kind = schema.view.underlying(kinds[own].type) if own in kinds else "Edm.String"
        if value is None or not _same(value, other.values.get(target), kind):
            return False
    return True


def _same(left: JsonValue, right: JsonValue, kind: str) -> bool:
    return left == right or (right is not None and comparable(left, kind) == comparable(right, kind))


def _linked_back(schema: Schema, state: State, row: Row, navigation: NavigationProperty, found: list[Row]) -> list[Row]:
    """Gives the rows that are linked to `row` by the partner of `navigation`."""
    partner = _partner(schema, row.type, navigation)
    if not partner:
        return []
    seen = {other.number for other in found}
    return [
        other
        for table in tables_of(schema, row, navigation)
        for other in state.table(table)
        if other.number not in seen and row.number in other.links.get(partner, ())
    ]


def _partner(schema: Schema, type_name: str, navigation: NavigationProperty) -> str:
    if navigation.partner:
        return navigation.partner
    if not navigation.relationship:
        return ""
    back = schema.view.navigations(navigation.target).values()
    return next(
        (
            other.name
            for other in back
            if other.relationship == navigation.relationship
            and (other.name != navigation.name or navigation.target != type_name)
        ),
        "",
    )


def _siblings(schema: Schema, state: State, row: Row) -> list[Row]:
    own = own_values(schema, row)
    return [
        other
        for other in state.table(row.table)
        if other.values.get(ACTIVE) != row.values.get(ACTIVE) and own_values(schema, other) == own
    ]
