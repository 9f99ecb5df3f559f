"""Everything that the sample landscape names, read once for the tests about it."""

import json
import re
from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

from clew.domain.facts import Refused, SourceFacts
from clew.domain.landscape import Bindings, Landscape
from clew.domain.processes import Process
from clew.domain.services import Code, Property, ValueHelp
from clew.graph.process_view import ProcessView
from clew.graph.service_view import ServiceView
from clew.sources.bindings import read_bindings
from clew.sources.bpmn import read_bpmn
from clew.sources.codelists import read_codelist
from clew.sources.landscape import read_landscape
from clew.sources.odata import read_csdl
from clew.sources.resolution import resolve_uses

SAMPLES = Path(__file__).resolve().parents[3] / "samples"

Seeds = dict[str, dict[str, list[dict[str, Any]]]]


class SampleLandscape:
    """Everything that `clew.yaml` names, read once."""

    def __init__(self) -> None:
        found = read_landscape((SAMPLES / "clew.yaml").read_bytes(), document="clew.yaml", folder=SAMPLES)
        assert isinstance(found, Landscape), found
        self.landscape = found
        self.facts: dict[str, SourceFacts] = {}
        self.services = {service.id: self._service(service.id, service.file) for service in found.services}
        self.processes = {process.id: self._process(process.id, process.file) for process in found.processes}
        self.seeds: Seeds = {}
        for file in found.seeds:
            self.seeds |= json.loads((SAMPLES / file).read_text(encoding="utf-8"))

    def _keep(self, name: str, facts: SourceFacts | Refused) -> SourceFacts:
        assert isinstance(facts, SourceFacts), facts
        self.facts[name] = facts
        return facts

    def _service(self, name: str, file: str) -> ServiceView:
        read = read_csdl((SAMPLES / file).read_bytes(), document=file, naming=lambda natural: natural)
        return ServiceView.of(self._keep(name, read).nodes)

    def _process(self, name: str, file: str) -> ProcessView:
        read = read_bpmn((SAMPLES / file).read_bytes(), document=file, naming=lambda natural: natural)
        facts = self._keep(name, read)
        process = next(node for node in facts.nodes if isinstance(node, Process) and not node.black_box)
        return ProcessView(process, facts.nodes, facts.edges)

    def service_names(self) -> list[str]:
        return list(self.services)

    def process_names(self) -> list[str]:
        return list(self.processes)

    def service(self, name: str, /) -> ServiceView:
        return self.services[name]

    def process(self, name: str, /) -> ProcessView:
        return self.processes[name]

    def bindings(self) -> Bindings:
        found = read_bindings((SAMPLES / "bindings.yaml").read_bytes(), document="bindings.yaml")
        assert isinstance(found, Bindings), found
        return found

    def codelists(self) -> Iterator[tuple[str, SourceFacts]]:
        for entry in self.landscape.codelists:
            targets, issues = resolve_uses(entry.applies_to, self, document="clew.yaml")
            assert issues == (), entry.name
            data = (SAMPLES / entry.file).read_bytes()
            facts = read_codelist(data, document=entry.file, name=entry.name, targets=targets)
            assert isinstance(facts, SourceFacts), facts
            yield entry.name, facts

    def rows(self) -> Iterator[tuple[ServiceView, str, dict[str, Any]]]:
        for service, sets in self.seeds.items():
            for name, rows in sets.items():
                for row in rows:
                    yield self.services[service], name, row


def codes_by_target(sample: SampleLandscape) -> dict[tuple[str, str], tuple[Code, ...]]:
    found: dict[tuple[str, str], tuple[Code, ...]] = {}
    for _, facts in sample.codelists():
        (node,) = facts.nodes
        assert isinstance(node, ValueHelp)
        assert facts.issues == ()
        for overlay in facts.overlays:
            assert (overlay.service, overlay.target) not in found, "two lists for one property"
            found[overlay.service, overlay.target] = node.codes
    return found


def check_value(view: ServiceView, prop: Property, value: bool | int | str) -> None:
    match prop.type:
        case "Edm.Boolean":
            assert isinstance(value, bool)
        case "Edm.Int32":
            assert type(value) is int
        case "Edm.Decimal":
            digits = Decimal(value).as_tuple()
            assert isinstance(digits.exponent, int)
            assert -digits.exponent <= (prop.scale or 0), (prop.name, value)
            assert len(digits.digits) <= (prop.precision or 0)
        case "Edm.DateTime" | "Edm.Date":
            assert date.fromisoformat(value).isoformat() == value
        case "Edm.Guid":
            assert re.fullmatch(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", value)
        case "Edm.String":
            assert len(value) <= (prop.max_length or 10_000), (prop.name, value)
        case enum:
            assert value in [member.name for member in view.enums[enum].members]
