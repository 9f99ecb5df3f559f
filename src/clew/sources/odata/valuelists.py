"""Value lists that annotations state: allowed values in place, or a collection that lists them.

What is stated are fields of `ValueHelp`; `valuehelps` makes nodes of them once the annotated element is known.
"""

from clew.domain.records import JsonObject, JsonValue
from clew.domain.services import Code, ValueListParameter
from clew.sources.odata.statements import Statement

_DESCRIPTIONS = ("@Org.OData.Core.V1.Description", "@com.sap.vocabularies.Common.v1.Label")
_KINDS = {
    "ValueListParameterIn": "In",
    "ValueListParameterOut": "Out",
    "ValueListParameterInOut": "InOut",
    "ValueListParameterDisplayOnly": "DisplayOnly",
    "ValueListParameterConstant": "Constant",
    "ValueListParameterFilterOnly": "FilterOnly",
}
_READ_MEMBERS = {"CollectionPath", "CollectionRoot", "Parameters", "SearchSupported", "Label", "@type"}
_PARAMETER_MEMBERS = {"LocalDataProperty", "ValueListProperty", "Constant", "@type"}


def allow_values(statement: Statement, value: JsonValue) -> bool:
    """States `Validation.AllowedValues`: a closed list, in place."""
    if not isinstance(value, list) or not _is_free(statement):
        return False
    codes: list[Code] = []
    for item in value:
        if not isinstance(item, dict) or isinstance(code := item.get("Value"), dict | list) or code is None:
            return False
        described = (item.get(name) for name in (*(f"Value{name}" for name in _DESCRIPTIONS), *_DESCRIPTIONS))
        text = next((found for found in described if isinstance(found, str)), "")
        shown = str(code).lower() if isinstance(code, bool) else str(code)
        codes.append(Code(code=shown, text=text))
    statement.value_help = {"origin": "allowed_values", "codes": tuple(codes)}
    return all(set(item) <= {"Value", "@type", *_DESCRIPTIONS} for item in value if isinstance(item, dict))


def locate_values(statement: Statement, value: JsonValue) -> bool:
    """States `Common.ValueList`: the collection that lists the values, and how it joins the annotated element."""
    collection = value.get("CollectionPath") if isinstance(value, dict) else None
    if not isinstance(value, dict) or not isinstance(collection, str) or not _is_free(statement):
        return False
    root = value.get("CollectionRoot")
    statement.value_help = {
        "origin": "value_list",
        "closed": False,
        "collection": collection,
        "collection_service": root if isinstance(root, str) else "",
        **_label(value),
    }
    if value.get("SearchSupported") is False:
        statement.value_help["search_supported"] = False
    return _state_parameters(statement.value_help, value) and set(value) <= _READ_MEMBERS


def map_values(statement: Statement, value: JsonValue) -> bool:
    """States `Common.ValueListMapping`: as a value list, made in the service that holds the values."""
    return locate_values(statement, value)


def refer_to_values(statement: Statement, value: JsonValue) -> bool:
    """States `Common.ValueListReferences`: the services whose metadata says where the values are."""
    references = [_url(item) for item in value] if isinstance(value, list) else []
    if not references or not all(references) or not _is_free(statement):
        return False
    statement.value_help = {"origin": "value_list", "closed": False, "collection_service": references[0]}
    return len(references) == 1


def _url(value: JsonValue) -> str:
    found = value.get("$UrlRef") if isinstance(value, dict) else value
    return found if isinstance(found, str) else ""


def _is_free(statement: Statement) -> bool:
    return statement.allows("value_help") and statement.value_help is None


def _label(value: JsonObject) -> dict[str, str]:
    label = value.get("Label")
    return {"name": label} if isinstance(label, str) else {}


def _state_parameters(help_fields: dict[str, object], value: JsonObject) -> bool:
    parameters: list[ValueListParameter] = []
    is_complete = True
    listed = value.get("Parameters")
    for item in listed if isinstance(listed, list) else ():
        kind = _KINDS.get(str(item.get("@type", "")).rpartition(".")[2]) if isinstance(item, dict) else None
        if kind is None or not isinstance(item, dict):
            is_complete = False
            continue
        constant = item.get("Constant", "")
        parameters.append(
            ValueListParameter(
                direction=kind,  # pyright: ignore[reportArgumentType] - a value of the table above
                local=_name(item.get("LocalDataProperty")),
                remote=_name(item.get("ValueListProperty")),
                constant=constant if isinstance(constant, str) else str(constant).lower(),
            )
        )
        is_complete &= set(item) <= _PARAMETER_MEMBERS
    help_fields["parameters"] = tuple(parameters)
    return is_complete


def _name(value: JsonValue) -> str:
    found = value.get("$Path") if isinstance(value, dict) else value
    return found if isinstance(found, str) else ""
