"""Associations of V1-V3: both ends of a navigation property, and the sets that it leads between."""

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import msgspec

from clew.domain.services import Multiplicity, NavigationBinding, NavigationProperty, ReferentialConstraint
from clew.sources.odata.assembly import Assembly, Association, AssociationSet, End, PendingNavigation
from clew.sources.odata.attributes import HANDLED, Table, read_attributes
from clew.sources.odata.nodes import Node
from clew.sources.odata.statements import finish_fields

_TABLE: Table = {"Name": HANDLED}
_NOISE = frozenset({"sap:content-version"})
"""Attributes that are counted in the report, but not worth keeping for each association."""
MULTIPLICITIES: dict[str, Multiplicity] = {"1": "1", "0..1": "0..1", "*": "*"}


def read_association(node: Node, assembly: Assembly) -> None:
    """Reads an association with its ends and its referential constraint into the assembly."""
    name = assembly.qualified(node.get("Name"))
    association = Association(name=name, ends=[], line=node.line)
    for kept in read_attributes(node, _TABLE, assembly).get("opaque", ()):
        if kept.term not in _NOISE:
            assembly.service_opaque.append(msgspec.structs.replace(kept, qualifier=name))
    for child in node.children or ():
        if child.name == "End":
            association.ends.append(_read_end(child, assembly))
        elif child.name == "ReferentialConstraint":
            for part in child.children or ():
                properties = tuple(item.get("Name") for item in part.children or () if item.name == "PropertyRef")
                if part.name == "Principal":
                    association.principal, association.principal_properties = part.get("Role"), properties
                elif part.name == "Dependent":
                    association.dependent, association.dependent_properties = part.get("Role"), properties
        elif child.name != "Documentation":
            assembly.service_opaque.append(assembly.keep_unknown(child, node))
    _check(association, assembly)
    assembly.associations[name] = association


def _read_end(node: Node, assembly: Assembly) -> End:
    on_delete = next((child.get("Action") for child in node.children or () if child.name == "OnDelete"), "")
    for child in node.children or ():
        if child.name not in {"OnDelete", "Documentation"}:
            assembly.service_opaque.append(assembly.keep_unknown(child, node))
    name = assembly.names.resolve_type(node.get("Type"))[0]
    # The role may be left out; it is the type's simple name then.
    role = node.get("Role") or name.rpartition(".")[2]
    return End(role=role, type=name, multiplicity=node.get("Multiplicity"), on_delete=on_delete)


def _check(association: Association, assembly: Assembly) -> None:
    if association.name in assembly.associations:
        message = f"Association {association.name} is declared again; the last declaration holds."
        assembly.warn("odata-duplicate-association", message, association.line)
    if len(association.ends) != 2:
        message = f"Association {association.name} has {len(association.ends)} ends; it needs two."
        assembly.warn("odata-association-ends", message, association.line)
    for end in association.ends:
        if end.multiplicity not in MULTIPLICITIES:
            message = f"The end {end.role!r} of {association.name} has the multiplicity {end.multiplicity!r};"
            assembly.warn("odata-multiplicity", f"{message} 1, 0..1 and * are known.", association.line)


def resolve_navigation(pending: PendingNavigation, owner: str, assembly: Assembly) -> NavigationProperty:
    """Gives a navigation property with target and multiplicities from its association, or from its own type."""
    if not pending.relationship:
        return _navigation_of_type(pending, owner, assembly)
    fields = pending.fields
    fields["relationship"] = pending.relationship
    source, target = _ends_of(pending, assembly)
    if source is None or target is None:
        association = assembly.associations.get(pending.relationship)
        missing = f"has no end {pending.to_role!r}" if association else "is not declared in this document"
        message = f"{owner}/{fields['name']} leads nowhere: its association {pending.relationship} {missing}."
        assembly.warn("odata-missing-association", message, fields["line"])
        return NavigationProperty(target="", **finish_fields(fields))
    association = assembly.associations[pending.relationship]
    fields["target"] = target.type
    fields["multiplicity"] = MULTIPLICITIES.get(target.multiplicity, "*")
    fields["source_multiplicity"] = MULTIPLICITIES.get(source.multiplicity, "")
    fields["nullable"] = target.multiplicity != "1"
    if source.on_delete:
        fields["on_delete"] = source.on_delete
    _constrain(fields, association, source)
    return NavigationProperty(**finish_fields(fields))


def _navigation_of_type(pending: PendingNavigation, owner: str, assembly: Assembly) -> NavigationProperty:
    fields = pending.fields
    target, is_collection = assembly.names.resolve_type(pending.type)
    if not target:
        message = f"{owner}/{fields['name']} leads nowhere: it has neither a Type nor a Relationship."
        assembly.warn("odata-missing-association", message, fields["line"])
    fields["multiplicity"] = "*" if is_collection else ("0..1" if fields.get("nullable", True) else "1")
    return NavigationProperty(target=target, **finish_fields(fields))


def _ends_of(pending: PendingNavigation, assembly: Assembly) -> tuple[End | None, End | None]:
    association = assembly.associations.get(pending.relationship)
    if association is None:
        return None, None
    ends = association.ends
    target = next((end for end in ends if end.role == pending.to_role), None)
    # Both roles have the same name where an exporter was careless: the ends are told apart by their order then.
    source = next((end for end in ends if end.role == pending.from_role and end is not target), None)
    return source, target


def _constrain(fields: dict[str, Any], association: Association, source: End) -> None:
    pairs = zip(association.dependent_properties, association.principal_properties, strict=False)
    constraints = tuple(ReferentialConstraint(property=own, referenced=other) for own, other in pairs)
    if constraints:
        fields["constraints"] = constraints
        if source.role == association.principal:
            fields["source_is_principal"] = True


def bind_association_sets(assembly: Assembly) -> dict[str, list[NavigationBinding]]:
    """Gives the navigation bindings of each set (by its name), which association sets tell in V1-V3."""
    if not assembly.association_sets:
        return {}
    ways = _ways(assembly)
    bindings: defaultdict[str, list[NavigationBinding]] = defaultdict(list)
    types = {item.name: item.type for item in assembly.sets}
    for item in assembly.association_sets:
        for source, target, source_role, links in _directions(item, assembly, types):
            for path in _paths(types[source], ways.get((item.association, source_role), {}), assembly):
                bindings[source].append(NavigationBinding(path=path, target=target, **links))
    return bindings


def _ways(assembly: Assembly) -> dict[tuple[str, str], dict[str, list[str]]]:
    """Gives, by association and source role, the navigation properties of each type that has any."""
    ways: defaultdict[tuple[str, str], dict[str, list[str]]] = defaultdict(dict)
    for structure in assembly.structures.values():
        for pending in structure.pending if structure.kind == "EntityType" else ():
            if pending.relationship:
                owners = ways[pending.relationship, pending.from_role]
                owners.setdefault(structure.name, []).append(pending.fields["name"])
    return ways


def _paths(own: str, owners: dict[str, list[str]], assembly: Assembly) -> Iterator[str]:
    """Gives the navigation paths from a set of the type `own`: its type's, its bases', and after a cast its heirs'."""
    lineage = _lineage(own, assembly)
    for name in lineage:
        yield from owners.get(name, ())
    for owner, names in owners.items():
        if owner not in lineage and own in _lineage(owner, assembly):
            yield from (f"{owner}/{name}" for name in names)


def _directions(
    item: AssociationSet, assembly: Assembly, types: dict[str, str]
) -> Iterator[tuple[str, str, str, dict[str, bool]]]:
    """Gives source set, target set, the source's role and the rights on links, for both directions."""
    association = assembly.associations.get(item.association)
    if association is None or len(item.ends) != 2:
        reason = f"its association {item.association} is not declared" if association is None else "it needs two ends"
        message = f"AssociationSet {item.name!r} is of no use: {reason}."
        assembly.warn("odata-missing-association", message, item.line)
        return
    roles = [end.role or _role_by_type(end, association, assembly, types) for end in item.ends]
    for here, there in ((0, 1), (1, 0)):
        source, target = item.ends[here], item.ends[there]
        if source.type not in types or target.type not in types:
            missing = source.type if source.type not in types else target.type
            message = f"AssociationSet {item.name!r} names the set {missing!r}, which is not declared."
            assembly.warn("odata-missing-set", message, item.line)
            return
        links: dict[str, bool] = {**item.links, **target.links}
        rights = {name: links[name] for name in ("creatable", "updatable", "deletable") if name in links}
        yield source.type, target.type, roles[here], rights


def _role_by_type(end: End, association: Association, assembly: Assembly, types: dict[str, str]) -> str:
    lineage = _lineage(types.get(end.type, ""), assembly)
    return next((item.role for item in association.ends if item.type in lineage), "")


def _lineage(name: str, assembly: Assembly) -> list[str]:
    """Gives a type and its base types."""
    lineage: list[str] = []
    while name and name not in lineage:
        lineage.append(name)
        structure = assembly.structures.get(name)
        name = structure.fields.get("base", "") if structure else ""
    return lineage
