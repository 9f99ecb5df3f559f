"""What the graph shows: relations stored and implied, members as nodes, drawings, exports, paths."""

import json
from xml.etree import ElementTree

import pytest
from tests.unit.graph.fact_files import FIXTURES, documents_of, load

from clew.domain.errors import InputRefused, UnknownReference
from clew.domain.kinds import EdgeKind, NodeKind
from clew.graph import GraphStore, Member, ShownEdge, Snapshot, explain, export_graph

SHOWN = sorted((FIXTURES / "shown").glob("*.yaml"))


def line_of(edge: ShownEdge) -> str:
    parts = [f"{edge.kind} {edge.source} -> {edge.target}"]
    if edge.name:
        parts.append(f"name={edge.name}")
    if edge.path:
        parts.append(f"path={edge.path}")
    if edge.multiplicity:
        parts.append(f"{edge.source_multiplicity}:{edge.multiplicity}")
    if edge.contains:
        parts.append("contains")
    parts += [f"{constraint.property}={constraint.referenced}" for constraint in edge.constraints]
    if edge.stated is not None:
        parts += [f"if {edge.stated.condition}"] if edge.stated.condition else []
        parts += ["otherwise"] if edge.stated.default else []
        parts += [f"by {edge.stated.method}"] if edge.stated.method else []
    return " ".join(parts)


@pytest.fixture
def both(store: GraphStore) -> Snapshot:
    """The graph of all files of `shown`."""
    store.put_many([document for path in SHOWN for document in documents_of(load(path))])
    return store.snapshot()


@pytest.fixture(params=SHOWN, ids=lambda path: path.stem)
def case(request: pytest.FixtureRequest) -> dict:
    return load(request.param)


def test_all_relations_of_a_graph_are_shown_and_no_others(store: GraphStore, case: dict) -> None:
    store.put_many(documents_of(case))
    shown = [line_of(edge) for edge in store.snapshot().edges()]
    assert sorted(shown) == sorted(case["edges"])


def test_relations_by_source_and_by_target_are_those_of_the_whole(both: Snapshot) -> None:
    everything = list(both.edges())
    ends = {end for edge in everything for end in (edge.source, edge.target)}
    for end in ends:
        assert sorted(map(line_of, both.edges(source=end))) == sorted(line_of(e) for e in everything if e.source == end)
        assert sorted(map(line_of, both.edges(target=end))) == sorted(line_of(e) for e in everything if e.target == end)


@pytest.mark.parametrize("kind", [EdgeKind.HAS_NEXT, EdgeKind.NAVIGATES_TO, EdgeKind.PERFORMED_BY, EdgeKind.CONTAINS])
def test_relations_by_kind_are_those_of_the_whole(both: Snapshot, kind: EdgeKind) -> None:
    wanted = sorted(line_of(edge) for edge in both.edges() if edge.kind is kind)
    assert wanted
    assert sorted(map(line_of, both.edges(kind=kind))) == wanted


def test_every_relation_names_the_documents_that_assert_it(both: Snapshot) -> None:
    assert {edge.documents for edge in both.edges()} == {
        ("orders.xml",),
        ("plants.csv",),
        ("buy.bpmn",),
        ("bindings.yaml",),
    }


def test_a_property_a_parameter_and_a_code_are_nodes(both: Snapshot) -> None:
    found = [
        both.node("odata:S#Ns.Order/Plant"),
        both.node("odata:S#Ns.Close(Ns.Order)/Reason"),
        both.node("codes:PLANT/1010"),
    ]
    assert [(member.kind, member.parent, member.name) for member in found if isinstance(member, Member)] == [
        (NodeKind.PROPERTY, "odata:S#Ns.Order", "Plant"),
        (NodeKind.PARAMETER, "odata:S#Ns.Close(Ns.Order)", "Reason"),
        (NodeKind.CODE, "codes:PLANT", "1010"),
    ]


@pytest.mark.parametrize("kind", list(NodeKind))
def test_each_node_of_a_kind_is_found_by_its_id(both: Snapshot, kind: NodeKind) -> None:
    for node in both.nodes(kind):
        assert both.node(node.id) == node


@pytest.mark.parametrize(
    "unknown", ["odata:S/Nothing", "odata:S#Ns.Order/Nothing", "odata:T", "bpmn:buy/x/y", "nonsense", ""]
)
def test_what_no_document_asserts_is_no_node(both: Snapshot, unknown: str) -> None:
    assert both.node(unknown) is None
    assert both.provenance(unknown) == ()


def test_nodes_are_narrowed_by_owner_and_kind(both: Snapshot) -> None:
    assert [node.id for node in both.nodes(NodeKind.CODE, owner="PLANT")] == ["codes:PLANT/1010"]
    assert [node.id for node in both.nodes(NodeKind.ENTITY_SET, owner="S")] == ["odata:S/Orders", "odata:S/Items"]
    assert {node.process for node in both.nodes(owner="buy")} == {"buy"}
    assert list(both.nodes(owner="nobody")) == []


def test_a_service_view_has_the_code_lists_of_others_that_it_uses(both: Snapshot) -> None:
    view = both.service("S")
    plant = view.properties("Ns.Order")["Plant"]
    found = view.value_help_of(plant)
    assert found is not None
    assert found.id == "codes:PLANT"


def test_a_process_view_has_flows_messages_and_bindings(both: Snapshot) -> None:
    view = both.process("buy")
    assert [node.name for node in view.activities] == ["Order goods", "Send", "Pay"]
    assert [edge.key for edge in view.outgoing["bpmn:buy/ok"]] == ["f3", "f4"]
    assert [edge.target for edge in view.bindings["bpmn:buy/send"]] == ["odata:S/Orders"]
    assert [edge.name for edge in view.messages] == ["Purchase order"]
    assert [edge.name for edge in both.process("seller").messages] == ["Purchase order"]


def test_an_unknown_service_is_refused_with_what_comes_close(both: Snapshot) -> None:
    with pytest.raises(UnknownReference, match="'buy'"):
        both.process("by")
    with pytest.raises(UnknownReference):
        both.service("buy")


@pytest.mark.parametrize(("name", "owner"), [("process", "buy"), ("service", "S")])
def test_a_drawing_is_as_it_was_looked_at(both: Snapshot, name: str, owner: str) -> None:
    wanted = (FIXTURES / "drawings" / f"{name}.mmd").read_text(encoding="utf-8").splitlines()
    assert list(export_graph(both, "mermaid", only=owner)) == wanted


def test_json_lines_hold_every_node_and_relation_once(both: Snapshot) -> None:
    lines = [json.loads(line) for line in export_graph(both, "jsonl")]
    nodes = [line["id"] for line in lines if line["what"] == "node"]
    members = [node.id for kind in ("Property", "Parameter", "Code") for node in both.nodes(NodeKind(kind))]
    assert sorted(nodes) == sorted([*(node.id for node in both.nodes()), *members])
    assert sum(line["what"] == "edge" for line in lines) == len(list(both.edges()))


def test_one_service_or_process_is_exported_with_its_relations_alone(both: Snapshot) -> None:
    lines = [json.loads(line) for line in export_graph(both, "jsonl", only="buy")]
    assert {line["owner"] for line in lines if line["what"] == "node"} == {"buy"}
    touching = [edge for edge in both.edges() if "bpmn:buy" in (edge.source[:8], edge.target[:8])]
    assert sum(line["what"] == "edge" for line in lines) == len(touching)


def test_graphml_is_xml_whose_edges_end_on_its_nodes(both: Snapshot) -> None:
    root = ElementTree.fromstring("\n".join(export_graph(both, "graphml")))  # noqa: S314 - written a line above
    space = "{http://graphml.graphdrawing.org/xmlns}"
    nodes = {node.get("id") for node in root.iter(f"{space}node")}
    edges = [(edge.get("source"), edge.get("target")) for edge in root.iter(f"{space}edge")]
    assert len(edges) == len(list(both.edges()))
    # The process that is called was not ingested; GraphML readers make its node themselves.
    assert {end for edge in edges for end in edge} - nodes == {"bpmn:pay"}


@pytest.mark.parametrize(("form", "only"), [("dot", ""), ("mermaid", "")])
def test_an_export_that_cannot_be_says_what_would_be_right(both: Snapshot, form: str, only: str) -> None:
    with pytest.raises(InputRefused):
        list(export_graph(both, form, only=only))


@pytest.mark.parametrize("form", ["jsonl", "graphml", "mermaid"])
def test_the_export_of_an_unknown_service_is_refused(both: Snapshot, form: str) -> None:
    with pytest.raises(UnknownReference):
        list(export_graph(both, form, only="nobody"))


def test_the_shortest_path_is_told_with_its_directions(both: Snapshot) -> None:
    found = explain(both, "bpmn:buy/send", "odata:S#Ns.Item")
    assert str(found) == (
        "bpmn:buy/send -PERFORMED_BY-> odata:S/Orders -OF_TYPE-> odata:S#Ns.Order -NAVIGATES_TO-> odata:S#Ns.Item"
    )
    back = explain(both, "codes:PLANT/1010", "odata:S#Ns.Order")
    assert str(back) == (
        "codes:PLANT/1010 <-HAS_CODE- codes:PLANT <-HAS_VALUE_HELP- odata:S#Ns.Order/Plant"
        " <-HAS_PROPERTY- odata:S#Ns.Order"
    )


def test_no_path_is_told_from_not_having_looked_far_enough(both: Snapshot) -> None:
    alone = explain(both, "bpmn:buy/order", "bpmn:buy/order")
    assert (alone.found, alone.steps) == (True, ())
    cut = explain(both, "bpmn:buy/start", "codes:PLANT", most_nodes=3)
    assert (cut.found, cut.complete) == (False, False)
    near = explain(both, "bpmn:buy/start", "codes:PLANT", longest_steps=1)
    assert not near.found
    with pytest.raises(UnknownReference):
        explain(both, "bpmn:buy/start", "bpmn:nowhere")
