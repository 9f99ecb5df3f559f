"""The `sap:` attributes of V2 services (SAP Annotations for OData Version 2.0), and those of its relatives.

SuccessFactors binds `sap:` to another namespace and adds `required`, `upsertable`, `picklist`; C4C adds `c4c:`. Every
attribute is true unless it says `false`, but `searchable`, `requires-filter`, `required-in-filter` are false.
"""

from clew.sources.odata.attributes import HANDLED, Table, read_boolean

TEXTS: Table = {
    "sap:label": ("label", None),
    "sap:heading": ("heading", None),
    "sap:quickinfo": ("quickinfo", None),
}
RIGHTS: Table = {
    "sap:creatable": ("creatable", read_boolean),
    "sap:updatable": ("updatable", read_boolean),
}


def read_value_list(value: str) -> str | None:
    """Gives the kind of value list."""
    return value if value in {"standard", "fixed-values"} else None


PROPERTY: Table = {
    **TEXTS,
    **RIGHTS,
    "sap:filterable": ("filterable", read_boolean),
    "sap:sortable": ("sortable", read_boolean),
    "sap:required-in-filter": ("required_in_filter", read_boolean),
    "sap:filter-restriction": ("filter_restriction", None),
    "sap:field-control": ("field_control", None),
    "sap:unit": ("unit", None),
    "sap:text": ("text", None),
    "sap:semantics": ("semantics", None),
    "sap:display-format": ("display_format", None),
    "sap:value-list": ("value_list", read_value_list),
    "sap:validation-regexp": ("pattern", None),
    "sap:variable-scale": ("variable_scale", read_boolean),
    "sap:required": ("required", read_boolean),
    "sap:picklist": ("picklist", None),
    "c4c:value-help": ("located", None),
    "c4c:context-property": ("context", None),
    "m:StoreGeneratedPattern": ("store_pattern", None),
}
"""Fields that no record has (`required`, `picklist` …) are turned into others by `structures`."""

PARAMETER: Table = {**TEXTS}
NAVIGATION: Table = {**TEXTS, **RIGHTS, "sap:filterable": ("filterable", read_boolean)}
STRUCTURED: Table = {**TEXTS}
ENTITY_SET: Table = {
    **TEXTS,
    "sap:creatable": ("insertable", read_boolean),
    "sap:updatable": ("updatable", read_boolean),
    "sap:deletable": ("deletable", read_boolean),
    "sap:upsertable": ("upsertable", read_boolean),
    "sap:searchable": ("searchable", read_boolean),
    "sap:countable": ("countable", read_boolean),
    "sap:topable": ("top_supported", read_boolean),
    "sap:filterable": ("filterable", read_boolean),
    "sap:sortable": ("sortable", read_boolean),
    "sap:requires-filter": ("requires_filter", read_boolean),
    "sap:pageable": ("pageable", read_boolean),
    "sap:addressable": ("addressable", read_boolean),
    "sap:semantics": ("semantics", None),
}
FUNCTION_IMPORT: Table = {
    **TEXTS,
    "sap:action-for": HANDLED,
    "sap:applicable-path": ("applicable_path", None),
}
LINKS: Table = {**RIGHTS, "sap:deletable": ("deletable", read_boolean)}
"""Of association sets and their ends: whether relations can be created, changed, deleted."""
