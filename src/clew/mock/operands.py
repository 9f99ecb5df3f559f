"""What the parts of a filter evaluate to, and how two of them compare."""

from decimal import Decimal
from typing import TypeAlias

from clew.domain.errors import CallRefused
from clew.domain.records import JsonObject, JsonValue
from clew.mock.state import Row
from clew.protocol import dates
from clew.protocol.primitives import INTEGER_RANGES, SPECIAL_NUMBERS

NUMBERS = (*INTEGER_RANGES, "Edm.Decimal", "Edm.Double", "Edm.Single")
MOMENTS = ("Edm.Date", "Edm.DateTime", "Edm.DateTimeOffset")
TIMES = ("Edm.TimeOfDay", "Edm.Time")


class Item:
    """An entity, or a complex value, that a path goes on from."""

    __slots__ = ("entity_set", "row", "type", "values")

    def __init__(self, values: JsonObject, type_name: str, row: Row | None = None, entity_set: str = "") -> None:
        self.values = values
        self.type = type_name
        self.row = row
        self.entity_set = entity_set


class Operand:
    """A value in JSON terms and its type: an Edm type, a qualified enumeration, or empty for null and the untyped."""

    __slots__ = ("is_enum", "type", "value")

    def __init__(self, value: JsonValue, type_name: str = "", *, is_enum: bool = False) -> None:
        self.value = value
        self.type = type_name
        self.is_enum = is_enum


Result: TypeAlias = Operand | Item | list[Item]

NULL = Operand(None)

STRUCTURED = "Edm.ComplexType"
"""What stands for entities and complex values in comparisons, which ask no more of them than whether they are null."""


def truth(value: bool | None) -> Operand:  # noqa: FBT001
    """Gives a truth value, of which there are three."""
    return Operand(value, "Edm.Boolean")


def compare(operator: str, left: Operand, right: Operand) -> Operand:
    """Compares by `eq ne gt ge lt le`; with null only `eq` and `ne` can hold (URL Conventions 4.01, clause 5.1.1.1).

    Raises:
        CallRefused: 400 `FILTER_TYPE`, the types cannot be compared.
    """
    check_comparable(left, right)
    if left.value is None or right.value is None:
        both = left.value is None and right.value is None
        return truth({"eq": both, "ne": not both}.get(operator, False))
    if STRUCTURED in (left.type, right.type):
        raise CallRefused(400, "FILTER_TYPE", "entities and complex values are compared with null only")
    first, second = _side(left), _side(right)
    if operator in ("eq", "ne"):
        return truth((first == second) == (operator == "eq"))
    if isinstance(first, bool) or isinstance(second, bool):  # true is greater than false
        first, second = Decimal(first is True), Decimal(second is True)
    if isinstance(first, str) or isinstance(second, str):
        first, second = str(first), str(second)
        order = (first > second) - (first < second)
    elif first.is_nan() or second.is_nan():
        return truth(False)  # noqa: FBT003
    else:
        order = (first > second) - (first < second)
    return truth({"gt": order > 0, "ge": order >= 0, "lt": order < 0, "le": order <= 0}[operator])


def number(operand: Operand) -> Decimal:
    """Gives the number of an operand; INF and NaN are those of `Decimal`.

    Raises:
        CallRefused: 400 `FILTER_TYPE`.
    """
    value = operand.value
    if isinstance(value, str) and value in SPECIAL_NUMBERS:
        return Decimal(value.replace("INF", "Infinity"))
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
        raise CallRefused(400, "FILTER_TYPE", f"a number was expected, not {operand.type or 'this value'}")
    return Decimal(value)


def text(operand: Operand) -> str:
    """Gives the text of an operand.

    Raises:
        CallRefused: 400 `FILTER_TYPE`.
    """
    if not isinstance(operand.value, str) or operand.type in (*NUMBERS, *MOMENTS, *TIMES, "Edm.Guid", "Edm.Duration"):
        raise CallRefused(400, "FILTER_TYPE", f"a text was expected, not {operand.type or 'this value'}")
    return operand.value


def order_key(operand: Operand) -> tuple[int, Decimal, str]:
    """Gives what to sort by: null first, then numbers, moments and truth values by size, texts by code point."""
    if operand.value is None:
        return (0, Decimal(0), "")
    side = _side(operand)
    if isinstance(side, str):
        return (2, Decimal(0), side)
    return (1, Decimal(side), "")


Side: TypeAlias = Decimal | str | bool


def check_comparable(left: Operand, right: Operand) -> None:
    """Refuses what cannot be compared, null values included, whose types are known all the same.

    Raises:
        CallRefused: 400 `FILTER_TYPE`.
    """
    kinds = {kind_of(left), kind_of(right)}
    if len(kinds) == 1 or "" in kinds or kinds == {"enum", "text"}:
        return
    message = f"{left.type or 'this value'} cannot be compared with {right.type or 'this value'}"
    raise CallRefused(400, "FILTER_TYPE", message)


def kind_of(operand: Operand) -> str:
    """Gives the kind of type within which values compare: number, text, time, truth, enum, or its own name."""
    if operand.is_enum or (operand.type and not operand.type.startswith("Edm.")):
        return "enum"
    if operand.type in NUMBERS:
        return "number"
    if operand.type in TIMES:
        return "time"
    return {"Edm.String": "text", "Edm.Boolean": "truth", "": ""}.get(operand.type, operand.type)


def _side(operand: Operand) -> Side:
    value = operand.value
    kind = kind_of(operand)
    if kind == "number" or (kind == "" and isinstance(value, int | Decimal) and not isinstance(value, bool)):
        return number(operand)
    if isinstance(value, bool):
        return value
    written = str(value)
    if kind in MOMENTS:
        return Decimal(dates.instant_ps(written))
    if kind == "time":
        return Decimal(dates.time_of_day_ps(written))
    if operand.type == "Edm.Duration":
        return Decimal(dates.duration_ps(written))
    return written.lower() if operand.type == "Edm.Guid" else written
