"""The desk at which a handler works: the service's entities to look at and to change, in JSON terms."""

from collections.abc import Callable
from copy import deepcopy
from datetime import datetime
from typing import TypeAlias

from clew.domain.errors import CallRefused
from clew.domain.records import JsonObject, JsonValue, Record
from clew.domain.services import Operation
from clew.mock.changes import delete_row, update_row
from clew.mock.creation import Creation, Place
from clew.mock.seeding import intake_of
from clew.mock.state import Row


class OperationCall(Record, frozen=True, kw_only=True):
    """One call of an operation, as a handler sees it.

    `entity_set` and `key` name the entity that it is about: that of the URL, or for a V2 function import the one whose
    key its parameters give. `parameters` are in JSON terms, those that were not given left out.
    """

    operation: Operation
    name: str
    parameters: JsonObject
    entity_set: str = ""
    key: JsonObject = {}


class Desk:
    """What a handler may do; all of it is taken back if the handler raises."""

    def __init__(self, creation: Creation) -> None:
        self._creation = creation
        self._schema = creation.schema
        self._state = creation.state

    def now(self) -> datetime:
        """Gives the service's time."""
        return self._creation.clock()

    def entities(self, entity_set: str) -> list[JsonObject]:
        """Gives copies of all entities of a set."""
        return [deepcopy(row.values) for row in self._state.table(self._table(entity_set))]

    def find(self, entity_set: str, **values: JsonValue) -> JsonObject | None:
        """Gives a copy of the first entity with these values, `None` where there is none."""
        row = self._row(entity_set, values)
        return None if row is None else deepcopy(row.values)

    def create(self, entity_set: str, values: JsonObject) -> JsonObject:
        """Creates an entity, with what is nested in it; gives a copy with its key.

        Raises:
            CallRefused: the values do not fit the type, or the key is taken.
        """
        node = self._schema.view.sets[entity_set]
        intake = intake_of(self._schema, values, node.type)
        return deepcopy(self._creation.create(intake, Place(entity_set=entity_set)).values)

    def update(self, entity_set: str, key: JsonObject, values: JsonObject) -> JsonObject:
        """Merges values into the entity with this key; gives a copy.

        Raises:
            CallRefused: 404, there is none; 400, the values do not fit the type.
        """
        row = self._found(entity_set, key)
        intake = intake_of(self._schema, values, row.type)
        update_row(self._schema, self._state, row, intake, clock=self._creation.clock)
        return deepcopy(row.values)

    def delete(self, entity_set: str, key: JsonObject) -> None:
        """Deletes the entity with this key, and its parts.

        Raises:
            CallRefused: 404, there is none.
        """
        delete_row(self._schema, self._state, self._found(entity_set, key))

    def refuse(self, status: int, code: str, message: str) -> CallRefused:
        """Gives the error by which a handler refuses a call: `raise desk.refuse(400, "LOCKED", "…")`."""
        return CallRefused(status, code, message)

    def _table(self, entity_set: str) -> str:
        if entity_set not in self._schema.view.sets:
            raise CallRefused(500, "HANDLER", f"a handler asks for the set {entity_set!r}, which is not there")
        return self._schema.table_of(entity_set)

    def _row(self, entity_set: str, values: JsonObject) -> Row | None:
        rows = self._state.table(self._table(entity_set))
        return next((row for row in rows if all(row.values.get(k) == v for k, v in values.items())), None)

    def _found(self, entity_set: str, key: JsonObject) -> Row:
        row = self._row(entity_set, key)
        if row is None:
            raise CallRefused(404, "NOT_FOUND", f"{entity_set} has no entity with the key {key}")
        return row


Handler: TypeAlias = Callable[[Desk, OperationCall], JsonValue]
"""A user's own effect of an operation: gives the result in JSON terms, an entity as its values."""
