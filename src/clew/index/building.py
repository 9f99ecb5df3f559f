"""Building an index from a snapshot."""

from collections.abc import Collection
from typing import Protocol

from clew.domain.ports import Embedder
from clew.flow import ProcessFlow
from clew.graph.process_view import ProcessView
from clew.graph.service_view import ServiceView
from clew.index.cards import Card, CardOptions, cards_of_process, cards_of_service
from clew.index.search_index import Manifest, SearchIndex

HOPS = 8
"""How far the neighbourhood of an activity is kept; retrieval bounds it further."""


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
    cards: list[Card] = []
    for name in sorted(source.service_names()):
        cards += cards_of_service(source.service(name), options)
    for name in sorted(source.process_names()):
        view = source.process(name)
        flow = ProcessFlow(view)
        order = sorted(flow.positions, key=flow.positions.__getitem__)
        near = {
            activity.id: tuple((step.activity, step.hops) for step in flow.neighbourhood(activity.id, HOPS))
            for activity in view.activities
        }
        cards += cards_of_process(view, order=order, near=near)
    manifest = Manifest(snapshot=source.version, model=embedder.name, options=options)
    return SearchIndex.build(manifest, cards, embedder)
