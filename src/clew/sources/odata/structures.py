"""Entity, complex and enum types, type definitions, navigation properties (CSDL 4.01, clauses 6, 8-11)."""

from collections.abc import Callable, Mapping
from typing import Any, Literal

import msgspec

from clew.domain.services import (
    ComplexType,
    EntityType,
    EnumMember,
    EnumType,
    NavigationProperty,
    ReferentialConstraint,
    Texts,
)
from clew.sources.odata import sap
from clew.sources.odata.annotations import read_annotation
from clew.sources.odata.assembly import Assembly, Definition, PendingNavigation, Structure
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
from clew.sources.odata.properties import (
    PROPERTY_FIELDS,
    check_facets,
    miss_name,
    read_documentation,
    read_inline,
    read_property,
    require_help,
)
from clew.sources.odata.statements import Statement, finish_fields

NAVIGATION_FIELDS = frozenset(NavigationProperty.__struct_fields__) - {"name", "target", "line"}
ENTITY_FIELDS = frozenset(EntityType.__struct_fields__) - {"id", "service", "name", "base", "line"}
COMPLEX_FIELDS = frozenset(ComplexType.__struct_fields__) - {"id", "service", "name", "base", "line"}
ENUM_FIELDS = frozenset({"texts"})

_NAVIGATION_TABLE: Table = {**NAVIGATION, **sap.NAVIGATION}
_STRUCTURED_TABLE: Table = {**STRUCTURED, **sap.STRUCTURED}
_DEFINITION_TABLE: Table = {"Name": HANDLED, "UnderlyingType": HANDLED, **{
    name: entry for name, entry in PROPERTY.items() if name not in {"Name", "Type"}
}}  # fmt: skip


def read_navigation(node: Node, assembly: Assembly) -> PendingNavigation:
    """Gives a navigation property; a V4 one is complete but for what follows from its partner."""
    fields = read_attributes(node, _NAVIGATION_TABLE, assembly)
    fields["line"] = node.line
    fields.setdefault("name", "")
    if node.children:
        _read_navigation_parts(node, fields, assembly)
    return PendingNavigation(
        fields=fields,
        type=node.get("Type"),
        relationship=assembly.names.resolve(node.get("Relationship")) if node.get("Relationship") else "",
        from_role=node.get("FromRole"),
        to_role=node.get("ToRole"),
    )


def _read_navigation_parts(node: Node, fields: Fields, assembly: Assembly) -> None:
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


def read_structure(node: Node, assembly: Assembly, kind: Literal["EntityType", "ComplexType"]) -> None:
    """Reads an entity or complex type into the assembly."""
    name = assembly.qualified(node.get("Name"))
    if not node.get("Name"):
        miss_name(node, assembly, "")
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
