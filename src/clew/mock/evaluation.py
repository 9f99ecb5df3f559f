"""Filters and orderings evaluated on rows, with three truth values, by the types that the metadata gives."""

from collections.abc import Mapping
from decimal import Decimal, InvalidOperation

from clew.domain.clocks import Clock
from clew.domain.errors import CallRefused, MalformedText
from clew.domain.records import JsonValue
from clew.domain.services import EntityType, Property
from clew.mock.functions import EXACT, call_function
from clew.mock.operands import NULL, STRUCTURED, Item, Operand, Result, compare, kind_of, number, truth
from clew.mock.relations import related
from clew.mock.schema import Schema
from clew.mock.state import State
from clew.protocol import dates
from clew.protocol.filter_tree import (
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
)
from clew.protocol.literals import parse_literal
from clew.protocol.primitives import INTEGER_RANGES
from clew.protocol.values import read_enum

COMPARISONS = ("eq", "ne", "gt", "ge", "lt", "le")


class Evaluation:
    """Evaluates expressions of one request; `aliases` are its parameter aliases (`@p` → literal)."""

    def __init__(self, schema: Schema, state: State, *, clock: Clock, aliases: Mapping[str, str] = {}) -> None:
        self.schema = schema
        self.state = state
        self.clock = clock
        self.aliases = aliases

    def holds(self, expression: Expression, item: Item) -> bool:
        """Whether a filter holds for an entity.

        Raises:
            CallRefused: 400, it does not fit the types; 501, it asks for what the mock does not have.
        """
        return self.operand(expression, item, {}).value is True

    def operand(self, expression: Expression, item: Item, variables: Mapping[str, Item]) -> Operand:
        """Gives the value of an expression for an entity."""
        result = self.result(expression, item, variables)
        if isinstance(result, Operand):
            return result
        if isinstance(result, Item):
            return Operand(result.type, STRUCTURED)
        raise CallRefused(400, "FILTER_COLLECTION", "a collection has to be asked by any, all or $count")

    def result(self, expression: Expression, item: Item, variables: Mapping[str, Item]) -> Result:
        """Gives what an expression leads to: a value, an entity or complex value, or a collection of them."""
        match expression:
            case Constant():
                return self._constant(expression)
            case Alias():
                return self._alias(expression)
            case Path():
                return self._path(expression, item, variables)
            case Lambda():
                return self._lambda(expression, item, variables)
            case FunctionCall():
                return self._function(expression, item, variables)
            case Case():
                return self._case(expression, item, variables)
            case Listing():
                raise CallRefused(400, "FILTER_TYPE", "a list stands to the right of `in` only")
            case _:
                return self._operation(expression, item, variables)

    def _constant(self, expression: Constant) -> Operand:
        literal = expression.literal
        if not literal.type or literal.type.startswith("Edm."):
            return Operand(literal.value, literal.type)
        type_name = self.schema.qualified(literal.type)
        if type_name not in self.schema.view.enums:
            raise CallRefused(400, "FILTER_TYPE", f"there is no enumeration {literal.type}")
        return Operand(literal.value, type_name, is_enum=True)

    # -- operators

    def _operation(
        self, expression: Not | Negated | Logical | Binary, item: Item, variables: Mapping[str, Item]
    ) -> Operand:
        match expression:
            case Not():
                value = self._truth(expression.operand, item, variables)
                return truth(None if value is None else not value)
            case Negated():
                operand = self.operand(expression.operand, item, variables)
                return NULL if operand.value is None else Operand(-number(operand), operand.type)
            case Logical():
                return self._logical(expression, item, variables)
            case Binary():
                return self._binary(expression, item, variables)

    def _truth(self, expression: Expression, item: Item, variables: Mapping[str, Item]) -> bool | None:
        value = self.operand(expression, item, variables).value
        if value is not None and not isinstance(value, bool):
            raise CallRefused(400, "FILTER_TYPE", "a condition was expected, true or false")
        return value

    def _logical(self, expression: Logical, item: Item, variables: Mapping[str, Item]) -> Operand:
        decisive = expression.operator == "or"
        unknown = False
        for operand in expression.operands:
            value = self._truth(operand, item, variables)
            if value is decisive:
                return truth(decisive)
            unknown = unknown or value is None
        return truth(None if unknown else not decisive)

    def _binary(self, expression: Binary, item: Item, variables: Mapping[str, Item]) -> Operand:
        if expression.operator == "in":
            return self._in(expression, item, variables)
        left = self.operand(expression.left, item, variables)
        right = self.operand(expression.right, item, variables)
        self._settle(left, right)
        if expression.operator in COMPARISONS:
            ranked = expression.operator not in ("eq", "ne") and left.is_enum and right.is_enum
            return compare(expression.operator, *((self._rank(left), self._rank(right)) if ranked else (left, right)))
        if expression.operator != "has" and {kind_of(left), kind_of(right)} - {"number", ""}:
            raise CallRefused(400, "FILTER_TYPE", f"{expression.operator} is implemented for numbers only")
        if left.value is None or right.value is None:
            return NULL
        if expression.operator == "has":
            return self._has(left, right)
        return self._arithmetic(expression.operator, left, right)

    def _in(self, expression: Binary, item: Item, variables: Mapping[str, Item]) -> Operand:
        if not isinstance(expression.right, Listing):
            raise CallRefused(501, "NOT_IMPLEMENTED", "`in` is implemented for lists of values only")
        left = self.operand(expression.left, item, variables)
        for entry in expression.right.items:
            right = self.operand(entry, item, variables)
            self._settle(left, right)
            if compare("eq", left, right).value is True:
                return truth(True)  # noqa: FBT003
        return truth(False)  # noqa: FBT003

    def _settle(self, left: Operand, right: Operand) -> None:
        """Spells values as the other side does: members of enumerations, dates as text (V3), truth as 0 and 1 (V2).

        `'2'` and `Ns.Grade'B'` are both the member `B`.
        """
        for one, other in ((left, right), (right, left)):
            if one.type == "Edm.DateTime" and other.type == "Edm.String" and self.schema.version == "V3":
                self._as_moment(other)
            is_digit = other.type == "Edm.Int32" and other.value in (0, 1)
            if kind_of(one) == "truth" and is_digit and not self.schema.view.is_v4:
                other.value, other.type = other.value == 1, "Edm.Boolean"
            enum = self.schema.view.enums.get(one.type)
            if enum is not None and other.is_enum and other.type != one.type:
                raise CallRefused(400, "FILTER_TYPE", f"{one.type} cannot be compared with {other.type}")
            if enum is not None and isinstance(other.value, str) and other.type in ("Edm.String", one.type):
                try:
                    other.value = read_enum(other.value, enum)
                except MalformedText as error:
                    raise CallRefused(400, error.code, str(error)) from None

    def _as_moment(self, operand: Operand) -> None:
        try:
            dates.instant_ps(str(operand.value))
        except MalformedText:
            return
        operand.type = "Edm.DateTime"

    def _rank(self, operand: Operand) -> Operand:
        """Gives the number of a member, by which members of an enumeration have their order."""
        enum = self.schema.view.enums.get(operand.type)
        if enum is None or operand.value is None:
            return Operand(None, "Edm.Int64")
        values = {member.name: member.value for member in enum.members}
        return Operand(sum(values.get(name, 0) for name in str(operand.value).split(",")), "Edm.Int64")

    def _has(self, left: Operand, right: Operand) -> Operand:
        enum = self.schema.view.enums.get(left.type)
        if enum is None:
            raise CallRefused(400, "FILTER_TYPE", "has stands between flags of an enumeration")
        values = {member.name: member.value for member in enum.members}
        bits = [sum(values.get(name, 0) for name in str(side.value).split(",")) for side in (left, right)]
        return truth(bits[0] & bits[1] == bits[1])

    def _arithmetic(self, operator: str, left: Operand, right: Operand) -> Operand:
        first, second = number(left), number(right)
        integral = left.type in INTEGER_RANGES and right.type in INTEGER_RANGES
        try:
            match operator:
                case "add":
                    value = EXACT.add(first, second)
                case "sub":
                    value = EXACT.subtract(first, second)
                case "mul":
                    value = EXACT.multiply(first, second)
                case "mod":
                    value = EXACT.remainder(first, second)
                case "div" if integral:
                    value = EXACT.divide_int(first, second)
                case _:
                    value = EXACT.divide(first, second)
        except (InvalidOperation, ZeroDivisionError):
            raise CallRefused(400, "FILTER_TYPE", f"{first} {operator} {second} has no value") from None
        return Operand(value, left.type if integral and operator != "divby" else "Edm.Decimal")

    # -- functions

    def _function(self, expression: FunctionCall, item: Item, variables: Mapping[str, Item]) -> Operand:
        if expression.name in ("isof", "cast"):
            return self._type_function(expression, item, variables)
        if expression.name == "now":
            return Operand(self.clock().strftime("%Y-%m-%dT%H:%M:%SZ"), "Edm.DateTimeOffset")
        return call_function(
            expression.name, [self.operand(argument, item, variables) for argument in expression.arguments]
        )

    def _type_function(self, expression: FunctionCall, item: Item, variables: Mapping[str, Item]) -> Operand:
        *subject, named = expression.arguments
        type_name = self.schema.qualified(_type_named(named))
        if expression.name == "isof":
            found = self.result(subject[0], item, variables) if subject else item
            if isinstance(found, Item):
                return truth(self.schema.view.is_derived(found.type, type_name))
            return truth(isinstance(found, Operand) and found.type == type_name)
        operand = self.operand(subject[0], item, variables) if subject else NULL
        if operand.value is None:
            return NULL
        if type_name == "Edm.String":
            return Operand(_as_text(operand.value), type_name)
        if type_name in ("Edm.Decimal", "Edm.Double"):
            return Operand(number(operand), type_name)
        raise CallRefused(501, "NOT_IMPLEMENTED", f"cast to {type_name} is not implemented")

    def _case(self, expression: Case, item: Item, variables: Mapping[str, Item]) -> Operand:
        for condition, value in expression.branches:
            if self._truth(condition, item, variables) is True:
                return self.operand(value, item, variables)
        return NULL

    def _alias(self, expression: Alias) -> Operand:
        if expression.name not in self.aliases:
            raise CallRefused(400, "ALIAS_UNKNOWN", f"no query option gives {expression.name}")
        try:
            literal = parse_literal(self.aliases[expression.name], self.schema.version)
        except MalformedText as error:
            raise CallRefused(400, error.code, str(error)) from None
        return Operand(literal.value, literal.type)

    # -- paths

    def _lambda(self, expression: Lambda, item: Item, variables: Mapping[str, Item]) -> Operand:
        found = self._path(expression.path, item, variables)
        if not isinstance(found, list):
            raise CallRefused(400, "FILTER_COLLECTION", f"{expression.quantifier} asks a collection")
        predicate = expression.predicate
        if predicate is None:
            return truth(bool(found))
        verdicts = (self._truth(predicate, item, {**variables, expression.variable: entry}) is True for entry in found)
        return truth(any(verdicts) if expression.quantifier == "any" else all(verdicts))

    def _path(self, path: Path, item: Item, variables: Mapping[str, Item]) -> Result:
        if path.origin is not None or path.keys or path.names[0] in ("$root", "$this"):
            raise CallRefused(501, "NOT_IMPLEMENTED", "paths from functions and from $root are not implemented")
        names = path.names
        current: Result = item
        if names[0] == "$it":
            names = names[1:]
        elif names[0] in variables:
            current, names = variables[names[0]], names[1:]
        for name in names:
            current = self._step(current, name)
        return self._unboxed(current)

    def _unboxed(self, result: Result) -> Result:
        if isinstance(result, Item) and result.row is None and "" in result.values:
            return Operand(result.values[""], result.type)
        return result

    def _step(self, current: Result, name: str) -> Result:
        if isinstance(current, list):
            if name == "$count":
                return Operand(len(current), "Edm.Int64")
            raise CallRefused(400, "FILTER_COLLECTION", f"{name} is asked of a collection; any or all asks its entries")
        if isinstance(current, Operand):
            if current.value is None:
                return NULL
            raise CallRefused(400, "FILTER_PROPERTY", f"{current.type} has nothing named {name!r}")
        if "." in name:
            return current if self.schema.view.is_derived(current.type, self.schema.qualified(name)) else NULL
        view = self.schema.view
        prop = view.properties(current.type).get(name)
        if prop is not None:
            return self._property(current, prop)
        navigation = view.navigations(current.type).get(name)
        if navigation is not None and current.row is not None:
            rows = related(self.schema, self.state, current.row, navigation, entity_set=current.entity_set)
            items = [Item(row.values, row.type, row) for row in rows]
            return items if navigation.multiplicity == "*" else (items[0] if items else NULL)
        if any(part.open for part in view.lineage(current.type)):
            return Operand(current.values.get(name))
        raise CallRefused(400, "FILTER_PROPERTY", f"{current.type.rpartition('.')[2]} has no property {name!r}")

    def _property(self, item: Item, prop: Property) -> Result:
        value = item.values.get(prop.name)
        kind = self.schema.view.underlying(prop.type)
        structured = self.schema.view.types.get(kind)
        is_complex = structured is not None and not isinstance(structured, EntityType)
        if prop.collection:
            entries = value if isinstance(value, list) else []
            return [Item(entry if isinstance(entry, dict) else {"": entry}, kind) for entry in entries]
        if is_complex:
            return Item(value, kind) if isinstance(value, dict) else NULL
        return Operand(value, kind, is_enum=kind in self.schema.view.enums)


def aliases_of(query: tuple[tuple[str, str], ...]) -> dict[str, str]:
    """Gives the parameter aliases among query options."""
    return {name: value for name, value in query if name.startswith("@")}


def _type_named(expression: Expression) -> str:
    if isinstance(expression, Path):
        return ".".join(expression.names)
    if isinstance(expression, Constant) and isinstance(expression.literal.value, str):
        return expression.literal.value
    raise CallRefused(400, "FILTER_TYPE", "the name of a type was expected")


def _as_text(value: JsonValue) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"{value:f}" if isinstance(value, Decimal) else str(value)


class Rehearsal(Evaluation):
    """Evaluates an expression for an entity that is not there, to refuse what no entity could be asked.

    Every part is evaluated, collections as if they had one entry and navigations as if they led somewhere, so that a
    name or a type is refused in an empty set as in a full one.
    """

    def check(self, expression: Expression, type_name: str) -> Operand:
        """Gives the (null) value of an expression for a type.

        Raises:
            CallRefused: 400 or 501, as for an entity.
        """
        return self.operand(expression, Item({}, type_name), {})

    def _logical(self, expression: Logical, item: Item, variables: Mapping[str, Item]) -> Operand:
        for operand in expression.operands:
            self._truth(operand, item, variables)
        return truth(None)

    def _lambda(self, expression: Lambda, item: Item, variables: Mapping[str, Item]) -> Operand:
        found = self._path(expression.path, item, variables)
        if not isinstance(found, list):
            raise CallRefused(400, "FILTER_COLLECTION", f"{expression.quantifier} asks a collection")
        if expression.predicate is not None:
            for entry in found:
                self._truth(expression.predicate, item, {**variables, expression.variable: entry})
        return truth(None)

    def _step(self, current: Result, name: str) -> Result:
        if isinstance(current, Operand) and current.type:
            raise CallRefused(400, "FILTER_PROPERTY", f"{current.type} has nothing named {name!r}")
        if isinstance(current, Item):
            if "." in name and self.schema.qualified(name) in self.schema.view.types:
                return Item({}, self.schema.qualified(name))
            navigation = self.schema.view.navigations(current.type).get(name)
            if navigation is not None:
                target = Item({}, navigation.target)
                return [target] if navigation.multiplicity == "*" else target
        return super()._step(current, name)

    def _property(self, item: Item, prop: Property) -> Result:
        kind = self.schema.view.underlying(prop.type)
        structured = self.schema.view.types.get(kind)
        is_complex = structured is not None and not isinstance(structured, EntityType)
        one = Item({} if is_complex else {"": None}, kind)
        if prop.collection:
            return [one]
        return one if is_complex else Operand(None, kind, is_enum=kind in self.schema.view.enums)
