"""What a create must hold, and why: one place for the validator and the specification.

A property is required on create when the metadata states it, or when leaving it out can have no meaning:

- `stated`: the set's `InsertRestrictions/RequiredProperties`, or the property's `FieldControl/Mandatory` (in ABAP
  services that marks what a user interface asks for, which the service itself need not: a hint there);
- `not_null` (OData V4 only): `Nullable="false"`, no default value, neither computed nor defaulted by the server, no
  collection (an absent one is empty), creatable and no part of the key (OData V4 Protocol, clause 11.4.2); a foreign
  key may be given by linking its navigation property instead.

Key properties are never required by nullability alone: servers number documents, and few say so in their metadata
(keys of an S/4 V2 service are `Nullable="false"` and numbered all the same). A missing key that nothing declares as
numbered by the server gives a note; it is required where the service does mark such keys elsewhere (`Core.Computed`,
`Core.ComputedDefaultValue`) and the key is a text or a date, which nothing counts up. A draft may be saved without what
`FieldControl/Mandatory` demands, which is asked for when the draft is activated: a hint, too. Nullability says nothing
either where a service declares nearly everything as not nullable because its fields have initial values (ABAP:
`/IWFND/` or `com.sap.gateway` in its references or namespaces), nor in V1-V3, where it gives a warning for a property
that could have been nullable.
"""

from clew.domain.records import Record
from clew.domain.services import Capabilities, NavigationProperty, Property, Service
from clew.graph.service_view import ServiceView

ABAP_SIGNS = ("/IWFND/", "/IWBEP/", "com.sap.gateway.", "SAP__")
DYNAMIC_PREFIXES = {"SAPB1": "U_"}
"""Namespaces whose types are declared open for user-defined fields alone, and how those begin (SAP Business One).

User-defined fields that a system declares are stored with their initial values where a create leaves them out."""

DRAFT_KEY = "IsActiveEntity"
DRAFT_KEYS = frozenset({DRAFT_KEY, "DraftUUID"})
_CALLERS_KEYS = frozenset({"Edm.String", "Edm.Date"})
_UNTOLD = frozenset({"not_null", "nullable_v2", "key"})
SERVER_KINDS = frozenset({"Hidden", "ReadOnly", "Inapplicable"})


class Requirement(Record, frozen=True, kw_only=True):
    """A property that a create must hold, or probably must.

    `reason` is `stated` or `not_null` for the first; `nullable_v2`, `key`, `parent`, `draft` or `asked_for` for the
    second.
    """

    name: str
    reason: str
    links: tuple[str, ...] = ()
    """Navigation properties that give the value when they are linked or nested instead."""
    line: int = 0

    @property
    def binding(self) -> bool:
        """Whether leaving it out is an error and no mere hint."""
        return self.reason in {"stated", "not_null"}


def has_initial_values(service: Service) -> bool:
    """Whether the service's fields have initial values, so that "not nullable" asks nothing of a caller."""
    named = (*service.references, *service.namespaces, *(part for pair in service.aliases for part in pair))
    return any(sign in name for name in named for sign in ABAP_SIGNS)


def is_settable(prop: Property) -> bool:
    """Whether a caller may give the property on create at all."""
    return prop.creatable and not prop.computed and prop.field_control not in SERVER_KINDS


def required_on_create(
    view: ServiceView,
    type_name: str,
    capabilities: Capabilities,
    *,
    given_by_parent: frozenset[str] = frozenset(),
    names_parent: frozenset[str] = frozenset(),
) -> tuple[Requirement, ...]:
    """Gives what a create of `type_name` must hold, in the order of its properties.

    `given_by_parent` are properties that a deep insert fills from the entity above; `names_parent` are key properties
    that name the entity above where nothing fills them: whether they are settable or not, a create needs them.
    """
    key = frozenset(view.key(type_name))
    links = links_by_property(view.navigations(type_name))
    stated = frozenset(capabilities.required_on_insert)
    lenient = has_initial_values(view.service)
    keys_are_marked = view.is_v4 and not lenient and marks_server_keys(view)
    user_defined = DYNAMIC_PREFIXES.get(type_name.rpartition(".")[0])
    found: list[Requirement] = []
    for name, prop in view.properties(type_name).items():
        reason = "" if name in given_by_parent else _reason(prop, is_key=name in key, is_stated=name in stated)
        if name in names_parent and name not in given_by_parent and name not in DRAFT_KEYS and reason != "stated":
            reason = "parent"
        if reason == "key" and keys_are_marked and prop.type in _CALLERS_KEYS:
            reason = "not_null"
        if reason == "not_null" and not view.is_v4:
            reason = "nullable_v2"
        if reason == "stated" and name not in stated and (lenient or DRAFT_KEY in key):
            reason = "draft" if DRAFT_KEY in key else "asked_for"
        untold = lenient or (user_defined is not None and name.startswith(user_defined))
        if not reason or (untold and reason in _UNTOLD):
            continue
        found.append(Requirement(name=name, reason=reason, links=links.get(name, ()), line=prop.line))
    return tuple(found)


def _reason(prop: Property, *, is_key: bool, is_stated: bool) -> str:
    if is_stated:
        return "stated"
    if not is_settable(prop) or prop.computed_default or prop.default is not None or prop.collection:
        return ""
    if prop.field_control == "Mandatory":
        return "stated"
    if is_key:
        return "key"
    return "" if prop.nullable else "not_null"


def marks_server_keys(view: ServiceView) -> bool:
    """Whether the service marks some key as computed or defaulted, so that the unmarked ones are the caller's."""
    return any(
        prop.computed or prop.computed_default
        for type_name in view.types
        for name in view.key(type_name)
        if (prop := view.properties(type_name).get(name)) is not None
    )


def links_by_property(navigations: dict[str, NavigationProperty]) -> dict[str, tuple[str, ...]]:
    """Gives, for each foreign key property, the single-valued navigation properties that fill it when linked."""
    found: dict[str, tuple[str, ...]] = {}
    for name, navigation in navigations.items():
        if navigation.multiplicity != "*" and not navigation.source_is_principal:
            for constraint in navigation.constraints:
                found[constraint.property] = (*found.get(constraint.property, ()), name)
    return found


def keys_from_above(view: ServiceView) -> dict[str, frozenset[str]]:
    """Gives, by type, the key properties that are also key of a type which leads to it: they name the parent.

    An item's `PurchaseOrder` names its order and must be given where the item is created by itself, whatever
    `sap:creatable` says of it; the order's own `PurchaseOrder` is numbered by the service.
    """
    found: dict[str, set[str]] = {}
    for type_name in view.types:
        own = view.key(type_name)
        for way in view.navigations(type_name).values():
            if way.target != type_name and way.multiplicity == "*":
                found.setdefault(way.target, set()).update(n for n in view.key(way.target) if n in own)
    return {type_name: frozenset(names) for type_name, names in found.items()}


def filled_by_parent(view: ServiceView, type_name: str, navigation: NavigationProperty) -> frozenset[str]:
    """Gives the properties of the target that a deep insert along `navigation` fills from the entity above.

    By the referential constraint where there is one (of the navigation, or of its partner), and the target's key
    properties that bear the name of one of the parent's (`PurchaseOrder` of an order and of its items).
    """
    partner = view.navigations(navigation.target).get(navigation.partner)
    constraints = navigation.constraints if navigation.source_is_principal else ()
    if partner is not None and not partner.source_is_principal:
        constraints = (*constraints, *partner.constraints)
    parent_key = view.key(type_name)
    shared = [name for name in view.key(navigation.target) if name in parent_key]
    return frozenset(shared).union(constraint.property for constraint in constraints)
