"""Attributes of CSDL elements → fields of records: tables, and the one loop that applies them.

A table names, for each attribute, the field that takes its value and how the value is read. What no table knows is kept
opaque on the record, so that no attribute is lost.
"""

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from clew.domain.services import Texts
from clew.sources.odata.nodes import Node
from clew.sources.odata.reading import Reading

Fields: TypeAlias = dict[str, Any]
"""Field values of a record in the making."""
Read: TypeAlias = Callable[[str], object]
"""Reads a value; gives `None` where the text is none of the allowed ones, `UNSTATED` where it says the default."""
Table: TypeAlias = Mapping[str, tuple[str, Read | None]]

UNSTATED = object()
BOOLEANS: Mapping[str, bool] = {"true": True, "false": False, "1": True, "0": False, "True": True, "False": False}
read_boolean: Read = BOOLEANS.get
TEXT_FIELDS = frozenset({"label", "heading", "quickinfo", "description", "long_description"})
_MAX_DIGITS = 10


def read_count(value: str) -> int | None:
    """Gives a whole number that is not negative."""
    return int(value) if value.isdecimal() and value.isascii() and len(value) <= _MAX_DIGITS else None


def read_length(value: str) -> object:
    """Gives `MaxLength` (CSDL 4.01, clause 7.2.2): a positive number, or unstated for the symbolic `max`."""
    return UNSTATED if value in {"max", "Max", "MAX"} else read_count(value)


def read_concurrency(value: str) -> bool | None:
    """Gives whether `ConcurrencyMode` (V1-V3) is `Fixed`."""
    return {"Fixed": True, "None": False}.get(value)


def read_collection_kind(value: str) -> bool | None:
    """Gives whether `CollectionKind` (V3) makes a collection."""
    return {"List": True, "Bag": True, "None": False}.get(value)


# Handled where the element is read; never opaque.
HANDLED: tuple[str, None] = ("", None)

FACETS: Table = {
    "Nullable": ("nullable", read_boolean),
    "MaxLength": ("max_length", read_length),
    "Precision": ("precision", read_count),
    "Scale": ("scale", None),
    "Type": ("type", None),
    "Name": ("name", None),
}
PROPERTY: Table = {
    **FACETS,
    "FixedLength": ("fixed_length", read_boolean),
    "DefaultValue": ("default", None),
    "Unicode": ("unicode", read_boolean),
    "SRID": ("srid", None),
    "ConcurrencyMode": ("concurrency_fixed", read_concurrency),
    "CollectionKind": ("collection", read_collection_kind),
}
NAVIGATION: Table = {
    "Name": ("name", None),
    "Type": HANDLED,
    "Nullable": ("nullable", read_boolean),
    "Partner": ("partner", None),
    "ContainsTarget": ("contains", read_boolean),
    "Relationship": HANDLED,
    "FromRole": HANDLED,
    "ToRole": HANDLED,
}
STRUCTURED: Table = {
    "Name": HANDLED,
    "BaseType": HANDLED,
    "Abstract": ("abstract", read_boolean),
    "OpenType": ("open", read_boolean),
    "HasStream": ("has_stream", read_boolean),
    "m:HasStream": ("has_stream", read_boolean),
}
ENUM: Table = {
    "Name": HANDLED,
    "UnderlyingType": ("underlying", None),
    "IsFlags": ("flags", read_boolean),
}
ENTITY_SET: Table = {
    "Name": HANDLED,
    "EntityType": HANDLED,
    "Type": HANDLED,
}
PARAMETER: Table = {
    **FACETS,
    "Mode": ("mode", None),
}


def read_attributes(node: Node, table: Table, reading: Reading) -> Fields:
    """Gives the record fields that an element's attributes state, `texts` and `opaque` among them."""
    fields: Fields = {}
    for name, value in node.attributes.items():
        entry = table.get(name)
        if entry is None:
            keep_attribute(fields, name, value, reading, node)
            continue
        field, read = entry
        if read is None:
            fields[field] = value
        elif (found := read(value)) is None:
            report_value(node, name, value, reading)
        elif found is not UNSTATED:
            fields[field] = found
    fields.pop("", None)
    if not TEXT_FIELDS.isdisjoint(fields):
        collect_texts(fields, reading, node.line)
    return fields


def collect_texts(fields: Fields, reading: Reading, line: int) -> None:
    """Moves text fields into one `texts` record, cleaned."""
    texts: dict[str, str] = {}
    for field in TEXT_FIELDS.intersection(fields):
        text: str = fields.pop(field).strip()
        if not text.isascii() or len(text) > 255 or not text.isprintable():
            text = reading.shown(text, line)
        if text:
            texts[field] = text
    if texts:
        fields["texts"] = Texts(**texts)


def keep_attribute(fields: Fields, name: str, value: str, reading: Reading, node: Node) -> None:
    """Keeps an attribute opaque; one of CSDL's own that does not belong here is reported as well."""
    if not name.startswith("{"):
        if ":" in name:
            reading.warn_of_prefix(node, name)
        else:
            reading.note_unknown_attribute(node, name)
    reading.opaque_counts[name] += 1
    fields.setdefault("opaque", []).append(reading.opaque(name, value))


def report_value(node: Node, name: str, value: str, reading: Reading) -> None:
    """Reports a value that its attribute does not allow; the default holds then."""
    owner = node.get("Name")
    reading.warn(
        "odata-attribute-value",
        f"{name}={value!r} of {node.name} {owner!r} is not a value of this attribute; its default was taken.",
        node.line,
    )
