"""Loads the small landscape of tests/fixtures/retrieval as an index source."""

from collections.abc import Collection
from itertools import pairwise
from pathlib import Path

import yaml

from clew.domain.facts import Edge
from clew.domain.ids import element_id, entity_set_id, process_id, service_id, type_id
from clew.domain.kinds import EdgeKind
from clew.domain.processes import Activity, Event, Process
from clew.domain.services import EntitySet, EntityType, Property, Service
from clew.graph.process_view import ProcessView
from clew.graph.service_view import ServiceView

FILE = Path(__file__).parent / "fixtures" / "retrieval" / "landscape.yaml"


class SmallLandscape:
    """The landscape of the fixture file."""

    version = "fixture"

    def __init__(self) -> None:
        content = yaml.safe_load(FILE.read_text(encoding="utf-8"))
        self._services = {name: self._service(name, said) for name, said in content["services"].items()}
        self._processes = {name: self._process(name, said) for name, said in content["processes"].items()}

    def service_names(self) -> Collection[str]:
        return self._services

    def process_names(self) -> Collection[str]:
        return self._processes

    def service(self, name: str) -> ServiceView:
        return self._services[name]

    def process(self, name: str) -> ProcessView:
        return self._processes[name]

    def _service(self, name: str, said: dict) -> ServiceView:
        nodes: list = [Service(id=service_id(name), service=name, name=name, about=said["about"])]
        for entity_set, properties in said["sets"].items():
            kind = f"{name}.{entity_set}Type"
            members = tuple(Property(name=prop) for prop in properties)
            nodes.append(EntitySet(id=entity_set_id(name, entity_set), service=name, name=entity_set, type=kind))
            nodes.append(
                EntityType(id=type_id(name, kind), service=name, name=kind, key=(properties[0],), properties=members)
            )
        return ServiceView.of(nodes)

    def _process(self, name: str, said: dict) -> ProcessView:
        steps = [element_id(name, step["id"]) for step in said["steps"]]
        start, end = element_id(name, "start"), element_id(name, "end")
        nodes: list = [Event(id=start, process=name, type="startEvent", position="start")]
        nodes += [
            Activity(id=node, process=name, type="userTask", name=step["name"])
            for node, step in zip(steps, said["steps"], strict=True)
        ]
        nodes.append(Event(id=end, process=name, type="endEvent", position="end"))
        chain = [start, *steps, end]
        edges = [
            Edge(kind=EdgeKind.HAS_NEXT, source=a, target=b, key=f"f{i}") for i, (a, b) in enumerate(pairwise(chain))
        ]
        for node, step in zip(steps, said["steps"], strict=True):
            service, _, entity_set = step["performs"].partition("/")
            target = entity_set_id(service, entity_set)
            edges.append(Edge(kind=EdgeKind.PERFORMED_BY, source=node, target=target, method="POST"))
        return ProcessView(Process(id=process_id(name), process=name, name=said["name"]), nodes, edges)
