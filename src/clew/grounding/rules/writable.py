"""Rule: what a caller may give at all: computed, immutable, not creatable, not updatable properties.

OData V4 has a service ignore computed and immutable properties that it is sent (Protocol 4.01, clauses 11.4.2 and
11.4.3): a warning, as for `Core.Permissions/Read`, which public services state of keys that their callers give. What
`sap:creatable`, `sap:updatable` or capabilities exclude is refused.
"""

from clew.domain.services import Parameter, Property
from clew.grounding.faults import Fault, warning
from clew.grounding.tables import Spot, Tables, Use

_SERVER_CONTROLLED = {"ReadOnly", "Hidden", "Inapplicable"}
_READ_PERMISSIONS = {"Read", "None"}


def standing_of(tables: Tables, spot: Spot) -> Fault | None:
    """Gives what is wrong with giving the property in this use, `None` where a caller may."""
    prop = spot.prop
    if isinstance(prop, Parameter) or spot.scope.use is Use.CALL:
        return None
    if prop.computed:
        message = f"{prop.name} is computed by the service, which ignores a value that it is sent"
        return warning("COMPUTED_IGNORED", message, expected=f"leave {prop.name} out")
    if prop.field_control in _SERVER_CONTROLLED:
        message = f"{prop.name} is {prop.field_control}: the service sets it"
        return warning("FIELD_CONTROL", message, expected=f"leave {prop.name} out")
    if prop.permissions.rpartition("/")[2] in _READ_PERMISSIONS:
        message = f"{prop.name} is stated as read only; the service ignores or refuses a value that it is sent"
        return warning("READ_ONLY", message, expected=f"leave {prop.name} out")
    owner = _owner(spot)
    if spot.scope.use is Use.CREATE:
        return _on_create(prop, names_parent=tables.names_parent(owner, prop.name))
    return _on_update(prop, spot, is_key=prop.name in tables.view.key(owner))


def _owner(spot: Spot) -> str:
    """Gives the qualified name of the type in a property's node id (`odata:SVC#Ns.Type/Property`)."""
    return spot.node_id.partition("#")[2].rpartition("/")[0]


def _on_create(prop: Property, *, names_parent: bool) -> Fault | None:
    if prop.creatable:
        return None
    if names_parent:
        # Services state that they set it, and need it all the same where a child is created by itself.
        message = f"{prop.name} names the entity above; a nested or navigated create fills it"
        return warning("KEY_IGNORED", message, expected=f"a create along the navigation, without {prop.name}")
    message = f"{prop.name} cannot be given on create: the service sets it"
    return Fault("NOT_CREATABLE", message, expected=f"leave {prop.name} out")


def _on_update(prop: Property, spot: Spot, *, is_key: bool) -> Fault | None:
    if is_key:
        return None  # the payload rule compares it with the key of the URL
    if prop.immutable:
        message = f"{prop.name} cannot be changed after create; the service ignores a value that it is sent"
        return warning("IMMUTABLE_IGNORED", message, expected=f"leave {prop.name} out")
    if prop.updatable:
        return None
    message = f"{prop.name} cannot be changed"
    if spot.scope.use is Use.REPLACE:
        # A PUT states the whole entity as it was read, so that such properties come with it.
        return warning("NOT_UPDATABLE", message, expected="its present value")
    return Fault("NOT_UPDATABLE", message, expected=f"leave {prop.name} out")
