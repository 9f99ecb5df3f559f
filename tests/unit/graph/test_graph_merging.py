"""The merge of what several documents assert, by the cases of tests/fixtures/graph/merging."""

from pathlib import Path

import pytest
from tests.unit.graph.fact_files import FIXTURES, check, documents_of, load, recount

from clew.graph import GraphStore

CASES = sorted((FIXTURES / "merging").glob("*.yaml"))


@pytest.fixture(params=CASES, ids=lambda path: path.stem)
def case(request: pytest.FixtureRequest) -> dict:
    path: Path = request.param
    return load(path)


def test_the_graph_is_what_the_file_expects(store: GraphStore, case: dict) -> None:
    store.put_many(documents_of(case))
    with store.snapshot() as snapshot:
        check(snapshot, case["expect"])
    if "remove" in case:
        for document in case["remove"]:
            assert store.remove(document)
        with store.snapshot() as snapshot:
            check(snapshot, case["afterwards"])


def test_it_does_not_matter_which_document_came_first(store: GraphStore, case: dict) -> None:
    for facts, content_hash in reversed(documents_of(case)):
        store.put(facts, content_hash)
    with store.snapshot() as snapshot:
        check(snapshot, case["expect"])


def test_counts_are_those_of_the_nodes_themselves(store: GraphStore, case: dict) -> None:
    store.put_many(documents_of(case))
    with store.snapshot() as snapshot:
        assert dict(snapshot.counts()) == recount(snapshot)


def test_putting_documents_again_changes_nothing(store: GraphStore, case: dict) -> None:
    store.put_many(documents_of(case))
    with store.snapshot() as before:
        versions = {name: before.service(name).version for name in before.service_names()}
        counts, version = before.counts(), before.version
    store.put_many(documents_of(case))
    with store.snapshot() as after:
        assert (after.version, after.counts()) == (version, counts)
        assert {name: after.service(name).version for name in after.service_names()} == versions
