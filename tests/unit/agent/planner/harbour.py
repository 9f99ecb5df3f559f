"""A small landscape of its own for the planner's tests: boats for hire, and the counter where they are paid for."""

from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import yaml

from clew.agent.planner.catalogue import Catalogue
from clew.agent.planner.planner import Planner
from clew.agent.planner.ports import NamedRecords
from clew.agent.planner.vocabulary import Vocabulary, read_vocabulary
from clew.domain.facts import Refused
from clew.domain.processes import Process
from clew.domain.proposals import MasterRecord
from clew.graph.process_view import ProcessView
from clew.graph.service_view import ServiceView
from clew.sources.bindings import read_bindings
from clew.sources.bpmn import read_bpmn
from clew.sources.odata import read_csdl
from clew.sources.resolution import resolve_bindings

FIXTURES = Path(__file__).parents[3] / "fixtures" / "planner"
LANDSCAPE = FIXTURES / "landscape"
WEDNESDAY = datetime(2025, 6, 4, tzinfo=UTC)
PROCESS = "charter_to_cash"


class Harbour:
    """The landscape by name, as resolving bindings wants it."""

    def __init__(self, views: Mapping[str, ServiceView], processes: Mapping[str, ProcessView]) -> None:
        self.views = views
        self.processes = processes

    def service_names(self) -> list[str]:
        return list(self.views)

    def process_names(self) -> list[str]:
        return list(self.processes)

    def service(self, name: str) -> ServiceView:
        return self.views[name]

    def process(self, name: str) -> ProcessView:
        return self.processes[name]


@cache
def words() -> Vocabulary:
    return read_vocabulary()


@cache
def catalogue() -> Catalogue:
    """The services and the process of the harbour."""
    views = {name: _view(name) for name in ("CHARTER", "COUNTER")}
    content = (LANDSCAPE / f"{PROCESS}.bpmn").read_bytes()
    facts = read_bpmn(content, document=PROCESS, naming=lambda name: name)
    assert not isinstance(facts, Refused), facts
    process = next(node for node in facts.nodes if isinstance(node, Process))
    plain = Harbour(views, {PROCESS: ProcessView(process, facts.nodes, facts.edges)})
    rows = read_bindings((LANDSCAPE / "bindings.yaml").read_bytes(), document="bindings.yaml")
    assert not isinstance(rows, Refused), rows
    edges, issues = resolve_bindings(rows, plain)
    assert not issues, issues
    bound = ProcessView(process, facts.nodes, [*facts.edges, *edges])
    return Catalogue(words(), {name: lambda view=view: view for name, view in views.items()}, {PROCESS: lambda: bound})


def _view(name: str) -> ServiceView:
    content = (LANDSCAPE / f"{name.lower()}.csdl.xml").read_bytes()
    facts = read_csdl(content, document=name, naming=lambda _name: name)
    assert not isinstance(facts, Refused), facts
    return ServiceView.of(facts.nodes, version="1")


@cache
def records() -> tuple[MasterRecord, ...]:
    rows = yaml.safe_load((LANDSCAPE / "records.yaml").read_text(encoding="utf-8"))
    return tuple(msgspec.convert(row, MasterRecord) for row in rows)


@cache
def planner() -> Planner:
    """The planner of the harbour, on a Wednesday."""
    return Planner(catalogue(), lookup=NamedRecords(records()), clock=lambda: WEDNESDAY)


def cases(name: str) -> list[Any]:
    """The cases of a file of fixtures."""
    found = yaml.safe_load((FIXTURES / name).read_text(encoding="utf-8"))
    assert isinstance(found, list)
    return found
