"""Building an index from a snapshot."""

from collections.abc import Collection, Iterable, Mapping
from typing import Protocol

from clew.domain.ports import Embedder
from clew.domain.services import Service
from clew.graph.process_view import ProcessView
from clew.graph.service_view import ServiceView
from clew.index.cards import (
    Card,
    CardKind,
    CardOptions,
    activity_cards,
    operation_cards,
    process_card,
    service_card,
    set_cards,
)
from clew.index.dense import DenseIndex
from clew.index.search_index import FORMAT, LandscapeWords, Layer, Manifest, SearchIndex, ServiceWords
from clew.index.spelling import known_words
from clew.index.steps import Step, Steps, read_steps
from clew.index.structure import SetNode, SetStructure
from clew.index.terms import TermReader
from clew.index.thesaurus import Thesaurus


class IndexSource(Protocol):
    """What an index is built from, as `clew.graph.snapshot.Snapshot` offers it."""

    version: str

    def service_names(self) -> Collection[str]:
        """Owner names of the services."""
        ...

    def process_names(self) -> Collection[str]:
        """Owner names of the processes."""
        ...

    def service(self, name: str, /) -> ServiceView:
        """A service by its owner name."""
        ...

    def process(self, name: str, /) -> ProcessView:
        """A process by its owner name."""
        ...


def build_index(source: IndexSource, embedder: Embedder, options: CardOptions = CardOptions()) -> SearchIndex:
    """Builds the index of all services and processes, in the order of their names."""
    services = {name: source.service(name) for name in sorted(source.service_names())}
    processes = {name: source.process(name) for name in sorted(source.process_names())}
    steps = {name: read_steps(view, services) for name, view in processes.items()}
    cards = _cards(services, processes, steps, options)
    owners = {CardKind.ACTIVITY: _numbered(processes), CardKind.PROCESS: _numbered(processes)}
    thesaurus = Thesaurus.load()
    reader = TermReader(thesaurus)
    layers = {
        kind: Layer.build(kind, found, owners.get(kind, _numbered(services)), embedder=embedder, reader=reader)
        for kind, found in cards.items()
    }
    entity_sets = [SetNode(view, node) for view in services.values() for node in view.sets.values()]
    numbered = [(place, step) for place, listed in enumerate(steps.values()) for step in listed]
    others = {"surroundings": [((card.surroundings, 1.0),) for card in cards[CardKind.ACTIVITY]]}
    if options.summaries:
        others["summaries"] = [((card.summary, 1.0),) for card in cards[CardKind.ENTITY_SET]]
    return SearchIndex(
        Manifest(format=FORMAT, snapshot=source.version, model=embedder.name, options=options),
        layers,
        words=LandscapeWords(
            services=tuple(_words_of(view.service) for view in services.values()),
            vocabulary=tuple(sorted(known_words([*reader.recalled, *thesaurus.names]))),
        ),
        structure=SetStructure.build(entity_sets),
        steps=Steps.build(
            numbered, sets=layers[CardKind.ENTITY_SET].number, operations=layers[CardKind.OPERATION].number
        ),
        others={name: DenseIndex.build(faces, embedder) for name, faces in others.items()},
    )


def _words_of(service: Service) -> ServiceWords:
    return ServiceWords(name=service.service, system=service.system, about=service.about)


def _cards(
    services: Mapping[str, ServiceView],
    processes: Mapping[str, ProcessView],
    steps: Mapping[str, list[Step]],
    options: CardOptions,
) -> dict[CardKind, list[Card]]:
    work = _work(steps.values())
    return {
        CardKind.ENTITY_SET: [card for view in services.values() for card in set_cards(view, work, options)],
        CardKind.OPERATION: [card for view in services.values() for card in operation_cards(view, work, options)],
        CardKind.ACTIVITY: [card for name, view in processes.items() for card in activity_cards(view, steps[name])],
        CardKind.PROCESS: [process_card(view, steps[name]) for name, view in processes.items()],
        CardKind.SERVICE: [service_card(view.service, options) for view in services.values()],
    }


def _work(steps: Iterable[list[Step]]) -> dict[str, list[str]]:
    """Gives the names of the activities by the sets and operations that perform them."""
    found: dict[str, dict[str, None]] = {}
    for step in (step for listed in steps for step in listed):
        for node in (*step.sets, *step.operations):
            if step.activity.name:
                found.setdefault(node, {})[step.activity.name] = None
    return {node: list(names) for node, names in found.items()}


def _numbered(names: Iterable[str]) -> dict[str, int]:
    return {name: position for position, name in enumerate(names)}
