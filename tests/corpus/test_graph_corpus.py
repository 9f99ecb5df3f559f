"""Real documents in one graph: its table counts what was counted in the files, and all of it goes again."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from clew.domain.facts import SourceFacts
from clew.domain.kinds import EdgeKind
from clew.graph import GraphStore
from clew.sources.bpmn import read_bpmn
from clew.sources.odata import read_csdl
from clew.storage import SqliteDatabase

pytestmark = pytest.mark.corpus

ODATA = ("odata/sap-integration-recipes", "odata/sap-business-one", "odata/ms-graph-and-samples")
BPMN = ("bpmn/miwg", "bpmn/camunda7-examples")
ANNOTATED = "odata/sap-s4-ui-v2"

# row of the table: what of the count belongs to it
ROWS: dict[str, tuple[str, ...]] = {
    "entity sets": ("entity_sets", "singletons"),
    "entity types": ("entity_types",),
    "complex types": ("complex_types",),
    "enum types": ("enum_types",),
    "properties": ("entity_properties", "complex_properties"),
    "navigation edges": ("navigation_properties",),
    "activities": ("activities",),
    "events": ("events",),
    "gateways": ("gateways",),
    "flows": ("sequence_flows",),
    "message flows": ("message_flows",),
}
# Two flows of one file begin at nodes that are not in it; an edge needs two ends.
DANGLING = {"bpmn/miwg": {"flows": 2}}


def once() -> Callable[[str], str]:
    """Gives each owner a name of its own, as a workspace does: most of these files are versions of a few."""
    taken: set[str] = set()

    def name(wanted: str) -> str:
        found, number = wanted, 1
        while found in taken:
            number += 1
            found = f"{wanted}@{number}"
        taken.add(found)
        return found

    return name


def documents(data: Path, folder: str) -> Iterator[tuple[SourceFacts, dict]]:
    naming = once()
    entries = json.loads((data / "corpus" / "COUNTS.json").read_text(encoding="utf-8"))
    for path, entry in entries.items():
        kind = entry["kind"]
        if not path.startswith(folder + "/") or not (kind == "bpmn" or kind.startswith("odata-v")) or "tar" in kind:
            continue
        read = read_bpmn if kind.startswith("bpmn") else read_csdl
        facts = read((data / "corpus" / path).read_bytes(), document=path, naming=naming)
        if isinstance(facts, SourceFacts):
            yield facts, entry["counts"]


@pytest.mark.parametrize("folder", [*ODATA, *BPMN])
def test_the_table_counts_what_was_counted_in_the_files(test_data: Path, folder: str) -> None:
    listed = list(documents(test_data, folder))
    database = SqliteDatabase(":memory:")
    store = GraphStore(database)
    store.put_many([(facts, "hash") for facts, _ in listed])
    with store.snapshot() as snapshot:
        counts = dict(snapshot.counts())
        wanted = {
            row: sum(counted.get(name) or 0 for _, counted in listed for name in names) for row, names in ROWS.items()
        }
        lost = DANGLING.get(folder, {})
        assert {row: counts[row] + lost.get(row, 0) for row in wanted} == wanted
        assert sum(wanted.values()) > 500
        owners = {owner for facts, _ in listed for owner in facts.report.owners}
        assert counts["services"] + counts["processes"] == len(owners)
    store.put_many([], remove=[facts.report.document for facts, _ in listed])
    with store.snapshot() as snapshot:
        assert {count for _, count in snapshot.counts()} == {0}
        assert list(snapshot.edges()) == []
        assert snapshot.issues() == []
    database.close()


def test_annotation_documents_find_their_services(test_data: Path) -> None:
    listed = [facts for facts, _ in documents(test_data, ANNOTATED)]
    database = SqliteDatabase(":memory:")
    store = GraphStore(database)
    store.put_many([(facts, "hash") for facts in reversed(listed)])
    stated = sum(len(facts.overlays) for facts in listed)
    with store.snapshot() as snapshot:
        waiting = [issue for issue in snapshot.issues() if issue.code == "graph-unresolved-target"]
        unresolved = sum(int(issue.message.split()[0]) for issue in waiting)
        # What is left names parameters and associations that the metadata of its service does not have.
        assert stated > 5000
        assert 0 < unresolved < stated * 0.1
        views = [snapshot.service(name) for name in snapshot.service_names()]
        annotated = [prop for view in views for found in view.types.values() for prop in found.properties if prop.text]
        assert annotated
        exposed = sum(1 for _ in snapshot.edges(kind=EdgeKind.EXPOSES))
        assert exposed == dict(snapshot.counts())["entity sets"] + dict(snapshot.counts())["operations"]
    database.close()
