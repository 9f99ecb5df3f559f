"""Operations: function imports of V1-V3, actions and functions of V4 (CSDL 4.01, clause 12)."""

from clew.domain.ids import operation_id
from clew.domain.services import Annotation, Operation, Parameter
from clew.sources.odata import sap
from clew.sources.odata.annotations import foreign_value, read_annotation
from clew.sources.odata.assembly import Assembly
from clew.sources.odata.attributes import BOOLEANS, HANDLED, PARAMETER, Fields, Table, read_attributes, read_boolean
from clew.sources.odata.nodes import Node
from clew.sources.odata.reading import encode_value
from clew.sources.odata.statements import Statement, finish_fields
from clew.sources.odata.structures import check_facets, read_documentation, read_inline, require_help

OPERATION_FIELDS = frozenset({"texts"})
PARAMETER_FIELDS = frozenset({"optional", "value_help", "texts"})

_PARAMETER_TABLE: Table = {
    **PARAMETER,
    **sap.PARAMETER,
}
_FUNCTION_IMPORT_TABLE: Table = {
    **dict.fromkeys(("Name", "ReturnType", "EntitySet", "EntitySetPath", "m:HttpMethod", "HttpMethod"), HANDLED),
    **dict.fromkeys(("IsBindable", "IsSideEffecting", "m:IsAlwaysBindable"), HANDLED),
    "IsComposable": ("composable", read_boolean),
    **sap.FUNCTION_IMPORT,
}
_OPERATION_TABLE: Table = {
    **dict.fromkeys(("Name", "IsBound", "ReturnType"), HANDLED),
    "EntitySetPath": ("entity_set", None),
    "IsComposable": ("composable", read_boolean),
}
"""`HANDLED` attributes of a V3 or V4 operation are read below."""


def read_parameter(node: Node, assembly: Assembly, owner: str) -> Parameter:
    """Gives a parameter of the operation whose id's local part is `owner`."""
    fields = read_attributes(node, _PARAMETER_TABLE, assembly)
    expression = fields.get("type", "Edm.String")
    fields["type"], is_collection = assembly.names.resolve_type(expression)
    if is_collection:
        fields["collection"] = True
    if fields["type"] == "Edm.String":
        del fields["type"]
    if fields.get("mode") == "In":
        del fields["mode"]
    fields.setdefault("name", "")
    fields["line"] = node.line
    if "scale" in fields or "precision" in fields:
        check_facets(fields, assembly, f"{owner}/{fields['name']}", kind=fields.get("type", "Edm.String"))
    fields.pop("scale_kind", None)
    if node.children:
        statement = Statement(PARAMETER_FIELDS, node.line)
        read_inline(node, statement, assembly)
        statement.merge_into(fields)
        if statement.value_help is not None:
            fields["value_help"] = require_help(assembly, owner, fields["name"], statement.value_help, node.line)
    return Parameter(**finish_fields(fields))


def read_function_import(node: Node, assembly: Assembly) -> None:
    """Reads a function import of V1-V3, which declares the function itself."""
    name = assembly.qualified(node.get("Name"))
    fields = read_attributes(node, _FUNCTION_IMPORT_TABLE, assembly)
    method = node.get("m:HttpMethod") or node.get("HttpMethod")
    is_v3 = "IsBindable" in node.attributes or "IsSideEffecting" in node.attributes
    fields["method"] = method or ("POST" if is_v3 and node.get("IsSideEffecting") != "false" else "GET")
    if entity_set := node.get("EntitySet") or node.get("EntitySetPath"):
        fields["entity_set"] = entity_set
    if returned := node.get("ReturnType"):
        fields["returns"], fields["returns_collection"] = assembly.names.resolve_type(returned)
    parameters = _read_parts(node, fields, assembly, name)
    if BOOLEANS.get(node.get("IsBindable"), False) and parameters:
        _bind(fields, parameters)
        overload = _overload(parameters)
    else:
        overload = ()
        fields["imports"] = (node.get("Name"),)
    if action_for := node.get("sap:action-for"):
        fields["action_for"] = assembly.names.resolve(action_for)
    fields |= {"name": name, "flavor": "function_import", "line": node.line}
    _add(fields, parameters, overload, assembly)


def read_operation(node: Node, assembly: Assembly) -> None:
    """Reads an action or function of V4, one overload of perhaps several."""
    if node.name == "Function" and _is_model_function(node):
        value = encode_value(foreign_value(node))
        assembly.service_opaque.append(Annotation(term="edm:Function", value=value, qualifier=node.get("Name")))
        return
    name = assembly.qualified(node.get("Name"))
    fields = read_attributes(node, _OPERATION_TABLE, assembly)
    fields["flavor"] = "action" if node.name == "Action" else "function"
    fields["method"] = "POST" if node.name == "Action" else "GET"
    if returned := node.get("ReturnType"):
        fields["returns"], fields["returns_collection"] = assembly.names.resolve_type(returned)
    parameters = _read_parts(node, fields, assembly, name)
    if BOOLEANS.get(node.get("IsBound"), False):
        if parameters:
            _bind(fields, parameters)
        else:
            message = f"{node.name} {name} is bound, but has no parameter that it is bound by."
            assembly.warn("odata-binding-parameter", message, node.line)
    fields |= {"name": name, "line": node.line}
    _add(fields, parameters, _overload(parameters), assembly)


def _is_model_function(node: Node) -> bool:
    """Whether a function is one of the model's own (V3, `DefiningExpression`), which no service offers."""
    return any(child.name == "DefiningExpression" for child in node.children or ())


def _read_parts(node: Node, fields: Fields, assembly: Assembly, name: str) -> list[Parameter]:
    parameters: list[Parameter] = []
    statement = Statement(OPERATION_FIELDS, node.line)
    for child in node.children or ():
        if child.name == "Parameter":
            parameters.append(read_parameter(child, assembly, name))
        elif child.name == "ReturnType":
            _read_return(child, fields, statement, assembly)
        elif child.name == "Annotation":
            assembly.state(statement, read_annotation(child, assembly))
        elif child.name == "Documentation":
            read_documentation(child, statement, assembly)
        else:
            statement.opaque.append(assembly.keep_unknown(child, node))
    statement.merge_into(fields)
    return parameters


def _read_return(node: Node, fields: Fields, operation: Statement, assembly: Assembly) -> None:
    if type_name := node.get("Type"):
        fields["returns"], fields["returns_collection"] = assembly.names.resolve_type(type_name)
    if node.get("Nullable"):
        fields["returns_nullable"] = BOOLEANS.get(node.get("Nullable"), True)
    if entity_set := node.get("EntitySet"):
        fields["entity_set"] = entity_set
    for name, text in node.attributes.items():
        if name not in {"Type", "Nullable", "EntitySet"}:
            operation.opaque.append(assembly.opaque(f"$ReturnType/{name}", text))
    statement = Statement(frozenset(), node.line)
    read_inline(node, statement, assembly)
    for annotation in statement.opaque:
        operation.opaque.append(
            annotation.__class__(
                term=f"$ReturnType@{annotation.term}", value=annotation.value, qualifier=annotation.qualifier
            )
        )


def _bind(fields: Fields, parameters: list[Parameter]) -> None:
    """Makes the first parameter the binding one, which the URL gives."""
    bound = parameters[0]
    fields["bound_to"] = bound.type
    fields["bound_to_collection"] = bound.collection
    fields["binding_parameter"] = bound.name


def _overload(parameters: list[Parameter]) -> tuple[str, ...]:
    return tuple(f"Collection({item.type})" if item.collection else item.type for item in parameters)


def _add(fields: Fields, parameters: list[Parameter], overload: tuple[str, ...], assembly: Assembly) -> None:
    """Adds an operation under its id; overloads that differ in names alone get the names into the id as well."""
    action_for = fields.pop("action_for", "")
    own = parameters[1:] if fields.get("binding_parameter") else parameters
    identifier = operation_id(assembly.service, fields["name"], overload)
    if identifier in assembly.operations:
        named = tuple(f"{item.name}:{kind}" for item, kind in zip(parameters, _overload(parameters), strict=True))
        identifier = operation_id(assembly.service, fields["name"], named)
    if identifier in assembly.operations:
        message = f"The operation {fields['name']} is declared again with the same parameters; the first one holds."
        assembly.warn("odata-duplicate-operation", message, fields["line"])
        return
    operation = Operation(id=identifier, service=assembly.service, parameters=tuple(own), **finish_fields(fields))
    assembly.operations[identifier] = operation
    if action_for:
        assembly.action_types[identifier] = action_for
