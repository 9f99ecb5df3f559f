"""`$orderby`: expressions, each with a direction (URL Conventions 4.01, clause 5.1.6)."""

import re

from clew.domain.errors import MalformedText
from clew.domain.records import Record
from clew.protocol.filter_tree import Expression, format_filter
from clew.protocol.filters import parse_expression

__all__ = ["OrderItem", "format_orderby", "parse_orderby"]

MOST_ITEMS = 100

_DIRECTION = re.compile(r"[ \t]+(asc|desc)(?=[ \t]*(?:,|\Z))")
_COMMA = re.compile(r"[ \t]*,[ \t]*")


class OrderItem(Record, frozen=True, kw_only=True):
    """What to sort by, and whether downwards."""

    expression: Expression
    descending: bool = False


def parse_orderby(text: str, version: str) -> tuple[OrderItem, ...]:
    """Reads an `$orderby`.

    >>> [(format_filter(i.expression), i.descending) for i in parse_orderby("Name desc,length(City)", "V4")]
    [('Name', True), ('length(City)', False)]

    Raises:
        MalformedText: `ORDERBY_SYNTAX`, and those of `parse_filter`.
    """
    items: list[OrderItem] = []
    position = 0
    while True:
        expression, position = parse_expression(text, position, version)
        direction = _DIRECTION.match(text, position)
        position = direction.end() if direction else position
        items.append(OrderItem(expression=expression, descending=direction is not None and direction[1] == "desc"))
        if not text[position:].strip(" \t"):
            return tuple(items)
        comma = _COMMA.match(text, position)
        if comma is None or len(items) >= MOST_ITEMS:
            found = text[position : position + 30]
            raise MalformedText("ORDERBY_SYNTAX", f"asc, desc or a comma was expected, {found!r} was found", position)
        position = comma.end()


def format_orderby(items: tuple[OrderItem, ...]) -> str:
    """Writes an `$orderby`, not yet percent-encoded."""
    return ",".join(format_filter(item.expression) + (" desc" if item.descending else "") for item in items)
