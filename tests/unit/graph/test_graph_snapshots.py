"""Snapshots: one state however long it is asked, lazy, with versions that tell whether something changed."""

from collections.abc import Generator, Mapping
from contextlib import contextmanager

import msgspec
import pytest
from tests.unit.graph.fact_files import FIXTURES, documents_of, facts_of, load

from clew.domain.errors import StorageError
from clew.domain.facts import SourceFacts
from clew.domain.kinds import EdgeKind, NodeKind
from clew.domain.ports import Row, SqlValue, Transaction
from clew.graph import GraphStore
from clew.storage import SqliteDatabase


def service(name: str, *, document: str = "", sets: int = 2, label: str = "", line: int = 1) -> SourceFacts:
    nodes: list[dict] = [
        {
            "node_kind": "Service",
            "id": f"odata:{name}",
            "service": name,
            "name": name,
            "namespaces": [name],
            "line": line,
        },
        {
            "node_kind": "EntityType",
            "id": f"odata:{name}#{name}.T",
            "service": name,
            "name": f"{name}.T",
            "properties": [{"name": "P", "line": line + 1, "texts": {"label": label}}],
            "line": line,
        },
    ]
    nodes += [
        {"node_kind": "EntitySet", "id": f"odata:{name}/S{n}", "service": name, "name": f"S{n}", "type": f"{name}.T"}
        for n in range(sets)
    ]
    return facts_of({"document": document or f"{name}.xml", "owners": [f"odata:{name}"], "nodes": nodes})


def annotation(target: str, label: str, document: str = "annotations.xml") -> SourceFacts:
    overlays = [{"target": target, "texts": [["label", label]]}]
    return facts_of({"document": document, "kind": "annotations", "overlays": overlays})


class Watched:
    """A database that notes which payloads were read; everything else it passes on."""

    def __init__(self, inner: SqliteDatabase) -> None:
        self._inner = inner
        self.dialect = inner.dialect
        self.rows_read = 0

    @contextmanager
    def read(self) -> Generator[Transaction]:
        with self._inner.read() as transaction:
            yield WatchedTransaction(transaction, self)

    def write(self) -> object:
        return self._inner.write()

    def close(self) -> None:
        self._inner.close()


class WatchedTransaction:
    def __init__(self, inner: Transaction, watched: Watched) -> None:
        self._inner = inner
        self._watched = watched

    def all(self, query: str, parameters: Mapping[str, SqlValue] = {}) -> list[Row]:
        rows = self._inner.all(query, parameters)
        self._watched.rows_read += len(rows)
        return rows


def test_a_snapshot_stays_as_it_was_while_the_graph_changes(store: GraphStore) -> None:
    store.put(service("A"), "1")
    with store.snapshot() as before:
        store.put(service("B"), "1")
        store.remove("A.xml")
        assert list(before.service_names()) == ["A"]
        assert list(before.service("A").sets) == ["S0", "S1"]
        with store.snapshot() as after:
            assert list(after.service_names()) == ["B"]
            assert after.version != before.version


def test_an_empty_graph_has_no_version_and_nothing_in_it(store: GraphStore) -> None:
    with store.snapshot() as snapshot:
        assert snapshot.version == ""
        assert (list(snapshot.nodes()), list(snapshot.edges()), snapshot.issues()) == ([], [], [])
        assert {count for _, count in snapshot.counts()} == {0}


def test_after_it_was_closed_a_snapshot_reads_nothing_more(store: GraphStore) -> None:
    store.put(service("A"), "1")
    snapshot = store.snapshot()
    snapshot.close()
    snapshot.close()
    store.remove("A.xml")
    with store.snapshot() as after:
        assert list(after.service_names()) == []


def test_the_version_follows_the_contents_of_the_documents(store: GraphStore) -> None:
    versions: list[str] = []
    for content_hash in ("1", "2", "1"):
        store.put(service("A"), content_hash)
        with store.snapshot() as snapshot:
            versions.append(snapshot.version)
    assert versions[0] == versions[2] != versions[1]


def test_the_version_of_a_service_follows_what_is_said_of_it_alone(store: GraphStore) -> None:
    def version() -> str:
        with store.snapshot() as snapshot:
            return snapshot.service("A").version

    store.put(service("A"), "1")
    first = version()
    store.put(service("B"), "1")
    store.put(service("A", line=40), "2")
    assert version() == first
    store.put(annotation("A.T/P", "Stated"), "1")
    annotated = version()
    assert annotated != first
    store.put(annotation("B.T/P", "Stated"), "2")
    assert version() == first
    store.put(service("A", label="Stated"), "3")
    assert version() == annotated


def test_the_version_of_a_service_follows_the_code_list_that_it_uses(store: GraphStore) -> None:
    def codes(*listed: str) -> SourceFacts:
        nodes = [{"node_kind": "ValueHelp", "id": "codes:L", "name": "L", "codes": [{"code": code} for code in listed]}]
        overlays = [{"target": "A.T/P", "service": "A", "attributes": [["value_help", "codes:L"]]}]
        entry = {"document": "l.csv", "kind": "codelist", "owners": ["codes:L"], "nodes": nodes, "overlays": overlays}
        return facts_of(entry)

    versions: list[str] = []
    store.put(service("A"), "1")
    for listed in (("1", "2"), ("1", "3")):
        store.put(codes(*listed), "h")
        with store.snapshot() as snapshot:
            versions.append(snapshot.service("A").version)
            assert [code.code for code in snapshot.service("A").value_helps["codes:L"].codes] == list(listed)
    assert versions[0] != versions[1]


def test_asking_for_one_service_reads_one_service() -> None:
    database = Watched(SqliteDatabase(":memory:"))
    store = GraphStore(database)
    store.put_many([(service(f"S{n}", sets=50), "h") for n in range(20)])
    with store.snapshot() as snapshot:
        opened = database.rows_read
        assert snapshot.service("S7").sets["S49"].type == "S7.T"
        rows_of_service = 52
        roots = 20
        assert database.rows_read - opened <= rows_of_service + roots + 2
        before = database.rows_read
        assert snapshot.node("odata:S9/S3") is not None
        assert snapshot.node("odata:S9#S9.T/P") is not None
        assert database.rows_read - before <= 3
        before = database.rows_read
        assert dict(snapshot.counts())["entity sets"] == 1000
        assert database.rows_read - before < 10
    database.close()


def test_a_node_is_the_same_by_itself_and_within_its_service(store: GraphStore) -> None:
    store.put_many([(service("A"), "1"), (annotation("A.T/P", "Stated"), "1"), (service("B"), "1")])
    with store.snapshot() as alone, store.snapshot() as within:
        for name in ("A", "B"):
            view = within.service(name)
            for node in (*view.sets.values(), *view.types.values(), view.service):
                assert alone.node(node.id) == within.node(node.id) == node


def test_every_assertion_of_a_node_has_its_document_and_line(store: GraphStore) -> None:
    store.put(service("A", line=5), "1")
    store.put(service("A", document="second.xml", line=9), "1")
    with store.snapshot() as snapshot:
        found = [(each.document, each.line) for each in snapshot.provenance("odata:A#A.T")]
    assert found == [("A.xml", 5), ("second.xml", 9)]


def test_documents_are_listed_with_what_reading_them_gave(store: GraphStore) -> None:
    facts = service("A")
    store.put(facts, "the hash")
    (listed,) = store.documents()
    assert (listed.document, listed.content_hash, listed.report) == ("A.xml", "the hash", facts.report)
    assert store.remove("A.xml")
    assert not store.remove("A.xml")
    assert store.documents() == []


def test_issues_of_a_document_go_with_it(store: GraphStore) -> None:
    issues = [{"code": "c1", "message": "first"}, {"code": "c2", "message": "second", "severity": "note"}]
    store.put(facts_of({"document": "a", "issues": issues}), "1")
    with store.snapshot() as snapshot:
        assert [issue.code for issue in snapshot.issues()] == ["c1", "c2"]
    store.put(facts_of({"document": "a"}), "2")
    with store.snapshot() as snapshot:
        assert snapshot.issues() == []


def test_one_ingest_is_one_step_even_when_it_fails_half_way(store: GraphStore) -> None:
    store.put(service("A"), "1")
    with store.snapshot() as snapshot:
        before = (snapshot.version, snapshot.counts())

    def documents() -> Generator[tuple[SourceFacts, str]]:
        yield service("A", sets=9), "2"
        yield service("B"), "1"
        raise StorageError("the third document cannot be had")

    with pytest.raises(StorageError):
        store.put_many(documents(), remove=["A.xml"])
    with store.snapshot() as snapshot:
        assert (snapshot.version, snapshot.counts()) == before


def test_one_ingest_takes_out_and_puts_in_together(store: GraphStore) -> None:
    store.put_many([(service("A"), "1"), (service("B"), "1")])
    store.put_many([(service("C"), "1")], remove=["A.xml", "unknown.xml"])
    with store.snapshot() as snapshot:
        assert sorted(snapshot.service_names()) == ["B", "C"]


def test_tenants_have_graphs_of_their_own() -> None:
    database = SqliteDatabase(":memory:")
    one, other = GraphStore(database, tenant="one"), GraphStore(database, tenant="other")
    one.put(service("A"), "1")
    other.put(service("B"), "1")
    with one.snapshot() as snapshot:
        assert list(snapshot.service_names()) == ["A"]
        assert snapshot.node("odata:B") is None
    other.remove("A.xml")
    with one.snapshot() as snapshot:
        assert list(snapshot.service_names()) == ["A"]
    database.close()


def test_a_process_and_a_service_of_one_name_are_two(store: GraphStore) -> None:
    nodes = [{"node_kind": "Process", "id": "bpmn:A", "process": "A", "name": "Process A"}]
    store.put_many([(service("A"), "1"), (facts_of({"document": "a.bpmn", "owners": ["bpmn:A"], "nodes": nodes}), "1")])
    with store.snapshot() as snapshot:
        assert len(snapshot.service("A").sets) == 2
        assert snapshot.process("A").process.name == "Process A"
        assert {node.id for node in snapshot.nodes(NodeKind.PROCESS, owner="A")} == {"bpmn:A"}


def test_names_that_begin_alike_are_kept_apart(store: GraphStore) -> None:
    for name in ("A", "A-1", "A.1", "AB"):
        store.put(service(name, sets=1), "1")
    with store.snapshot() as snapshot:
        for name in ("A", "A-1", "A.1", "AB"):
            exposed = {edge.target for edge in snapshot.edges_of(name) if edge.kind is EdgeKind.EXPOSES}
            assert exposed == {f"odata:{name}/S0"}


def test_relations_on_which_documents_disagree_are_told(store: GraphStore) -> None:
    def flow(document: str, condition: str) -> SourceFacts:
        edge = {"kind": "HAS_NEXT", "source": "bpmn:p/a", "target": "bpmn:p/b", "key": "f", "condition": condition}
        return facts_of({"document": document, "kind": "bpmn", "edges": [edge]})

    store.put_many([(flow("a.bpmn", "x > 1"), "1"), (flow("b.bpmn", "x > 2"), "1")])
    with store.snapshot() as snapshot:
        (shown,) = snapshot.edges()
        (told,) = snapshot.contradictions()
    assert shown.stated is not None
    assert (shown.stated.condition, shown.documents) == ("x > 1", ("a.bpmn", "b.bpmn"))
    assert (told.field, told.kept, told.kept_by, told.other, told.other_by) == (
        "condition", "x > 1", "a.bpmn", "x > 2", "b.bpmn",
    )  # fmt: skip


def test_ids_with_unusual_characters_are_found_again(store: GraphStore) -> None:
    name, encoded = "Größe 100%/#1", "Größe%20100%25%2F%231"
    nodes = [
        {"node_kind": "Service", "id": f"odata:{encoded}", "service": name, "name": name},
        {"node_kind": "EntitySet", "id": f"odata:{encoded}/Größen", "service": name, "name": "Größen", "type": "Ns.T"},
        {"node_kind": "ValueHelp", "id": "codes:L", "name": "L", "codes": [{"code": "A/B"}, {"code": ""}]},
    ]
    store.put(facts_of({"document": "ümlaut.xml", "owners": [f"odata:{encoded}"], "nodes": nodes}), "1")
    with store.snapshot() as snapshot:
        assert list(snapshot.service(name).sets) == ["Größen"]
        assert snapshot.node(f"odata:{encoded}/Größen") is not None
        code = snapshot.node("codes:L/A/B")
        assert msgspec.to_builtins(code)["member"] == {"code": "A/B"}


def test_a_version_is_the_same_on_every_database(store: GraphStore) -> None:
    case = load(FIXTURES / "shown" / "service.yaml")
    store.put_many(documents_of(case))
    with store.snapshot() as snapshot:
        found = (snapshot.version, snapshot.service("S").version)
    other = SqliteDatabase(":memory:")
    again = GraphStore(other, tenant="other")
    again.put_many(documents_of(case))
    with again.snapshot() as snapshot:
        assert (snapshot.version, snapshot.service("S").version) == found
    other.close()
