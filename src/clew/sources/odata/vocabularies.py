"""Vocabulary terms → typed attributes: a table from term to a rule, which says whether it could tell everything.

A rule gets the statement about the annotated element and the value in the form of CSDL JSON. Where it gives false, the
annotation is kept opaque (as well). An unknown term is no error: it has no rule, and is kept opaque.
"""

from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import TypeAlias

from clew.domain.records import JsonObject, JsonValue
from clew.domain.services import Draft
from clew.sources.odata.capabilities import RESTRICTIONS, restrict
from clew.sources.odata.statements import Statement
from clew.sources.odata.valuelists import allow_values, locate_values, map_values, refer_to_values

Rule: TypeAlias = Callable[[Statement, JsonValue], bool]

CORE = "Org.OData.Core.V1."
CAPABILITIES = "Org.OData.Capabilities.V1."
VALIDATION = "Org.OData.Validation.V1."
MEASURES = "Org.OData.Measures.V1."
COMMON = "com.sap.vocabularies.Common.v1."

_FIELD_CONTROL: Mapping[int, str] = {0: "Hidden", 1: "ReadOnly", 3: "Optional", 7: "Mandatory"}


def path_of(value: JsonValue) -> str:
    """Gives the path of a path expression, nothing for any other value."""
    if isinstance(value, dict) and len(value) == 1 and isinstance(found := value.get("$Path"), str):
        return found
    return ""


def paths_of(value: JsonValue) -> tuple[str, ...] | None:
    """Gives the paths of a collection of property paths, `None` where it holds anything else."""
    if not isinstance(value, list):
        return None
    paths = [item if isinstance(item, str) else path_of(item) for item in value]
    return tuple(paths) if all(paths) else None


def _text(field: str) -> Rule:
    return lambda statement, value: statement.say(field, value)


def _flag(field: str) -> Rule:
    return lambda statement, value: isinstance(value, bool) and statement.set(field, value)


def _path(field: str) -> Rule:
    return lambda statement, value: bool(path := path_of(value)) and statement.set(field, path)


def _paths(field: str) -> Rule:
    return lambda statement, value: (paths := paths_of(value)) is not None and statement.set(field, paths)


def _constant(field: str) -> Rule:
    def state(statement: Statement, value: JsonValue) -> bool:
        is_constant = isinstance(value, str | int | Decimal) and not isinstance(value, bool)
        return is_constant and statement.set(field, str(value))

    return state


def _field_control(statement: Statement, value: JsonValue) -> bool:
    control = path_of(value)
    if isinstance(value, str):
        control = value
    elif isinstance(value, int) and not isinstance(value, bool):
        control = _FIELD_CONTROL.get(value, "")
    return bool(control) and statement.set("field_control", control)


def _unit(statement: Statement, value: JsonValue) -> bool:
    return bool(path := path_of(value)) and statement.set("unit", path)


def _optional(statement: Statement, value: JsonValue) -> bool:
    is_optional = True
    return statement.set("optional", is_optional) and (value is True or _is_bare_record(value))


def _is_bare_record(value: JsonValue) -> bool:
    return isinstance(value, dict) and all(name.startswith("@type") for name in value)


def _fixed_values(statement: Statement, value: JsonValue) -> bool:
    return isinstance(value, bool) and statement.set("value_list", "fixed-values" if value else "standard")


def _alternate_keys(statement: Statement, value: JsonValue) -> bool:
    if not isinstance(value, list) or not statement.allows("alternate_keys"):
        return False
    keys: list[tuple[str, ...]] = []
    for item in value:
        names = [_key_part(part) for part in _parts(item)] if isinstance(item, dict) else []
        if not names or not all(names):
            return False
        keys.append(tuple(names))
    # An alias by which a URL names a part has no field of its own.
    aliases = [part.get("Alias") for item in value if isinstance(item, dict) for part in _parts(item)]
    flat = [name for key in keys for name in key]
    return statement.set("alternate_keys", tuple(keys)) and all(
        alias in (None, "", name) for alias, name in zip(aliases, flat, strict=True)
    )


def _parts(item: JsonObject) -> list[JsonObject]:
    parts = item.get("Key")
    return [part for part in parts if isinstance(part, dict)] if isinstance(parts, list) else []


def _key_part(part: JsonObject) -> str:
    name = part.get("Name")
    return name if isinstance(name, str) else path_of(name)


_DRAFT_ACTIONS: Mapping[str, str] = {
    "ActivationAction": "activation",
    "PreparationAction": "preparation",
    "EditAction": "edit",
    "DiscardAction": "discard",
    "NewAction": "new",
}


def _draft(statement: Statement, value: JsonValue) -> bool:
    if not statement.allows("draft") or not (value is True or isinstance(value, dict)):
        return False
    members = value if isinstance(value, dict) else {}
    actions = {
        field: name for member, field in _DRAFT_ACTIONS.items() if isinstance(name := members.get(member), str) and name
    }
    statement.draft = Draft(**actions)
    return all(member in _DRAFT_ACTIONS or member == "@type" for member in members)


TERMS: Mapping[str, Rule] = {
    CORE + "Description": _text("description"),
    CORE + "LongDescription": _text("long_description"),
    CORE + "Computed": _flag("computed"),
    CORE + "ComputedDefaultValue": _flag("computed_default"),
    CORE + "Immutable": _flag("immutable"),
    CORE + "Permissions": _constant("permissions"),
    CORE + "IsURL": _flag("is_url"),
    CORE + "OptionalParameter": _optional,
    CORE + "OptimisticConcurrency": _paths("optimistic_concurrency"),
    CORE + "AlternateKeys": _alternate_keys,
    "OData.Community.Keys.V1.AlternateKeys": _alternate_keys,
    VALIDATION + "AllowedValues": allow_values,
    VALIDATION + "Pattern": _constant("pattern"),
    VALIDATION + "Minimum": _constant("minimum"),
    VALIDATION + "Maximum": _constant("maximum"),
    MEASURES + "Unit": _unit,
    MEASURES + "ISOCurrency": _unit,
    COMMON + "Label": _text("label"),
    COMMON + "Heading": _text("heading"),
    COMMON + "QuickInfo": _text("quickinfo"),
    COMMON + "Text": _path("text"),
    COMMON + "FieldControl": _field_control,
    COMMON + "SemanticObject": _constant("semantic_object"),
    COMMON + "SemanticKey": _paths("semantic_key"),
    COMMON + "IsUnit": _flag("is_unit"),
    COMMON + "IsCurrency": _flag("is_unit"),
    COMMON + "IsUpperCase": _flag("uppercase"),
    COMMON + "IsDigitSequence": _flag("digits_only"),
    COMMON + "DraftRoot": _draft,
    COMMON + "DraftNode": _draft,
    COMMON + "ValueList": locate_values,
    COMMON + "ValueListMapping": map_values,
    COMMON + "ValueListReferences": refer_to_values,
    COMMON + "ValueListWithFixedValues": _fixed_values,
    **{CAPABILITIES + term: restrict(members) for term, members in RESTRICTIONS.items()},
}
QUALIFIED = frozenset({COMMON + "ValueList", COMMON + "ValueListMapping"})
"""Terms whose qualifier only tells alternatives apart; the first one counts where there is none without."""
