"""Structural properties (CSDL 4.01, clause 7), and what any element may have: annotations, texts, a value list."""

import msgspec
from msgspec.structs import force_setattr as set_field

from clew.domain.services import Property, Texts
from clew.sources.odata import sap
from clew.sources.odata.annotations import read_annotation
from clew.sources.odata.assembly import Assembly, PendingHelp, Template
from clew.sources.odata.attributes import PROPERTY, Fields, Table, read_attributes
from clew.sources.odata.nodes import Node
from clew.sources.odata.statements import Statement

# The very default of the field: another empty record would be written out when it is stored.
_NO_TEXTS = Property(name="").texts
PROPERTY_FIELDS = frozenset(Property.__struct_fields__) - {"name", "type", "line"} | {"value_help"}

_PROPERTY_TABLE: Table = {**PROPERTY, **sap.PROPERTY}

# Facets by the kind of type that has them (CSDL 4.01, clause 7.2); integers have none of them.
_TEMPORAL = frozenset({"Edm.DateTimeOffset", "Edm.TimeOfDay", "Edm.Duration", "Edm.DateTime", "Edm.Time"})
_WITHOUT_PRECISION = frozenset({
    *("Edm.Byte", "Edm.SByte", "Edm.Int16", "Edm.Int32", "Edm.Int64", "Edm.Boolean", "Edm.Guid", "Edm.Date"),
    *("Edm.String", "Edm.Binary", "Edm.Stream"),
})  # fmt: skip
_TEMPORAL_PRECISION_MAX = 12
_UNIT_SEMANTICS = frozenset({"unit-of-measure", "currency-code"})
_DERIVED = frozenset({
    *("scale", "precision", "semantics", "display_format", "variable_scale"),
    *("required", "picklist", "located", "context", "store_pattern"),
})  # fmt: skip
"""Fields that have to be looked at, because another one follows from them or because no record has them."""


def read_property(node: Node, assembly: Assembly, owner: str) -> Property:
    """Gives a structural property of the type `owner`.

    Most properties of a document differ from an earlier one in name and texts only, and are copied from it.
    """
    attributes = node.attributes
    if node.children is not None or "Name" not in attributes:
        return _read_property(node, assembly, owner)
    name = attributes["Name"]
    name = assembly.property_names.setdefault(name, name)
    del attributes["Name"]
    label, quickinfo = attributes.pop("sap:label", ""), attributes.pop("sap:quickinfo", "")
    key = (*attributes, *attributes.values())
    template = assembly.templates.get(key)
    if template is None:
        texts = {"sap:label": label, "sap:quickinfo": quickinfo}
        node.attributes = {"Name": name, **{field: text for field, text in texts.items() if text}, **attributes}
        return _read_first(node, assembly, owner, key)
    template.uses += 1
    # Nobody has seen the copy yet; filling it in is several times cheaper than making another record.
    copied = duplicate(template.property)
    set_field(copied, "name", name)
    set_field(copied, "line", node.line)
    if label or quickinfo:
        texts = template.property.texts
        plain = label + quickinfo
        if len(plain) > 255 or not plain.isascii() or not plain.isprintable():
            label, quickinfo = assembly.shown(label, node.line), assembly.shown(quickinfo, node.line)
        texts = Texts(label=label, heading=texts.heading, quickinfo=quickinfo)
        set_field(copied, "texts", texts)
    return copied


def duplicate(record: Property) -> Property:
    """Gives a shallow copy. `copy.copy` looks this method up each time, and msgspec has no name for it."""
    return record.__copy__()  # pyright: ignore[reportAttributeAccessIssue, reportUnknownVariableType, reportUnknownMemberType]


def _read_first(node: Node, assembly: Assembly, owner: str, key: tuple[str, ...]) -> Property:
    """Reads a property and keeps it as the one to copy, unless there is something about it alone."""
    known_issues = len(assembly.issues)
    found = _read_property(node, assembly, owner)
    if len(assembly.issues) == known_issues and not found.value_help:
        texts = Texts(heading=found.texts.heading) if found.texts.heading else _NO_TEXTS
        assembly.templates[key] = Template(msgspec.structs.replace(found, name="", line=0, texts=texts))
    return found


def _read_property(node: Node, assembly: Assembly, owner: str) -> Property:
    fields = read_attributes(node, _PROPERTY_TABLE, assembly)
    fields["line"] = node.line
    types = assembly.names.types
    expression = fields.get("type", "Edm.String")
    fields["type"], is_collection = types.get(expression) or assembly.names.resolve_type(expression)
    if is_collection:
        fields["collection"] = True
    if "name" not in fields:
        miss_name(node, assembly, owner)
        fields["name"] = ""
    if not _DERIVED.isdisjoint(fields):
        _derive(fields, assembly, owner)
    if node.children:
        _annotate_property(node, fields, assembly, owner)
    if "opaque" in fields:
        fields["opaque"] = tuple(fields["opaque"])
    return Property(**fields)


def _annotate_property(node: Node, fields: Fields, assembly: Assembly, owner: str) -> None:
    statement = Statement(PROPERTY_FIELDS, node.line)
    read_inline(node, statement, assembly)
    statement.merge_into(fields)
    if statement.value_help is not None:
        fields["value_help"] = require_help(assembly, owner, fields["name"], statement.value_help, node.line)


def require_help(assembly: Assembly, owner: str, member: str, stated: Fields, line: int) -> str:
    """Remembers that a property has a value list; gives the id of that list."""
    identifier = assembly.help_id(owner, member)
    assembly.helps[identifier] = PendingHelp(id=identifier, fields=stated, local=member, line=line)
    return identifier


def read_inline(node: Node, statement: Statement, assembly: Assembly) -> None:
    """Applies the annotations among an element's children; keeps what else is among them and unknown."""
    for child in node.children or ():
        if child.name == "Annotation":
            assembly.state(statement, read_annotation(child, assembly))
        elif child.name == "Documentation":
            read_documentation(child, statement, assembly)
        else:
            statement.opaque.append(assembly.keep_unknown(child, node))


def read_documentation(node: Node, statement: Statement, assembly: Assembly) -> None:
    """States the summary and the long description (V1-V3); keeps what else vendors put there."""
    for child in node.children or ():
        field = {"Summary": "description", "LongDescription": "long_description"}.get(child.name)
        if field is None:
            statement.opaque.append(assembly.keep_unknown(child, node))
        elif text := child.text.strip():
            statement.say(field, assembly.shown(text, child.line))


def miss_name(node: Node, assembly: Assembly, owner: str) -> None:
    """Reports an element without name."""
    assembly.warn("odata-missing-name", f"A {node.name} of {owner or 'the schema'} has no Name.", node.line)


def _derive(fields: Fields, assembly: Assembly, owner: str) -> None:
    if "precision" in fields or "scale" in fields:
        check_facets(fields, assembly, f"{owner}/{fields['name']}", kind=fields["type"])
    if fields.get("semantics") in _UNIT_SEMANTICS:
        fields["is_unit"] = True
    display = fields.get("display_format")
    if display == "UpperCase":
        fields["uppercase"] = True
    elif display == "NonNegative" and fields["type"] == "Edm.String":
        fields["digits_only"] = True
    if fields.pop("variable_scale", False):
        fields["scale_kind"] = "floating"
    if fields.pop("required", False):
        fields.setdefault("field_control", "Mandatory")
    pattern = fields.pop("store_pattern", "")
    if pattern == "Computed":
        fields["computed"] = True
    elif pattern == "Identity":
        fields["computed_default"] = True
    _derive_value_list(fields, assembly, owner)


def _derive_value_list(fields: Fields, assembly: Assembly, owner: str) -> None:
    """Turns SuccessFactors' picklists and C4C's value helps into value lists."""
    picklist = fields.pop("picklist", "")
    if picklist:
        fields.setdefault("value_list", "fixed-values")
        fields.setdefault("opaque", []).append(assembly.opaque("sap:picklist", picklist))
    collection, context = fields.pop("located", ""), fields.pop("context", "")
    if collection:
        stated: Fields = {"origin": "value_list", "closed": False, "collection": collection, "context": context}
        fields["value_help"] = require_help(assembly, owner, fields["name"], stated, fields["line"])


def check_facets(fields: Fields, assembly: Assembly, place: str, *, kind: str) -> None:
    """Takes back facets that the type does not have, and reports those out of range (CSDL 4.01, clause 7.2.3)."""
    scale = fields.pop("scale", None)
    if scale in {"variable", "Variable", "floating"}:
        fields["scale_kind"] = scale.lower()
    elif scale is not None:
        if scale.isdecimal() and scale.isascii() and len(scale) < 6:
            fields["scale"] = int(scale)
        else:
            _report_facet(assembly, fields, place, f"Scale {scale!r} is neither a number nor variable nor floating")
    precision = fields.get("precision")
    if precision is None:
        return
    if kind in _WITHOUT_PRECISION:
        del fields["precision"]
        _report_facet(assembly, fields, place, f"{kind} has no Precision; {precision} is ignored")
    elif kind in _TEMPORAL and precision > _TEMPORAL_PRECISION_MAX:
        del fields["precision"]
        message = f"the Precision of {kind} is 0 to {_TEMPORAL_PRECISION_MAX}; {precision} is ignored"
        _report_facet(assembly, fields, place, message)


def _report_facet(assembly: Assembly, fields: Fields, place: str, what: str) -> None:
    assembly.warn("odata-facet", f"{place}: {what}.", fields.get("line", 0))
