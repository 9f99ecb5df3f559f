"""OData V2 metadata: associations, function imports, sap: attributes, and annotations where those say too little."""

from .annotations import Blocks, Roots, field_annotations, references, required_properties
from .model import EntitySet, Field, Operation, Relation, Service
from .xml_text import Lines

EDM = "http://schemas.microsoft.com/ado/2008/09/edm"
_TYPES = {
    "flag": "Edm.Boolean",
    "date": "Edm.DateTime",
    "moment": "Edm.DateTimeOffset",
    "time": "Edm.Time",
    "amount": "Edm.Decimal",
    "price": "Edm.Decimal",
    "quantity": "Edm.Decimal",
    "percent": "Edm.Decimal",
    "number": "Edm.Int32",
    "guid": "Edm.Guid",
}
_PRECISIONS = {"amount": (16, 3), "price": (16, 3), "quantity": (13, 3), "percent": (5, 2)}
_LENGTHS = {"unit": 3, "currency": 5}
_MULTIPLICITIES = {"*": "*", "1": "1", "?": "0..1"}


def write_v2(service: Service, versions: dict[str, str]) -> str:
    lines = Lines()
    lines.open(
        "edmx:Edmx",
        Version="1.0",
        xmlns__edmx="http://schemas.microsoft.com/ado/2007/06/edmx",
        xmlns__m="http://schemas.microsoft.com/ado/2007/08/dataservices/metadata",
        xmlns__sap="http://www.sap.com/Protocols/SAPData",
    )
    references(lines, own_namespace=True)
    lines.open("edmx:DataServices", m__DataServiceVersion="2.0")
    lines.open("Schema", Namespace=service.name, xml__lang="en", xmlns=EDM)
    for entity_set in service.sets.values():
        _entity_type(lines, service, entity_set)
    for name, fields in service.complex.items():
        lines.open("ComplexType", Name=name)
        for item in fields:
            lines.empty("Property", **_property(item))
        lines.close()
    for relation in _relations(service):
        _association(lines, service, relation)
    _container(lines, service)
    _annotations(lines, service, versions)
    return lines.done()


def _entity_type(lines: Lines, service: Service, entity_set: EntitySet) -> None:
    lines.open("EntityType", Name=_type_of(entity_set.name), sap__label=entity_set.label)
    lines.open("Key")
    for item in entity_set.keys:
        lines.empty("PropertyRef", Name=item.name)
    lines.close()
    for item in entity_set.fields:
        lines.empty("Property", **_property(item, entity_set))
    for relation in entity_set.relations:
        name = _association_name(relation)
        lines.empty(
            "NavigationProperty",
            Name=relation.name,
            Relationship=f"{service.name}.{name}",
            FromRole=f"FromRole_{name}",
            ToRole=f"ToRole_{name}",
        )
    for relation in _backwards(service, entity_set):
        name = _association_name(relation)
        lines.empty(
            "NavigationProperty",
            Name=relation.back,
            Relationship=f"{service.name}.{name}",
            FromRole=f"ToRole_{name}",
            ToRole=f"FromRole_{name}",
        )
    lines.close()


def _property(item: Field, entity_set: EntitySet | None = None) -> dict[str, str | None]:
    word = item.type.word
    length = item.type.size or _LENGTHS.get(word, 0)
    precision, scale = _PRECISIONS.get(word, (0, 0))
    found: dict[str, str | None] = {
        "Name": item.name,
        "Type": _TYPES.get(word, "Edm.String"),
        "Nullable": "false" if item.key or item.required else None,
        "DefaultValue": item.default,
        "MaxLength": str(length) if length else None,
        "Precision": str(precision) if precision else "0" if word in ("date", "moment", "time") else None,
        "Scale": str(scale) if precision else None,
        "sap__display-format": {"date": "Date", "code": "UpperCase", "digits": "NonNegative"}.get(word),
        "sap__label": item.label,
        "sap__quickinfo": item.hint or None,
    }
    if entity_set is None:
        return found
    writable = bool({"create", "update"} & entity_set.may)
    found |= {
        "sap__creatable": "false" if item.computed or not writable else None,
        "sap__updatable": "false" if item.computed or item.key or item.immutable or not writable else None,
        "sap__filterable": None if item.filterable else "false",
        "sap__sortable": None if item.filterable else "false",
        "sap__unit": item.unit or None,
        "sap__text": _text_of(item, entity_set),
        "sap__semantics": {"currency": "currency-code", "unit": "unit-of-measure"}.get(word) or _semantics(item.name),
        "sap__value-list": "fixed-values" if item.fixed_list else "standard" if item.list_of else None,
    }
    return found


def _semantics(name: str) -> str | None:
    return {"EmailAddress": "email", "PhoneNumber": "tel", "FiscalYear": "fiscalyear"}.get(name)


def _text_of(item: Field, entity_set: EntitySet) -> str | None:
    names = (item.name + suffix for suffix in ("Name", "Description", "Text"))
    return next((name for name in names if entity_set.field(name)), None) if item.type.word == "code" else None


def _relations(service: Service) -> list[Relation]:
    return [relation for entity_set in service.sets.values() for relation in entity_set.relations]


def _backwards(service: Service, entity_set: EntitySet) -> list[Relation]:
    return [relation for relation in _relations(service) if relation.target == entity_set.name and relation.back]


def _association_name(relation: Relation) -> str:
    return f"assoc_{relation.source}_{relation.name}"


def _type_of(entity_set: str) -> str:
    return f"{entity_set}Type"


def _association(lines: Lines, service: Service, relation: Relation) -> None:
    name = _association_name(relation)
    lines.open("Association", Name=name)
    source, target = (f"{service.name}.{_type_of(end)}" for end in (relation.source, relation.target))
    lines.empty("End", Type=source, Multiplicity="*" if relation.many != "*" else "1", Role=f"FromRole_{name}")
    lines.empty("End", Type=target, Multiplicity=_MULTIPLICITIES[relation.many], Role=f"ToRole_{name}")
    if relation.pairs:
        # The end with one is the principal, whose key the other end repeats.
        principal, dependent = ("FromRole", "ToRole") if relation.many == "*" else ("ToRole", "FromRole")
        pairs = relation.pairs if relation.many == "*" else [(right, left) for left, right in relation.pairs]
        lines.open("ReferentialConstraint")
        for element, role, names in (
            ("Principal", principal, [left for left, _ in pairs]),
            ("Dependent", dependent, [right for _, right in pairs]),
        ):
            lines.open(element, Role=f"{role}_{name}")
            for part in names:
                lines.empty("PropertyRef", Name=part)
            lines.close()
        lines.close()
    lines.close()


def _container(lines: Lines, service: Service) -> None:
    lines.open("EntityContainer", Name=_container_name(service), m__IsDefaultEntityContainer="true")
    for entity_set in service.exposed:
        lines.empty(
            "EntitySet",
            Name=entity_set.name,
            EntityType=f"{service.name}.{_type_of(entity_set.name)}",
            sap__label=entity_set.label,
            sap__creatable=None if "create" in entity_set.may else "false",
            sap__updatable=None if "update" in entity_set.may else "false",
            sap__deletable=None if "delete" in entity_set.may else "false",
        )
    for relation in _relations(service):
        name = _association_name(relation)
        lines.open("AssociationSet", Name=f"{name}_set", Association=f"{service.name}.{name}")
        lines.empty("End", EntitySet=relation.source, Role=f"FromRole_{name}")
        lines.empty("End", EntitySet=relation.target, Role=f"ToRole_{name}")
        lines.close()
    for operation in service.operations:
        _function_import(lines, service, operation)
    lines.close()


def _container_name(service: Service) -> str:
    return f"{service.name}_Entities"


def _function_import(lines: Lines, service: Service, operation: Operation) -> None:
    returned = service.sets.get(operation.gives)
    if returned:
        result = f"{service.name}.{_type_of(returned.name)}"
    else:
        result = f"{service.name}.{operation.gives}" if operation.gives in service.complex else None
    lines.open(
        "FunctionImport",
        Name=operation.name,
        ReturnType=result,
        EntitySet=returned.name if returned else None,
        m__HttpMethod=operation.method,
        sap__label=operation.label,
        **{"sap__action-for": f"{service.name}.{_type_of(operation.on)}" if operation.on else None},
    )
    keys = [(item, False) for item in service.sets[operation.on].keys] if operation.on else []
    for item, optional in (*keys, *operation.takes):
        stated = _property(item)
        lines.empty(
            "Parameter",
            Name=item.name,
            Type=stated["Type"],
            Mode="In",
            Nullable="true" if optional else "false",
            MaxLength=stated["MaxLength"],
            Precision=stated["Precision"],
            Scale=stated["Scale"],
            sap__label=item.label,
        )
    lines.close()


def _annotations(lines: Lines, service: Service, versions: dict[str, str]) -> None:
    blocks = Blocks("http://docs.oasis-open.org/odata/ns/edm")
    roots = Roots(service.name, service.sets, versions)
    for entity_set in service.exposed:
        target = f"{service.name}.{_container_name(service)}/{entity_set.name}"
        blocks.text(target, "Core.Description", entity_set.hint)
        required = [item.name for item in entity_set.fields if item.required]
        if required and "create" in entity_set.may:
            blocks.add(target, required_properties(required, insertable=True))
    for entity_set in service.sets.values():
        for item in entity_set.fields:
            target = f"{service.name}.{_type_of(entity_set.name)}/{item.name}"
            field_annotations(blocks, target, item, entity_set, roots)
    blocks.write(lines)
