"""Rule: fields that hold upper case or digits alone. A warning: servers convert or refuse, and we change nothing."""

from clew.domain.issues import Suggestion
from clew.domain.records import JsonObject, JsonValue
from clew.domain.services import Parameter
from clew.grounding.faults import Fault, warning
from clew.grounding.tables import Spot, Tables, ValueCheck


def check_of(tables: Tables, spot: Spot) -> ValueCheck | None:
    """Gives the check of a text's letters, `None` where the property takes any."""
    del tables
    prop = spot.prop
    if isinstance(prop, Parameter) or not (prop.uppercase or prop.digits_only):
        return None
    name, upper = prop.name, prop.uppercase

    def check(value: JsonValue, siblings: JsonObject) -> Fault | None:
        del siblings
        if not isinstance(value, str):
            return None
        if upper and value != (wanted := value.upper()):
            message = f"{name} is kept in upper case; {value!r} is perhaps not found again"
            suggestion = Suggestion(value=wanted, reason="rule")
            return warning("UPPER_CASE", message, expected=f"{wanted!r}", suggestions=(suggestion,))
        if not upper and value and not value.isdigit():
            return warning("DIGITS_ONLY", f"{name} is made of digits; {value!r} is not", expected="digits, such as 10")
        return None

    return check
