"""Rule: every name of the body is one that its type has, with a value of its shape, down through deep inserts.

Deep insert goes along navigation properties (OData V4 Protocol 4.01, clause 11.4.2.2; MS-ODATA 2.2.6.3): an array for
many, an object for one; V1 to V3 also take `{"results": […]}`.
"""

from collections.abc import Iterable
from decimal import Decimal

from clew.domain.errors import MalformedText
from clew.domain.records import JsonObject, JsonValue
from clew.domain.services import Parameter, Property
from clew.grounding.faults import Fault, Path, Repair, pointer_of, readable, warning
from clew.grounding.rules.types import is_lenient_integer, mended
from clew.grounding.rules.unknown_names import unknown_name, unlisted_member
from clew.grounding.subject import UPDATES, Entry, Link, Subject
from clew.grounding.tables import Scope, Slot, Table, Use, Way
from clew.grounding.wording import example_of, type_text

_V2_CONTROL = {"__metadata", "__deferred", "__count", "__next"}
_LINK_PARTS = {"__metadata", "__deferred", "uri"}


def check_payload(subject: Subject) -> Iterable[Fault]:
    """Walks the body; leaves an entry for each object in it to the rules that look at whole objects."""
    if not subject.has_body or not isinstance(subject.body, dict):
        return ()
    step = subject.last
    table = None
    if subject.operation is not None:
        table = subject.tables.of_parameters(subject.operation, ieee754=subject.ieee754)
    elif step is not None and step.type in subject.view.types:
        table = subject.tables.of(step.type, subject.scope())
    if table is None:
        return ()
    walk = _Walk(subject)
    walk.walk_object(subject.body, table, ())
    return walk.faults


class _Walk:
    """One walk through a body: faults and entries in the order in which they are met."""

    def __init__(self, subject: Subject) -> None:
        self.subject = subject
        self.view = subject.view
        self.tables = subject.tables
        self.faults: list[Fault] = []
        self.key = subject.key
        self.updates = subject.method in UPDATES

    def add(self, fault: Fault, path: Path, source: str = "") -> None:
        """Keeps a fault of a value with its place; a repair of the value learns its place, too."""
        repair = fault.repair
        if repair is not None and not repair.path and repair.kind in {"value", "drop"}:
            repair = repair._replace(path=path)
        pointer = fault.pointer or pointer_of(path)
        self.faults.append(fault._replace(pointer=pointer, source=fault.source or source, repair=repair))

    def walk_object(self, members: JsonObject, table: Table, path: Path) -> None:
        table = self._as_stated(members, table, path)
        entry = Entry(path, members, table)
        self.subject.entries.append(entry)
        slots = table.slots
        for name, value in members.items():
            slot = slots.get(name)
            if slot is not None:
                if slot.certain is not None and slot.certain(value):
                    continue
                for fault in slot.standing:
                    self.add(fault, (*path, name), slot.source)
                self.value(slot, value, members, (*path, name), table)
            elif name in table.ways:
                if isinstance(value, dict) and "__metadata" in value:
                    self.subject.links.append(Link(entry, name, value))
                self.navigation(table.ways[name], value, table, (*path, name))
            elif "@" in name or name in _V2_CONTROL or (name.startswith("odata.") and not self.view.is_v4):
                self.control(name, value, entry)
            else:
                self.unknown(name, members, table, path)

    def _as_stated(self, members: JsonObject, table: Table, path: Path) -> Table:
        """Takes the derived type that `@odata.type` states."""
        stated = members.get("@odata.type", members.get("@type", members.get("odata.type")))
        if not isinstance(stated, str):
            return table
        name = self.view.qualified(stated.rpartition("#")[2])
        if name == table.type:
            return table
        if name in self.view.types and self.view.is_derived(name, table.type):
            return self.tables.of(name, table.scope)
        message = f"{stated} is no type derived from {table.type}"
        self.add(Fault("TYPE_UNKNOWN", message), (*path, "@odata.type"))
        return table

    def control(self, name: str, value: JsonValue, entry: Entry) -> None:
        """Lets control information pass; annotations of names that are not there are reported like the names."""
        target, at, term = name.partition("@")
        table, path = entry.table, entry.path
        is_link = term in {"odata.bind", "bind"}
        if is_link and not target:
            self.add(Fault("BIND_SYNTAX", "@odata.bind follows the name of a navigation property"), (*path, name))
        elif at and target and target not in table.slots and target not in table.ways and not table.open:
            self.unknown(target, {}, table, path, shown=name)
        elif is_link and target in table.slots:
            message = f"{target} is no navigation property and links to nothing"
            self.add(Fault("BIND_SYNTAX", message, expected=f'"{target}": its value'), (*path, name))
        elif is_link:
            self.subject.links.append(Link(entry, name, value))

    def unknown(self, name: str, members: JsonObject, table: Table, path: Path, *, shown: str = "") -> None:
        fault = unknown_name(name, members, table, path, shown=shown)
        if fault is not None:
            self.faults.append(fault)

    def value(self, slot: Slot, value: JsonValue, members: JsonObject, path: Path, table: Table) -> None:
        prop = slot.prop
        if prop.collection:
            self._collection(slot, value, members, path, table)
        elif value is None:
            if not prop.nullable and not self._may_be_null(prop):
                self.add(self._null(slot, path), path, slot.source)
        elif slot.structured:
            self._structured(slot, value, path, table)
        else:
            self._single(slot, value, members, path)

    def _may_be_null(self, prop: Property | Parameter) -> bool:
        """A computed property that the service ignores anyway may be null."""
        return isinstance(prop, Property) and prop.computed

    def _null(self, slot: Slot, path: Path) -> Fault:
        message = f"{readable(path)} must not be null"
        return Fault("NULL_NOT_ALLOWED", message, expected=f"{type_text(self.view, slot.prop)}, or leave it out")

    def _single(self, slot: Slot, value: JsonValue, members: JsonObject, path: Path) -> None:
        try:
            terms = slot.read(value)
        except MalformedText as error:
            self.add(self._mistyped(slot, value, path, error), path, slot.source)
            return
        for check in slot.checks:
            fault = check(terms, members)
            if fault is not None:
                self.add(fault, path, slot.source)
                return
        if self.updates and len(path) == 1 and self.key.get(slot.name, terms) != terms:
            message = f"{slot.name} is part of the key and does not change; the service ignores another value"
            self.add(warning("KEY_IGNORED", message, expected=f"leave {slot.name} out"), path, slot.source)
        if type(value) is Decimal and is_lenient_integer(value, self.view.underlying(slot.prop.type)):
            message = f"{readable(path)} has no fraction; not every service takes {value} for {int(value)}"
            self.add(warning("INTEGER_WITH_POINT", message, expected=str(int(value))), path, slot.source)

    def _mistyped(self, slot: Slot, value: JsonValue, path: Path, error: MalformedText) -> Fault:
        prop = slot.prop
        expected = f"{type_text(self.view, prop)}, for example {example_of(self.view, prop)}"
        message = f"{readable(path)}: {error}"
        enum = self.tables.enum_of(prop)
        if enum is not None:
            return unlisted_member(message, value, enum, error)
        primitive = self.view.underlying(prop.type)
        spelt = mended(value, primitive, self.view.service.version, ieee754=self.subject.ieee754)
        is_mended = type(spelt) is not type(value) or spelt != value
        repair = Repair("value", value=spelt) if is_mended else None
        return Fault(error.code, message, expected=expected, repair=repair)

    def _structured(self, slot: Slot, value: JsonValue, path: Path, table: Table) -> None:
        if not isinstance(value, dict):
            message = f"{readable(path)} is an object of type {slot.structured}"
            self.add(Fault("JSON_TYPE", message, expected="{…}"), path, slot.source)
            return
        self.walk_object(value, self.tables.of(slot.structured, _below(table.scope, slot.name)), path)

    def _collection(self, slot: Slot, value: JsonValue, members: JsonObject, path: Path, table: Table) -> None:
        value = self._unwrapped(value, path, slot.source)
        if not isinstance(value, list):
            shown = "null" if value is None else "a single value"
            message = f"{readable(path)} is a collection: an array, not {shown}"
            repair = None if value is None or isinstance(value, dict) else Repair("value", value=[value])
            self.add(Fault("COLLECTION_EXPECTED", message, expected="[…]", repair=repair), path, slot.source)
            return
        for index, item in enumerate(value):
            place = (*path, index)
            if item is None and not slot.prop.nullable:
                self.add(self._null(slot, place), place, slot.source)
            elif item is not None and slot.structured:
                self._structured(slot, item, place, table)
            elif item is not None:
                self._single(slot, item, members, place)

    def _unwrapped(self, value: JsonValue, path: Path, source: str) -> JsonValue:
        """Gives the array inside of `{"results": […]}`, which V4 does not know."""
        if not (isinstance(value, dict) and isinstance(value.get("results"), list)):
            return value
        inner = value["results"]
        if self.view.is_v4:
            message = f"{readable(path)}: V4 expects an array; the object with results is V2"
            self.add(Fault("V2_WRAPPER", message, expected="[…]", repair=Repair("value", value=inner)), path, source)
        return inner

    def navigation(self, way: Way, value: JsonValue, table: Table, path: Path) -> None:
        navigation = way.navigation
        if value is None or self._is_link(value):
            return
        if table.scope.use is not Use.CREATE and table.scope.use is not Use.CALL and not self._may_update(way, path):
            return
        if not way.insertable:
            message = f"{readable(path)} cannot be nested here: the service states that it is not insertable"
            self.add(Fault("NAV_NOT_INSERTABLE", message, expected="its own request afterwards"), path, way.source)
            return
        if navigation.target not in self.view.types:
            return
        scope = _below(table.scope, navigation.name)._replace(parent=table.type, way=navigation.name)
        target = self.tables.of(navigation.target, scope)
        if navigation.multiplicity == "*":
            self._many(way, value, target, path)
        elif isinstance(value, dict):
            self.walk_object(value, target, path)
        else:
            message = f"{readable(path)} leads to at most one entity: an object, not an array"
            single = value[0] if isinstance(value, list) and len(value) == 1 else None
            repair = Repair("value", value=single) if isinstance(single, dict) else None
            self.add(Fault("NAV_NOT_COLLECTION", message, expected="{…}", repair=repair), path, way.source)

    def _many(self, way: Way, value: JsonValue, target: Table, path: Path) -> None:
        value = self._unwrapped(value, path, way.source)
        if not isinstance(value, list):
            message = f"{readable(path)} leads to many entities: an array, even for one"
            repair = Repair("value", value=[value]) if isinstance(value, dict) else None
            self.add(Fault("NAV_COLLECTION", message, expected="[{…}]", repair=repair), path, way.source)
            return
        for index, item in enumerate(value):
            if isinstance(item, dict):
                self.walk_object(item, target, (*path, index))
            else:
                message = f"{readable((*path, index))} must be an object"
                self.add(Fault("JSON_TYPE", message, expected="{…}"), (*path, index), way.source)

    def _is_link(self, value: JsonValue) -> bool:
        """Whether a nested object only names an existing entity (V2 `__metadata.uri`, V4.01 `@id`), or is deferred."""
        if not isinstance(value, dict) or not value:
            return False
        if "@id" in value or "@odata.id" in value:
            return True
        return not self.view.is_v4 and value.keys() <= _LINK_PARTS

    def _may_update(self, way: Way, path: Path) -> bool:
        """A nested update is of V4.01 (Protocol 4.01, clause 11.4.3.1): neither of V4.0 nor of the versions before."""
        stated = self.subject.header("OData-Version")
        name = readable(path)
        expected = f"a request of its own to …/{way.navigation.name}"
        if not self.view.is_v4 or stated == "4.0":
            version = "OData V4.0" if stated else f"OData {self.view.service.version}"
            message = f"{name} cannot be changed from here: {version} updates related entities by their own URL"
            self.add(Fault("DEEP_UPDATE", message, expected=expected), path, way.source)
            return False
        if not way.insertable:
            message = f"{name} cannot be changed from here: the service states that it is not updatable"
            self.add(Fault("DEEP_UPDATE", message, expected=expected), path, way.source)
            return False
        if stated != "4.01":
            message = f"{name} is changed along with its parent by OData 4.01 services alone"
            self.add(warning("DEEP_UPDATE_VERSION", message, expected=expected), path, way.source)
        return True


def _below(scope: Scope, name: str) -> Scope:
    path = f"{scope.path}/{name}" if scope.path else name
    return scope._replace(path=path, parent="", way="")
