"""What comes in: a JSON body checked and read into values in JSON terms, by the mock's own rules.

The mock refuses what a real back end refuses: unknown names, wrong types, values too long or out of range, null where
it cannot be, codes outside of a closed list, properties that may not be set. What is computed by the server is ignored
(OData V4, clause 11.4.2), and so is, on an update, what is immutable. It knows nothing of the product's validator.
"""

from clew.domain.errors import CallRefused, MalformedText
from clew.domain.records import JsonObject, JsonValue, Record
from clew.domain.services import Capabilities, EntityType, EnumType, NavigationProperty, Property
from clew.mock.schema import DRAFT_KEYS, Schema
from clew.protocol.facets import check_facets
from clew.protocol.values import read_enum, read_value

BUSINESS_ONE = "SAPB1"
"""The namespace of Business One's Service Layer, whose open types take user-defined fields only (`U_…`)."""

READ_ONLY = ("ReadOnly", "Hidden", "Inapplicable")


class Purpose(Record, frozen=True, kw_only=True):
    """What a body is for: a create, or an update of the values `current`; how its numbers are written."""

    create: bool = True
    entity_set: str = ""
    current: JsonObject = {}
    ieee754: bool = False
    capabilities: Capabilities = Capabilities()


class Link(Record, frozen=True, kw_only=True):
    """A link to existing entities that a body asks for, by their URLs."""

    navigation: NavigationProperty
    urls: tuple[str, ...]


class Nested(Record, frozen=True, kw_only=True):
    """Entities inside of a body, to be created with it."""

    navigation: NavigationProperty
    entities: tuple["Intake", ...]


class Intake(Record, frozen=True, kw_only=True):
    """A body that was read: its type, its values in JSON terms, what it nests, what it links."""

    type: str
    values: JsonObject
    nested: tuple[Nested, ...] = ()
    links: tuple[Link, ...] = ()

    def as_json(self) -> JsonObject:
        """Gives the body in JSON terms, nested entities included, as the log of writes shows it."""
        shown = dict(self.values)
        for group in self.nested:
            listed: list[JsonValue] = [entity.as_json() for entity in group.entities]
            shown[group.navigation.name] = listed if group.navigation.multiplicity == "*" else listed[0]
        for link in self.links:
            shown[f"{link.navigation.name}@odata.bind"] = list(link.urls)
        return shown


def read_body(schema: Schema, body: JsonValue, type_name: str, purpose: Purpose) -> Intake:
    """Reads the body of a create or an update of an entity.

    Raises:
        CallRefused: 400, with the JSON pointer of what is wrong as its target.
    """
    return _Reading(schema, purpose).entity(body, type_name, ("", purpose.entity_set))


def read_typed(schema: Schema, value: JsonValue, facets: Property, *, ieee754: bool = False) -> JsonValue:
    """Reads one JSON value for a property or parameter.

    Raises:
        CallRefused: 400.
    """
    return _Reading(schema, Purpose(ieee754=ieee754)).value(value, facets, facets.name)


class _Reading:
    """The reading of one body."""

    def __init__(self, schema: Schema, purpose: Purpose) -> None:
        self.schema = schema
        self.view = schema.view
        self.purpose = purpose
        self.is_v4 = schema.view.is_v4
        self.is_v2 = schema.version.startswith(("V1", "V2"))

    def entity(self, body: JsonValue, type_name: str, place: tuple[str, str]) -> Intake:
        """Reads an entity at (JSON pointer, entity set)."""
        pointer, entity_set = place
        if not isinstance(body, dict):
            raise _bad("BODY", f"an object of {type_name} was expected", pointer)
        type_name = self._derived(body, type_name, pointer)
        values: JsonObject = {}
        nested: list[Nested] = []
        links: list[Link] = []
        properties = self.view.properties(type_name)
        navigations = self.view.navigations(type_name)
        for name, value in body.items():
            inner = f"{pointer}/{name}"
            if name in properties:
                if self._is_taken(properties[name], value, type_name, inner):
                    values[name] = self.value(value, properties[name], inner)
            elif name in navigations:
                self._nest(navigations[name], value, (inner, entity_set, type_name), (nested, links))
            elif "@" in name and not self.is_v2:
                links.extend(self._bind(name, value, navigations, inner))
            elif not self._is_control(name):
                self._unknown(name, value, type_name, values)
        return Intake(type=type_name, values=values, nested=tuple(nested), links=tuple(links))

    def _derived(self, body: JsonObject, type_name: str, pointer: str) -> str:
        named = body.get("@odata.type", body.get("@type", body.get("odata.type")))
        metadata = body.get("__metadata")
        if isinstance(metadata, dict) and self.is_v2:
            named = metadata.get("type", named)
        if not isinstance(named, str):
            found = self.view.types.get(type_name)
            if found is not None and found.abstract:
                raise _bad("TYPE", f"{type_name} is abstract; @odata.type names the type of the entity", pointer)
            return type_name
        wanted = self.schema.qualified(named.removeprefix("#"))
        if not self.view.is_derived(wanted, type_name):
            raise _bad("TYPE", f"{wanted} is neither {type_name} nor derived from it", pointer)
        return wanted

    def _is_control(self, name: str) -> bool:
        if self.is_v2:
            return name == "__metadata"
        return name.startswith(("@", "odata.")) or (not self.is_v4 and name == "__metadata")

    def _unknown(self, name: str, value: JsonValue, type_name: str, values: JsonObject) -> None:
        is_custom = name.startswith("U_") or BUSINESS_ONE not in self.view.service.namespaces
        if not is_custom or not any(part.open for part in self.view.lineage(type_name)):
            raise _bad("UNKNOWN_PROPERTY", f"{type_name.rpartition('.')[2]} has no property {name!r}", name)
        values[name] = value

    # -- which properties are taken

    def _is_taken(self, prop: Property, value: JsonValue, type_name: str, pointer: str) -> bool:
        if prop.computed and prop.name not in self.view.key(type_name):
            return False  # a computed key that is given all the same names the entity: ABAP services take it
        if self.purpose.create:
            return self._is_creatable(prop, value, type_name, pointer)
        return self._is_updatable(prop, value, type_name, pointer)

    def _is_creatable(self, prop: Property, value: JsonValue, type_name: str, pointer: str) -> bool:
        if prop.name in self.schema.foreign(type_name) or prop.name in DRAFT_KEYS:
            return True  # which parent an entity belongs to is said by its key, creatable or not
        if not prop.creatable and value in (None, "") and prop.name in self.view.key(type_name):
            return False
        at_top = pointer.count("/") == 1
        barred = at_top and prop.name in self.purpose.capabilities.non_insertable
        if barred or not prop.creatable or prop.field_control in READ_ONLY:
            raise _bad("NOT_CREATABLE", f"{prop.name} cannot be set when creating", pointer)
        return True

    def _is_updatable(self, prop: Property, value: JsonValue, type_name: str, pointer: str) -> bool:
        if prop.immutable:
            self.value(value, prop, pointer)
            return False
        is_key = prop.name in self.view.key(type_name)
        barred = prop.name in self.purpose.capabilities.non_updatable
        if not (is_key or barred or not prop.updatable or prop.field_control in READ_ONLY):
            return True
        if self.value(value, prop, pointer) != self.purpose.current.get(prop.name):
            raise _bad("NOT_UPDATABLE", f"{prop.name} cannot be changed", pointer)
        return False

    # -- values

    def value(self, value: JsonValue, prop: Property, pointer: str) -> JsonValue:
        if prop.collection:
            return [self._single(entry, prop, f"{pointer}/{i}") for i, entry in enumerate(self._list(value, pointer))]
        if value is None:
            if not prop.nullable:
                raise _bad("NULL", f"{prop.name} cannot be null", pointer)
            return None
        return self._single(value, prop, pointer)

    def _single(self, value: JsonValue, prop: Property, pointer: str) -> JsonValue:
        kind = self.view.underlying(prop.type)
        structured = self.view.types.get(kind)
        if structured is not None and not isinstance(structured, EntityType):
            return self._complex(value, kind, pointer)
        try:
            enum = self.view.enums.get(kind)
            read = (
                read_enum(value, enum)
                if enum
                else read_value(value, kind, self.schema.version, ieee754=self.purpose.ieee754)
            )
        except MalformedText as error:
            raise _bad(error.code, f"{prop.name}: {error}", pointer) from None
        for breach in check_facets(read, prop, kind, self.schema.version):
            raise _bad(breach.code, f"{prop.name}: {breach.message}", pointer)
        self._check_code(read, prop, enum, pointer)
        return read

    def _complex(self, value: JsonValue, kind: str, pointer: str) -> JsonValue:
        if not isinstance(value, dict):
            raise _bad("JSON_TYPE", f"an object of {kind} was expected", pointer)
        kind = self._derived(value, kind, pointer)
        properties = self.view.properties(kind)
        values: JsonObject = {}
        for name, inner in value.items():
            if name in properties:
                if not properties[name].computed:
                    values[name] = self.value(inner, properties[name], f"{pointer}/{name}")
            elif not self._is_control(name):
                self._unknown(name, inner, kind, values)
        for name, prop in properties.items():
            if name not in values and not prop.nullable and self._is_required(prop):
                raise _bad("REQUIRED", f"{name} is required", f"{pointer}/{name}")
        return values

    def _is_required(self, prop: Property) -> bool:
        given_by_server = prop.computed or prop.computed_default or prop.default is not None or prop.collection
        return not self.schema.has_initial_values and not given_by_server and prop.creatable

    def _list(self, value: JsonValue, pointer: str) -> list[JsonValue]:
        if isinstance(value, dict) and not self.is_v4 and isinstance(value.get("results"), list):
            value = value["results"]
        if not isinstance(value, list):
            raise _bad("JSON_TYPE", "an array was expected", pointer)
        return value

    def _check_code(self, value: JsonValue, prop: Property, enum: EnumType | None, pointer: str) -> None:
        listed = None if enum else self.view.value_help_of(prop)
        if listed is None or not listed.closed or not listed.codes or value in (None, ""):
            return
        if str(value) not in {code.code for code in listed.codes}:
            raise _bad("CODE", f"{value!r} is none of the values of {prop.name}", pointer)

    # -- navigations

    def _nest(
        self,
        navigation: NavigationProperty,
        value: JsonValue,
        place: tuple[str, str, str],
        found: tuple[list[Nested], list[Link]],
    ) -> None:
        """Reads what is nested at (JSON pointer, entity set and type of the entity around it)."""
        pointer, entity_set, type_name = place
        nested, links = found
        if value is None or (isinstance(value, dict) and "__deferred" in value):
            return
        if not self.purpose.create:
            raise _bad("DEEP_UPDATE", f"{navigation.name} is changed by its own URL", pointer)
        entries = self._entries(navigation, value, pointer)
        uris = [uri for entry in entries if (uri := self._uri(entry))]
        if uris:
            links.append(Link(navigation=navigation, urls=tuple(uris)))
        fresh = [entry for entry in entries if not self._uri(entry)]
        if not fresh:
            return
        if not self.schema.is_insertable_along(entity_set, navigation) or self._is_barred(navigation, pointer):
            raise _bad("NOT_CREATABLE", f"{navigation.name} cannot be created along with its owner", pointer)
        sets = self.schema.target_sets(entity_set, type_name, navigation)
        target = sets[0] if len(sets) == 1 else ""
        many = navigation.multiplicity == "*"
        entities = tuple(
            self.entity(entry, navigation.target, (f"{pointer}/{i}" if many else pointer, target))
            for i, entry in enumerate(fresh)
        )
        nested.append(Nested(navigation=navigation, entities=entities))

    def _entries(self, navigation: NavigationProperty, value: JsonValue, pointer: str) -> list[JsonValue]:
        if navigation.multiplicity == "*":
            return self._list(value, pointer)
        if not isinstance(value, dict):
            raise _bad("JSON_TYPE", f"{navigation.name} leads to one entity; an object was expected", pointer)
        return [value]

    def _is_barred(self, navigation: NavigationProperty, pointer: str) -> bool:
        at_top = pointer.count("/") == 1
        return at_top and navigation.name in self.purpose.capabilities.non_insertable_navigations

    def _uri(self, entry: JsonValue) -> str:
        """Gives the URI of an entry that only names an existing entity, as V2 links."""
        if not isinstance(entry, dict):
            return ""
        metadata = entry.get("__metadata")
        if self.is_v2 and isinstance(metadata, dict) and len(entry) == 1:
            return str(metadata.get("uri", ""))
        return str(entry["@odata.id"]) if self.is_v4 and set(entry) == {"@odata.id"} else ""

    def _bind(
        self, name: str, value: JsonValue, navigations: dict[str, NavigationProperty], pointer: str
    ) -> list[Link]:
        target, _, term = name.partition("@")
        if term not in ("odata.bind", "bind"):
            return []
        if target not in navigations:
            raise _bad("UNKNOWN_PROPERTY", f"there is no navigation property {target!r}", pointer)
        urls = value if isinstance(value, list) else [value]
        if not all(isinstance(url, str) for url in urls):
            raise _bad("JSON_TYPE", f"{name} is the URL of an entity", pointer)
        if isinstance(value, list) != (navigations[target].multiplicity == "*"):
            raise _bad("JSON_TYPE", f"{name} is one URL, or an array of them for a collection", pointer)
        return [Link(navigation=navigations[target], urls=tuple(str(url) for url in urls))]


def _bad(code: str, message: str, pointer: str) -> CallRefused:
    return CallRefused(400, code, message, pointer)
