"""Events and their definitions (BPMN 2.0.2, clause 10.5)."""

from clew.domain.issues import Severity
from clew.domain.processes import Event, EventPosition
from clew.domain.records import Record
from clew.domain.services import Annotation
from clew.sources.bpmn.opaque import opaque_of
from clew.sources.bpmn.reading import Reading, children, fold
from clew.sources.bpmn.vocabulary import ACTIVITIES, EVENT_DEFINITIONS
from clew.sources.xml import XmlElement

_POSITIONS: dict[str, EventPosition] = {
    "startEvent": "start",
    "endEvent": "end",
    "intermediateCatchEvent": "intermediate_catch",
    "intermediateThrowEvent": "intermediate_throw",
    "implicitThrowEvent": "intermediate_throw",
    "boundaryEvent": "boundary",
}
_ATTRIBUTES = frozenset({"attachedToRef", "cancelActivity", "isInterrupting", "parallelMultiple"})
_ELEMENTS = EVENT_DEFINITIONS | {"eventDefinitionRef", "dataInputAssociation", "dataOutputAssociation"}
_REFERENCES = {
    "message": ("messageRef", "message"),
    "signal": ("signalRef", "signal"),
    "error": ("errorRef", "error"),
    "escalation": ("escalationRef", "escalation"),
}
_ALWAYS_INTERRUPT = frozenset({"error", "cancel", "compensate"})
_EXPRESSIONS = {"timer": ("timeDate", "timeDuration", "timeCycle"), "conditional": ("condition",)}


class Definition(Record, frozen=True, kw_only=True):
    """One event definition: its kind, and what it refers to by name."""

    kind: str
    reference: str = ""


def is_false(text: str) -> bool:
    """Whether an `xsd:boolean` is written as false."""
    return text.strip() in ("false", "0")


def is_true(text: str) -> bool:
    """Whether an `xsd:boolean` is written as true."""
    return text.strip() in ("true", "1")


def read_event(reading: Reading, element: XmlElement, process: str, shared: dict[str, str]) -> Event:
    """Reads an event; `shared` holds the fields that it has as a flow node."""
    definitions = _definitions(reading, element, process)
    kinds = tuple(definition.kind for definition in definitions)
    position = _POSITIONS[element.name]
    return Event(
        **shared,
        type=element.name,
        position=position,
        definitions=kinds,
        parallel_multiple=is_true(element.get("parallelMultiple")),
        interrupting=_interrupting(reading, element, kinds),
        attached_to=_host(reading, element, process) if position == "boundary" else "",
        reference=next((definition.reference for definition in definitions if definition.reference), ""),
        compensates=_compensated(reading, element) if "compensate" in kinds else "",
        opaque=opaque_of(element, attributes=_ATTRIBUTES, elements=_ELEMENTS) + _details(reading, element),
        line=element.line,
    )


def _interrupting(reading: Reading, element: XmlElement, kinds: tuple[str, ...]) -> bool:
    written = element.get("isInterrupting" if element.name == "startEvent" else "cancelActivity", "true")
    if not is_false(written):
        return True
    always = _ALWAYS_INTERRUPT.intersection(kinds)
    if element.name != "boundaryEvent" or not always - {"compensate"}:
        return False
    reading.report(
        "bpmn-error-interrupts",
        f"The {min(always)} boundary event {reading.index.name_of(element)!r} says that it does not interrupt, which "
        f'such events always do; it was read as interrupting. Write cancelActivity="true".',
        element,
        source="BPMN 2.0.2, clause 10.5.4, table 10.92",
    )
    return True


def _host(reading: Reading, element: XmlElement, process: str) -> str:
    reference = element.get("attachedToRef")
    host = reading.index.resolve(reference, ACTIVITIES)
    if host is not None:
        return reading.place(host, process)
    reading.report(
        "bpmn-dangling-reference",
        f"The boundary event {reading.index.name_of(element)!r} is attached to {reference!r}, which is no activity.",
        element,
        severity=Severity.ERROR,
        process=process,
    )
    return ""


def _definition_elements(reading: Reading, element: XmlElement) -> list[XmlElement]:
    found = list(children(element, *EVENT_DEFINITIONS))
    for reference in children(element, "eventDefinitionRef"):
        shared = reading.index.resolve(reference.text, EVENT_DEFINITIONS)
        if shared is not None and shared not in found:
            found.append(shared)
    return found


def _definitions(reading: Reading, element: XmlElement, process: str) -> list[Definition]:
    for reference in children(element, "eventDefinitionRef"):
        if reading.index.resolve(reference.text, EVENT_DEFINITIONS) is None:
            reading.report(
                "bpmn-dangling-reference",
                f"The event {reading.index.name_of(element)!r} refers to the event definition "
                f"{reference.text.strip()!r}, which is not there.",
                element,
                process=process,
            )
    return [_definition(reading, found, element) for found in _definition_elements(reading, element)]


def _definition(reading: Reading, definition: XmlElement, event: XmlElement) -> Definition:
    kind = definition.name.removesuffix("EventDefinition")
    if kind == "link":
        return Definition(kind=kind, reference=fold(definition.get("name") or event.get("name")))
    if kind in _EXPRESSIONS:
        texts = [fold(part.text) for part in children(definition, *_EXPRESSIONS[kind])]
        return Definition(kind=kind, reference=next(iter(texts), ""))
    if kind not in _REFERENCES:
        return Definition(kind=kind)
    attribute, target = _REFERENCES[kind]
    written = definition.get(attribute)
    found = reading.index.resolve(written, frozenset({target})) if written else None
    if found is None:
        return Definition(kind=kind, reference=written)
    named = found.get("name") or found.get(f"{target}Code") or found.get("id")
    return Definition(kind=kind, reference=fold(named))


def _compensated(reading: Reading, element: XmlElement) -> str:
    for definition in _definition_elements(reading, element):
        if reference := definition.get("activityRef"):
            return reading.find(reference, ACTIVITIES)
    return ""


def _details(reading: Reading, element: XmlElement) -> tuple[Annotation, ...]:
    """Gives what the definitions themselves say beyond what they refer to."""
    read = frozenset({"messageRef", "signalRef", "errorRef", "escalationRef", "activityRef"})
    return tuple(
        annotation
        for definition in _definition_elements(reading, element)
        for annotation in opaque_of(definition, attributes=read)
    )
