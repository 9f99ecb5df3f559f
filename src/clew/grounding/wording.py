"""How types, properties and operations are named to a reader: short, exact, the same in verdicts and specifications."""

from clew.domain.services import EnumType, NavigationProperty, Operation, Parameter, Property, ValueHelp
from clew.graph.service_view import PRIMITIVE, ServiceView
from clew.grounding.rendering import listing, quoted, sanitise

CODES_SHOWN = 12

EXAMPLES = {
    "Edm.String": '"text"',
    "Edm.Boolean": "true",
    "Edm.Byte": "12",
    "Edm.SByte": "12",
    "Edm.Int16": "12",
    "Edm.Int32": "12",
    "Edm.Guid": '"3f2504e0-4f89-41d3-9a0c-0305e82c3301"',
    "Edm.Date": '"2026-12-31"',
    "Edm.TimeOfDay": '"12:30:00"',
    "Edm.Duration": '"PT12H30M"',
    "Edm.Binary": '"T0RhdGE"',
    "Edm.Single": "1.5",
    "Edm.Double": "1.5",
}
V2_EXAMPLES = {
    "Edm.Int64": '"12"',
    "Edm.Decimal": '"12.50"',
    "Edm.DateTime": '"/Date(1798675200000)/"',
    "Edm.DateTimeOffset": '"/Date(1798675200000+0000)/"',
    "Edm.Time": '"PT12H30M00S"',
    "Edm.Single": '"1.5"',
    "Edm.Double": '"1.5"',
}
V4_EXAMPLES = {
    "Edm.Int64": "12",
    "Edm.Decimal": "12.50",
    "Edm.DateTime": '"2026-12-31T00:00:00"',
    "Edm.DateTimeOffset": '"2026-12-31T00:00:00Z"',
    "Edm.Time": '"PT12H30M"',
}


def example_of(view: ServiceView, prop: Property | Parameter) -> str:
    """Gives an example of a property's value as it stands in a body of the service's version."""
    enum = view.enums.get(prop.type)
    if enum and enum.members:
        example = f'"{enum.members[0].name}"'
    elif view.underlying(prop.type) in EXAMPLES or view.underlying(prop.type).startswith(PRIMITIVE):
        example = _primitive_example(view, view.underlying(prop.type))
    else:
        example = "{…}"
    return f"[{example}]" if prop.collection else example


def _primitive_example(view: ServiceView, name: str) -> str:
    special = V2_EXAMPLES if view.service.version in {"V1", "V2"} else V4_EXAMPLES
    return special.get(name) or EXAMPLES.get(name, "…")


def type_text(view: ServiceView, prop: Property | Parameter) -> str:
    """Writes a type with its facets.

    `String(10)`, `Decimal(13,3)`, `Collection(String)`, `Handling (flags)`.
    """
    name = view.underlying(prop.type)
    enum = view.enums.get(prop.type)
    if enum is not None:
        text = simple(enum.name) + (" (flags)" if enum.flags else "")
    elif name.startswith(PRIMITIVE):
        text = name.removeprefix(PRIMITIVE) + _facets(prop, name)
    else:
        text = simple(name)
    return f"Collection({text})" if prop.collection else text


def _facets(prop: Property | Parameter, name: str) -> str:
    if name in {"Edm.String", "Edm.Binary"}:
        return f"({prop.max_length})" if prop.max_length else ""
    if name == "Edm.Decimal" and prop.precision:
        scale = "" if prop.scale is None else f",{prop.scale}"
        return f"({prop.precision}{scale})"
    return ""


def simple(name: str) -> str:
    """Gives the part of a qualified name after its namespace."""
    return name.rpartition(".")[2]


def multiplicity_text(navigation: NavigationProperty) -> str:
    """Says in words how many entities a navigation leads to."""
    return {"*": "many", "0..1": "at most one", "1": "one"}[navigation.multiplicity]


def enum_codes(enum: EnumType) -> str:
    """Lists an enumeration's members."""
    return listing([member.name for member in enum.members], CODES_SHOWN)


def codes_text(value_help: ValueHelp, *, limit: int = CODES_SHOWN) -> str:
    """Lists a closed code list with its texts."""
    shown = [
        f"{sanitise(code.code, 40)}" + (f" = {quoted(code.text, 40)}" if code.text and code.text != code.code else "")
        for code in value_help.codes
    ]
    return listing(shown, limit)


def property_line(view: ServiceView, prop: Property, *, with_label: bool = True) -> str:
    """Writes one property: name, type, what else a caller must know, label."""
    notes: list[str] = []
    if prop.uppercase:
        notes.append("upper case")
    if prop.digits_only:
        notes.append("digits")
    if prop.unit:
        notes.append(f"unit in {prop.unit}")
    if prop.default is not None:
        notes.append(f"default {sanitise(prop.default, 40)}")
    label = quoted(prop.texts.label or prop.texts.quickinfo or prop.texts.description) if with_label else ""
    return " ".join(filter(None, [f"{prop.name}: {', '.join([type_text(view, prop), *notes])}", label]))


def operation_line(view: ServiceView, operation: Operation) -> str:
    """Writes one operation: method, name, parameters, result, label."""
    parameters = ", ".join(
        f"{parameter.name}: {type_text(view, parameter)}" + ("?" if is_omissible(parameter) else "")
        for parameter in operation.parameters
    )
    many = "*" if operation.returns_collection else ""
    returns = f" → {simple(operation.returns)}{many}" if operation.returns else ""
    label = quoted(operation.texts.label or operation.texts.description)
    return " ".join(filter(None, [f"{operation.method} {simple(operation.name)}({parameters}){returns}", label]))


def is_omissible(parameter: Parameter) -> bool:
    """Whether a call may leave the parameter out."""
    return parameter.optional or (parameter.nullable and parameter.mode == "In")
