"""The bindings of real services resolve against what the readers find in their real metadata and models."""

from pathlib import Path

import pytest

from clew.domain.facts import SourceFacts
from clew.domain.landscape import Bindings, Landscape
from clew.domain.processes import Process
from clew.graph.process_view import ProcessView
from clew.graph.service_view import ServiceView
from clew.sources.bindings import read_bindings
from clew.sources.bpmn import read_bpmn
from clew.sources.file_places import locate
from clew.sources.landscape import file_folders, read_landscape
from clew.sources.odata import read_csdl
from clew.sources.resolution import resolve_bindings

pytestmark = pytest.mark.corpus


class RealLandscape:
    """Reads each service and process when it is first asked for."""

    def __init__(self, landscape: Landscape, folders: tuple[Path, ...]) -> None:
        self._files = {entry.id: entry.file for entry in (*landscape.services, *landscape.processes)}
        self._services = [service.id for service in landscape.services]
        self._processes = [process.id for process in landscape.processes]
        self._folders = folders
        self._views: dict[str, ServiceView | ProcessView] = {}

    def service_names(self) -> list[str]:
        return self._services

    def process_names(self) -> list[str]:
        return self._processes

    def _bytes(self, name: str) -> bytes:
        path = locate(self._files[name], self._folders)
        assert path is not None
        return path.read_bytes()

    def service(self, name: str, /) -> ServiceView:
        if name not in self._views:
            facts = read_csdl(self._bytes(name), document=name, naming=lambda _: name)
            assert isinstance(facts, SourceFacts), facts
            self._views[name] = ServiceView.of(facts.nodes)
        found = self._views[name]
        assert isinstance(found, ServiceView)
        return found

    def process(self, name: str, /) -> ProcessView:
        facts = read_bpmn(self._bytes(name), document=name, naming=lambda natural: natural)
        assert isinstance(facts, SourceFacts), facts
        process = next(node for node in facts.nodes if isinstance(node, Process))
        return ProcessView(process, facts.nodes, facts.edges)


def test_every_bound_row_has_its_edge(test_data: Path) -> None:
    folder, root = test_data / "bench-real", test_data / "corpus"
    landscape = read_landscape((folder / "landscape.yaml").read_bytes(), document="l.yaml", folder=folder, root=root)
    assert isinstance(landscape, Landscape)
    bindings = read_bindings((folder / "bindings.yaml").read_bytes(), document="b.yaml")
    assert isinstance(bindings, Bindings)
    edges, issues = resolve_bindings(
        bindings, RealLandscape(landscape, file_folders(landscape, folder=folder, root=root))
    )
    assert [str(issue) for issue in issues] == []
    assert len(edges) == sum(not row.unbound for row in bindings.rows)
