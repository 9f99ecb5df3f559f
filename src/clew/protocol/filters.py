"""`$filter` texts of V2, V3 and V4, read into a syntax tree (OData ABNF 4.01, section 5; V2 URI Conventions, 4.5).

Reading is by grammar alone: whether `Name` is a property and `Total` a number, metadata tells. The text is
percent-decoded; a plus in it is a plus.
"""

import re

from clew.domain.errors import MalformedText
from clew.protocol.filter_functions import check_arity, functions_of, unknown_function
from clew.protocol.filter_tree import (
    PRECEDENCE,
    UNARY,
    Alias,
    Binary,
    Case,
    Constant,
    Expression,
    FunctionCall,
    Lambda,
    Listing,
    Logical,
    Negated,
    Not,
    Path,
    PathKey,
    format_filter,
    walk,
)
from clew.protocol.literals import scan_literal
from clew.protocol.primitives import is_v4

__all__ = ["format_filter", "parse_expression", "parse_filter", "walk"]

DEEPEST = 50
LONGEST_CHAIN = 200
LONGEST_CHARACTERS = 100_000

_BLANK = re.compile(r"[ \t]*")
_NAME = re.compile(r"\$(?:it|root|this|count)\b|[^\W\d][\w-]*(?:\.[^\W\d][\w-]*)*")
_OPERATOR = re.compile(r"[ \t]+(and|or|eq|ne|gt|ge|lt|le|add|sub|mul|divby|div|mod|has|in)(?=[ \t]|\Z)")
_ALIAS = re.compile(r"@[^\W\d]\w*")
_NOT = re.compile(r"not(?=[ \t(])")
_LAMBDA_HEAD = re.compile(r"[ \t]*([^\W\d]\w*|\$it)[ \t]*:")
_V4_OPERATORS = {"has", "in", "divby"}


def parse_filter(text: str, version: str) -> Expression:
    """Reads a `$filter` to its end.

    >>> format_filter(parse_filter("(A eq 1) and B gt 2.5", "V4"))
    'A eq 1 and B gt 2.5'

    Raises:
        MalformedText: `FILTER_SYNTAX`, `PLUS_FOR_SPACE` (a `+` where a blank, `%20`, was meant), `FILTER_FUNCTION`
            and `FILTER_ARITY`, `FILTER_OPERATOR` (of another version), `FILTER_DEPTH`, `FILTER_SIZE`, and those of
            literals.
    """
    if not text.strip(" \t"):
        raise MalformedText("FILTER_SYNTAX", "the expression is empty")
    reader = _Reader(text, version)
    reader.skip_blanks()
    expression = reader.expression(1)
    reader.skip_blanks()
    if reader.position < len(text):
        raise reader.expected("an operator such as eq, and, or")
    return expression


def parse_expression(text: str, position: int, version: str) -> tuple[Expression, int]:
    """Reads the expression that begins at `position`, as far as it goes; gives it and where it ends.

    Raises:
        MalformedText: as `parse_filter`.
    """
    reader = _Reader(text, version)
    reader.position = position
    reader.skip_blanks()
    return reader.expression(1), reader.position


class _Reader:
    """A position in a text; each method reads one construct of the grammar and moves on."""

    def __init__(self, text: str, version: str) -> None:
        if len(text) > LONGEST_CHARACTERS:
            message = f"the expression has {len(text)} characters, {LONGEST_CHARACTERS} are allowed"
            raise MalformedText("FILTER_SIZE", message)
        self.text = text
        self.version = version
        self.v4 = is_v4(version)
        self.functions = functions_of(version)
        self.position = 0
        self.depth = 0

    # -- small steps

    def skip_blanks(self) -> None:
        match = _BLANK.match(self.text, self.position)
        self.position = match.end() if match else self.position

    def at(self, mark: str) -> bool:
        return self.text.startswith(mark, self.position)

    def take(self, mark: str) -> None:
        self.skip_blanks()
        if not self.at(mark):
            raise self.expected(repr(mark))
        self.position += len(mark)
        self.skip_blanks()

    def expected(self, what: str) -> MalformedText:
        rest = self.text[self.position : self.position + 30]
        if rest.startswith("+") and not self.text[self.position - 1 : self.position].isspace():
            message = "a blank in a URL is written %20; + stays a plus"
            return MalformedText("PLUS_FOR_SPACE", message, self.position)
        found = repr(rest) if rest else "the end"
        return MalformedText("FILTER_SYNTAX", f"{what} was expected, {found} was found", self.position)

    # -- operators

    def expression(self, lowest: int) -> Expression:
        self.depth += 1
        if self.depth > DEEPEST:
            raise MalformedText("FILTER_DEPTH", f"nested deeper than the {DEEPEST} levels allowed", self.position)
        left = self.unary()
        links = 0
        while (match := _OPERATOR.match(self.text, self.position)) and PRECEDENCE[match[1]] >= lowest:
            operator, position = match[1], match.start(1)
            self._check_operator(operator, position)
            if operator in ("and", "or"):
                left = self._logical(operator, left, position)
                continue
            links += 1
            if links > LONGEST_CHAIN:
                raise MalformedText("FILTER_DEPTH", f"more than {LONGEST_CHAIN} operators in a row", position)
            self.position = match.end()
            self.skip_blanks()
            right = self.listing() if operator == "in" and self.at("(") else self.expression(PRECEDENCE[operator] + 1)
            left = Binary(operator=operator, left=left, right=right, position=position)
        self.depth -= 1
        return left

    def _check_operator(self, operator: str, position: int) -> None:
        if operator in _V4_OPERATORS and not self.v4:
            message = f"{self.version} has no operator {operator!r}; it came with V4"
            raise MalformedText("FILTER_OPERATOR", message, position)

    def _logical(self, operator: str, first: Expression, position: int) -> Expression:
        operands = [first]
        while (match := _OPERATOR.match(self.text, self.position)) and match[1] == operator:
            self.position = match.end()
            self.skip_blanks()
            operands.append(self.expression(PRECEDENCE[operator] + 1))
        return Logical(operator=operator, operands=tuple(operands), position=position)

    def unary(self) -> Expression:
        position = self.position
        if (match := _NOT.match(self.text, position)) is not None:
            self.position = match.end()
            self.skip_blanks()
            return Not(operand=self.expression(UNARY), position=position)
        if self.at("-") and not self.text[position + 1 : position + 2].isdigit() and not self.at("-INF"):
            self.position += 1
            self.skip_blanks()
            return Negated(operand=self.expression(UNARY), position=position)
        return self.primary()

    # -- operands

    def primary(self) -> Expression:
        position = self.position
        if self.at("("):
            self.take("(")
            inner = self.expression(1)
            self.take_closing()
            return inner
        if self.v4 and (match := _ALIAS.match(self.text, position)) is not None:
            self.position = match.end()
            return Alias(name=match[0], position=position)
        literal = scan_literal(self.text, position, self.version)
        if literal is not None:
            self.position += len(literal.text)
            return Constant(literal=literal, position=position)
        if _NAME.match(self.text, position) is None:
            raise self.expected("a value, a property or a function")
        return self.named()

    def take_closing(self) -> None:
        self.skip_blanks()
        if not self.at(")"):
            raise self.expected("')'")
        self.position += 1

    def listing(self) -> Listing:
        position = self.position
        self.take("(")
        return Listing(items=self.arguments(), position=position)

    def arguments(self) -> tuple[Expression, ...]:
        """Reads expressions separated by commas, and the closing bracket."""
        items = [self.expression(1)]
        self.skip_blanks()
        while self.at(","):
            self.take(",")
            items.append(self.expression(1))
            self.skip_blanks()
        self.take_closing()
        return tuple(items)

    def named(self) -> Expression:
        position = self.position
        name = self.name()
        if self.at("(") and "." not in name:
            call = self.call(name, position)
            if isinstance(call, FunctionCall) and self.at("/"):
                self.position += 1
                return self.path([self.name()], position, call)
            return call
        return self.path([name], position, None)

    def name(self) -> str:
        match = _NAME.match(self.text, self.position)
        if match is None:
            raise self.expected("a name")
        self.position = match.end()
        return match[0]

    def call(self, name: str, position: int) -> FunctionCall | Case:
        if name not in self.functions:
            raise unknown_function(name, self.version, position)
        self.take("(")
        if name == "case":
            return self.case(position)
        if self.at(")"):
            self.position += 1
            arguments: tuple[Expression, ...] = ()
        else:
            arguments = self.arguments()
        check_arity(name, len(arguments), self.version, position)
        return FunctionCall(name=name, arguments=arguments, position=position)

    def case(self, position: int) -> Case:
        branches: list[tuple[Expression, Expression]] = []
        while not branches or self.at(","):
            if branches:
                self.take(",")
            condition = self.expression(1)
            self.take(":")
            branches.append((condition, self.expression(1)))
            self.skip_blanks()
        self.take_closing()
        return Case(branches=tuple(branches), position=position)

    def path(self, names: list[str], position: int, origin: FunctionCall | None) -> Expression:
        keys: list[PathKey] = []
        while True:
            if self.at("("):
                keys.append(PathKey(index=len(names) - 1, text=self.bracketed()))
            if not self.at("/"):
                break
            self.position += 1
            start = self.position
            name = self.name()
            if name in ("any", "all") and self.at("("):
                path = Path(names=tuple(names), keys=tuple(keys), origin=origin, position=position)
                return self.quantified(path, name, start)
            names.append(name)
            if len(names) > DEEPEST:
                raise MalformedText("FILTER_DEPTH", f"a path has more than {DEEPEST} names", start)
        return Path(names=tuple(names), keys=tuple(keys), origin=origin, position=position)

    def quantified(self, path: Path, quantifier: str, position: int) -> Lambda:
        if self.version.startswith(("V1", "V2")):
            message = f"{self.version} has no {quantifier}; it came with V3"
            raise MalformedText("FILTER_OPERATOR", message, position)
        self.take("(")
        if self.at(")") and quantifier == "any":
            self.position += 1
            return Lambda(path=path, quantifier=quantifier, position=position)
        match = _LAMBDA_HEAD.match(self.text, self.position)
        if match is None:
            raise self.expected(f"a variable and a colon, as in {quantifier}(x:x/Name eq 1),")
        self.position = match.end()
        self.skip_blanks()
        predicate = self.expression(1)
        self.take_closing()
        return Lambda(path=path, quantifier=quantifier, variable=match[1], predicate=predicate, position=position)

    def bracketed(self) -> str:
        """Takes a key predicate or parameter list as text, up to its closing bracket."""
        start, depth, quoted = self.position, 0, False
        for index in range(start, len(self.text)):
            letter = self.text[index]
            if letter == "'":
                quoted = not quoted
            elif not quoted and letter in "()":
                depth += 1 if letter == "(" else -1
                if depth == 0:
                    self.position = index + 1
                    return self.text[start : self.position]
        raise MalformedText("FILTER_SYNTAX", "a bracket is not closed", start)
