"""Rule: a value is of its property's type, in the JSON of the service's version (OData JSON 4.01, clause 7.1)."""

import re
from collections.abc import Callable
from decimal import Decimal

from clew.domain.errors import MalformedText
from clew.domain.records import JsonValue
from clew.grounding.requirements import has_initial_values
from clew.grounding.tables import Reader, Spot, Tables
from clew.protocol.dates import SECOND_PS, check_time, time_of_day_ps
from clew.protocol.primitives import INTEGER_RANGES
from clew.protocol.values import read_enum, read_value, write_value

_MIDNIGHT = re.compile(r"^\d{4}-\d\d-\d\dT00:00(?::00(?:\.0+)?)?Z?$")
_DATED = {"Edm.DateTime": "T00:00:00", "Edm.DateTimeOffset": "T00:00:00Z"}


def reader_of(tables: Tables, spot: Spot) -> Reader:
    """Gives the function that reads the values of a property or parameter into JSON terms."""
    enum = tables.enum_of(spot.prop)
    version = tables.view.service.version
    if enum is not None:
        takes_numbers = tables.view.is_v4
        return lambda value: read_enum(_named_member(value, takes_numbers=takes_numbers), enum)
    primitive = tables.view.underlying(spot.prop.type)
    if primitive == "Edm.String":
        return _read_string
    if primitive == "Edm.Boolean":
        return _read_boolean
    ieee754 = spot.scope.ieee754
    if (
        primitive in _DATED
        and tables.view.service.version in {"V1", "V2"}
        and not has_initial_values(tables.view.service)
    ):
        return _ticks_only(primitive, version)
    return lambda value: read_value(value, primitive, version, ieee754=ieee754)


def _ticks_only(primitive: str, version: str) -> Callable[[JsonValue], JsonValue]:
    """V2 writes dates as `/Date(ms)/` (MS-ODATA 2.2.6.3.1); SAP Gateway, known by its ABAP signs, takes ISO as well."""

    def read(value: JsonValue) -> JsonValue:
        found = read_value(value, primitive, version)
        if isinstance(value, str) and not value.startswith("/Date("):
            right = write_value(found, primitive, version)
            raise MalformedText("V2_DATE", f"OData V2 writes a date as /Date(ms)/: {right}")
        return found

    return read


def _read_string(value: JsonValue) -> JsonValue:
    return value if type(value) is str else read_value(value, "Edm.String", "")


def _read_boolean(value: JsonValue) -> JsonValue:
    return value if type(value) is bool else read_value(value, "Edm.Boolean", "")


def _named_member(value: JsonValue, *, takes_numbers: bool) -> JsonValue:
    """V4 takes an enumeration's value as text, by name or by number (clause 7.1); V3 services by name alone."""
    if isinstance(value, int | Decimal) and not isinstance(value, bool):
        raise MalformedText("JSON_TYPE", f"{value} is a number; a member of an enumeration is written as text")
    if not takes_numbers and isinstance(value, str) and value.lstrip("+-").isdigit():
        raise MalformedText("ENUM_UNKNOWN", f"{value!r} is a number; write the member's name")
    return value


def is_lenient_integer(value: JsonValue, primitive: str) -> bool:
    """Whether a number such as `1.0` was given for a type without fraction, which not every service takes."""
    return isinstance(value, Decimal) and primitive in INTEGER_RANGES


def mended(value: JsonValue, primitive: str, version: str, *, ieee754: bool) -> JsonValue:
    """Gives the value that can only have been meant, spelt rightly; the value itself where nothing is certain.

    Numbers for text of digits and the other way round, true and false, dates in the format of another version.
    """
    candidate = _plain(value, primitive)
    if isinstance(candidate, str) and primitive in _DATED and len(candidate) == len("2025-03-01"):
        candidate += _DATED[primitive]
    try:
        spelt = write_value(candidate, primitive, version, ieee754=ieee754)
        read_value(spelt, primitive, version, ieee754=ieee754)
    except MalformedText:
        return value
    return spelt


def _plain(value: JsonValue, primitive: str) -> JsonValue:
    if primitive == "Edm.Boolean" and value in ("true", "false"):
        return value == "true"
    if primitive == "Edm.String" and isinstance(value, int | Decimal) and not isinstance(value, bool):
        return str(value)
    if isinstance(value, str) and value.startswith("/Date("):
        return _iso(value, primitive)
    if primitive == "Edm.Date" and isinstance(value, str) and _MIDNIGHT.search(value):
        return value[: len("2025-03-01")]
    if primitive == "Edm.TimeOfDay" and isinstance(value, str) and value.startswith("PT"):
        return _time_of_day(value)
    return value


def _time_of_day(value: str) -> JsonValue:
    """Gives `12:30:00` for the `PT12H30M` of V2; a duration of a day or more is no time of day."""
    try:
        seconds = time_of_day_ps(check_time(value)) // SECOND_PS
    except MalformedText:
        return value
    return f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"


def _iso(value: str, primitive: str) -> JsonValue:
    try:
        iso = read_value(value, "Edm.DateTimeOffset" if primitive == "Edm.DateTimeOffset" else "Edm.DateTime", "V2")
    except MalformedText:
        return value
    if primitive == "Edm.Date" and isinstance(iso, str) and iso.endswith("T00:00:00"):
        return iso[:10]
    return iso
