"""Loads the small landscape of tests/fixtures/retrieval as an index source."""

from collections.abc import Collection
from itertools import pairwise
from pathlib import Path

import yaml

from clew.domain.facts import Edge
from clew.domain.ids import element_id, entity_set_id, operation_id, process_id, service_id, type_id
from clew.domain.kinds import EdgeKind
from clew.domain.processes import Activity, Event, Process
from clew.domain.services import (
    Capabilities,
    EntitySet,
    EntityType,
    NavigationBinding,
    NavigationProperty,
    Operation,
    Parameter,
    Property,
    Service,
    Texts,
    ValueHelp,
)
from clew.graph.process_view import ProcessView
from clew.graph.service_view import ServiceView

FILE = Path(__file__).parent / "fixtures" / "retrieval" / "landscape.yaml"


def _set_nodes(service: str, name: str, said: dict) -> list:
    """Gives an entity set with its type; `key` counts the leading properties, `parts` name sets that it contains."""
    kind = f"{service}.{name}Type"
    properties = tuple(Property(name=prop) for prop in said["properties"])
    navigations = tuple(
        NavigationProperty(name=f"to_{part}", target=f"{service}.{part}Type", multiplicity="*")
        for part in said.get("parts", [])
    )
    bindings = tuple(NavigationBinding(path=f"to_{part}", target=part) for part in said.get("parts", []))
    entity_type = EntityType(
        id=type_id(service, kind),
        service=service,
        name=kind,
        key=tuple(said["properties"][: said.get("key", 1)]),
        properties=properties,
        navigations=navigations,
        texts=Texts(label=said.get("label", "")),
    )
    entity_set = EntitySet(
        id=entity_set_id(service, name),
        service=service,
        name=name,
        type=kind,
        bindings=bindings,
        capabilities=Capabilities(insertable=not said.get("read_only", False)),
    )
    listed = [
        ValueHelp(id=f"codes:{service}-{name}", service=service, origin="value_list", closed=False, collection=name)
        for _ in range(bool(said.get("lists_values")))
    ]
    return [entity_set, entity_type, *listed]


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
        words = {"system": said.get("system", ""), "about": said["about"]}
        nodes: list = [Service(id=service_id(name), service=name, name=name, **words)]
        for entity_set, described in said["sets"].items():
            nodes += _set_nodes(
                name, entity_set, described if isinstance(described, dict) else {"properties": described}
            )
        for operation, described in said.get("operations", {}).items():
            at = operation_id(name, f"{name}.{operation}")
            parameters = tuple(Parameter(name=parameter) for parameter in described)
            nodes.append(Operation(id=at, service=name, name=f"{name}.{operation}", parameters=parameters))
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
            service, operation, called = step["performs"].partition("#")
            target = operation_id(service, f"{service}.{called}")
            if not operation:
                target = entity_set_id(*step["performs"].split("/"))
            edges.append(Edge(kind=EdgeKind.PERFORMED_BY, source=node, target=target, method="POST"))
        return ProcessView(Process(id=process_id(name), process=name, name=said["name"]), nodes, edges)
