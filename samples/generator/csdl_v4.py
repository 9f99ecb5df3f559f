"""OData V4 metadata: navigation with bindings, bound actions, enumerations, drafts, everything else by annotations."""

from collections.abc import Callable

from .annotations import (
    Blocks,
    Roots,
    field_annotations,
    non_filterable,
    references,
    required_properties,
    restriction,
)
from .csdl_v2 import _LENGTHS, _PRECISIONS
from .model import EntitySet, Field, Operation, Relation, Service
from .xml_text import Lines

EDM = "http://docs.oasis-open.org/odata/ns/edm"
ADMINISTRATION = "DraftAdministrativeData"
_TYPES = {
    "flag": "Edm.Boolean",
    "date": "Edm.Date",
    "moment": "Edm.DateTimeOffset",
    "time": "Edm.TimeOfDay",
    "amount": "Edm.Decimal",
    "price": "Edm.Decimal",
    "quantity": "Edm.Decimal",
    "percent": "Edm.Decimal",
    "number": "Edm.Int32",
    "guid": "Edm.Guid",
}


def write_v4(service: Service, versions: dict[str, str]) -> str:
    lines = Lines()
    lines.open("edmx:Edmx", Version="4.0", xmlns__edmx="http://docs.oasis-open.org/odata/ns/edmx")
    references(lines, own_namespace=False)
    lines.open("edmx:DataServices")
    lines.open("Schema", Namespace=namespace_of(service), Alias="SELF", xmlns=EDM)
    for entity_set in service.sets.values():
        _entity_type(lines, service, entity_set)
    if _drafts(service):
        _administration_type(lines)
    for name, members in service.enums.items():
        lines.open("EnumType", Name=name)
        for value, member in enumerate(members):
            lines.empty("Member", Name=member, Value=str(value))
        lines.close()
    for operation in service.operations:
        _operation(lines, service, operation)
    _container(lines, service)
    _annotations(lines, service, versions)
    return lines.done()


def namespace_of(service: Service) -> str:
    return "sample." + service.name.lower().removeprefix("api_") + ".v1"


def _drafts(service: Service) -> bool:
    return any(entity_set.draft for entity_set in service.sets.values())


def _type_of(entity_set: str) -> str:
    return f"{entity_set}_Type"


def _edm_type(item: Field) -> str:
    return f"SELF.{item.type.name}" if item.type.word == "enum" else _TYPES.get(item.type.word, "Edm.String")


def _entity_type(lines: Lines, service: Service, entity_set: EntitySet) -> None:
    lines.open("EntityType", Name=_type_of(entity_set.name))
    lines.open("Key")
    for item in entity_set.keys:
        lines.empty("PropertyRef", Name=item.name)
    lines.close()
    for item in entity_set.fields:
        lines.empty("Property", **_property(item))
    for relation in entity_set.relations:
        _navigation(lines, relation)
    for source in service.sets.values():
        for relation in source.relations:
            if relation.target == entity_set.name and relation.back:
                _navigation_back(lines, relation)
    if entity_set.draft:
        own = f"SELF.{_type_of(entity_set.name)}"
        lines.empty("NavigationProperty", Name="SiblingEntity", Type=own)
        lines.empty(
            "NavigationProperty", Name=ADMINISTRATION, Type=f"SELF.{ADMINISTRATION}_Type", ContainsTarget="true"
        )
    lines.close()


def _property(item: Field) -> dict[str, str | None]:
    word = item.type.word
    length = item.type.size or _LENGTHS.get(word, 0)
    precision, scale = _PRECISIONS.get(word, (0, 0))
    textual = _edm_type(item) == "Edm.String"
    return {
        "Name": item.name,
        "Type": _edm_type(item),
        "Nullable": "false" if item.key or item.required else None,
        "MaxLength": str(length) if length and textual else None,
        "Precision": str(precision) if precision else None,
        "Scale": str(scale) if precision else None,
        "DefaultValue": item.default,
    }


def _navigation(lines: Lines, relation: Relation) -> None:
    target = f"SELF.{_type_of(relation.target)}"
    attributes = {
        "Name": relation.name,
        "Type": f"Collection({target})" if relation.many == "*" else target,
        "Nullable": "false" if relation.many == "1" else None,
        "Partner": relation.back or None,
        "ContainsTarget": "true" if relation.contained else None,
    }
    # The side that holds the foreign key states the constraint (CSDL 4.01, clause 8.5).
    if relation.many == "*" or not relation.pairs:
        lines.empty("NavigationProperty", **attributes)
        return
    lines.open("NavigationProperty", **attributes)
    for own, other in relation.pairs:
        lines.empty("ReferentialConstraint", Property=own, ReferencedProperty=other)
    lines.close()


def _navigation_back(lines: Lines, relation: Relation) -> None:
    attributes = {
        "Name": relation.back,
        "Type": f"SELF.{_type_of(relation.source)}",
        "Nullable": "false",
        "Partner": relation.name,
    }
    if relation.many != "*" or not relation.pairs:
        lines.empty("NavigationProperty", **attributes)
        return
    lines.open("NavigationProperty", **attributes)
    for whole, part in relation.pairs:
        lines.empty("ReferentialConstraint", Property=part, ReferencedProperty=whole)
    lines.close()


def _administration_type(lines: Lines) -> None:
    lines.open("EntityType", Name=f"{ADMINISTRATION}_Type")
    lines.open("Key")
    lines.empty("PropertyRef", Name="DraftUUID")
    lines.close()
    lines.empty("Property", Name="DraftUUID", Type="Edm.Guid", Nullable="false")
    lines.empty("Property", Name="CreatedByUser", Type="Edm.String", MaxLength="12")
    lines.empty("Property", Name="LastChangeDateTime", Type="Edm.DateTimeOffset", Precision="0")
    lines.empty("Property", Name="InProcessByUser", Type="Edm.String", MaxLength="12")
    lines.empty("Property", Name="DraftIsCreatedByMe", Type="Edm.Boolean", Nullable="false")
    lines.close()


def _operation(lines: Lines, service: Service, operation: Operation) -> None:
    element = "Function" if operation.kind == "function" else "Action"
    path = "_it" if operation.gives == operation.on and operation.on and not operation.on_many else None
    lines.open(element, Name=operation.name, IsBound="true" if operation.on else None, EntitySetPath=path)
    if operation.on:
        bound = f"SELF.{_type_of(operation.on)}"
        bound = f"Collection({bound})" if operation.on_many else bound
        lines.empty("Parameter", Name="_it", Type=bound, Nullable="false")
    for item, optional in operation.takes:
        stated = _property(item)
        attributes = {name: stated[name] for name in ("Name", "Type", "MaxLength", "Precision", "Scale")}
        if not optional:
            lines.empty("Parameter", **attributes, Nullable="false")
            continue
        lines.open("Parameter", **attributes)
        lines.empty("Annotation", Term="Core.OptionalParameter")
        lines.close()
    if operation.gives in service.sets:
        lines.empty("ReturnType", Type=f"SELF.{_type_of(operation.gives)}", Nullable="false")
    elif operation.gives in _TYPES:
        lines.empty("ReturnType", Type=_TYPES[operation.gives], Nullable="false")
    lines.close()


def _container(lines: Lines, service: Service) -> None:
    lines.open("EntityContainer", Name="Container")
    for entity_set in service.exposed:
        attributes = {"Name": entity_set.name, "EntityType": f"SELF.{_type_of(entity_set.name)}"}
        bindings = list(_bindings(service, entity_set))
        if not bindings:
            lines.empty("EntitySet", **attributes)
            continue
        lines.open("EntitySet", **attributes)
        for path, target in bindings:
            lines.empty("NavigationPropertyBinding", Path=path, Target=target)
        lines.close()
    lines.close()


def _bindings(service: Service, entity_set: EntitySet) -> list[tuple[str, str]]:
    found = [
        (relation.name, relation.target)
        for relation in entity_set.relations
        if not relation.contained and service.sets[relation.target].exposed
    ]
    for source in service.sets.values():
        found += [
            (relation.back, relation.source)
            for relation in source.relations
            if relation.target == entity_set.name and relation.back
        ]
    if entity_set.draft:
        found.append(("SiblingEntity", entity_set.name))
    return found


def _annotations(lines: Lines, service: Service, versions: dict[str, str]) -> None:
    blocks = Blocks(None)
    roots = Roots(service.name, service.sets, versions)
    for entity_set in service.exposed:
        _annotate_set(blocks, entity_set, namespace_of(service))
    for entity_set in service.sets.values():
        blocks.text(f"SELF.{_type_of(entity_set.name)}", "Common.Label", entity_set.label)
        for item in entity_set.fields:
            _annotate_field(blocks, entity_set, item, roots)
    for operation in service.operations:
        # Annotations of an action without its signature are those of all its overloads.
        blocks.text(f"SELF.{operation.name}", "Common.Label", operation.label)
    blocks.write(lines)


def _annotate_set(blocks: Blocks, entity_set: EntitySet, namespace: str) -> None:
    target = f"SELF.Container/{entity_set.name}"
    blocks.text(target, "Common.Label", entity_set.label)
    blocks.text(target, "Core.Description", entity_set.hint)
    if entity_set.draft == "root":
        blocks.add(target, _draft_root(namespace))
    elif entity_set.draft:
        blocks.add(target, _draft_node)
    required = [item.name for item in entity_set.fields if item.required]
    insertable = "create" in entity_set.may
    if required or not insertable:
        blocks.add(target, required_properties(required, insertable=insertable))
    if "update" not in entity_set.may:
        blocks.add(target, restriction("Capabilities.UpdateRestrictions", "Updatable"))
    if "delete" not in entity_set.may:
        blocks.add(target, restriction("Capabilities.DeleteRestrictions", "Deletable"))
    if hidden := [item.name for item in entity_set.fields if not item.filterable]:
        blocks.add(target, non_filterable(hidden))


def _draft_root(namespace: str) -> Callable[[Lines], None]:
    def write(lines: Lines) -> None:
        lines.open("Annotation", Term="Common.DraftRoot")
        lines.open("Record", Type="Common.DraftRootType")
        for member, action in (
            ("PreparationAction", "draftPrepare"),
            ("ActivationAction", "draftActivate"),
            ("EditAction", "draftEdit"),
            ("DiscardAction", "draftDiscard"),
        ):
            # An action's name in a string is not subject to aliases.
            lines.empty("PropertyValue", Property=member, String=f"{namespace}.{action}")
        lines.close()
        lines.close()

    return write


def _draft_node(lines: Lines) -> None:
    lines.open("Annotation", Term="Common.DraftNode")
    lines.empty("Record", Type="Common.DraftNodeType")
    lines.close()


def _annotate_field(blocks: Blocks, entity_set: EntitySet, item: Field, roots: Roots) -> None:
    target = f"SELF.{_type_of(entity_set.name)}/{item.name}"
    blocks.text(target, "Common.Label", item.label)
    blocks.text(target, "Common.QuickInfo", item.hint)
    if item.computed:
        blocks.flag(target, "Core.Computed")
    elif item.immutable or item.key:
        blocks.flag(target, "Core.Immutable")
    word = item.type.word
    if word == "currency":
        blocks.flag(target, "Common.IsCurrency")
    elif word == "unit":
        blocks.flag(target, "Common.IsUnit")
    elif word == "code":
        blocks.flag(target, "Common.IsUpperCase")
    elif word == "digits":
        blocks.flag(target, "Common.IsDigitSequence")
    if item.unit:
        currency = word in ("amount", "price")
        blocks.path(target, "Measures.ISOCurrency" if currency else "Measures.Unit", item.unit)
    field_annotations(blocks, target, item, entity_set, roots)
