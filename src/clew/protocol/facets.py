"""Facets of properties and parameters against values in JSON terms, exactly (CSDL 4.01, clause 7.2)."""

from collections.abc import Iterator
from decimal import Decimal

from clew.domain.records import JsonValue, Record
from clew.domain.services import Parameter, Property
from clew.protocol.dates import fraction_digits
from clew.protocol.primitives import bytes_of_base64url, is_v4

__all__ = ["FacetBreach", "check_facets"]

_TEMPORAL = ("Edm.DateTimeOffset", "Edm.DateTime", "Edm.TimeOfDay", "Edm.Time", "Edm.Duration")


class FacetBreach(Record, frozen=True, kw_only=True):
    """One facet that a value breaks; `code` is `MAX_LENGTH`, `PRECISION`, `SCALE`, `SCALE_LEFT_DIGITS`,
    `SCALE_DEFAULT_ZERO` or `TEMPORAL_PRECISION`, `expected` what would be right in words.
    """

    code: str
    message: str
    expected: str = ""


def check_facets(value: JsonValue, facets: Property | Parameter, type: str, version: str) -> Iterator[FacetBreach]:
    """Gives what `value` breaks; `type` is the primitive type behind `facets.type`.

    Lengths count characters (Unicode code points), for `Edm.Binary` bytes. A decimal without `Scale` has scale 0 in V4
    (CSDL 4.01, clause 7.2.4); the formats before say nothing of it. Fractions of a second are held against a
    `Precision` that is stated; zeros at the end count neither there nor for the scale.
    """
    if isinstance(value, str) and facets.max_length is not None:
        yield from _length(value, facets.max_length, type)
    if type == "Edm.Decimal" and isinstance(value, int | Decimal) and not isinstance(value, bool):
        yield from _decimal(Decimal(value), facets, version)
    if type in _TEMPORAL and isinstance(value, str) and facets.precision is not None:
        digits = fraction_digits(value)
        if digits > facets.precision:
            message = f"{value} has {digits} fractional digits of a second, {facets.precision} are allowed"
            yield FacetBreach(code="TEMPORAL_PRECISION", message=message, expected=f"at most {facets.precision} digits")


def _length(value: str, allowed: int, type: str) -> Iterator[FacetBreach]:
    if type == "Edm.Binary":
        length, unit = len(bytes_of_base64url(value)), "bytes"
    elif type == "Edm.String":
        length, unit = len(value), "characters"
    else:
        return
    if length > allowed:
        message = f"the value has {length} {unit}, {allowed} are allowed"
        yield FacetBreach(code="MAX_LENGTH", message=message, expected=f"at most {allowed} {unit}")


def _decimal(value: Decimal, facets: Property | Parameter, version: str) -> Iterator[FacetBreach]:
    left, right, significant = digits_of(value)
    kind = facets.scale_kind if isinstance(facets, Property) else "fixed"
    if kind != "fixed":
        total = significant if kind == "floating" else left + right
        if facets.precision is not None and total > facets.precision:
            message = f"{value:f} has {total} digits, {facets.precision} are allowed"
            yield FacetBreach(code="PRECISION", message=message, expected=f"at most {facets.precision} digits")
        return
    scale = facets.scale if facets.scale is not None or not is_v4(version) else 0
    if scale is not None and right > scale:
        default = facets.scale is None
        why = "none are allowed since no Scale is given" if default else f"{scale} are allowed"
        yield FacetBreach(
            code="SCALE_DEFAULT_ZERO" if default else "SCALE",
            message=f"{value:f} has {right} decimals, {why}",
            expected=f"at most {scale} decimals",
        )
    yield from _left_digits(value, left + right if scale is None else left, facets.precision, scale)


def _left_digits(value: Decimal, digits: int, precision: int | None, scale: int | None) -> Iterator[FacetBreach]:
    if precision is None:
        return
    allowed = precision - (scale or 0)
    if digits > allowed:
        where = "digits" if scale is None else "digits before the point"
        message = f"{value:f} has {digits} {where}, {allowed} are allowed (precision {precision}, scale {scale or 0})"
        code = "PRECISION" if not scale else "SCALE_LEFT_DIGITS"
        yield FacetBreach(code=code, message=message, expected=f"at most {allowed} {where}")


def digits_of(value: Decimal) -> tuple[int, int, int]:
    """Gives how many digits stand before the point (zeros at the front left out), after it (at the end), and in all.

    >>> digits_of(Decimal("-0120.500")), digits_of(Decimal("0.05")), digits_of(Decimal("0"))
    ((3, 1, 4), (0, 2, 1), (0, 0, 0))
    """
    _, digits, exponent = value.as_tuple()
    if not isinstance(exponent, int) or not any(digits):
        return 0, 0, 0
    written = "".join(map(str, digits)).lstrip("0")
    stripped = written.rstrip("0")
    exponent += len(written) - len(stripped)
    return max(0, len(stripped) + exponent), max(0, -exponent), len(stripped)
