"""Rule: a value keeps to the facets of its property: length, precision, scale, and the bounds and patterns stated."""

import re
from decimal import Decimal, InvalidOperation

from clew.domain.records import JsonObject, JsonValue
from clew.domain.services import Parameter, Property
from clew.grounding.faults import Fault, warning
from clew.grounding.tables import Spot, Tables, ValueCheck
from clew.protocol.facets import check_facets

_LONGEST_PATTERN = 200
# Patterns come from metadata: one that can backtrack without end is not run (nested or alternating repetition).
_EXPENSIVE = re.compile(r"[*+}]\)*[*+{]|\([^)]*[*+|][^)]*\)\s*[*+{]")


def check_of(tables: Tables, spot: Spot) -> ValueCheck | None:
    """Gives the check of a property's facets, `None` where it has none that could be broken."""
    prop, version = spot.prop, tables.view.service.version
    primitive = tables.view.underlying(prop.type)
    if primitive == "Edm.String":
        return _strings(prop)
    extra = _bounds(prop) if isinstance(prop, Property) else None
    unfaceted = primitive == "Edm.Decimal" and prop.precision is None and prop.scale is None
    if not _has_facets(prop, primitive) and extra is None and not unfaceted:
        return None
    if unfaceted and (not isinstance(prop, Property) or prop.scale_kind == "fixed") and tables.view.is_v4:
        # CSDL makes the scale 0 here; who states no facet at all hardly means it (Northwind prices are such).
        return extra or _undeclared_scale

    def check(value: JsonValue, siblings: JsonObject) -> Fault | None:
        for breach in check_facets(value, prop, primitive, version):
            return Fault(breach.code, f"{prop.name}: {breach.message}", expected=breach.expected)
        return extra(value, siblings) if extra is not None else None

    return check


def _has_facets(prop: Property | Parameter, primitive: str) -> bool:
    return primitive == "Edm.Decimal" or prop.precision is not None or prop.max_length is not None


def _undeclared_scale(value: JsonValue, siblings: JsonObject) -> Fault | None:
    del siblings
    if isinstance(value, Decimal) and value != value.to_integral_value():
        message = (
            f"{value:f} has decimals; the metadata declares neither precision nor scale, which strictly means none"
        )
        return warning("SCALE_UNDECLARED", message)
    return None


def _strings(prop: Property | Parameter) -> ValueCheck | None:
    limit = prop.max_length
    pattern = _pattern(prop) if isinstance(prop, Property) else None
    if limit is None:
        return pattern

    def check(value: JsonValue, siblings: JsonObject) -> Fault | None:
        if isinstance(value, str) and len(value) > limit:
            message = f"{prop.name}: the value has {len(value)} characters, {limit} are allowed"
            return Fault("MAX_LENGTH", message, expected=f"at most {limit} characters")
        return pattern(value, siblings) if pattern is not None else None

    return check


def _pattern(prop: Property) -> ValueCheck | None:
    if not prop.pattern or len(prop.pattern) > _LONGEST_PATTERN or _EXPENSIVE.search(prop.pattern):
        return None
    try:
        compiled = re.compile(prop.pattern)
    except re.error:
        return None

    def check(value: JsonValue, siblings: JsonObject) -> Fault | None:
        del siblings
        if isinstance(value, str) and compiled.search(value) is None:
            message = f"{prop.name}: {value!r} does not match the pattern {prop.pattern}"
            return Fault("PATTERN", message, expected=f"a text that matches {prop.pattern}")
        return None

    return check


def _bounds(prop: Property) -> ValueCheck | None:
    low, high = _number(prop.minimum), _number(prop.maximum)
    if low is None and high is None:
        return None

    def check(value: JsonValue, siblings: JsonObject) -> Fault | None:
        del siblings
        if isinstance(value, bool) or not isinstance(value, int | Decimal):
            return None
        if (low is not None and value < low) or (high is not None and value > high):
            wanted = _range(prop)
            return Fault("OUT_OF_BOUNDS", f"{prop.name}: {value} is not {wanted}", expected=wanted)
        return None

    return check


def _number(text: str | None) -> Decimal | None:
    try:
        return None if text is None else Decimal(text)
    except InvalidOperation:
        return None


def _range(prop: Property) -> str:
    if prop.minimum is None:
        return f"at most {prop.maximum}"
    return f"at least {prop.minimum}" + ("" if prop.maximum is None else f" and at most {prop.maximum}")
