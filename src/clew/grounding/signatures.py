"""What a call gives and takes, by its service's description: the type of its result, the property at a place of it."""

from clew.domain.requests import Call
from clew.domain.services import Operation, Parameter, Property
from clew.graph.service_view import ServiceView
from clew.grounding.wording import simple


def operation_of(call: Call, view: ServiceView) -> Operation | None:
    """Gives the operation that a call names: the overload bound to its set's type, else one that is not bound."""
    found = view.operations.get(simple(call.operation), [])
    node = view.sets.get(call.entity_set)
    for operation in found:
        fits = bool(node and operation.bound_to) and view.is_derived(node.type if node else "", operation.bound_to)
        if fits and operation.bound_to_collection == (not call.key):
            return operation
    unbound = [operation for operation in found if not operation.bound_to]
    return next(iter(unbound), found[0] if found else None)


def type_at_path(call: Call, view: ServiceView) -> str:
    """Gives the type that a call's set and navigation lead to; empty where they lead nowhere."""
    node = view.sets.get(call.entity_set)
    current = node.type if node else ""
    for part in filter(None, call.navigation.split("/")):
        name = part.partition("(")[0]
        navigation = view.navigations(current).get(name)
        prop = view.properties(current).get(name)
        current = navigation.target if navigation else prop.type if prop else view.qualified(name)
    return current


def result_type(call: Call, view: ServiceView) -> str:
    """Gives the qualified type of what a call gives back; empty where that is not known."""
    if call.operation:
        operation = operation_of(call, view)
        return operation.returns if operation else ""
    found = type_at_path(call, view)
    return found if found in view.types else ""


def property_at(call: Call, operation: Operation | None, place: str, view: ServiceView) -> Property | Parameter | None:
    """Gives the property or parameter at a place of a call: `key/Name`, or a JSON pointer into its payload."""
    names = [part.replace("~1", "/").replace("~0", "~") for part in place.split("/")[1:]]
    if place.startswith("query/") or not names:
        return None
    is_key = place.startswith("key/")
    if operation is not None:
        parameter = next((node for node in operation.parameters if node.name == names[0]), None)
        if parameter is None and is_key:
            return view.properties(operation.bound_to).get(names[0])
        return _below(parameter, names[1:], view)
    if is_key:
        node = view.sets.get(call.entity_set)
        return view.properties(node.type).get(names[0]) if node else None
    return _member(type_at_path(call, view), names, view)


def _below(found: Property | Parameter | None, names: list[str], view: ServiceView) -> Property | Parameter | None:
    rest = [name for name in names if not name.isdigit()]
    return _member(found.type, rest, view) if found is not None and rest else found


def _member(type_name: str, names: list[str], view: ServiceView) -> Property | None:
    current = type_name
    found: Property | None = None
    for name in names:
        if name.isdigit():
            continue
        found = view.properties(current).get(name)
        navigation = view.navigations(current).get(name)
        current = found.type if found else navigation.target if navigation else ""
    return found
