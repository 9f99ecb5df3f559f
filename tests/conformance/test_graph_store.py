"""The graph on every database: the merge is the same wherever the bytes live."""

from pathlib import Path

import pytest
from tests.unit.graph.fact_files import FIXTURES, check, documents_of, load, recount

from clew.domain.ports import Database
from clew.graph import GraphStore

CASES = sorted((FIXTURES / "merging").glob("*.yaml"))
SHOWN = sorted((FIXTURES / "shown").glob("*.yaml"))


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_the_graph_is_what_the_file_expects(database: Database, path: Path) -> None:
    case, store = load(path), GraphStore(database)
    store.put_many(documents_of(case))
    with store.snapshot() as snapshot:
        check(snapshot, case["expect"])
        assert dict(snapshot.counts()) == recount(snapshot)
    if "remove" in case:
        store.put_many([], remove=case["remove"])
        with store.snapshot() as snapshot:
            check(snapshot, case["afterwards"])


def test_services_and_processes_have_their_relations(database: Database) -> None:
    store = GraphStore(database)
    store.put_many([document for path in SHOWN for document in documents_of(load(path))])
    with store.snapshot() as snapshot:
        everything = list(snapshot.edges())
        assert len(everything) == sum(len(load(path)["edges"]) for path in SHOWN)
        assert len(list(snapshot.edges_of("S"))) == sum(
            "odata:S" in (edge.source[:7], edge.target[:7]) or edge.source.startswith("codes:S") for edge in everything
        )
        assert len(snapshot.process("buy").messages) == 1


def test_a_snapshot_stays_as_it_was_while_the_graph_changes(database: Database) -> None:
    store = GraphStore(database)
    documents = documents_of(load(FIXTURES / "shown" / "service.yaml"))
    store.put_many(documents)
    with store.snapshot() as before:
        store.remove("orders.xml")
        assert before.service("S").sets.keys() == {"Orders", "Items"}
        with store.snapshot() as after:
            assert list(after.service_names()) == []
