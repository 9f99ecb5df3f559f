"""Conditions of sequence flows, as far as they are plain: comparisons of named values with literals, and, or, not.

    condition   = disjunction                      also inside ${…} or #{…}, or after "=" (FEEL)
    disjunction = conjunction *( ("or" / "||") conjunction )
    conjunction = negation *( ("and" / "&&") negation )
    negation    = ("not" / "!") negation / comparison
    comparison  = operand [ ("==" / "=" / "!=" / "<>" / "<" / "<=" / ">" / ">=") operand ]
    operand     = name *("." name) / ["-"] number / 'text' / "text" / "true" / "false" / "null" / "(" disjunction ")"

What is unknown is not false: a condition over a value that was not given is `None`, as in three-valued logic. Any
other text (a call, a sentence, another language) is no plain condition and is never evaluated.
"""

import re
from collections.abc import Mapping
from decimal import Decimal, InvalidOperation

from clew.domain.errors import MalformedText
from clew.domain.records import JsonValue, Record

_TOKEN = re.compile(
    r"\s*(?:(\d+(?:\.\d+)?)|(\"[^\"]*\"|'[^']*')|([^\W\d]\w*(?:\.[^\W\d]\w*)*)|(&&|\|\||==|!=|<>|<=|>=|[=<>!()-]))"
)
_WRAPPED = re.compile(r"\s*[$#]\{([^{}]*)\}\s*")
_COMPARISONS = {"==": "==", "=": "==", "!=": "!=", "<>": "!=", "<": "<", "<=": "<=", ">": ">", ">=": ">="}
_WORDS: dict[str, bool | None] = {"true": True, "false": False, "null": None}
_LONGEST = 500
_DEEPEST = 30


class Term(Record, frozen=True, kw_only=True):
    """A node of a condition's tree: a literal, a name, or an operator over terms."""

    operator: str
    value: JsonValue = None
    terms: "tuple[Term, ...]" = ()


class Condition(Record, frozen=True, kw_only=True):
    """A condition that can be evaluated, with the names of the values that it needs."""

    term: Term
    names: tuple[str, ...]

    def evaluate(self, values: Mapping[str, JsonValue]) -> bool | None:
        """Gives whether it holds; `None` where a value that decides it was not given."""
        return _truth(self.term, values)


def parse_condition(text: str) -> Condition | None:
    """Reads a condition; `None` where it is not plain.

    >>> parse_condition("${amount > 1000}").evaluate({"amount": 500})
    False
    >>> parse_condition("the customer agrees") is None
    True
    """
    wrapped = _WRAPPED.fullmatch(text)
    inner = wrapped[1] if wrapped else text.strip().removeprefix("=")
    if not inner.strip() or len(inner) > _LONGEST:
        return None
    try:
        term = _Parser(inner).parse()
    except MalformedText:
        return None
    names = tuple(dict.fromkeys(_names(term)))
    return Condition(term=term, names=names) if names else None


class _Parser:
    """Recursive descent over the grammar in the module's docstring."""

    def __init__(self, text: str) -> None:
        self._tokens: list[tuple[str, str]] = []
        self._position = 0
        self._depth = 0
        end = 0
        while text[end:].strip():
            match = _TOKEN.match(text, end)
            if match is None:
                raise MalformedText("CONDITION_SYNTAX", "no token of a condition", end)
            kind = ("number", "text", "name", "mark")[(match.lastindex or 1) - 1]
            self._tokens.append((kind, match[match.lastindex or 1]))
            end = match.end()

    def parse(self) -> Term:
        term = self._joined("or", ("or", "||"))
        if self._position < len(self._tokens):
            raise MalformedText("CONDITION_SYNTAX", "the condition goes on after its end", self._position)
        return term

    def _accept(self, *words: str) -> str:
        if self._position < len(self._tokens):
            kind, word = self._tokens[self._position]
            if kind in ("mark", "name") and word.lower() in words:
                self._position += 1
                return word.lower()
        return ""

    def _joined(self, operator: str, words: tuple[str, ...]) -> Term:
        terms = [self._joined("and", ("and", "&&")) if operator == "or" else self._negation()]
        while self._accept(*words):
            terms.append(self._joined("and", ("and", "&&")) if operator == "or" else self._negation())
        return terms[0] if len(terms) == 1 else Term(operator=operator, terms=tuple(terms))

    def _negation(self) -> Term:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise MalformedText("CONDITION_SYNTAX", "the condition is nested too deeply", self._position)
        term = Term(operator="not", terms=(self._negation(),)) if self._accept("not", "!") else self._comparison()
        self._depth -= 1
        return term

    def _comparison(self) -> Term:
        left = self._operand()
        if operator := self._accept(*_COMPARISONS):
            return Term(operator=_COMPARISONS[operator], terms=(left, self._operand()))
        return left

    def _operand(self) -> Term:
        if self._accept("("):
            term = self._joined("or", ("or", "||"))
            if not self._accept(")"):
                raise MalformedText("CONDITION_SYNTAX", "a bracket is not closed", self._position)
            return term
        sign = -1 if self._accept("-") else 1
        if self._position >= len(self._tokens):
            raise MalformedText("CONDITION_SYNTAX", "the condition ends too early", self._position)
        kind, word = self._tokens[self._position]
        self._position += 1
        if kind == "number":
            return Term(operator="literal", value=sign * Decimal(word))
        if sign < 0 or kind == "mark" or word.lower() in ("and", "or", "not"):
            raise MalformedText("CONDITION_SYNTAX", "an operand is missing", self._position)
        if kind == "text":
            return Term(operator="literal", value=word[1:-1])
        if word.lower() in _WORDS:
            return Term(operator="literal", value=_WORDS[word.lower()])
        return Term(operator="name", value=word)


def _names(term: Term) -> list[str]:
    if term.operator == "name":
        return [str(term.value)]
    return [name for inner in term.terms for name in _names(inner)]


def _truth(term: Term, values: Mapping[str, JsonValue]) -> bool | None:
    if term.operator == "not":
        inner = _truth(term.terms[0], values)
        return None if inner is None else not inner
    if term.operator in ("and", "or"):
        decisive = term.operator == "or"
        truths = [_truth(inner, values) for inner in term.terms]
        if decisive in truths:
            return decisive
        return None if None in truths else not decisive
    if term.operator in ("literal", "name"):
        known, value = _value(term, values)
        return value if known and isinstance(value, bool) else None
    return _compare(term, values)


def _value(term: Term, values: Mapping[str, JsonValue]) -> tuple[bool, JsonValue]:
    if term.operator == "literal":
        return True, term.value
    if term.operator != "name":
        truth = _truth(term, values)
        return truth is not None, truth
    name = str(term.value)
    if name in values:
        return True, values[name]
    here: JsonValue = dict(values)
    for part in name.split("."):
        if not isinstance(here, dict) or part not in here:
            return False, None
        here = here[part]
    return True, here


def _compare(term: Term, values: Mapping[str, JsonValue]) -> bool | None:
    (left_known, left), (right_known, right) = (_value(inner, values) for inner in term.terms)
    if not left_known or not right_known:
        return None
    first, second = _comparable(left, right)
    if term.operator in ("==", "!="):
        return (first == second) == (term.operator == "==")
    if isinstance(first, Decimal) and isinstance(second, Decimal):
        return _ordered(term.operator, first < second, first == second)
    if isinstance(first, str) and isinstance(second, str):
        return _ordered(term.operator, first < second, first == second)
    return None


def _ordered(operator: str, less: bool, equal: bool) -> bool:  # noqa: FBT001 - two facts, not switches
    return {"<": less, "<=": less or equal, ">": not (less or equal), ">=": not less}[operator]


def _comparable(left: JsonValue, right: JsonValue) -> tuple[JsonValue, JsonValue]:
    """Gives both as decimals where one is a number and the other is one or is written like one."""
    if isinstance(left, bool) or isinstance(right, bool):
        return left, right
    if isinstance(left, int | Decimal) or isinstance(right, int | Decimal):
        first, second = _decimal(left), _decimal(right)
        if first is not None and second is not None:
            return first, second
    return left, right


def _decimal(value: JsonValue) -> Decimal | None:
    if isinstance(value, int | Decimal | str):
        try:
            found = Decimal(value)
        except InvalidOperation:
            return None
        return found if found.is_finite() else None
    return None
