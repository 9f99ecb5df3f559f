"""The syntax tree of `$filter` and `$orderby` expressions, for every version, and its text.

`position` is where the node begins in the parsed text (0-based); it takes no part in what the text of a node is.
Brackets are not kept: the writer sets those that the precedence of the version asks for.
"""

from collections.abc import Iterator
from typing import TypeAlias

from clew.domain.records import JsonValue, Record
from clew.protocol.literals import UrlLiteral
from clew.protocol.spelling import format_literal

__all__ = [
    "Alias",
    "Binary",
    "Case",
    "Constant",
    "Expression",
    "FunctionCall",
    "Lambda",
    "Listing",
    "Logical",
    "Negated",
    "Not",
    "Path",
    "PathKey",
    "constant",
    "format_filter",
    "walk",
]


class Constant(Record, frozen=True, kw_only=True):
    """A literal."""

    literal: UrlLiteral
    position: int = 0


class Alias(Record, frozen=True, kw_only=True):
    """A parameter alias, `@p` (V4), whose value stands in the query option of that name."""

    name: str
    position: int = 0


class PathKey(Record, frozen=True, kw_only=True):
    """The predicate or parameter list after a name of a path, as text with its brackets: `('x')`, `(Min=1)`."""

    index: int
    """Which name of the path it follows, 0-based."""
    text: str


class Path(Record, frozen=True, kw_only=True):
    """Names joined by slashes: properties, navigations, type casts (`Ns.Type`), `$it`, `$root`, `$this`, `$count`.

    `origin` is the function call that the path starts from, `None` where it starts from the entity, from `$it`, or
    from a lambda variable, which is then the first name.
    """

    names: tuple[str, ...]
    keys: tuple[PathKey, ...] = ()
    origin: "FunctionCall | None" = None
    position: int = 0


class Not(Record, frozen=True, kw_only=True):
    """`not operand`."""

    operand: "Expression"
    position: int = 0


class Negated(Record, frozen=True, kw_only=True):
    """`-operand`, of an expression that is no literal."""

    operand: "Expression"
    position: int = 0


class Logical(Record, frozen=True, kw_only=True):
    """Two or more operands joined by `and`, or by `or`; held flat, so that a thousand of them are no deep tree."""

    operator: str
    operands: tuple["Expression", ...]
    position: int = 0


class Binary(Record, frozen=True, kw_only=True):
    """A comparison (`eq ne gt ge lt le has in`) or an arithmetic operation (`add sub mul div divby mod`)."""

    operator: str
    left: "Expression"
    right: "Expression"
    position: int = 0
    """Where the operator stands."""


class Listing(Record, frozen=True, kw_only=True):
    """The list on the right of `in`."""

    items: tuple["Expression", ...]
    position: int = 0


class FunctionCall(Record, frozen=True, kw_only=True):
    """A built-in function of the version."""

    name: str
    arguments: tuple["Expression", ...] = ()
    position: int = 0


class Case(Record, frozen=True, kw_only=True):
    """`case(condition:value,…)` (V4.01); `branches` are (condition, value)."""

    branches: tuple[tuple["Expression", "Expression"], ...]
    position: int = 0


class Lambda(Record, frozen=True, kw_only=True):
    """`path/any(variable:predicate)` or `all`; `any()` has neither variable nor predicate."""

    path: Path
    quantifier: str
    variable: str = ""
    predicate: "Expression | None" = None
    position: int = 0


Expression: TypeAlias = (
    Constant | Alias | Path | Not | Negated | Logical | Binary | Listing | FunctionCall | Case | Lambda
)

PRECEDENCE = {
    "or": 1,
    "and": 2,
    "eq": 3,
    "ne": 3,
    "gt": 4,
    "ge": 4,
    "lt": 4,
    "le": 4,
    "add": 5,
    "sub": 5,
    "mul": 6,
    "div": 6,
    "divby": 6,
    "mod": 6,
    "has": 8,
    "in": 8,
}
"""How tightly an operator binds, loosest first (URL Conventions 4.01, clause 5.1.1.16; V2 has the same order)."""

UNARY = 7
PRIMARY = 9


def constant(value: JsonValue, type: str, version: str) -> Constant:
    """Makes a literal of a value in JSON terms."""
    text = format_literal(value, type, version)
    return Constant(literal=UrlLiteral(type=type if value is not None else "", value=value, text=text))


def walk(expression: Expression) -> Iterator[Expression]:
    """Gives the expression and all inside it, outermost first, left to right."""
    yield expression
    for inner in _children(expression):
        yield from walk(inner)


def format_filter(expression: Expression) -> str:
    """Writes an expression as text, not yet percent-encoded, with no bracket that precedence does not ask for."""
    match expression:
        case Constant():
            return expression.literal.text
        case Alias():
            return expression.name
        case Path():
            return _format_path(expression)
        case Lambda():
            return _format_lambda(expression)
        case FunctionCall():
            return f"{expression.name}({','.join(map(format_filter, expression.arguments))})"
        case Case():
            return f"case({','.join(f'{format_filter(c)}:{format_filter(v)}' for c, v in expression.branches)})"
        case Listing():
            return f"({','.join(map(format_filter, expression.items))})"
        case _:
            return _format_operation(expression)


def _format_operation(expression: Not | Negated | Logical | Binary) -> str:
    match expression:
        case Not():
            return "not " + _bracketed(expression.operand, UNARY)
        case Negated():
            operand = _bracketed(expression.operand, UNARY)
            return "-" + (f"({operand})" if operand[:1].isdigit() or operand.startswith(("-", "INF")) else operand)
        case Logical():
            level = PRECEDENCE[expression.operator] + 1
            return f" {expression.operator} ".join(_bracketed(operand, level) for operand in expression.operands)
        case Binary():
            level = PRECEDENCE[expression.operator]
            left = _bracketed(expression.left, level)
            return f"{left} {expression.operator} {_bracketed(expression.right, level + 1)}"


def _bracketed(expression: Expression, level: int) -> str:
    text = format_filter(expression)
    return f"({text})" if _level(expression) < level else text


def _level(expression: Expression) -> int:
    match expression:
        case Logical() | Binary():
            return PRECEDENCE[expression.operator]
        case Not() | Negated():
            return UNARY
        case _:
            return PRIMARY


def _format_path(path: Path) -> str:
    keys = {key.index: key.text for key in path.keys}
    names = [name + keys.get(index, "") for index, name in enumerate(path.names)]
    return "/".join(([format_filter(path.origin)] if path.origin else []) + names)


def _format_lambda(expression: Lambda) -> str:
    head = f"{_format_path(expression.path)}/{expression.quantifier}"
    if expression.predicate is None:
        return f"{head}()"
    return f"{head}({expression.variable}:{format_filter(expression.predicate)})"


def _children(expression: Expression) -> tuple[Expression, ...]:
    match expression:
        case Not() | Negated():
            return (expression.operand,)
        case Logical():
            return expression.operands
        case Binary():
            return (expression.left, expression.right)
        case Listing():
            return expression.items
        case FunctionCall():
            return expression.arguments
        case Case():
            return tuple(part for branch in expression.branches for part in branch)
        case Lambda():
            return (expression.path,) if expression.predicate is None else (expression.path, expression.predicate)
        case Path():
            return (expression.origin,) if expression.origin else ()
        case _:
            return ()
