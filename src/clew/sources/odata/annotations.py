"""Annotation expressions (CSDL XML 4.01, clause 14) → JSON values, in the form that CSDL JSON gives them."""

from collections.abc import Callable, Mapping
from decimal import Decimal, InvalidOperation
from typing import Any, TypeAlias

import msgspec
from msgspec import UNSET

from clew.domain.records import JsonObject, JsonValue
from clew.sources.odata.attributes import BOOLEANS
from clew.sources.odata.nodes import Node
from clew.sources.odata.reading import Reading

Constant: TypeAlias = Callable[[str, Reading], JsonValue]
Element: TypeAlias = Callable[[Node, Reading], JsonValue]


class Stated(msgspec.Struct, gc=False):
    """An annotation as stated: qualified term, qualifier, JSON value (`True` where none is given), line."""

    term: str
    qualifier: str
    value: Any
    line: int


def read_annotation(node: Node, reading: Reading) -> list[Stated]:
    """Gives what an `Annotation` element states: itself, then the annotations on it (term `Outer@Inner`)."""
    attributes = node.attributes
    reading.line = node.line
    term = reading.names.resolve_term(attributes.get("Term", ""))
    stated = [Stated(term, attributes.get("Qualifier", ""), expression_of(node, reading, default=True), node.line)]
    for child in node.children or ():
        if child.name == "Annotation":
            stated.extend(
                Stated(f"{term}@{inner.term}", inner.qualifier, inner.value, inner.line)
                for inner in read_annotation(child, reading)
            )
    return stated


def expression_of(node: Node, reading: Reading, *, default: JsonValue = None) -> JsonValue:
    """Gives the value that an element states by an attribute or by its first child that is an expression."""
    for name, text in node.attributes.items():
        read = CONSTANTS.get(name)
        if read is not None:
            return read(text, reading)
    if node.value is not UNSET:
        return node.value
    for child in node.children or ():
        if child.name != "Annotation":
            return read_expression(child, reading)
    return default


def read_expression(node: Node, reading: Reading) -> JsonValue:
    """Gives the value of an expression element."""
    element = _ELEMENTS.get(node.name)
    if element is not None:
        return element(node, reading)
    constant = CONSTANTS.get(node.name)
    if constant is not None:
        for child in node.children or ():
            message = f"{child.name} inside {node.name} is foreign to it and was not read."
            reading.warn("odata-foreign-element", message, child.line)
        return constant(node.text, reading)
    reading.warn("odata-unknown-element", f"{node.name} is no expression; it was kept as it is.", node.line)
    return foreign_value(node)


def foreign_value(node: Node) -> JsonObject:
    """Gives an element of another vocabulary as JSON: attributes after `@`, children under their names, its text."""
    value: JsonObject = {f"@{name}": text for name, text in node.attributes.items()}
    children: dict[str, list[JsonValue]] = {}
    for child in node.children or ():
        children.setdefault(child.name, []).append(foreign_value(child))
    value.update(children)
    if node.value is not UNSET:
        value["#value"] = node.value
    if text := node.text.strip():
        value["#text"] = text
    return value


def annotations_within(node: Node, reading: Reading, prefix: str = "") -> JsonObject:
    """Gives the annotations inside an expression as members: `Property@Term#Qualifier`."""
    members: JsonObject = {}
    for child in node.children or ():
        if child.name == "Annotation":
            members |= members_of(child, reading, prefix)
    return members


def members_of(annotation: Node, reading: Reading, prefix: str) -> JsonObject:
    """Gives an annotation inside an expression, and those on it, as members of the record that holds it."""
    return {
        f"{prefix}@{stated.term}{'#' if stated.qualifier else ''}{stated.qualifier}": stated.value
        for stated in read_annotation(annotation, reading)
    }


def keep_in_record(record: JsonObject, node: Node, reading: Reading) -> None:
    """Keeps an element that does not belong into a record, and reports it."""
    message = f"{node.name} does not belong into a Record; it was kept."
    reading.warn("odata-unknown-element", message, node.line)
    record[f"#{node.name}"] = foreign_value(node)


def _string(text: str, reading: Reading) -> JsonValue:
    return text if len(text) < 256 and text.isascii() and text.isprintable() else reading.shown(text, 0)


def _verbatim(text: str, _: Reading) -> JsonValue:
    return text.strip()


def _boolean(text: str, _: Reading) -> JsonValue:
    return BOOLEANS.get(text.strip(), text)


def _integer(text: str, _: Reading) -> JsonValue:
    digits = text.strip().removeprefix("-").removeprefix("+")
    return int(text) if digits.isdecimal() and digits.isascii() and len(digits) < 40 else text


def _decimal(text: str, _: Reading) -> JsonValue:
    try:
        number = Decimal(text.strip())
    except InvalidOperation:
        return text
    # Huge exponents would be written out digit by digit further on.
    return number if number.is_finite() and abs(number.adjusted()) < 400 else text


def _members(text: str, _: Reading) -> JsonValue:
    return ",".join(member.rpartition("/")[2] for member in text.split())


def _path(text: str, reading: Reading) -> JsonValue:
    return {"$Path": reading.names.resolve_path(text.strip())}


def _bare_path(text: str, reading: Reading) -> JsonValue:
    return reading.names.resolve_path(text.strip())


def _collection(node: Node, reading: Reading) -> JsonValue:
    return [read_expression(child, reading) for child in node.children or ()]


def _record(node: Node, reading: Reading) -> JsonValue:
    value: JsonObject = {}
    kind = node.attributes.get("Type")
    if kind is not None:
        value["@type"] = reading.names.resolve(kind)
    for child in node.children or ():
        attributes = child.attributes
        if child.name == "PropertyValue":
            name = attributes.get("Property", "")
            value[name] = expression_of(child, reading, default=True)
            if child.children:
                value |= annotations_within(child, reading, name)
        elif child.name != "Annotation":
            keep_in_record(value, child, reading)
    if node.children:
        value |= annotations_within(node, reading)
    return value


def _operands(node: Node, reading: Reading) -> list[JsonValue]:
    return [read_expression(child, reading) for child in node.children or () if child.name != "Annotation"]


def _many(node: Node, reading: Reading) -> JsonValue:
    return {f"${node.name}": _operands(node, reading), **annotations_within(node, reading)}


def _one(node: Node, reading: Reading) -> JsonObject:
    operands = _operands(node, reading)
    return {f"${node.name}": operands[0] if operands else None, **annotations_within(node, reading)}


def _apply(node: Node, reading: Reading) -> JsonValue:
    return {"$Apply": _operands(node, reading), "$Function": reading.names.resolve(node.get("Function"))}


def _typed(node: Node, reading: Reading) -> JsonValue:
    name, is_collection = reading.names.resolve_type(node.get("Type"))
    return {**_one(node, reading), "$Type": name, **({"$Collection": True} if is_collection else {})}


def _labeled(node: Node, reading: Reading) -> JsonValue:
    return {"$LabeledElement": expression_of(node, reading), "$Name": node.get("Name")}


def _url(node: Node, reading: Reading) -> JsonValue:
    return {"$UrlRef": expression_of(node, reading)}


def _null(node: Node, reading: Reading) -> JsonValue:
    within = annotations_within(node, reading)
    return {"$Null": None, **within} if within else None


def _label_reference(node: Node, reading: Reading) -> JsonValue:
    return {"$LabeledElementReference": reading.names.resolve(node.text.strip())}


CONSTANTS: Mapping[str, Constant] = {
    "String": _string,
    "Path": _path,
    "PropertyPath": _bare_path,
    "AnnotationPath": _bare_path,
    "NavigationPropertyPath": _bare_path,
    "ModelElementPath": _bare_path,
    "AnyPropertyPath": _bare_path,
    "ValuePath": _path,
    "EnumMember": _members,
    "Bool": _boolean,
    "Int": _integer,
    "Decimal": _decimal,
    "Float": _decimal,
    "Date": _verbatim,
    "DateTimeOffset": _verbatim,
    "Duration": _verbatim,
    "TimeOfDay": _verbatim,
    "Guid": _verbatim,
    "Binary": _verbatim,
    "UrlRef": lambda text, _: {"$UrlRef": text},
}
_ELEMENTS: Mapping[str, Element] = {
    "Record": _record,
    "Collection": _collection,
    "If": _many,
    "Apply": _apply,
    "And": _many,
    "Or": _many,
    "Not": _one,
    **dict.fromkeys(("Eq", "Ne", "Gt", "Ge", "Lt", "Le", "Has", "In"), _many),
    **dict.fromkeys(("Add", "Sub", "Mul", "Div", "DivBy", "Mod"), _many),
    "Neg": _one,
    "Cast": _typed,
    "IsOf": _typed,
    "LabeledElement": _labeled,
    "LabeledElementReference": _label_reference,
    "UrlRef": _url,
    "Null": _null,
}
TEXT_CONSTANTS = frozenset(CONSTANTS) - frozenset(_ELEMENTS)
"""Elements whose text is a constant."""
