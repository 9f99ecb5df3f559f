"""Cards: the text by which an entity set, operation, activity or process is found. What a card holds is a setting."""

from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum

from clew.domain.ids import owner_of, scheme_of
from clew.domain.processes import Activity, Event, Gateway
from clew.domain.records import Record
from clew.domain.services import EntitySet, Operation, Property, Service, Texts
from clew.graph.process_view import ProcessView
from clew.graph.service_view import ServiceView
from clew.index.words import telling_words


class CardKind(StrEnum):
    """What a card stands for."""

    ENTITY_SET = "EntitySet"
    OPERATION = "Operation"
    ACTIVITY = "Activity"
    PROCESS = "Process"


class CardOptions(Record, frozen=True, kw_only=True):
    """Which parts a card holds, so that each part's worth can be measured.

    `property_labels` is how many properties the lexical card names, key and labelled ones first.
    """

    about: bool = True
    property_labels: int = 60
    activities: bool = True


class Card(Record, frozen=True, kw_only=True):
    """What a node is found by.

    `dense` are the texts that are embedded: a node is as near as the nearest of them. `fields` are (name, text) pairs
    for the lexical index, weighed by name.
    """

    id: str
    kind: CardKind
    owner: str
    dense: tuple[str, ...]
    fields: tuple[tuple[str, str], ...]
    bound: tuple[str, ...] = ()
    """Activities and processes: ids of the entity sets that perform them, in process order."""
    operations: tuple[str, ...] = ()
    """Activities: ids of the operations that perform them."""
    parent: str = ""
    """Activities: id of their process."""
    near: tuple[tuple[str, int], ...] = ()
    """Activities: (activity, hops) before and after this one, nearest first."""


def cards_of_service(view: ServiceView, options: CardOptions = CardOptions()) -> Iterator[Card]:
    """Gives the cards of a service's entity sets and operations."""
    for entity_set in view.sets.values():
        yield _set_card(view, entity_set, options)
    operations = {operation.id: operation for group in view.operations.values() for operation in group}
    for operation in operations.values():
        yield _operation_card(view.service, operation, options)


def _set_card(view: ServiceView, entity_set: EntitySet, options: CardOptions) -> Card:
    entity_type = view.types.get(entity_set.type)
    name = telling_words(entity_set.name)
    label = _label(entity_set.texts) or (_label(entity_type.texts) if entity_type else "")
    service = _service_words(view.service, options)
    properties = list(view.properties(entity_set.type).values())
    labels = _property_words(properties, view.key(entity_set.type))[: options.property_labels]
    return Card(
        id=entity_set.id,
        kind=CardKind.ENTITY_SET,
        owner=view.id,
        dense=(_sentences(name, label, service),),
        fields=(
            ("name", name),
            ("label", f"{label} {entity_set.texts.description} {entity_set.texts.quickinfo}"),
            ("service", f"{service} {telling_words(view.id)}"),
            ("properties", " ".join(labels)),
        ),
    )


def _operation_card(service: Service, operation: Operation, options: CardOptions) -> Card:
    name = telling_words(operation.name.rpartition(".")[2])
    label = _label(operation.texts)
    about = _service_words(service, options)
    on = telling_words(operation.bound_to.rpartition(".")[2])
    parameters = " ".join(_words_of(p.name, p.texts) for p in operation.parameters)
    return Card(
        id=operation.id,
        kind=CardKind.OPERATION,
        owner=service.service,
        dense=(_sentences(name, label, on, about),),
        fields=(("name", name), ("label", f"{label} {on}"), ("service", about), ("properties", parameters)),
    )


def cards_of_process(
    view: ProcessView, *, order: Iterable[str] = (), near: Mapping[str, tuple[tuple[str, int], ...]] = {}
) -> Iterator[Card]:
    """Gives the cards of a process and its activities.

    `order` are the activities' ids in process order, `near` the (activity, hops) around each.
    """
    ranks = {activity: rank for rank, activity in enumerate(order)}
    activities = sorted(view.activities, key=lambda activity: ranks.get(activity.id, len(ranks)))
    bound: list[str] = []
    for activity in activities:
        card = _activity_card(view, activity, near.get(activity.id, ()))
        bound += [entity_set for entity_set in card.bound if entity_set not in bound]
        yield card
    process = view.process
    others = [e.name for e in view.elements.values() if isinstance(e, Event | Gateway) and e.name]
    names = ", ".join(activity.name for activity in activities if activity.name)
    lanes = " ".join(lane.name for lane in view.lanes.values())
    texts = (f"{process.name}. {process.documentation}", f"{process.name}: {names}", ", ".join(others))
    yield Card(
        id=process.id,
        kind=CardKind.PROCESS,
        owner=view.id,
        dense=tuple(text for text in texts if text.strip(" .:,")),
        fields=(
            ("name", process.name),
            ("label", process.documentation),
            ("properties", f"{names} {' '.join(others)} {lanes}"),
        ),
        bound=tuple(bound),
    )


def _activity_card(view: ProcessView, activity: Activity, near: tuple[tuple[str, int], ...]) -> Card:
    lane = view.lanes[activity.lane].name if activity.lane in view.lanes else ""
    sets: list[str] = []
    operations: list[str] = []
    for edge in view.bindings.get(activity.id, ()):
        if "#" not in edge.target:
            sets.append(edge.target)
            continue
        operations.append(edge.target)
        if edge.bound_to:
            prefix = edge.target.partition("#")[0]
            sets.append(edge.bound_to if scheme_of(edge.bound_to) == "odata" else f"{prefix}/{edge.bound_to}")
    texts = (activity.name, f"{activity.name}. {activity.documentation}", f"{view.process.name}: {activity.name}")
    return Card(
        id=activity.id,
        kind=CardKind.ACTIVITY,
        owner=owner_of(activity.id),
        dense=tuple(dict.fromkeys(text for text in texts if text.strip(" .:"))),
        fields=(
            ("name", activity.name),
            ("label", activity.documentation),
            ("properties", f"{view.process.name} {lane}"),
        ),
        bound=tuple(dict.fromkeys(sets)),
        operations=tuple(dict.fromkeys(operations)),
        parent=view.process.id,
        near=near,
    )


def _label(texts: Texts) -> str:
    return texts.label or texts.heading or texts.description or texts.quickinfo


def _words_of(name: str, texts: Texts) -> str:
    return f"{telling_words(name)} {texts.label}".strip()


def _property_words(properties: list[Property], key: tuple[str, ...]) -> list[str]:
    """Gives the words of properties, the telling ones first: keys, then labelled ones, then the rest."""
    ranked = sorted(properties, key=lambda prop: (prop.name not in key, not prop.texts.label))
    return [_words_of(prop.name, prop.texts) for prop in ranked]


def _service_words(service: Service, options: CardOptions) -> str:
    about = service.about if options.about else ""
    return f"{service.system} {about} {service.texts.description}".strip()


def _sentences(*parts: str) -> str:
    return ". ".join(part for part in parts if part)
