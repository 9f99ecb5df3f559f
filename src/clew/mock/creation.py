"""Entities created, with their parts, their defaults and what the server fills in."""

from clew.domain.clocks import Clock, stamp
from clew.domain.errors import CallRefused
from clew.domain.records import JsonObject, JsonValue, Record
from clew.domain.services import NavigationProperty, Property
from clew.mock.intake import Intake
from clew.mock.numbering import Numbering, Surroundings, make_key, note_number
from clew.mock.relations import SPELT_ONCE, related
from clew.mock.schema import ACTIVE, TEMPORAL, Schema
from clew.mock.state import Row, State
from clew.protocol.values import comparable

LANGUAGE = "EN"
"""The language of the mock's user."""

_INDEX_NAMES = ("LineNum", "LineNumber", "VisualOrder")


class Place(Record, frozen=True, kw_only=True):
    """Where to create: a set (empty where the entities are in none), and the parent with the way from it."""

    entity_set: str = ""
    parent: Row | None = None
    navigation: NavigationProperty | None = None
    check_required: tuple[str, ...] = ()
    """What the set says is required on insert."""


class Creation:
    """Creates entities in a state, by the rules of a schema."""

    def __init__(self, schema: Schema, state: State, clock: Clock, numbering: Numbering) -> None:
        self.schema = schema
        self.state = state
        self.clock = clock
        self.numbering = numbering
        self.is_strict = True
        """Whether a part needs its parent, an entity what is required; seed data comes in any order and in part."""

    def create(self, intake: Intake, place: Place) -> Row:
        """Creates an entity and all that is nested in it; the caller opens the transaction.

        Raises:
            CallRefused: 400 (a key, a parent or a required value is missing), 409 (the key is taken).
        """
        schema = self.schema
        table = self._table(place, intake.type)
        values = dict(intake.values)
        above = place.parent
        if place.parent is not None and place.navigation is not None:
            self._inherit(values, place.parent, place.navigation)
        elif self.is_strict:
            above = self._check_parent(values, intake.type)
        where = Surroundings(
            schema=schema,
            state=self.state,
            numbering=self.numbering,
            clock=self.clock,
            table=table,
            parent=place.parent,
            siblings=tuple(self._siblings(values, intake.type, place, table)),
        )
        given = dict(values)
        values.update(make_key(where, intake.type, values))
        self._fill(values, intake, place, above)
        owner = place.parent if self._is_owned(place, intake.type) else None
        key = schema.key_tuple(intake.type, values, owner)
        if self.state.find(table, key) is not None:
            raise CallRefused(409, "KEY_EXISTS", f"{table} has an entity with this key already")
        self._note_numbers(table, intake.type, given)
        row = self.state.insert((table, intake.type), key, values)
        if place.parent is not None and place.navigation is not None:
            self.state.link(place.parent, place.navigation.name, row)
        self._create_nested(row, intake, place)
        return row

    def _table(self, place: Place, type_name: str) -> str:
        if place.entity_set:
            return self.schema.table_of(place.entity_set)
        target = place.navigation.target if place.navigation else type_name
        return "#" + target

    def _is_owned(self, place: Place, type_name: str) -> bool:
        """Whether the key says nothing of the parent, so that it is unique below the parent alone."""
        if place.parent is None or place.navigation is None or place.entity_set:
            return False
        pairs = self.schema.pairs(place.parent.type, place.navigation)
        key = self.schema.view.key(type_name)
        return place.navigation.contains and not any(target in key for _, target in pairs)

    def _inherit(self, values: JsonObject, parent: Row, navigation: NavigationProperty) -> None:
        kinds = self.schema.view.properties(navigation.target)
        for own, target in self.schema.pairs(parent.type, navigation):
            value = parent.values.get(own)
            if target not in kinds or value is None:
                continue
            kind = self.schema.view.underlying(kinds[target].type)
            if values.get(target) not in (None, "") and comparable(values[target], kind) != comparable(value, kind):
                message = f"{target} is {values[target]!r}, but that of the entity above is {value!r}"
                raise CallRefused(400, "PARENT_DIFFERS", message, target)
            values[target] = value

    def _check_parent(self, values: JsonObject, type_name: str) -> Row | None:
        """Finds the parent of a part that is created by itself.

        Where it might be a part of several things, one of them is enough.

        Raises:
            CallRefused: 400, none is there.
        """
        candidates = [
            (parent, navigation)
            for parent, navigation in self.schema.parents.get(type_name, [])
            if all(
                values.get(target) not in (None, "")
                for _, target in self.schema.pairs(parent, navigation)
                if target != ACTIVE
            )
        ]
        named: list[str] = []
        for parent, navigation in candidates:
            pairs = [pair for pair in self.schema.pairs(parent, navigation) if pair[1] != ACTIVE]
            if not pairs:
                return None
            found = self._any_parent(parent, pairs, values)
            if found is not None:
                if self.schema.is_draft(type_name) and ACTIVE in found.values:
                    values.setdefault(ACTIVE, found.values[ACTIVE])
                return found
            named.append(", ".join(f"{own} {values[target]!r}" for own, target in pairs))
        if named:
            raise CallRefused(400, "PARENT_MISSING", f"there is nothing with {named[0]} that this could be a part of")
        return None

    def _any_parent(self, type_name: str, pairs: list[tuple[str, str]], values: JsonObject) -> Row | None:
        kinds = self.schema.view.properties(type_name)
        own_first, target_first = pairs[0]
        for node in self.schema.view.sets_of_type.get(type_name, []):
            table = self.schema.table_of(node.name)
            is_indexed = kinds[own_first].type in SPELT_ONCE
            rows = self.state.having(table, own_first, values[target_first]) if is_indexed else self.state.table(table)
            for row in rows:
                if all(
                    comparable(row.values.get(own), kinds[own].type) == comparable(values[target], kinds[own].type)
                    for own, target in pairs
                ):
                    return row
        return None

    def _siblings(self, values: JsonObject, type_name: str, place: Place, table: str) -> list[Row]:
        if place.parent is not None and place.navigation is not None:
            return related(self.schema, self.state, place.parent, place.navigation)
        foreign = sorted(self.schema.foreign(type_name))
        if not foreign:
            return []
        first = values.get(foreign[0])
        rows = (
            self.state.table(table) if isinstance(first, list | dict) else self.state.having(table, foreign[0], first)
        )
        return [row for row in rows if all(row.values.get(name) == values.get(name) for name in foreign)]

    def _note_numbers(self, table: str, type_name: str, given: JsonObject) -> None:
        properties = self.schema.view.properties(type_name)
        for name in self.schema.own_key(type_name):
            if name in properties and given.get(name) is not None:
                note_number(self.state, table, properties[name], given[name])

    # -- what nobody gave

    def _fill(self, values: JsonObject, intake: Intake, place: Place, above: Row | None) -> None:
        linked = {link.navigation.name for link in intake.links} | {part.navigation.name for part in intake.nested}
        required = set(place.check_required)
        for name, prop in self.schema.view.properties(intake.type).items():
            if name not in values:
                self._fill_one(values, prop, intake.type)
            if values.get(name) is None and prop.field_control == "Mandatory" and self.schema.is_draft(intake.type):
                values[name] = self._of_surroundings(prop, above)
            if self.is_strict and values.get(name) is None and self._is_missing(prop, intake.type, linked, required):
                raise CallRefused(400, "REQUIRED", f"{name} is required", name)
            if values.get(name) is None and (initial := self.schema.initial(prop)) is not None:
                values[name] = initial
            if prop.collection and isinstance(values.get(name), list):
                self._number_lines(values, prop, intake.type)
        if self.schema.is_draft(intake.type) and values.get(ACTIVE) is False:
            properties = self.schema.view.properties(intake.type)
            for flag in ("HasActiveEntity", "HasDraftEntity"):
                if flag in properties:
                    values.setdefault(flag, False)

    def _fill_one(self, values: JsonObject, prop: Property, type_name: str) -> None:
        made = self._default(prop)
        if made is None:
            made = self._of_server(prop, type_name, values)
        if made is not None:
            values[prop.name] = made

    def _of_surroundings(self, prop: Property, above: Row | None) -> JsonValue:
        """Gives what a draft's mandatory field starts with: the parent's field of that name, the user's language."""
        if prop.name == "Language":
            return LANGUAGE
        return above.values.get(prop.name) if above is not None else None

    def _default(self, prop: Property) -> JsonValue:
        if prop.default is None or prop.collection:
            return None
        kind = self.schema.view.underlying(prop.type)
        if kind == "Edm.Boolean":
            return prop.default == "true"
        if kind.startswith(("Edm.Int", "Edm.Byte", "Edm.SByte")):
            return int(prop.default) if prop.default.lstrip("-").isdigit() else None
        return prop.default

    def _of_server(self, prop: Property, type_name: str, values: JsonObject) -> JsonValue:
        """Gives what a server fills in: times of creation and change, the state of a new document, its number."""
        kind = self.schema.view.underlying(prop.type)
        enum = self.schema.view.enums.get(kind)
        if enum is not None and prop.name.endswith("Status"):
            return next((m.name for m in enum.members if m.name.lower().endswith(("open", "opened"))), None)
        is_stamp = "Creat" in prop.name or "Change" in prop.name
        if kind in TEMPORAL and (prop.computed or (is_stamp and not prop.creatable)):
            return self._now(kind)
        if prop.name == "DocDate" and kind in TEMPORAL:
            return self._now(kind)
        if prop.name == "DocNum" and isinstance(values.get("DocEntry"), int):
            return values["DocEntry"]
        return None

    def _now(self, kind: str) -> str:
        moment = stamp(self.clock())
        if kind == "Edm.DateTimeOffset":
            return moment[:19] + "Z"
        return moment[:10] if kind == "Edm.Date" else moment[:10] + "T00:00:00"

    def _is_missing(self, prop: Property, type_name: str, linked: set[str], required: set[str]) -> bool:
        if prop.name in required:
            return not self._is_linked(prop, type_name, linked)
        if prop.field_control == "Mandatory" and prop.creatable and not self.schema.is_draft(type_name):
            return True
        by_server = prop.computed or prop.computed_default or prop.collection or not prop.creatable
        if prop.nullable or by_server or self.schema.has_initial_values:
            return False
        return prop.default is None and not self._is_linked(prop, type_name, linked)

    def _is_linked(self, prop: Property, type_name: str, linked: set[str]) -> bool:
        navigations = self.schema.view.navigations(type_name)
        return any(
            prop.name == own
            for name in linked
            if name in navigations
            for own, _ in self.schema.pairs(type_name, navigations[name])
        )

    def _number_lines(self, values: JsonObject, prop: Property, type_name: str) -> None:
        """Numbers the lines of a document that holds them as complex values, as Business One does."""
        lines = values[prop.name]
        members = self.schema.view.properties(prop.type)
        if not members or not isinstance(lines, list):
            return
        shared = [name for name in self.schema.view.key(type_name) if name in members]
        for index, line in enumerate(lines):
            if isinstance(line, dict):
                for name in _INDEX_NAMES:
                    if name in members:
                        line.setdefault(name, index)
                for name in shared:
                    line.setdefault(name, values.get(name))

    # -- what is nested

    def _create_nested(self, row: Row, intake: Intake, place: Place) -> None:
        for part in intake.nested:
            navigation = part.navigation
            sets = self.schema.target_sets(place.entity_set, row.type, navigation)
            for entity in part.entities:
                child_place = Place(entity_set=sets[0] if sets else "", parent=row, navigation=navigation)
                child = self.create(entity, child_place)
                self._take_from(row, child, navigation)

    def _take_from(self, row: Row, child: Row, navigation: NavigationProperty) -> None:
        """Gives a row the foreign key of the single entity that was created along with it."""
        if navigation.multiplicity == "*":
            return
        taken = {
            own: child.values.get(target)
            for own, target in self.schema.pairs(row.type, navigation)
            if row.values.get(own) is None
        }
        if taken:
            self.state.change(row, {**row.values, **taken}, row.key)
