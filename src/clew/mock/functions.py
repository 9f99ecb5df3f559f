"""The built-in functions of filters, on operands. A null argument gives null (URL Conventions 4.01, clause 5.1.1.5)."""

import re
from collections.abc import Callable
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_UP, Context, Decimal

from clew.domain.errors import CallRefused
from clew.mock.operands import Operand, kind_of, number, text, truth
from clew.protocol import dates

EXACT = Context(prec=60)

Function = Callable[[list[Operand]], Operand]


def call_function(name: str, arguments: list[Operand]) -> Operand:
    """Gives the value of a function.

    Raises:
        CallRefused: 501, the mock does not have it; 400, an argument is of another type.
    """
    function = FUNCTIONS.get(name)
    if function is None:
        raise CallRefused(501, "NOT_IMPLEMENTED", f"the function {name} is not implemented")
    wanted, result = SIGNATURES[name]
    for argument, kinds in zip(arguments, wanted, strict=False):
        if kind_of(argument) not in (*kinds.split("|"), ""):
            message = f"{name} takes a {kinds} here, not {argument.type}"
            raise CallRefused(400, "FILTER_TYPE", message)
    if any(argument.value is None for argument in arguments):
        return Operand(None, result)
    try:
        return function(arguments)
    except ValueError:  # of an open property, whose type nothing tells before
        raise CallRefused(400, "FILTER_TYPE", f"{name} cannot take {arguments[0].value!r}") from None


def _text(value: str) -> Operand:
    return Operand(value, "Edm.String")


def _whole(value: int) -> Operand:
    return Operand(value, "Edm.Int32")


def _substring(arguments: list[Operand]) -> Operand:
    start = int(number(arguments[1]))
    end = start + int(number(arguments[2])) if len(arguments) > 2 else None
    return _text(text(arguments[0])[start:end])


def _pattern(arguments: list[Operand]) -> Operand:
    try:
        return truth(re.search(text(arguments[1]), text(arguments[0])) is not None)
    except re.error as error:
        raise CallRefused(400, "FILTER_TYPE", f"the pattern is malformed: {error}") from None


def _part(position: int, length: int) -> Function:
    """Gives the function that takes digits out of an ISO date and time."""

    def take(arguments: list[Operand]) -> Operand:
        written = str(arguments[0].value)
        return _whole(int(written[position : position + length]))

    return take


def _clock(index: int) -> Function:
    """Gives the function that takes hour, minute or second out of a moment, a time of day or a duration."""

    def take(arguments: list[Operand]) -> Operand:
        written = str(arguments[0].value)
        if arguments[0].type in ("Edm.Time", "Edm.TimeOfDay"):
            seconds = dates.time_of_day_ps(written) // dates.SECOND_PS
        else:
            seconds = int(written[11:13]) * 3600 + int(written[14:16]) * 60 + int(written[17:19])
        return _whole((seconds // 3600, seconds // 60 % 60, seconds % 60)[index])

    return take


def _fraction(arguments: list[Operand]) -> Operand:
    match = re.search(r"\.[0-9]+", str(arguments[0].value))
    return Operand(Decimal("0" + match[0]) if match else Decimal(0), "Edm.Decimal")


def _total_seconds(arguments: list[Operand]) -> Operand:
    amount_ps = dates.duration_ps(str(arguments[0].value))
    return Operand(EXACT.divide(Decimal(amount_ps), Decimal(dates.SECOND_PS)), "Edm.Decimal")


def _offset_minutes(arguments: list[Operand]) -> Operand:
    match = re.search(r"([+-])([0-9]{2}):([0-9]{2})$", str(arguments[0].value))
    return _whole((-1 if match[1] == "-" else 1) * (int(match[2]) * 60 + int(match[3])) if match else 0)


def _rounded(rounding: str) -> Function:
    def round_number(arguments: list[Operand]) -> Operand:
        return Operand(number(arguments[0]).quantize(Decimal(1), rounding=rounding, context=EXACT), arguments[0].type)

    return round_number


FUNCTIONS: dict[str, Function] = {
    "contains": lambda a: truth(text(a[1]) in text(a[0])),
    "substringof": lambda a: truth(text(a[0]) in text(a[1])),
    "startswith": lambda a: truth(text(a[0]).startswith(text(a[1]))),
    "endswith": lambda a: truth(text(a[0]).endswith(text(a[1]))),
    "length": lambda a: _whole(len(text(a[0]))),
    "indexof": lambda a: _whole(text(a[0]).find(text(a[1]))),
    "substring": _substring,
    "replace": lambda a: _text(text(a[0]).replace(text(a[1]), text(a[2]))),
    "tolower": lambda a: _text(text(a[0]).lower()),
    "toupper": lambda a: _text(text(a[0]).upper()),
    "trim": lambda a: _text(text(a[0]).strip()),
    "concat": lambda a: _text(text(a[0]) + text(a[1])),
    "matchesPattern": _pattern,
    "year": _part(0, 4),
    "month": _part(5, 2),
    "day": _part(8, 2),
    "hour": _clock(0),
    "minute": _clock(1),
    "second": _clock(2),
    "fractionalseconds": _fraction,
    "totalseconds": _total_seconds,
    "totaloffsetminutes": _offset_minutes,
    "date": lambda a: Operand(str(a[0].value)[:10], "Edm.Date"),
    "time": lambda a: Operand(re.split(r"[Z+-]", str(a[0].value)[11:])[0], "Edm.TimeOfDay"),
    "mindatetime": lambda _: Operand("0001-01-01T00:00:00Z", "Edm.DateTimeOffset"),
    "maxdatetime": lambda _: Operand("9999-12-31T23:59:59.999999999999Z", "Edm.DateTimeOffset"),
    "round": _rounded(ROUND_HALF_UP),
    "floor": _rounded(ROUND_FLOOR),
    "ceiling": _rounded(ROUND_CEILING),
}

_TEXT2 = ("text", "text")
_MOMENTS = "Edm.Date|Edm.DateTime|Edm.DateTimeOffset"
_CLOCKS = f"{_MOMENTS}|time|Edm.Duration"
SIGNATURES: dict[str, tuple[tuple[str, ...], str]] = {
    **dict.fromkeys(("contains", "substringof", "startswith", "endswith", "matchesPattern"), (_TEXT2, "Edm.Boolean")),
    **dict.fromkeys(("tolower", "toupper", "trim"), (("text",), "Edm.String")),
    **dict.fromkeys(("year", "month", "day", "totaloffsetminutes"), ((_MOMENTS,), "Edm.Int32")),
    **dict.fromkeys(("hour", "minute", "second"), ((_CLOCKS,), "Edm.Int32")),
    **dict.fromkeys(("round", "floor", "ceiling"), (("number",), "Edm.Decimal")),
    **dict.fromkeys(("mindatetime", "maxdatetime"), ((), "Edm.DateTimeOffset")),
    "length": (("text",), "Edm.Int32"),
    "indexof": (_TEXT2, "Edm.Int32"),
    "substring": (("text", "number", "number"), "Edm.String"),
    "replace": (("text", "text", "text"), "Edm.String"),
    "concat": (_TEXT2, "Edm.String"),
    "fractionalseconds": ((_CLOCKS,), "Edm.Decimal"),
    "totalseconds": (("Edm.Duration",), "Edm.Decimal"),
    "date": ((_MOMENTS,), "Edm.Date"),
    "time": ((_MOMENTS,), "Edm.TimeOfDay"),
}
"""The kinds of a function's arguments (`clew.mock.operands.kind_of`; `|` is or) and the type of its result."""
