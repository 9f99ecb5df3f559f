"""Entity, complex and enum types, type definitions, properties and navigation properties (CSDL 4.01, clauses 6-11)."""

from collections.abc import Callable, Mapping
from typing import Any, Literal

import msgspec
from msgspec.structs import force_setattr as set_field

from clew.domain.services import (
    ComplexType,
    EntityType,
    EnumMember,
    EnumType,
    NavigationProperty,
    Property,
    ReferentialConstraint,
    Texts,
)
from clew.sources.odata import sap
from clew.sources.odata.annotations import read_annotation
from clew.sources.odata.assembly import Assembly, Definition, PendingHelp, PendingNavigation, Structure, Template
from clew.sources.odata.attributes import (
    ENUM,
    HANDLED,
    NAVIGATION,
    PROPERTY,
    STRUCTURED,
    Fields,
    Table,
    read_attributes,
)
from clew.sources.odata.nodes import Node
from clew.sources.odata.statements import Statement, finish_fields

# The very default of the field: another empty record would be written out when it is stored.
_NO_TEXTS = Property(name="").texts
PROPERTY_FIELDS = frozenset(Property.__struct_fields__) - {"name", "type", "line"} | {"value_help"}
NAVIGATION_FIELDS = frozenset(NavigationProperty.__struct_fields__) - {"name", "target", "line"}
ENTITY_FIELDS = frozenset(EntityType.__struct_fields__) - {"id", "service", "name", "base", "line"}
COMPLEX_FIELDS = frozenset(ComplexType.__struct_fields__) - {"id", "service", "name", "base", "line"}
ENUM_FIELDS = frozenset({"texts"})

_PROPERTY_TABLE: Table = {**PROPERTY, **sap.PROPERTY}
_NAVIGATION_TABLE: Table = {**NAVIGATION, **sap.NAVIGATION}
_STRUCTURED_TABLE: Table = {**STRUCTURED, **sap.STRUCTURED}
_DEFINITION_TABLE: Table = {"Name": HANDLED, "UnderlyingType": HANDLED, **{
    name: entry for name, entry in PROPERTY.items() if name not in {"Name", "Type"}
}}  # fmt: skip

# Facets by the kind of type that has them (CSDL 4.01, clause 7.2); integers have none of them.
_TEMPORAL = frozenset({"Edm.DateTimeOffset", "Edm.TimeOfDay", "Edm.Duration", "Edm.DateTime", "Edm.Time"})
_WITHOUT_PRECISION = frozenset({
    *("Edm.Byte", "Edm.SByte", "Edm.Int16", "Edm.Int32", "Edm.Int64", "Edm.Boolean", "Edm.Guid", "Edm.Date"),
    *("Edm.String", "Edm.Binary", "Edm.Stream"),
})  # fmt: skip
_TEMPORAL_PRECISION_MAX = 12
_UNIT_SEMANTICS = frozenset({"unit-of-measure", "currency-code"})
_DERIVED = frozenset({
    *("scale", "precision", "semantics", "display_format", "variable_scale"),
    *("required", "picklist", "located", "context", "store_pattern"),
})  # fmt: skip
"""Fields that have to be looked at, because another one follows from them or because no record has them."""


def read_property(node: Node, assembly: Assembly, owner: str) -> Property:
    """Gives a structural property of the type `owner`.

    Most properties of a document differ from an earlier one in name and texts only, and are copied from it.
    """
    attributes = node.attributes
    if node.children is not None or "Name" not in attributes:
        return _read_property(node, assembly, owner)
    name = attributes["Name"]
    name = assembly.property_names.setdefault(name, name)
    del attributes["Name"]
    label, quickinfo = attributes.pop("sap:label", ""), attributes.pop("sap:quickinfo", "")
    key = (*attributes, *attributes.values())
    template = assembly.templates.get(key)
    if template is None:
        texts = {"sap:label": label, "sap:quickinfo": quickinfo}
        node.attributes = {"Name": name, **{field: text for field, text in texts.items() if text}, **attributes}
        return _read_first(node, assembly, owner, key)
    template.uses += 1
    # Nobody has seen the copy yet; filling it in is several times cheaper than making another record.
    copied = duplicate(template.property)
    set_field(copied, "name", name)
    set_field(copied, "line", node.line)
    if label or quickinfo:
        texts = template.property.texts
        plain = label + quickinfo
        if len(plain) > 255 or not plain.isascii() or not plain.isprintable():
            label, quickinfo = assembly.shown(label, node.line), assembly.shown(quickinfo, node.line)
        texts = Texts(label=label, heading=texts.heading, quickinfo=quickinfo)
        set_field(copied, "texts", texts)
    return copied


def duplicate(record: Property) -> Property:
    """Gives a shallow copy. `copy.copy` looks this method up each time, and msgspec has no name for it."""
    return record.__copy__()  # pyright: ignore[reportAttributeAccessIssue, reportUnknownVariableType, reportUnknownMemberType]


def _read_first(node: Node, assembly: Assembly, owner: str, key: tuple[str, ...]) -> Property:
    """Reads a property and keeps it as the one to copy, unless there is something about it alone."""
    known_issues = len(assembly.issues)
    found = _read_property(node, assembly, owner)
    if len(assembly.issues) == known_issues and not found.value_help:
        texts = Texts(heading=found.texts.heading) if found.texts.heading else _NO_TEXTS
        assembly.templates[key] = Template(msgspec.structs.replace(found, name="", line=0, texts=texts))
    return found


def _read_property(node: Node, assembly: Assembly, owner: str) -> Property:
    fields = read_attributes(node, _PROPERTY_TABLE, assembly)
    fields["line"] = node.line
    types = assembly.names.types
    expression = fields.get("type", "Edm.String")
    fields["type"], is_collection = types.get(expression) or assembly.names.resolve_type(expression)
    if is_collection:
        fields["collection"] = True
    if "name" not in fields:
        _miss_name(node, assembly, owner)
        fields["name"] = ""
    if not _DERIVED.isdisjoint(fields):
        _derive(fields, assembly, owner)
    if node.children:
        _annotate_property(node, fields, assembly, owner)
    if "opaque" in fields:
        fields["opaque"] = tuple(fields["opaque"])
    return Property(**fields)


def _annotate_property(node: Node, fields: Fields, assembly: Assembly, owner: str) -> None:
    statement = Statement(PROPERTY_FIELDS, node.line)
    read_inline(node, statement, assembly)
    statement.merge_into(fields)
    if statement.value_help is not None:
        fields["value_help"] = require_help(assembly, owner, fields["name"], statement.value_help, node.line)


def require_help(assembly: Assembly, owner: str, member: str, stated: Fields, line: int) -> str:
    """Remembers that a property has a value list; gives the id of that list."""
    identifier = assembly.help_id(owner, member)
    assembly.helps[identifier] = PendingHelp(id=identifier, fields=stated, local=member, line=line)
    return identifier


def read_inline(node: Node, statement: Statement, assembly: Assembly) -> None:
    """Applies the annotations among an element's children; keeps what else is among them and unknown."""
    for child in node.children or ():
        if child.name == "Annotation":
            assembly.state(statement, read_annotation(child, assembly))
        elif child.name == "Documentation":
            read_documentation(child, statement, assembly)
        else:
            statement.opaque.append(assembly.keep_unknown(child, node))


def read_documentation(node: Node, statement: Statement, assembly: Assembly) -> None:
    """States the summary and the long description (V1-V3); keeps what else vendors put there."""
    for child in node.children or ():
        field = {"Summary": "description", "LongDescription": "long_description"}.get(child.name)
        if field is None:
            statement.opaque.append(assembly.keep_unknown(child, node))
        elif text := child.text.strip():
            statement.say(field, assembly.shown(text, child.line))


def _miss_name(node: Node, assembly: Assembly, owner: str) -> None:
    assembly.warn("odata-missing-name", f"A {node.name} of {owner or 'the schema'} has no Name.", node.line)


def _derive(fields: Fields, assembly: Assembly, owner: str) -> None:
    if "precision" in fields or "scale" in fields:
        check_facets(fields, assembly, f"{owner}/{fields['name']}", kind=fields["type"])
    if fields.get("semantics") in _UNIT_SEMANTICS:
        fields["is_unit"] = True
    display = fields.get("display_format")
    if display == "UpperCase":
        fields["uppercase"] = True
    elif display == "NonNegative" and fields["type"] == "Edm.String":
        fields["digits_only"] = True
    if fields.pop("variable_scale", False):
        fields["scale_kind"] = "floating"
    if fields.pop("required", False):
        fields.setdefault("field_control", "Mandatory")
    pattern = fields.pop("store_pattern", "")
    if pattern == "Computed":
        fields["computed"] = True
    elif pattern == "Identity":
        fields["computed_default"] = True
    _derive_value_list(fields, assembly, owner)


def _derive_value_list(fields: Fields, assembly: Assembly, owner: str) -> None:
    """Turns SuccessFactors' picklists and C4C's value helps into value lists."""
    picklist = fields.pop("picklist", "")
    if picklist:
        fields.setdefault("value_list", "fixed-values")
        fields.setdefault("opaque", []).append(assembly.opaque("sap:picklist", picklist))
    collection, context = fields.pop("located", ""), fields.pop("context", "")
    if collection:
        stated: Fields = {"origin": "value_list", "closed": False, "collection": collection, "context": context}
        fields["value_help"] = require_help(assembly, owner, fields["name"], stated, fields["line"])


def check_facets(fields: Fields, assembly: Assembly, place: str, *, kind: str) -> None:
    """Takes back facets that the type does not have, and reports those out of range (CSDL 4.01, clause 7.2.3)."""
    scale = fields.pop("scale", None)
    if scale in {"variable", "Variable", "floating"}:
        fields["scale_kind"] = scale.lower()
    elif scale is not None:
        if scale.isdecimal() and scale.isascii() and len(scale) < 6:
            fields["scale"] = int(scale)
        else:
            _report_facet(assembly, fields, place, f"Scale {scale!r} is neither a number nor variable nor floating")
    precision = fields.get("precision")
    if precision is None:
        return
    if kind in _WITHOUT_PRECISION:
        del fields["precision"]
        _report_facet(assembly, fields, place, f"{kind} has no Precision; {precision} is ignored")
    elif kind in _TEMPORAL and precision > _TEMPORAL_PRECISION_MAX:
        del fields["precision"]
        message = f"the Precision of {kind} is 0 to {_TEMPORAL_PRECISION_MAX}; {precision} is ignored"
        _report_facet(assembly, fields, place, message)


def _report_facet(assembly: Assembly, fields: Fields, place: str, what: str) -> None:
    assembly.warn("odata-facet", f"{place}: {what}.", fields.get("line", 0))


def read_navigation(node: Node, assembly: Assembly) -> PendingNavigation:
    """Gives a navigation property; a V4 one is complete but for what follows from its partner."""
    fields = read_attributes(node, _NAVIGATION_TABLE, assembly)
    fields["line"] = node.line
    fields.setdefault("name", "")
    statement = Statement(NAVIGATION_FIELDS, node.line)
    constraints: list[ReferentialConstraint] = []
    for child in node.children or ():
        if child.name == "ReferentialConstraint":
            constraint = ReferentialConstraint(
                property=child.get("Property"), referenced=child.get("ReferencedProperty")
            )
            constraints.append(constraint)
        elif child.name == "OnDelete":
            fields["on_delete"] = child.get("Action")
        elif child.name == "Annotation":
            assembly.state(statement, read_annotation(child, assembly))
        elif child.name == "Documentation":
            read_documentation(child, statement, assembly)
        else:
            statement.opaque.append(assembly.keep_unknown(child, node))
    if constraints:
        fields["constraints"] = tuple(constraints)
    statement.merge_into(fields)
    return PendingNavigation(
        fields=fields,
        type=node.get("Type"),
        relationship=assembly.names.resolve(node.get("Relationship")) if node.get("Relationship") else "",
        from_role=node.get("FromRole"),
        to_role=node.get("ToRole"),
    )


def read_structure(node: Node, assembly: Assembly, kind: Literal["EntityType", "ComplexType"]) -> None:
    """Reads an entity or complex type into the assembly."""
    name = assembly.qualified(node.get("Name"))
    if not node.get("Name"):
        _miss_name(node, assembly, "")
    fields = read_attributes(node, _STRUCTURED_TABLE, assembly)
    if kind == "ComplexType":
        fields.pop("has_stream", None)
    if base := node.get("BaseType"):
        fields["base"] = assembly.names.resolve(base)
    structure = Structure(kind=kind, name=name, fields=fields, line=node.line)
    statement = Statement(ENTITY_FIELDS if kind == "EntityType" else COMPLEX_FIELDS, node.line)
    for child in node.children or ():
        if child.name == "Property":
            structure.properties.append(read_property(child, assembly, name))
        elif child.name == "NavigationProperty":
            structure.pending.append(read_navigation(child, assembly))
        else:
            _read_part(child, node, structure, statement, assembly)
    statement.merge_into(fields)
    if name in assembly.structures or name in assembly.enums:
        message = f"{kind} {name} is declared again; the first declaration holds."
        assembly.warn("odata-duplicate-type", message, node.line)
        return
    assembly.structures[name] = structure
    _check_members(structure, assembly)


def _read_part(child: Node, node: Node, structure: Structure, statement: Statement, assembly: Assembly) -> None:
    if child.name == "Key" and structure.kind == "EntityType":
        structure.fields["key"] = tuple(part.get("Name") for part in child.children or () if part.name == "PropertyRef")
        for part in child.children or ():
            if part.get("Alias"):
                alias = assembly.opaque("edm:KeyAlias", part.get("Alias"))
                statement.opaque.append(msgspec.structs.replace(alias, qualifier=part.get("Name")))
    elif child.name == "Annotation":
        assembly.state(statement, read_annotation(child, assembly))
    elif child.name == "Documentation":
        read_documentation(child, statement, assembly)
    else:
        statement.opaque.append(assembly.keep_unknown(child, node))


def _check_members(structure: Structure, assembly: Assembly) -> None:
    """Reports members of the same name, and notes names that differ only in case (legal, CSDL 4.01, clause 7)."""
    names = [item.name for item in structure.properties]
    names += [item.fields["name"] for item in structure.pending]
    if len(set(map(str.lower, names))) == len(names):
        return
    seen: dict[str, str] = {}
    for name in names:
        lower = name.lower()
        other = seen.get(lower)
        if other is None:
            seen[lower] = name
        elif other == name:
            message = f"{structure.name} declares {name!r} more than once."
            assembly.warn("odata-duplicate-member", message, structure.line)
        else:
            message = f"{structure.name} has {other!r} and {name!r}, which differ only in case; both are kept apart."
            assembly.note("odata-names-differ-in-case", message, structure.line)


def read_enum(node: Node, assembly: Assembly) -> None:
    """Reads an enumeration; a member without value has the one after the member before it."""
    name = assembly.qualified(node.get("Name"))
    fields = read_attributes(node, {**ENUM}, assembly)
    statement = Statement(ENUM_FIELDS, node.line)
    members: list[EnumMember] = []
    following = 0
    for child in node.children or ():
        if child.name == "Member":
            member = _read_member(child, following, statement, assembly)
            following = member.value + 1
            members.append(member)
        elif child.name == "Annotation":
            assembly.state(statement, read_annotation(child, assembly))
        elif child.name == "Documentation":
            read_documentation(child, statement, assembly)
        else:
            statement.opaque.append(assembly.keep_unknown(child, node))
    statement.merge_into(fields)
    if name in assembly.enums or name in assembly.structures:
        assembly.warn("odata-duplicate-type", f"EnumType {name} is declared again; the first holds.", node.line)
        return
    assembly.enums[name] = EnumType(
        id="", service="", name=name, members=tuple(members), line=node.line, **finish_fields(fields)
    )


def _read_member(node: Node, following: int, enum: Statement, assembly: Assembly) -> EnumMember:
    name, text = node.get("Name"), node.get("Value")
    value = following
    if text:
        digits = text.removeprefix("-")
        if digits.isdecimal() and digits.isascii() and len(digits) < 20:
            value = int(text)
        else:
            message = f"Value {text!r} of the member {name!r} is no number; {following} was taken."
            assembly.warn("odata-attribute-value", message, node.line)
    statement = Statement(ENUM_FIELDS, node.line)
    if node.children:
        read_inline(node, statement, assembly)
    for annotation in statement.opaque:
        enum.opaque.append(msgspec.structs.replace(annotation, term=f"{name}@{annotation.term}"))
    return EnumMember(name=name, value=value, texts=Texts(**statement.texts) if statement.texts else Texts())


def read_definition(node: Node, assembly: Assembly) -> None:
    """Reads a type definition: another name, and perhaps facets and annotations, for a primitive type."""
    name = assembly.qualified(node.get("Name"))
    facets = read_attributes(node, _DEFINITION_TABLE, assembly)
    underlying = assembly.names.resolve(node.get("UnderlyingType", "Edm.String"))
    check_facets(facets, assembly, name, kind=underlying)
    statement = Statement(PROPERTY_FIELDS, node.line)
    read_inline(node, statement, assembly)
    if statement.value_help is not None:
        facets["value_help"] = require_help(assembly, name, "", statement.value_help, node.line)
    facets |= statement.fields
    for annotation in (*facets.pop("opaque", ()), *statement.opaque):
        assembly.service_opaque.append(msgspec.structs.replace(annotation, term=f"{name}@{annotation.term}"))
    assembly.definitions[name] = Definition(name=name, underlying=underlying, facets=facets, line=node.line)


READERS: Mapping[str, Callable[[Node, Assembly], Any]] = {
    "EntityType": lambda node, assembly: read_structure(node, assembly, "EntityType"),
    "ComplexType": lambda node, assembly: read_structure(node, assembly, "ComplexType"),
    "EnumType": read_enum,
    "TypeDefinition": read_definition,
}
