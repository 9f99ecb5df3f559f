"""The last step: elements of a document joined into nodes, with what does not fit together reported."""

from collections.abc import Iterator

import msgspec

from clew.domain.facts import Node as GraphNode
from clew.domain.ids import entity_set_id, service_id, type_id
from clew.domain.services import (
    Annotation,
    Capabilities,
    ComplexType,
    EntitySet,
    EntityType,
    NavigationProperty,
    Property,
    Service,
    Texts,
)
from clew.sources.odata.assembly import Assembly, PendingSet, Structure
from clew.sources.odata.associations import bind_association_sets, resolve_navigation
from clew.sources.odata.attributes import Fields
from clew.sources.odata.checks import check_document
from clew.sources.odata.statements import Statement, finish_fields
from clew.sources.odata.valuehelps import help_of_enum, helps_of_document


def name_sets(assembly: Assembly) -> None:
    """Gives sets of a further container their qualified name where their own one is taken: so URLs name them."""
    default = next((item for item in assembly.containers if item.is_default), None)
    default = default or (assembly.containers[0] if assembly.containers else None)
    taken = {item.name for item in assembly.sets if item.container is default}
    for item in assembly.sets:
        if item.container is default:
            continue
        if item.name in taken:
            simple = item.container.name.rpartition(".")[2]
            message = (
                f"The set {item.name!r} of {item.container.name} is known as {simple}.{item.name}: its name is taken."
            )
            assembly.note("odata-set-renamed", message, item.line)
            item.name = f"{simple}.{item.name}"
        taken.add(item.name)


def resolve_navigations(assembly: Assembly) -> None:
    """Completes all navigation properties; a V4 one has its source multiplicity from its partner."""
    for structure in assembly.structures.values():
        structure.navigations = [resolve_navigation(item, structure.name, assembly) for item in structure.pending]
    for structure in assembly.structures.values():
        for position, item in enumerate(structure.navigations):
            if item.partner and not item.source_multiplicity:
                partner = _member(item.target, item.partner, assembly)
                if partner is not None:
                    structure.navigations[position] = msgspec.structs.replace(
                        item, source_multiplicity=partner.multiplicity
                    )


def _member(type_name: str, path: str, assembly: Assembly) -> NavigationProperty | None:
    """Gives the navigation property at the end of a partner path, which may pass complex properties and casts."""
    *steps, last = path.split("/")
    for step in steps:
        if "." in step:
            type_name = assembly.names.resolve(step)
            continue
        found = next(
            (item for part in _lineage(type_name, assembly) for item in part.properties if item.name == step), None
        )
        type_name = found.type if found else ""
    for part in _lineage(type_name, assembly):
        for item in part.navigations:
            if item.name == last:
                return item
    return None


def _lineage(name: str, assembly: Assembly) -> Iterator[Structure]:
    seen: set[str] = set()
    while name and name not in seen and (found := assembly.structures.get(name)):
        seen.add(name)
        yield found
        name = found.fields.get("base", "")


def apply_definitions(assembly: Assembly) -> None:
    """Gives properties the facets and value lists of their type definitions (CSDL 4.01, clause 11)."""
    definitions = {name: item.facets for name, item in assembly.definitions.items() if item.facets}
    if not definitions:
        return
    for structure in assembly.structures.values():
        for position, item in enumerate(structure.properties):
            facets = definitions.get(item.type)
            if facets is not None:
                structure.properties[position] = _with_facets(item, facets)


def _with_facets(item: Property, facets: Fields) -> Property:
    defaults = Property(name="")
    unstated = {
        name: value
        for name, value in facets.items()
        if name in Property.__struct_fields__ and getattr(item, name) == getattr(defaults, name)
    }
    return msgspec.structs.replace(item, **unstated) if unstated else item


def expose_imports(assembly: Assembly) -> None:
    """Gives operations the names by which containers expose them; an import exposes every unbound overload."""
    by_name: dict[str, list[str]] = {}
    for identifier, operation in assembly.operations.items():
        if not operation.bound_to:
            by_name.setdefault(operation.name, []).append(identifier)
    for item in assembly.imports:
        found = by_name.get(item.operation, [])
        if not found:
            message = f"The import {item.name!r} names {item.operation}, which is not declared in this document."
            assembly.warn("odata-missing-operation", message, item.line)
            value = f"{item.container.name}/{item.name}"
            assembly.service_opaque.append(Annotation(term="edm:Import", value=f'"{item.operation}"', qualifier=value))
        for identifier in found:
            operation = assembly.operations[identifier]
            texts: Texts = item.fields.get("texts") or operation.texts
            assembly.operations[identifier] = msgspec.structs.replace(
                operation,
                imports=(*operation.imports, item.name),
                entity_set=operation.entity_set or item.entity_set,
                texts=texts if operation.texts == Texts() else operation.texts,
                opaque=(*operation.opaque, *item.fields.get("opaque", ())),
            )


def bind_actions(assembly: Assembly) -> None:
    """Binds V2 function imports to the type that they are an action for, where their parameters give its key.

    SAP Annotations for OData Version 2.0, `action-for`.
    """
    for identifier, type_name in assembly.action_types.items():
        operation = assembly.operations[identifier]
        given = {item.name for item in operation.parameters}
        missing = [name for name in _key(type_name, assembly) if name not in given]
        if type_name in assembly.structures and not missing:
            assembly.operations[identifier] = msgspec.structs.replace(operation, bound_to=type_name)
            continue
        if missing:
            reason = f"no parameter gives the key property {', '.join(missing)} of {type_name}"
        else:
            reason = f"{type_name} is not declared"
        message = f"{operation.name} is not taken as an action for one entity: {reason}."
        assembly.warn("odata-action-for", message, operation.line)
        kept = assembly.opaque("sap:action-for", type_name)
        assembly.operations[identifier] = msgspec.structs.replace(operation, opaque=(*operation.opaque, kept))


def _key(type_name: str, assembly: Assembly) -> tuple[str, ...]:
    return next((part.fields["key"] for part in _lineage(type_name, assembly) if part.fields.get("key")), ())


def make_nodes(assembly: Assembly, service: Statement, version: str) -> list[GraphNode]:
    """Gives the nodes of a service, itself first."""
    resolve_navigations(assembly)
    apply_definitions(assembly)
    expose_imports(assembly)
    bind_actions(assembly)
    check_document(assembly, version)
    bindings = bind_association_sets(assembly)
    name = assembly.service
    nodes: list[GraphNode] = [_service(assembly, service, version)]
    is_searchable = version.startswith("V4")
    for item in assembly.sets:
        if item.name in bindings:
            item.fields["bindings"] = bindings[item.name]
        nodes.append(_entity_set(item, name, is_searchable=is_searchable))
    nodes += [_structured_type(item, name) for item in assembly.structures.values()]
    enums = [
        msgspec.structs.replace(item, id=type_id(name, item.name), service=name) for item in assembly.enums.values()
    ]
    nodes += enums
    nodes += assembly.operations.values()
    nodes += [help_of_enum(item) for item in enums]
    nodes += helps_of_document(assembly, _list_kinds(assembly))
    return nodes


def _list_kinds(assembly: Assembly) -> dict[str, str]:
    if not assembly.helps:
        return {}
    return {
        item.value_help: item.value_list
        for structure in assembly.structures.values()
        for item in structure.properties
        if item.value_help
    }


def _service(assembly: Assembly, statement: Statement, version: str) -> Service:
    names = assembly.names
    own = [(alias, namespace) for alias, namespace in names.declared.items() if namespace in names.namespaces]
    return Service(
        id=service_id(assembly.service),
        service=assembly.service,
        name=assembly.service,
        version=version,
        namespaces=tuple(names.namespaces),
        aliases=tuple(own),
        containers=tuple(item.name for item in assembly.containers),
        references=tuple(dict.fromkeys(assembly.references)),
        type_definitions=tuple((item.name, item.underlying) for item in assembly.definitions.values()),
        texts=Texts(**statement.texts),
        opaque=tuple(assembly.service_opaque),
        line=1,
    )


# V1-V3 have no `$search`; SAP's `search` is there where `sap:searchable` says so.
_UNSEARCHABLE = Capabilities(searchable=False)


def _entity_set(item: PendingSet, service: str, *, is_searchable: bool) -> EntitySet:
    fields = finish_fields(item.fields)
    stated: Capabilities | None = fields.get("capabilities")
    if not is_searchable:
        if stated is None:
            fields["capabilities"] = _UNSEARCHABLE
        elif "searchable" not in stated.stated:
            fields["capabilities"] = msgspec.structs.replace(stated, searchable=False)
    if "bindings" in fields:
        fields["bindings"] = tuple(fields["bindings"])
    return EntitySet(
        id=entity_set_id(service, item.name),
        service=service,
        name=item.name,
        type=item.type,
        container=item.container.name,
        singleton=item.is_singleton,
        line=item.line,
        **fields,
    )


def _structured_type(item: Structure, service: str) -> EntityType | ComplexType:
    make = EntityType if item.kind == "EntityType" else ComplexType
    return make(
        id=type_id(service, item.name),
        service=service,
        name=item.name,
        properties=tuple(item.properties),
        navigations=tuple(item.navigations),
        line=item.line,
        **finish_fields(item.fields),
    )
