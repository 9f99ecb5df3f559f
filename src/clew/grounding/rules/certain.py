"""Not a rule, but what spares most of them: values that no rule of their property could object to, told at one look."""

from collections.abc import Callable

from clew.domain.records import JsonValue
from clew.domain.services import Property
from clew.grounding.tables import Spot, Tables

_ANY_LENGTH = 2**31


def certain_of(tables: Tables, spot: Spot) -> Callable[[JsonValue], bool] | None:
    """Gives a test that is true of values which every rule lets pass; `None` where the rules themselves must look.

    Most values of a body are texts that only have a length to keep to.
    """
    prop = spot.prop
    listed = tables.codes_of(spot)
    if prop.collection or tables.enum_of(prop) is not None or (listed is not None and listed.codes):
        return None
    primitive = tables.view.underlying(prop.type)
    if primitive == "Edm.Boolean":
        return _is_boolean
    if primitive != "Edm.String" or (isinstance(prop, Property) and (prop.pattern or prop.digits_only)):
        return None
    limit = _ANY_LENGTH if prop.max_length is None else prop.max_length
    if isinstance(prop, Property) and prop.uppercase:
        return lambda value: type(value) is str and len(value) <= limit and value.upper() == value
    return lambda value: type(value) is str and len(value) <= limit


def _is_boolean(value: JsonValue) -> bool:
    return value is True or value is False
