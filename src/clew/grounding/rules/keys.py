"""Rule: key predicates name the key's properties, each once, with literals of their types that keep to the facets.

OData URL Conventions 4.01, clause 4.3; key properties that a referential constraint fills from the parent may be left
out of a nested key (clause 4.3.2). Singletons and single-valued navigation take none.
"""

from collections.abc import Iterable

from clew.domain.errors import MalformedText
from clew.domain.records import JsonObject
from clew.grounding.faults import Fault, Repair
from clew.grounding.requirements import filled_by_parent
from clew.grounding.rules.literals import right_literal
from clew.grounding.subject import Subject
from clew.grounding.tables import Scope, Use
from clew.grounding.targets import Place, Step
from clew.protocol.keys import Key, read_key
from clew.protocol.urls import SegmentKind


def check_keys(subject: Subject) -> Iterable[Fault]:
    """Reads the keys of every segment; keeps the last one."""
    if subject.target is None:
        return
    before: Step | None = None
    for step in subject.target.steps:
        if step.segment.key is not None and step.place is not Place.OPERATION:
            yield from _check(subject, step, before)
        before = step


def _check(subject: Subject, step: Step, before: Step | None) -> Iterable[Fault]:
    key, at = step.segment.key, f"url:{step.segment.position}"
    if key is None or (step.segment.kind is SegmentKind.QUALIFIED and before is None):
        return
    types = key_types(subject, step)
    name = step.segment.name
    is_single = step.navigation is not None and step.navigation.multiplicity != "*"
    if not types or is_single or (step.entity_set is not None and step.entity_set.singleton and before is None):
        what = "a type without a key" if not types else "at most one entity"
        yield Fault("KEY_NOT_ALLOWED", f"{name} is {what} and takes no key", at, f"{name} without parentheses")
        return
    if not key.parts:
        yield Fault("KEY_INCOMPLETE", f"{name}: the key is empty", at, _shape(types))
        return
    wanted = _without_implied(subject, step, before, types, key)
    aliases = {option: value for option, value in subject.request.query if option.startswith("@")}
    try:
        values = read_key(key, wanted, subject.view.service.version, aliases=aliases)
    except MalformedText as error:
        yield _fault(subject, step, error, wanted)
        return
    subject.key = values
    yield from _facets(subject, step, values, at)


def key_types(subject: Subject, step: Step) -> dict[str, str]:
    """Gives the key properties of a step's type with their primitive or enumeration types."""
    view = subject.view
    properties = view.properties(step.type)
    return {name: view.underlying(properties[name].type) for name in view.key(step.type) if name in properties}


def _without_implied(
    subject: Subject, step: Step, before: Step | None, types: dict[str, str], key: Key
) -> dict[str, str]:
    if step.navigation is None or before is None or not subject.view.is_v4 or len(types) < 2:
        return types
    filled = filled_by_parent(subject.view, before.type, step.navigation)
    rest = {name: kind for name, kind in types.items() if name not in filled or name in key.names}
    return rest or types


def _fault(subject: Subject, step: Step, error: MalformedText, types: dict[str, str]) -> Fault:
    repair = _mended_key(subject, step, types)
    message = f"{step.segment.name}: {error}"
    return Fault(error.code, message, f"url:{error.position}", f"{step.segment.name}{_shape(types)}", repair=repair)


def _mended_key(subject: Subject, step: Step, types: dict[str, str]) -> Repair | None:
    """Spells the literals of a key in the service's version, where their texts can only mean one value."""
    key = step.segment.key
    if key is None:
        return None
    names = list(types)
    given = {part.name or (names[0] if len(names) == 1 else ""): part.text for part in key.parts}
    if set(given) != set(names):
        return None
    parts: list[str] = []
    for name in names:
        literal = right_literal(given[name], types[name], subject.view.service.version)
        if literal is None:
            return None
        parts.append(literal if len(names) == 1 else f"{name}={literal}")
    return Repair("key", path=(step.segment.position,), text=",".join(parts))


def _facets(subject: Subject, step: Step, values: JsonObject, at: str) -> Iterable[Fault]:
    name = step.entity_set.name if step.entity_set is not None else ""
    table = subject.tables.of(step.type, Scope(name, "", Use.UPDATE, subject.ieee754))
    for key, value in values.items():
        slot = table.slots.get(key)
        if slot is None or value is None:
            if value is None:
                yield Fault("NULL_NOT_ALLOWED", f"{key} is part of a key and never null", at)
            continue
        for check in slot.checks:
            fault = check(value, values)
            if fault is not None and fault.severity.value == "error":
                yield fault._replace(pointer=at, source=slot.source, repair=None)


def _shape(types: dict[str, str]) -> str:
    return "(" + ",".join(f"{name}=…" for name in types) + ")"
