"""Entities updated, replaced, deleted."""

from clew.domain.clocks import Clock, stamp
from clew.domain.records import JsonObject, JsonValue
from clew.domain.services import Property
from clew.mock.intake import Intake
from clew.mock.relations import parts
from clew.mock.schema import TEMPORAL, Schema
from clew.mock.state import Row, State


def update_row(schema: Schema, state: State, row: Row, intake: Intake, *, clock: Clock, replace: bool = False) -> None:
    """Takes the values of a body: merged into what is there, or in place of all that a caller may set."""
    properties = schema.view.properties(row.type)
    values: JsonObject = dict(row.values)
    if replace:
        for name, prop in properties.items():
            if _is_replaceable(schema, row, prop):
                values[name] = schema.initial(prop) if prop.default is None else prop.default
    for name, value in intake.values.items():
        values[name] = _merged(values.get(name), value, keeps=not replace and _is_complex(schema, properties, name))
    for name, prop in properties.items():
        if prop.computed and "Change" in name and schema.view.underlying(prop.type) in TEMPORAL:
            values[name] = _now(schema.view.underlying(prop.type), clock)
    state.change(row, values, row.key)


def delete_row(schema: Schema, state: State, row: Row) -> None:
    """Takes an entity away, and its parts with it."""
    for part in parts(schema, state, row):
        if part.number in state.rows:
            state.delete(part)
    state.delete(row)


def _is_replaceable(schema: Schema, row: Row, prop: Property) -> bool:
    is_key = prop.name in schema.view.key(row.type)
    return not (is_key or prop.computed or prop.immutable or not prop.updatable)


def _is_complex(schema: Schema, properties: dict[str, Property], name: str) -> bool:
    prop = properties.get(name)
    return prop is not None and not prop.collection and schema.view.underlying(prop.type) in schema.view.types


def _merged(before: JsonValue, after: JsonValue, *, keeps: bool) -> JsonValue:
    """Merges a complex value into the one that is there (OData V4, clause 11.4.3); others are replaced."""
    if keeps and isinstance(before, dict) and isinstance(after, dict):
        return {**before, **after}
    return after


def _now(kind: str, clock: Clock) -> str:
    moment = stamp(clock())
    if kind == "Edm.DateTimeOffset":
        return moment[:19] + "Z"
    return moment[:10] if kind == "Edm.Date" else moment[:19]
