"""The service side of the graph: what OData (and OpenAPI) metadata says, as typed attributes.

A type holds its properties and navigation properties, an operation its parameters, a code list its codes: one stored
row each. `clew.graph` shows the parts as nodes and edges of their own wherever somebody looks at the graph.
Qualified names (`Ns.Type`) have their alias resolved. A capability that the source does not state has the default of
its format, which for OData is "allowed".
"""

from typing import Literal, TypeAlias

from clew.domain.records import Record

Multiplicity: TypeAlias = Literal["1", "0..1", "*"]
ODataVersion: TypeAlias = Literal["V1", "V2", "V3", "V4"]


class Annotation(Record, frozen=True, kw_only=True):
    """A vocabulary term or vendor attribute that has no typed attribute here; kept opaque, never an error.

    `value` is JSON text; `term` is qualified with its namespace (alias resolved), e.g. `UI.LineItem` in full.
    """

    term: str
    value: str = "true"
    qualifier: str = ""


class Texts(Record, frozen=True, kw_only=True):
    """What an element says of itself in words."""

    label: str = ""
    heading: str = ""
    quickinfo: str = ""
    description: str = ""
    long_description: str = ""


class Property(Record, frozen=True, kw_only=True):
    """A structural property with its facets (CSDL 4.01, clause 6 and 7) and typed annotations.

    `type` is the element type for a collection. `max_length` is in characters (bytes for `Edm.Binary`), `None` where
    unbounded or `Max`. `scale_kind` is `variable` or `floating` where CSDL says so, then `scale` is `None`.
    """

    name: str
    type: str = "Edm.String"
    collection: bool = False
    nullable: bool = True
    max_length: int | None = None
    fixed_length: bool = False
    precision: int | None = None
    scale: int | None = None
    scale_kind: Literal["fixed", "variable", "floating"] = "fixed"
    default: str | None = None
    unicode: bool = True
    srid: str = ""
    concurrency_fixed: bool = False
    texts: Texts = Texts()
    creatable: bool = True
    updatable: bool = True
    filterable: bool = True
    sortable: bool = True
    required_in_filter: bool = False
    filter_restriction: str = ""
    computed: bool = False
    computed_default: bool = False
    immutable: bool = False
    permissions: str = ""
    field_control: str = ""
    """`Mandatory`, `Optional`, `ReadOnly`, `Inapplicable`, `Hidden`, or the path of the property that says so."""
    unit: str = ""
    """Path of the property that holds the unit or currency."""
    text: str = ""
    """Path of the property that holds the text of this code."""
    semantics: str = ""
    semantic_object: str = ""
    display_format: str = ""
    uppercase: bool = False
    digits_only: bool = False
    is_unit: bool = False
    is_url: bool = False
    value_list: Literal["", "standard", "fixed-values"] = ""
    value_help: str = ""
    """Id of the `ValueHelp` that lists or locates the allowed values; empty where there is none."""
    pattern: str = ""
    minimum: str | None = None
    maximum: str | None = None
    opaque: tuple[Annotation, ...] = ()
    line: int = 0


class ReferentialConstraint(Record, frozen=True, kw_only=True):
    """`property` of the dependent type equals `referenced` of the principal type."""

    property: str
    referenced: str


class NavigationProperty(Record, frozen=True, kw_only=True):
    """A way from one type to another, with both multiplicities (V2: from the association's ends)."""

    name: str
    target: str
    multiplicity: Multiplicity = "*"
    source_multiplicity: Multiplicity | Literal[""] = ""
    """Empty where the source says nothing (V4 without a partner)."""
    relationship: str = ""
    """V1-V3: qualified name of the association."""
    partner: str = ""
    contains: bool = False
    nullable: bool = True
    constraints: tuple[ReferentialConstraint, ...] = ()
    source_is_principal: bool = False
    """Whether the source is the principal of `constraints`, not the dependent: V1-V3 tell them for both directions."""
    on_delete: str = ""
    creatable: bool = True
    updatable: bool = True
    filterable: bool = True
    texts: Texts = Texts()
    opaque: tuple[Annotation, ...] = ()
    line: int = 0


class StructuredType(Record, frozen=True, kw_only=True):
    """What entity types and complex types share. `base` is the qualified name of the type that this one extends."""

    id: str
    service: str
    name: str
    """Namespace-qualified."""
    base: str = ""
    abstract: bool = False
    open: bool = False
    properties: tuple[Property, ...] = ()
    navigations: tuple[NavigationProperty, ...] = ()
    texts: Texts = Texts()
    opaque: tuple[Annotation, ...] = ()
    line: int = 0


class EntityType(StructuredType, tag_field="node_kind", tag="EntityType", frozen=True, kw_only=True):
    """A type with identity; `key` names its own key properties (paths), empty where the base type declares them."""

    key: tuple[str, ...] = ()
    has_stream: bool = False
    alternate_keys: tuple[tuple[str, ...], ...] = ()
    semantic_key: tuple[str, ...] = ()


class ComplexType(StructuredType, tag_field="node_kind", tag="ComplexType", frozen=True, kw_only=True):
    """A type without identity."""


class EnumMember(Record, frozen=True, kw_only=True):
    """A member of an enumeration; `value` is the given or the implied integer."""

    name: str
    value: int
    texts: Texts = Texts()


class EnumType(Record, tag_field="node_kind", tag="EnumType", frozen=True, kw_only=True):
    """An enumeration; its members are a closed code list too."""

    id: str
    service: str
    name: str
    underlying: str = "Edm.Int32"
    flags: bool = False
    members: tuple[EnumMember, ...] = ()
    texts: Texts = Texts()
    opaque: tuple[Annotation, ...] = ()
    line: int = 0


class Capabilities(Record, frozen=True, kw_only=True):
    """What a set (or a navigation from it) allows: `Org.OData.Capabilities.V1` and the `sap:` attributes of sets.

    Property lists hold paths relative to the set's type. `True` and the empty list are the formats' defaults.
    """

    insertable: bool = True
    updatable: bool = True
    deletable: bool = True
    readable: bool = True
    readable_by_key: bool = True
    upsertable: bool = False
    countable: bool = True
    top_supported: bool = True
    skip_supported: bool = True
    searchable: bool = True
    filterable: bool = True
    sortable: bool = True
    expandable: bool = True
    requires_filter: bool = False
    required_on_insert: tuple[str, ...] = ()
    non_insertable: tuple[str, ...] = ()
    non_insertable_navigations: tuple[str, ...] = ()
    required_on_update: tuple[str, ...] = ()
    non_updatable: tuple[str, ...] = ()
    non_updatable_navigations: tuple[str, ...] = ()
    required_in_filter: tuple[str, ...] = ()
    non_filterable: tuple[str, ...] = ()
    filter_expressions: tuple[tuple[str, str], ...] = ()
    """(property, allowed expression type such as `SingleRange`)."""
    non_sortable: tuple[str, ...] = ()
    non_expandable: tuple[str, ...] = ()
    stated: tuple[str, ...] = ()
    """Names of the fields that the source states, so that an overlay knows what it overrides."""


class NavigationBinding(Record, frozen=True, kw_only=True):
    """Set-level binding: following `path` from the set leads into `target` (an entity set's name or a path).

    The flags say whether *links* along it may be made, changed and removed (`sap:` attributes of association sets and
    their ends); whether entities may be inserted or deleted through it is a matter of the capabilities.
    """

    path: str
    target: str
    creatable: bool = True
    updatable: bool = True
    deletable: bool = True


class Draft(Record, frozen=True, kw_only=True):
    """A draft root's life cycle: qualified names of its actions, empty where it has none."""

    activation: str = ""
    preparation: str = ""
    edit: str = ""
    discard: str = ""
    new: str = ""


class EntitySet(Record, tag_field="node_kind", tag="EntitySet", frozen=True, kw_only=True):
    """An entity set or a singleton; it points at its type, which several sets may share."""

    id: str
    service: str
    name: str
    type: str
    """Qualified name of the entity type."""
    container: str = ""
    singleton: bool = False
    addressable: bool = True
    pageable: bool = True
    texts: Texts = Texts()
    capabilities: Capabilities = Capabilities()
    navigation_capabilities: tuple[tuple[str, Capabilities], ...] = ()
    bindings: tuple[NavigationBinding, ...] = ()
    draft: Draft | None = None
    optimistic_concurrency: tuple[str, ...] = ()
    semantics: str = ""
    opaque: tuple[Annotation, ...] = ()
    line: int = 0


class Parameter(Record, frozen=True, kw_only=True):
    """A parameter of an operation, with the facets of a property."""

    name: str
    type: str = "Edm.String"
    collection: bool = False
    nullable: bool = True
    mode: str = "In"
    max_length: int | None = None
    precision: int | None = None
    scale: int | None = None
    optional: bool = False
    value_help: str = ""
    texts: Texts = Texts()
    opaque: tuple[Annotation, ...] = ()
    line: int = 0


class Operation(Record, tag_field="node_kind", tag="Operation", frozen=True, kw_only=True):
    """A function import, action, function, or OpenAPI operation.

    `method` is the HTTP method that calls it. `bound_to` is the qualified type that it is bound to (V4, V3
    `IsBindable`, and V2 `sap:action-for`), empty for an unbound one. V3 and V4 give the binding parameter by the URL,
    so it is left out of `parameters`; V2 calls every function import at the root with all its parameters. `imports`
    are the names by which the container exposes it.
    """

    id: str
    service: str
    name: str
    flavor: Literal["function_import", "action", "function", "openapi"] = "function_import"
    method: str = "GET"
    path: str = ""
    """OpenAPI only: the path template."""
    bound_to: str = ""
    bound_to_collection: bool = False
    binding_parameter: str = ""
    parameters: tuple[Parameter, ...] = ()
    returns: str = ""
    returns_collection: bool = False
    returns_nullable: bool = True
    entity_set: str = ""
    """Name of the entity set that the result belongs to, or the entity set path of a bound operation."""
    composable: bool = False
    imports: tuple[str, ...] = ()
    applicable_path: str = ""
    texts: Texts = Texts()
    opaque: tuple[Annotation, ...] = ()
    line: int = 0


class Code(Record, frozen=True, kw_only=True):
    """One allowed value; the validity dates are ISO dates and inclusive, empty where unbounded."""

    code: str
    text: str = ""
    valid_from: str = ""
    valid_to: str = ""
    inputs: tuple[tuple[str, str], ...] = ()
    """Dependent lists: (input name, value) under which this code is allowed."""


class ValueListParameter(Record, frozen=True, kw_only=True):
    """How a value list joins two types: `local` property here, `remote` property of the collection."""

    direction: Literal["In", "Out", "InOut", "DisplayOnly", "Constant", "FilterOnly"]
    local: str = ""
    remote: str = ""
    constant: str = ""


class ValueHelp(Record, tag_field="node_kind", tag="ValueHelp", frozen=True, kw_only=True):
    """A code list: closed with its codes here, or located (`collection` of a service) and still to be pulled."""

    id: str
    service: str = ""
    """Empty for a list that a file supplied."""
    name: str = ""
    origin: Literal["enum", "allowed_values", "value_list", "fixed_values", "file", "pulled"] = "file"
    closed: bool = True
    codes: tuple[Code, ...] = ()
    collection: str = ""
    """Name of the entity set that lists the values."""
    collection_service: str = ""
    """Root or reference of the service that holds `collection`; empty for this service."""
    key_property: str = ""
    """Property of `collection` that holds the code."""
    parameters: tuple[ValueListParameter, ...] = ()
    search_supported: bool = True
    as_of: str = ""
    line: int = 0


class Service(Record, tag_field="node_kind", tag="Service", frozen=True, kw_only=True):
    """A service as a whole."""

    id: str
    service: str
    name: str
    version: ODataVersion | str = "V4"
    """OData version, or `OpenAPI 3.0` and the like."""
    url: str = ""
    system: str = ""
    about: str = ""
    namespaces: tuple[str, ...] = ()
    aliases: tuple[tuple[str, str], ...] = ()
    containers: tuple[str, ...] = ()
    references: tuple[str, ...] = ()
    type_definitions: tuple[tuple[str, str], ...] = ()
    """(qualified name, underlying type)."""
    texts: Texts = Texts()
    opaque: tuple[Annotation, ...] = ()
    line: int = 0


ServiceNode: TypeAlias = Service | EntitySet | EntityType | ComplexType | EnumType | Operation | ValueHelp
