"""Entity containers: sets, singletons, association sets, imports (CSDL 4.01, clause 13; V1-V3 alike)."""

from collections.abc import Callable, Mapping

from clew.domain.services import Annotation, EntitySet, NavigationBinding
from clew.sources.odata import sap
from clew.sources.odata.annotations import Stated, read_annotation
from clew.sources.odata.assembly import (
    Assembly,
    AssociationSet,
    Container,
    End,
    PendingImport,
    PendingSet,
)
from clew.sources.odata.attributes import BOOLEANS, ENTITY_SET, HANDLED, Fields, Table, read_attributes
from clew.sources.odata.nodes import Node
from clew.sources.odata.operations import read_function_import
from clew.sources.odata.reading import encode_value
from clew.sources.odata.statements import Statement
from clew.sources.odata.structures import read_documentation, read_inline
from clew.sources.odata.vocabularies import CORE

SET_FIELDS = frozenset(EntitySet.__struct_fields__) - {"id", "service", "name", "type", "container", "line"}
_CAPABILITIES = frozenset({
    *("insertable", "updatable", "deletable", "upsertable", "searchable", "countable", "top_supported"),
    *("filterable", "sortable", "requires_filter"),
})  # fmt: skip
_SET_TABLE: Table = {**ENTITY_SET, **sap.ENTITY_SET}
_LINKS_TABLE: Table = {"Name": HANDLED, "Association": HANDLED, "EntitySet": HANDLED, "Role": HANDLED, **sap.LINKS}
_IMPORT_TABLE: Table = {"Name": HANDLED, "Action": HANDLED, "Function": HANDLED, "EntitySet": HANDLED, **sap.TEXTS}


def read_container(node: Node, assembly: Assembly) -> None:
    """Reads an entity container into the assembly."""
    flag = node.get("m:IsDefaultEntityContainer") or node.get("IsDefaultEntityContainer")
    container = Container(
        name=assembly.qualified(node.get("Name")),
        line=node.line,
        is_default=BOOLEANS.get(flag, False),
        extends=assembly.names.resolve(node.get("Extends")) if node.get("Extends") else "",
    )
    assembly.containers.append(container)
    if container.extends:
        extended = Annotation(term="edm:Extends", value=encode_value(container.extends), qualifier=container.name)
        assembly.service_opaque.append(extended)
    for name, text in node.attributes.items():
        if name not in {"Name", "Extends", "m:IsDefaultEntityContainer", "IsDefaultEntityContainer"}:
            assembly.service_opaque.append(assembly.opaque(name, text))
    for child in node.children or ():
        read = _PARTS.get(child.name)
        if read is None:
            assembly.service_opaque.append(assembly.keep_unknown(child, node))
        else:
            read(child, container, assembly)


def _read_documentation(node: Node, container: Container, assembly: Assembly) -> None:
    statement = Statement(frozenset({"texts"}))
    read_documentation(node, statement, assembly)
    for field, term in (("description", "Description"), ("long_description", "LongDescription")):
        if text := statement.texts.get(field):
            assembly.state_target(container.name, [Stated(CORE + term, "", text, node.line)], node.line)
    assembly.service_opaque.extend(statement.opaque)


def _read_annotation(node: Node, container: Container, assembly: Assembly) -> None:
    assembly.state_target(container.name, read_annotation(node, assembly), node.line)


def _read_set(node: Node, container: Container, assembly: Assembly) -> None:
    fields = read_attributes(node, _SET_TABLE, assembly)
    stated = {name: fields.pop(name) for name in _CAPABILITIES.intersection(fields)}
    if fields.get("pageable") is False:
        stated.setdefault("top_supported", False)
        stated["skip_supported"] = False
    _settle_paths(node, stated, assembly)
    if stated:
        fields["capabilities"] = stated
    statement = Statement(SET_FIELDS, node.line)
    bindings: list[NavigationBinding] = []
    for child in node.children or ():
        if child.name == "NavigationPropertyBinding":
            target = assembly.names.resolve_target(child.get("Target"))
            bindings.append(NavigationBinding(path=child.get("Path"), target=target))
        elif child.name == "Annotation":
            assembly.state(statement, read_annotation(child, assembly))
        elif child.name == "Documentation":
            read_documentation(child, statement, assembly)
        else:
            statement.opaque.append(assembly.keep_unknown(child, node))
    if bindings:
        fields["bindings"] = bindings
    statement.merge_into(fields)
    type_name = node.get("EntityType") or node.get("Type")
    assembly.sets.append(
        PendingSet(
            name=node.get("Name"),
            type=assembly.names.resolve_type(type_name)[0],
            container=container,
            fields=fields,
            line=node.line,
            is_singleton=node.name == "Singleton",
        )
    )


def _settle_paths(node: Node, stated: Fields, assembly: Assembly) -> None:
    """Settles a right that is both stated and said to depend on a property: such a set does not have it.

    SAP Annotations for OData Version 2.0, "Combined meaning of updatable and updatable-path".
    """
    for right in ("updatable", "deletable"):
        path = node.get(f"sap:{right}-path")
        if path and f"sap:{right}" in node.attributes:
            stated[right] = False
            both = f"{node.name} {node.get('Name')!r} has both sap:{right} and sap:{right}-path"
            message = f"{both}, of which only one may be there; its entities count as not {right}."
            assembly.warn("odata-sap-conflict", message, node.line)


def _read_association_set(node: Node, container: Container, assembly: Assembly) -> None:
    links = read_attributes(node, _LINKS_TABLE, assembly)
    ends: list[End] = []
    for child in node.children or ():
        if child.name == "End":
            stated = read_attributes(child, _LINKS_TABLE, assembly)
            ends.append(End(role=child.get("Role"), type=child.get("EntitySet"), links=stated))
        elif child.name not in {"Documentation", "Annotation"}:
            assembly.service_opaque.append(assembly.keep_unknown(child, node))
    assembly.association_sets.append(
        AssociationSet(
            name=node.get("Name"),
            association=assembly.names.resolve(node.get("Association")),
            container=container,
            ends=ends,
            links=links,
            line=node.line,
        )
    )


def _read_import(node: Node, container: Container, assembly: Assembly) -> None:
    if node.name == "FunctionImport" and not node.get("Function"):
        read_function_import(node, assembly)
        return
    fields = read_attributes(node, _IMPORT_TABLE, assembly)
    statement = Statement(frozenset({"texts"}), node.line)
    read_inline(node, statement, assembly)
    statement.merge_into(fields)
    assembly.imports.append(
        PendingImport(
            name=node.get("Name"),
            operation=assembly.names.resolve(node.get("Action") or node.get("Function")),
            container=container,
            entity_set=node.get("EntitySet").rpartition("/")[2],
            fields=fields,
            line=node.line,
        )
    )


_PARTS: Mapping[str, Callable[[Node, Container, Assembly], None]] = {
    "EntitySet": _read_set,
    "Singleton": _read_set,
    "AssociationSet": _read_association_set,
    "FunctionImport": _read_import,
    "ActionImport": _read_import,
    "Annotation": _read_annotation,
    "Documentation": _read_documentation,
}
