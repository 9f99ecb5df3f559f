"""Rule: an operation is called with its parameters, where its version takes them.

V1 and V2 take all parameters of a function import as query options; V3 and V4 take those of functions in parentheses
(or, V4.01, as query options of the same name) and those of actions as members of the body.
"""

from collections.abc import Iterable, Mapping

from clew.domain.errors import MalformedText
from clew.domain.records import JsonObject
from clew.domain.services import Operation, Parameter
from clew.grounding.faults import Fault, Repair, warning
from clew.grounding.rules.literals import right_literal
from clew.grounding.subject import Subject
from clew.grounding.suggestions import closest, safe_spelling
from clew.grounding.targets import Place, Step
from clew.grounding.wording import is_omissible, simple, type_text
from clew.protocol.keys import Key, KeyPart, read_parameters
from clew.protocol.literals import parse_literal

_CUSTOM = ("sap-", "saml2", "search")
"""Beginnings of options that servers take everywhere, whatever the operation."""


def check_operation(subject: Subject) -> Iterable[Fault]:
    """Chooses the overload that is meant and reads the parameters that the URL gives."""
    if subject.target is None:
        return
    for step in subject.target.steps:
        if step.place is Place.OPERATION and step.operation is not None:
            yield from _check(subject, step)


def _check(subject: Subject, step: Step) -> Iterable[Fault]:
    operation = _overload(step)
    step.operation = operation
    subject.operation = operation
    if subject.view.service.version in {"V1", "V2"}:
        yield from _in_query(subject, step, operation, _given_in_query(subject))
    elif _takes_body(operation, subject):
        if step.segment.key is not None and step.segment.key.parts:
            message = f"{simple(operation.name)} takes its parameters in the body, not in parentheses"
            yield Fault("PARAMETER_PLACE", message, _at(step))
    elif step.segment.key is None or not step.segment.key.parts:
        yield from _in_query(subject, step, operation, _given_in_query(subject, only=operation))
    else:
        yield from _in_parentheses(subject, step, operation, step.segment.key)


def _takes_body(operation: Operation, subject: Subject) -> bool:
    if operation.flavor == "action":
        return True
    return operation.flavor == "function_import" and operation.method == "POST" and not subject.view.is_v4


def _overload(step: Step) -> Operation:
    """Chooses by the names given; without any, the overload with the fewest parameters."""
    key = step.segment.key
    given = set(key.names) if key is not None else set[str]()
    for node in step.overloads:
        if given and given == {parameter.name for parameter in node.parameters}:
            return node
    ranked = sorted(step.overloads, key=lambda node: (len(given - _names(node)), len(node.parameters)))
    return ranked[0] if given else step.overloads[0]


def _names(node: Operation) -> set[str]:
    return {parameter.name for parameter in node.parameters}


def _given_in_query(subject: Subject, *, only: Operation | None = None) -> dict[str, str]:
    """Gives the query options that may be parameters; with `only`, those that are."""
    options = {name: value for name, value in subject.request.query if not name.startswith(("$", "@"))}
    if only is None:
        return {name: value for name, value in options.items() if not name.casefold().startswith(_CUSTOM)}
    return {name: value for name, value in options.items() if name in _names(only)}


def _in_query(subject: Subject, step: Step, operation: Operation, given: Mapping[str, str]) -> Iterable[Fault]:
    aliases = {name: value for name, value in subject.request.query if name.startswith("@")}
    parameters = {parameter.name: parameter for parameter in operation.parameters}
    values: JsonObject = {}
    for name, text in given.items():
        parameter = parameters.get(name)
        if parameter is None:
            yield _unknown(step, operation, name, [known for known in parameters if known not in given])
            continue
        text = aliases.get(text, text)
        if parameter.type in subject.view.types or parameter.collection:
            continue
        try:
            values[name] = parse_literal(text, subject.view.service.version, type=_type(subject, parameter)).value
        except MalformedText as error:
            yield _mistyped(subject, parameter, text, error)
    yield from _facets(subject, operation, values)
    yield from _missing(subject, step, operation, set(given))


def _type(subject: Subject, parameter: Parameter) -> str:
    return subject.view.underlying(parameter.type)


def _in_parentheses(subject: Subject, step: Step, operation: Operation, key: Key) -> Iterable[Fault]:
    aliases = {name: value for name, value in subject.request.query if name.startswith("@")}
    types = {parameter.name: _type(subject, parameter) for parameter in operation.parameters}
    unnamed = [part for part in key.parts if not part.name]
    if unnamed:
        wanted = ", ".join(f"{name}=…" for name in types)
        message = f"the parameters of {simple(operation.name)} are named: ({wanted})"
        yield Fault("PARAMETER_UNNAMED", message, f"url:{unnamed[0].position}")
        return
    unknown = [part for part in key.parts if part.name not in types]
    for part in unknown:
        yield _unknown(step, operation, part.name, [name for name in types if name not in key.names])
    known = Key(parts=tuple(part for part in key.parts if part.name in types), position=key.position)
    try:
        values = read_parameters(known, types, subject.view.service.version, aliases=aliases)
    except MalformedText as error:
        yield _malformed(subject, operation, known, error)
        return
    yield from _facets(subject, operation, values)
    yield from _missing(subject, step, operation, set(key.names))


def _malformed(subject: Subject, operation: Operation, key: Key, error: MalformedText) -> Fault:
    at = f"url:{error.position}"
    wrong: KeyPart | None = next(
        (p for p in key.parts if p.position <= error.position <= p.position + len(p.text)), None
    )
    name = wrong.name if wrong is not None else ""
    expected = next((type_text(subject.view, p) for p in operation.parameters if p.name == name), "")
    return Fault(error.code, f"{name or simple(operation.name)}: {error}", at, expected)


def _mistyped(subject: Subject, parameter: Parameter, text: str, error: MalformedText) -> Fault:
    right = right_literal(text, _type(subject, parameter), subject.view.service.version)
    repair = Repair("query", name=parameter.name, text=right) if right else None
    expected = type_text(subject.view, parameter) + (f", written {right}" if right else "")
    return Fault(error.code, f"{parameter.name}: {error}", f"url:{parameter.name}", expected, repair=repair)


def _facets(subject: Subject, operation: Operation, values: JsonObject) -> Iterable[Fault]:
    table = subject.tables.of_parameters(operation)
    for name, value in values.items():
        slot = table.slots[name]
        if value is None:
            if not slot.prop.nullable:
                yield Fault("NULL_NOT_ALLOWED", f"{name} must not be null", f"url:{name}", source=slot.source)
            continue
        for check in slot.checks:
            fault = check(value, values)
            if fault is not None:
                yield fault._replace(pointer=f"url:{name}", source=slot.source, repair=None)


def _is_needed(parameter: Parameter, subject: Subject, key: frozenset[str]) -> bool:
    """Whether the URL must give a parameter.

    V4 functions are told apart by their parameters, so that only optional ones may be missing. Before V4 few say that
    a parameter is not nullable; those that make up the key of the entity acted upon (`sap:action-for`) always are.
    """
    if subject.view.is_v4:
        return not parameter.optional
    return parameter.name in key or not (parameter.nullable or parameter.optional)


def _missing(subject: Subject, step: Step, operation: Operation, given: set[str]) -> Iterable[Fault]:
    key = frozenset(subject.view.key(operation.bound_to)) if operation.bound_to else frozenset[str]()
    is_v2 = subject.view.service.version in {"V1", "V2"}
    for parameter in operation.parameters:
        if parameter.name in given or not _is_needed(parameter, subject, key):
            continue
        message = f"{simple(operation.name)} needs the parameter {parameter.name}"
        expected = f"{parameter.name}: {type_text(subject.view, parameter)}"
        yield Fault("PARAMETER_MISSING", message, _at(step), expected, source=f"{operation.id} line {operation.line}")
    if is_v2 and (subject.request.body or "").strip() and operation.parameters:
        message = f"{simple(operation.name)} takes its parameters as query options; the body is not read"
        yield warning("BODY_IGNORED", message)


def _unknown(step: Step, operation: Operation, name: str, free: list[str]) -> Fault:
    labels = {parameter.name: parameter.texts.label for parameter in operation.parameters if parameter.name in free}
    right = safe_spelling(name, free)
    repair = Repair("query_name", name=name, text=right) if right and step.segment.key is None else None
    message = f"{simple(operation.name)} has no parameter {name!r}"
    expected = ", ".join(parameter.name for parameter in operation.parameters) or "no parameter"
    suggestions = closest(name, labels)
    return Fault("UNKNOWN_PARAMETER", message, f"url:{name}", expected, suggestions=suggestions, repair=repair)


def check_body_parameters(subject: Subject) -> Iterable[Fault]:
    """Says which parameters a body lacks (V3 and V4 actions)."""
    operation = subject.operation
    if operation is None or subject.stopped or not _takes_body(operation, subject) or subject.method != "POST":
        return
    given = subject.body if isinstance(subject.body, dict) else {}
    if subject.view.service.version in {"V1", "V2"}:
        return
    for parameter in operation.parameters:
        if parameter.name not in given and not is_omissible(parameter):
            message = f"{simple(operation.name)} needs the parameter {parameter.name}"
            expected = f"{parameter.name}: {type_text(subject.view, parameter)}"
            yield Fault("PARAMETER_MISSING", message, f"/{parameter.name}", expected, source=operation.id)


def _at(step: Step) -> str:
    return f"url:{step.segment.position}"
