"""The types of filter and order expressions: what a path leads to, which operands may be compared."""

from typing import NamedTuple, TypeAlias

from clew.domain.errors import MalformedText
from clew.domain.services import EnumType, NavigationProperty, Property
from clew.graph.service_view import ServiceView
from clew.grounding.faults import Fault, Repair, warning
from clew.grounding.rules.functions import (
    COMPARISONS,
    DATED,
    NUMBERS,
    PART_FUNCTIONS,
    RESULTS,
    TEMPORAL_FUNCTIONS,
    TEXT_FUNCTIONS,
)
from clew.grounding.rules.literals import right_literal
from clew.grounding.suggestions import closest, safe_spelling
from clew.grounding.targets import is_primitive, members_of
from clew.grounding.wording import simple
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
from clew.protocol.literals import UrlLiteral, convert_literal
from clew.protocol.values import read_enum

UNKNOWN = ""
"""The type of what cannot be told here: nothing is said about it."""


class Typed(NamedTuple):
    """What an expression is: its type (primitive, enumeration, structured, or unknown), whether it is a collection."""

    type: str = UNKNOWN
    many: bool = False
    prop: Property | None = None


Use: TypeAlias = tuple[str, Property | NavigationProperty]
"""(path of names from the entity, the property or navigation property that it ends in)."""


class Typer:
    """Types one expression against the type that it starts from; gathers faults and the properties that it uses."""

    def __init__(self, view: ServiceView, type_name: str, *, option: str, text: str = "") -> None:
        """`option` is the name of the query option for pointers; `text` its text, where a repair may mend it."""
        self.view = view
        self.root = type_name
        self.option = option
        self.text = text
        self.variables: dict[str, Typed] = {}
        self.faults: list[Fault] = []
        self.uses: list[Use] = []

    def condition(self, expression: Expression) -> None:
        """Types an expression that must be true or false."""
        found = self.type_of(expression)
        if found.type not in (UNKNOWN, "Edm.Boolean", "Edm.Untyped") or found.many:
            message = f"a condition is expected, this is {_named(found)}"
            self.add("FILTER_NOT_BOOLEAN", message, expression.position, expected="a comparison such as Name eq 'x'")

    def add(self, code: str, message: str, position: int, *, expected: str = "", repair: Repair | None = None) -> None:
        """Keeps a fault of the option's text."""
        pointer = f"url:{self.option}@{position}"
        self.faults.append(Fault(code, f"{self.option}: {message}", pointer, expected, repair=repair))

    def type_of(self, expression: Expression) -> Typed:
        """Gives the type of an expression; says what is wrong inside of it."""
        match expression:
            case Constant():
                return Typed(expression.literal.type)
            case Path():
                return self._path(expression)
            case Not() | Logical():
                for operand in expression.operands if isinstance(expression, Logical) else (expression.operand,):
                    self.condition(operand)
                return Typed("Edm.Boolean")
            case Binary():
                return self._binary(expression)
            case FunctionCall():
                return self._call(expression)
            case Lambda():
                return self._lambda(expression)
            case Negated() | Listing() | Case() | Alias():
                return self._other(expression)

    def _other(self, expression: Negated | Listing | Case | Alias) -> Typed:
        if isinstance(expression, Negated):
            return self.type_of(expression.operand)
        if isinstance(expression, Listing):
            for item in expression.items:
                self.type_of(item)
        elif isinstance(expression, Case):
            for condition, value in expression.branches:
                self.condition(condition)
                self.type_of(value)
        return Typed()

    # -- operators

    def _binary(self, expression: Binary) -> Typed:
        left, right = self.type_of(expression.left), self.type_of(expression.right)
        operator = expression.operator
        if operator in COMPARISONS:
            self._compare(expression.left, left, expression.right, right)
            return Typed("Edm.Boolean")
        if operator == "in":
            if isinstance(expression.right, Listing):
                for item in expression.right.items:
                    self._compare(expression.left, left, item, self.type_of(item))
            return Typed("Edm.Boolean")
        if operator == "has":
            self._compare(expression.left, left, expression.right, right)
            return Typed("Edm.Boolean")
        return self._arithmetic(expression, left, right)

    def _arithmetic(self, expression: Binary, left: Typed, right: Typed) -> Typed:
        for side, found in ((expression.left, left), (expression.right, right)):
            if found.type not in (UNKNOWN, "Edm.Duration", *DATED, *NUMBERS):
                self.add(
                    "TYPE_MISMATCH", f"{expression.operator} needs numbers, this is {_named(found)}", side.position
                )
        return left if left.type in NUMBERS and right.type in NUMBERS else Typed()

    def _compare(self, left: Expression, left_type: Typed, right: Expression, right_type: Typed) -> None:
        if left_type.many or right_type.many:
            return  # said where the path was typed
        if isinstance(right, Constant) and not isinstance(left, Constant):
            self._compare_with(left, left_type, right)
        elif isinstance(left, Constant) and not isinstance(right, Constant):
            self._compare_with(right, right_type, left)
        elif not _are_comparable(left_type.type, right_type.type):
            self.add("TYPE_MISMATCH", f"{_named(left_type)} is compared with {_named(right_type)}", right.position)

    def _compare_with(self, other: Expression, typed: Typed, constant: Constant) -> None:
        """Compares an expression with a literal, which must be one of the expression's type."""
        literal, type_name = constant.literal, self.view.underlying(typed.type)
        if type_name in (UNKNOWN, "Edm.Untyped", "Edm.PrimitiveType") or not literal.type:
            return
        enum = self.view.enums.get(typed.type)
        if enum is not None:
            self._member(enum, constant)
            return
        if not is_primitive(type_name):
            message = f"{_shown(other)} is an object and cannot be compared with {literal.text}"
            self.add("TYPE_MISMATCH", message, constant.position)
            return
        if literal.type in NUMBERS and type_name in NUMBERS:
            return
        try:
            convert_literal(literal, type_name, self.view.service.version)
        except MalformedText:
            self._mismatch(other, typed, literal)

    def _mismatch(self, other: Expression, typed: Typed, literal: UrlLiteral) -> None:
        type_name = self.view.underlying(typed.type)
        right = right_literal(literal.text, type_name, self.view.service.version)
        message = f"{_shown(other)} is {_named(typed)}; {literal.text} is an {literal.type}"
        expected = f"{right}" if right else f"a literal of {type_name}"
        repair = self._respelt(literal, right) if right else None
        self.add("TYPE_MISMATCH", message, literal.position, expected=expected, repair=repair)

    def _respelt(self, literal: UrlLiteral, right: str) -> Repair | None:
        end = literal.position + len(literal.text)
        if self.text[literal.position : end] != literal.text:
            return None
        text = self.text[: literal.position] + right + self.text[end:]
        return Repair("query", name=self.option, text=text)

    def _member(self, enum: EnumType, constant: Constant) -> None:
        literal = constant.literal
        if literal.type not in ("Edm.String", enum.name) and not self._is_alias_of(literal.type, enum.name):
            message = f"{literal.text} is no member of {enum.name}"
            self.add("TYPE_MISMATCH", message, constant.position, expected=f"{enum.name}'{enum.members[0].name}'")
            return
        try:
            read_enum(literal.value, enum)
        except MalformedText as error:
            self.add(error.code, str(error), constant.position)

    def _is_alias_of(self, name: str, qualified: str) -> bool:
        return self.view.qualified(name) == qualified

    # -- functions

    def _call(self, call: FunctionCall) -> Typed:
        types = [self.type_of(argument) for argument in call.arguments]
        name = call.name
        if name in TEXT_FUNCTIONS:
            self._text_arguments(call, types)
        elif (wanted := TEMPORAL_FUNCTIONS.get(name)) is not None:
            self._argument_of(call, types[0], wanted)
        elif name in ("round", "floor", "ceiling"):
            self._argument_of(call, types[0], NUMBERS)
            return types[0]
        if name == "cast":
            return self._cast(call)
        return Typed(RESULTS.get(name, UNKNOWN))

    def _cast(self, call: FunctionCall) -> Typed:
        last = call.arguments[-1]
        return Typed("/".join(last.names)) if isinstance(last, Path) and is_primitive("/".join(last.names)) else Typed()

    def _text_arguments(self, call: FunctionCall, types: list[Typed]) -> None:
        texts = 1 if call.name == "substring" else len(types)
        for argument, found in list(zip(call.arguments, types, strict=True))[:texts]:
            if self.view.underlying(found.type) not in (UNKNOWN, "Edm.String", "Edm.Untyped") or (
                found.many and call.name != "concat"
            ):
                message = f"{call.name} needs texts, {_shown(argument)} is {_named(found)}"
                self.add("TYPE_MISMATCH", message, argument.position)
                return
        searched = PART_FUNCTIONS.get(call.name)
        if searched is None or len(call.arguments) != 2:
            return
        if isinstance(call.arguments[searched], Constant) and not isinstance(call.arguments[1 - searched], Constant):
            self._swapped(call, searched)

    def _swapped(self, call: FunctionCall, searched: int) -> None:
        order = "first" if searched == 0 else "second"
        message = (
            f"{self.option}: the {order} argument of {call.name} is the text that is searched in; here it is fixed"
        )
        right = f"{call.name}({_shown(call.arguments[1])},{_shown(call.arguments[0])})"
        fault = warning("FUNCTION_ARGUMENTS", message, expected=right)
        self.faults.append(fault._replace(pointer=f"url:{self.option}@{call.position}"))

    def _argument_of(self, call: FunctionCall, found: Typed, wanted: set[str]) -> None:
        if self.view.underlying(found.type) not in {UNKNOWN, "Edm.Untyped", *wanted}:
            message = f"{call.name} needs {' or '.join(sorted(wanted))}, not {_named(found)}"
            self.add("TYPE_MISMATCH", message, call.position)

    # -- paths and lambdas

    def _lambda(self, expression: Lambda) -> Typed:
        found = self._path(expression.path, takes_many=True)
        if found.type and not found.many:
            message = f"{'/'.join(expression.path.names)} is no collection; {expression.quantifier} needs one"
            self.add("LAMBDA_ON_SINGLE", message, expression.position)
        if expression.predicate is not None:
            before = self.variables.get(expression.variable)
            self.variables[expression.variable] = Typed(found.type)
            self.condition(expression.predicate)
            if before is None:
                del self.variables[expression.variable]
            else:
                self.variables[expression.variable] = before
        return Typed("Edm.Boolean")

    def _path(self, path: Path, *, takes_many: bool = False) -> Typed:
        if path.origin is not None:
            self.type_of(path.origin)
            return Typed()
        names = list(path.names)
        current, own_scope = Typed(self.root), True
        if names[0] in ("$it", "$this") or names[0] in self.variables:
            own_scope = names[0] == "$it"
            current = self.variables.get(names[0], Typed(self.root if names[0] == "$it" else UNKNOWN))
            names = names[1:]
        elif names[0] == "$root":
            return Typed()
        walked: list[str] = []
        for name in names:
            if current.many and name != "$count":
                self._through_collection(walked, names, path)
                return Typed()
            following = self._step(current, name, path, walked)
            if following is None:
                return Typed()
            walked.append(name)
            current = following
            if current.prop is not None and own_scope:
                self.uses.append(("/".join(walked), current.prop))
        if current.many and not takes_many and not self._takes_collections(current):
            self._through_collection(walked, [], path)
            return Typed()
        return current

    def _takes_collections(self, current: Typed) -> bool:
        return is_primitive(current.type)

    def _through_collection(self, walked: list[str], names: list[str], path: Path) -> None:
        way = "/".join(walked)
        rest = "/".join(names[len(walked) :])
        message = f"{way} is a collection; a condition on its members needs any or all"
        expected = (
            f"{way}/any(x:x/{rest or 'Name'} …)" if not self.view.service.version.startswith(("V1", "V2")) else ""
        )
        self.add("COLLECTION_PATH", message, path.position, expected=expected)

    def _step(self, current: Typed, name: str, path: Path, walked: list[str]) -> Typed | None:
        if name == "$count":
            return Typed("Edm.Int64")
        if not current.type or current.type == "Edm.Untyped" or "." in name or any(k.index for k in path.keys):
            return self._cast_or_unknown(name)
        prop = self.view.properties(current.type).get(name)
        if prop is not None:
            return Typed(prop.type, prop.collection, prop)
        navigation = self.view.navigations(current.type).get(name)
        if navigation is not None:
            self.uses.append(("/".join([*walked, name]), navigation))
            return Typed(navigation.target, navigation.multiplicity == "*")
        found = self.view.types.get(current.type)
        if found is not None and found.open:
            return Typed()
        self._unknown(current.type, name, path)
        return None

    def _cast_or_unknown(self, name: str) -> Typed:
        qualified = self.view.qualified(name)
        return Typed(qualified) if qualified in self.view.types else Typed()

    def _unknown(self, type_name: str, name: str, path: Path) -> None:
        members = members_of(self.view, type_name)
        right = safe_spelling(name, members)
        repair = None
        if right and len(path.names) == 1 and self.text.startswith(name, path.position):
            end = path.position + len(name)
            repair = Repair("query", name=self.option, text=self.text[: path.position] + right + self.text[end:])
        message = f"{self.option}: {simple(type_name)} has no property {name!r}"
        pointer = f"url:{self.option}@{path.position}"
        suggestions = closest(name, members)
        self.faults.append(Fault("UNKNOWN_PROPERTY", message, pointer, suggestions=suggestions, repair=repair))


def _are_comparable(left: str, right: str) -> bool:
    if UNKNOWN in (left, right) or left == right or "Edm.Untyped" in (left, right):
        return True
    return left in NUMBERS and right in NUMBERS


def _named(found: Typed) -> str:
    return f"a collection of {found.type}" if found.many else (found.type or "of unknown type")


def _shown(expression: Expression) -> str:
    match expression:
        case Path():
            return "/".join(expression.names)
        case Constant():
            return expression.literal.text
        case FunctionCall():
            return f"{expression.name}(…)"
        case _:
            return "this"
