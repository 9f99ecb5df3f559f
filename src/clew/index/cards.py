"""Cards: the text by which an entity set, operation, activity, process or service is found. What a card holds is a
setting, so that the benchmark can show what each part is worth."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import StrEnum

from clew.domain.processes import Event, Gateway
from clew.domain.records import Record
from clew.domain.services import EntitySet, Operation, Property, Service, Texts
from clew.graph.process_view import ProcessView
from clew.graph.service_view import ServiceView
from clew.index.dense import Face
from clew.index.steps import Step
from clew.index.structure import tells
from clew.index.words import telling_words


class CardKind(StrEnum):
    """What a card stands for."""

    ENTITY_SET = "EntitySet"
    OPERATION = "Operation"
    ACTIVITY = "Activity"
    PROCESS = "Process"
    SERVICE = "Service"


class CardOptions(Record, frozen=True, kw_only=True):
    """Which parts a card holds.

    The shares weigh what is embedded of an entity set: its name and label, the same within its service, and the service
    alone. `property_labels` is how many properties the lexical card names, the telling ones first.
    """

    about: bool = True
    activities: bool = True
    operations: bool = True
    property_labels: int = 200
    title_share: float = 0.5
    context_share: float = 0.5
    service_share: float = 0.3
    summaries: bool = False
    """Whether summaries of entity sets are embedded as well: long texts that only the baseline `chunk` searches."""


class Card(Record, frozen=True, kw_only=True):
    """What a node is found by: `faces` are embedded, each with its weight; `fields` are (field, text) pairs.

    A field may come several times; the lexical index weighs terms by the field that they stand in.
    """

    id: str
    owner: str
    faces: tuple[Face, ...] = ()
    fields: tuple[tuple[str, str], ...] = ()
    summary: str = ""
    """Text about entity set, service and properties, as published baselines embed it."""
    surroundings: str = ""
    """Activities: the names of the activity and of those right before and after it."""


def service_card(service: Service, options: CardOptions) -> Card:
    """Gives the card of a service."""
    said = _sentences(telling_words(service.service), _about(service, options))
    fields = (("name", telling_words(service.service)), ("label", said), ("description", service.texts.description))
    return Card(id=service.id, owner=service.service, faces=((said, 1.0),), fields=fields)


def set_cards(view: ServiceView, work: Mapping[str, Sequence[str]], options: CardOptions) -> Iterator[Card]:
    """Gives the cards of a service's entity sets; `work` are names of the activities that a set performs, by its id."""
    operations: dict[str, list[str]] = {}
    if options.operations:
        for group in view.operations.values():
            for operation in group:
                operations.setdefault(_place_of(operation, view), []).append(_words_of(operation))
    for entity_set in view.sets.values():
        names = work.get(entity_set.id, ()) if options.activities else ()
        yield _set_card(view, entity_set, [*operations.get(entity_set.name, ())], names, options)


def _set_card(
    view: ServiceView, entity_set: EntitySet, operations: list[str], work: Iterable[str], options: CardOptions
) -> Card:
    entity_type = view.types.get(entity_set.type)
    texts = [entity_set.texts, *([entity_type.texts] if entity_type else [])]
    name, label = telling_words(entity_set.name), next((said for t in texts if (said := _label(t))), "")
    title = name if name.casefold() == label.casefold() else f"{name} {label}".strip()
    about = _about(view.service, options)
    properties = _telling_properties(view, entity_set)
    labels = [_property_words(prop) for prop in properties[: options.property_labels]]
    faces = [(title, options.title_share), (f"{title}. {about}".strip(), options.context_share)]
    if about:
        faces.append((about, options.service_share))
    fields = [
        ("name", name),
        ("label", label),
        ("identifier", entity_set.name),
        *(("description", said) for t in texts for said in dict.fromkeys((t.quickinfo, t.description)) if said),
        *(("properties", text) for text in labels),
        *(("operations", text) for text in operations),
        *(("work", text) for text in work),
    ]
    return Card(
        id=entity_set.id,
        owner=view.id,
        faces=tuple(face for face in faces if face[1]),
        fields=tuple((field, text) for field, text in fields if text),
        summary=f"{title}, {view.id} {about}: {', '.join(labels)}" if options.summaries else "",
    )


def operation_cards(view: ServiceView, work: Mapping[str, Sequence[str]], options: CardOptions) -> Iterator[Card]:
    """Gives the cards of a service's operations."""
    about = _about(view.service, options)
    found = {operation.id: operation for group in view.operations.values() for operation in group}
    for operation in found.values():
        place = telling_words(_place_of(operation, view) or operation.bound_to.rpartition(".")[2])
        title = f"{_words_of(operation)} {place}".strip()
        parameters = (telling_words(p.name) for p in operation.parameters)
        fields = [
            ("name", _words_of(operation)),
            ("label", place),
            ("identifier", operation.name.rpartition(".")[2]),
            *(("properties", text) for text in parameters),
            *(("work", text) for text in work.get(operation.id, ()) if options.activities),
        ]
        faces = ((title, options.title_share), (f"{title}. {about}", options.context_share), (about, 0.3))
        yield Card(
            id=operation.id,
            owner=view.id,
            faces=tuple(face for face in faces if face[0] and face[1]),
            fields=tuple((field, text) for field, text in fields if text),
        )


def activity_cards(view: ProcessView, steps: Sequence[Step]) -> Iterator[Card]:
    """Gives the cards of the activities of a process, in the order of `steps`."""
    names = {step.activity.id: step.activity.name for step in steps}
    for step in steps:
        activity = step.activity
        lane = view.lanes[activity.lane].name if activity.lane in view.lanes else ""
        fields = (
            ("name", activity.name),
            ("description", activity.documentation),
            ("service", f"{view.process.name} {lane}"),
        )
        yield Card(
            id=activity.id,
            owner=view.id,
            faces=((_sentences(activity.name, activity.documentation) or activity.id, 1.0),),
            fields=tuple((field, text) for field, text in fields if text.strip()),
            surroundings=_surroundings(step, names),
        )


def _surroundings(step: Step, names: Mapping[str, str]) -> str:
    at = list(names)
    near = [node for node, hops in step.near if hops == 1 and node in names]
    here = at.index(step.activity.id)
    before = [names[node] for node in near if at.index(node) < here]
    after = [names[node] for node in near if at.index(node) > here]
    return _sentences(*dict.fromkeys((*before, step.activity.name, *after))) or step.activity.id


def process_card(view: ProcessView, steps: Sequence[Step]) -> Card:
    """Gives the card of a whole process."""
    process = view.process
    others = [node.name for node in view.elements.values() if isinstance(node, Event | Gateway) and node.name]
    names = [step.activity.name for step in steps if step.activity.name]
    lanes = [lane.name for lane in view.lanes.values() if lane.name]
    whole = _sentences(process.name, process.documentation, *others[:1], *names, *others[1:]) or process.id
    fields = [
        ("name", process.name),
        ("description", process.documentation),
        *(("label", name) for name in names),
        *(("description", name) for name in (*others, *lanes)),
    ]
    return Card(
        id=process.id,
        owner=view.id,
        faces=((whole, 1.0),),
        fields=tuple((field, text) for field, text in fields if text),
    )


def _about(service: Service, options: CardOptions) -> str:
    return _sentences(service.system, service.about if options.about else "", service.texts.label)


def _place_of(operation: Operation, view: ServiceView) -> str:
    """Gives the name of the entity set that an operation works on, as far as the description says it."""
    if operation.entity_set in view.sets:
        return operation.entity_set
    candidates: list[EntitySet] = view.sets_of_type.get(operation.bound_to, [])
    return candidates[0].name if len(candidates) == 1 else ""


def _words_of(operation: Operation) -> str:
    name, label = telling_words(operation.name.rpartition(".")[2]), _label(operation.texts)
    return name if not label or label.casefold() == name.casefold() else f"{name} {label}"


def _telling_properties(view: ServiceView, entity_set: EntitySet) -> list[Property]:
    """Gives the properties that say something of the matter: keys first, then labelled ones, then the rest."""
    key = view.key(entity_set.type)
    told = [prop for prop in view.properties(entity_set.type).values() if tells(prop)]
    return sorted(told, key=lambda prop: (prop.name not in key, not prop.texts.label))


def _property_words(prop: Property) -> str:
    """Gives the words of a property's label and those of its name, each once."""
    return " ".join(dict.fromkeys(f"{prop.texts.label} {telling_words(prop.name)}".split()))


def _label(texts: Texts) -> str:
    return texts.label or texts.heading or texts.description or texts.quickinfo


def _sentences(*parts: str) -> str:
    return ". ".join(part for part in parts if part)
