"""Laws of the merge, for documents that say anything about the same few nodes."""

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.graph.fact_files import recount

from clew.domain.facts import Edge, Overlay, SourceFacts, SourceReport
from clew.domain.ids import entity_set_id, service_id, type_id
from clew.domain.kinds import EdgeKind
from clew.domain.services import (
    Capabilities,
    Code,
    EntitySet,
    EntityType,
    NavigationProperty,
    Property,
    Service,
    Texts,
    ValueHelp,
)
from clew.graph import GraphStore, Snapshot
from clew.storage import SqliteDatabase

SERVICES = st.sampled_from(["A", "B"])
NAMES = st.sampled_from(["T0", "T1"])
WORDS = st.sampled_from(["", "one", "two"])
LINES = st.integers(0, 3)

properties = st.builds(
    Property,
    name=st.sampled_from(["P0", "P1", "P2"]),
    nullable=st.booleans(),
    max_length=st.sampled_from([None, 4, 9]),
    texts=st.builds(Texts, label=WORDS),
    line=LINES,
)
navigations = st.builds(
    NavigationProperty, name=st.sampled_from(["N0", "N1"]), target=st.sampled_from(["Ns.T0", "Ns.Gone"]), line=LINES
)
codes = st.builds(Code, code=st.sampled_from(["1", "2", "3"]), text=WORDS)


def unique(members: st.SearchStrategy, field: str) -> st.SearchStrategy:
    listed = st.lists(members, max_size=3, unique_by=lambda member: getattr(member, field))
    return listed.map(tuple)


@st.composite
def types(draw: st.DrawFn) -> EntityType:
    service, name = draw(SERVICES), draw(NAMES)
    return EntityType(
        id=type_id(service, f"Ns.{name}"),
        service=service,
        name=f"Ns.{name}",
        properties=draw(unique(properties, "name")),
        navigations=draw(unique(navigations, "name")),
        line=draw(LINES),
    )


@st.composite
def sets(draw: st.DrawFn) -> EntitySet:
    service, name = draw(SERVICES), draw(NAMES)
    stated = draw(st.lists(st.sampled_from(["insertable", "deletable"]), unique=True).map(sorted).map(tuple))
    return EntitySet(
        id=entity_set_id(service, name),
        service=service,
        name=name,
        type=f"Ns.{name}",
        capabilities=Capabilities(**{field: draw(st.booleans()) for field in stated}, stated=stated),
    )


lists = st.builds(ValueHelp, id=st.just("codes:L"), name=st.just("L"), codes=unique(codes, "code"))
edges = st.builds(
    Edge,
    kind=st.sampled_from([EdgeKind.HAS_NEXT, EdgeKind.PERFORMED_BY]),
    source=st.sampled_from(["bpmn:p/a", "bpmn:p/b"]),
    target=st.sampled_from(["bpmn:p/b", "odata:A/T0"]),
    method=st.sampled_from(["", "GET"]),
    note=WORDS,
    line=LINES,
)
overlays = st.builds(
    Overlay,
    target=st.sampled_from(["Ns.T0", "Ns.T0/P0", "Ns.T1/P9", "Ns.C/T0", "Other.T"]),
    service=st.sampled_from(["", "A"]),
    attributes=st.sampled_from([(), (("max_length", 7),), (("value_help", "codes:L"),)]),
    texts=st.sampled_from([(), (("label", "stated"),)]),
    value_help=st.sampled_from([None, ValueHelp(id="", codes=(Code(code="9"),))]),
)


@st.composite
def documents(draw: st.DrawFn, key: str) -> tuple[SourceFacts, str]:
    owners = draw(st.lists(SERVICES, unique=True, max_size=2))
    roots = [
        Service(id=service_id(name), service=name, name=name, namespaces=("Ns",), containers=("Ns.C",))
        for name in owners
    ]
    nodes = draw(st.lists(st.one_of(types(), sets(), lists), max_size=5))
    facts = SourceFacts(
        report=SourceReport(document=key, kind="odata", owners=tuple(map(service_id, owners))),
        nodes=(*roots, *nodes),
        edges=tuple(draw(st.lists(edges, max_size=4))),
        overlays=tuple(draw(st.lists(overlays, max_size=3))),
    )
    return facts, draw(st.sampled_from(["1", "2"]))


landscapes = st.tuples(documents("a"), documents("b"), documents("c"))


def everything(snapshot: Snapshot) -> tuple[object, ...]:
    services = {name: snapshot.service(name).version for name in sorted(snapshot.service_names())}
    nodes = sorted(repr(node) for node in snapshot.nodes())
    relations = sorted(repr(edge) for edge in snapshot.edges())
    issues = sorted(map(str, snapshot.issues()))
    return snapshot.version, snapshot.counts(), services, nodes, relations, issues


def graph_of(*steps: list[tuple[SourceFacts, str]], remove: tuple[str, ...] = ()) -> tuple[object, ...]:
    database = SqliteDatabase(":memory:")
    try:
        store = GraphStore(database)
        for step in steps:
            store.put_many(step)
        for document in remove:
            store.remove(document)
        with store.snapshot() as snapshot:
            assert dict(snapshot.counts()) == recount(snapshot)
            return everything(snapshot)
    finally:
        database.close()


@settings(max_examples=40)
@given(landscapes, st.permutations([0, 1, 2]))
def test_the_graph_does_not_depend_on_the_order_of_ingestion(
    landscape: tuple[tuple[SourceFacts, str], ...], order: list[int]
) -> None:
    together = graph_of(list(landscape))
    assert graph_of(*([landscape[position]] for position in order)) == together


@settings(max_examples=40)
@given(landscapes)
def test_what_was_taken_out_was_never_there(landscape: tuple[tuple[SourceFacts, str], ...]) -> None:
    first, second, third = landscape
    assert graph_of([first, second, third], remove=("b",)) == graph_of([first, third])
    assert graph_of([first, second, third], remove=("a", "b", "c")) == graph_of([])


@settings(max_examples=40)
@given(landscapes)
def test_a_document_replaces_what_it_said_before(landscape: tuple[tuple[SourceFacts, str], ...]) -> None:
    first, second, _ = landscape
    earlier = msgspec.structs.replace(second[0], report=first[0].report)
    assert graph_of([(earlier, "0")], [first]) == graph_of([first])


@settings(max_examples=40)
@given(landscapes)
def test_a_node_is_the_same_by_itself_and_within_its_service(landscape: tuple[tuple[SourceFacts, str], ...]) -> None:
    database = SqliteDatabase(":memory:")
    store = GraphStore(database)
    store.put_many(list(landscape))
    with store.snapshot() as whole, store.snapshot() as alone:
        for node in whole.nodes():
            assert alone.node(node.id) == node
        shown = list(whole.edges())
        for end in {edge.source for edge in shown}:
            assert sorted(map(repr, alone.edges(source=end))) == sorted(
                repr(edge) for edge in shown if edge.source == end
            )
        for end in {edge.target for edge in shown}:
            assert sorted(map(repr, alone.edges(target=end))) == sorted(
                repr(edge) for edge in shown if edge.target == end
            )
    database.close()
