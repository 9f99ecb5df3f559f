"""Values that do not come over the wire: seed data, and what handlers write. Taken leniently, but never wrongly."""

from decimal import Decimal

from clew.domain.errors import CallRefused, InputRefused, MalformedText
from clew.domain.issues import Issue, Place
from clew.domain.records import JsonObject, JsonValue
from clew.domain.services import EntityType, Property
from clew.mock.intake import Intake, Nested
from clew.mock.schema import Schema
from clew.protocol.facets import check_facets
from clew.protocol.values import read_enum, read_value, write_value


def intake_of(schema: Schema, values: JsonObject, type_name: str) -> Intake:
    """Reads an entity in JSON terms: numbers as numbers or text, a plain date for a date and time, nested entities.

    What is computed, or cannot be set by a caller, may be set here.

    Raises:
        CallRefused: 400, a name that the type does not have, or a value that is none of its property's type.
    """
    properties = schema.view.properties(type_name)
    navigations = schema.view.navigations(type_name)
    read: JsonObject = {}
    nested: list[Nested] = []
    for name, value in values.items():
        if name in properties:
            read[name] = _value(schema, value, properties[name])
        elif name in navigations:
            entries = value if isinstance(value, list) else [value]
            entities = tuple(
                intake_of(schema, entry, navigations[name].target) for entry in entries if isinstance(entry, dict)
            )
            nested.append(Nested(navigation=navigations[name], entities=entities))
        elif any(part.open for part in schema.view.lineage(type_name)):
            read[name] = value
        else:
            short = type_name.rpartition(".")[2]
            raise CallRefused(400, "UNKNOWN_PROPERTY", f"{short} has no property {name!r}", name)
    return Intake(type=type_name, values=read, nested=tuple(nested))


def refused_seed(service: str, entity_set: str, index: int, error: CallRefused) -> InputRefused:
    """Gives the error for seed data that does not fit its service."""
    place = Place(document=f"seed data of {service}", pointer=f"/{entity_set}/{index}")
    return InputRefused((Issue(code="mock-seed", message=error.text, place=place),))


def _value(schema: Schema, value: JsonValue, prop: Property) -> JsonValue:
    if prop.collection:
        return [_single(schema, entry, prop) for entry in value] if isinstance(value, list) else []
    return None if value is None else _single(schema, value, prop)


def _single(schema: Schema, value: JsonValue, prop: Property) -> JsonValue:
    kind = schema.view.underlying(prop.type)
    structured = schema.view.types.get(kind)
    if structured is not None and not isinstance(structured, EntityType):
        members = schema.view.properties(kind)
        inner = value if isinstance(value, dict) else {}
        return {name: _value(schema, entry, members[name]) for name, entry in inner.items() if name in members}
    if kind == "Edm.String" and isinstance(value, int | Decimal) and not isinstance(value, bool):
        value = str(value)
    try:
        enum = schema.view.enums.get(kind)
        if enum is not None:
            return read_enum(value, enum)
        read = read_value(write_value(value, kind, schema.version), kind, schema.version)
    except MalformedText as error:
        raise CallRefused(400, error.code, f"{prop.name}: {error}", prop.name) from None
    for breach in check_facets(read, prop, kind, schema.version):
        raise CallRefused(400, breach.code, f"{prop.name}: {breach.message}", prop.name)
    return read
