"""The BPMN reader, construct by construct: documents and what becomes of them are in tests/fixtures/bpmn."""

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from clew.domain.facts import Refused, SourceFacts
from clew.domain.ids import process_id
from clew.domain.processes import Process
from clew.sources.bpmn import read_bpmn

FIXTURES = Path(__file__).parents[2] / "fixtures" / "bpmn"
CASES = yaml.safe_load((FIXTURES / "reading.yaml").read_text(encoding="utf-8"))
REFUSED = yaml.safe_load((FIXTURES / "refused.yaml").read_text(encoding="utf-8"))
HEAD = (
    '<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:v="http://vendor.example" '
    'xmlns:ifl="http:///com.sap.ifl.model/Ifl.xsd" xmlns:di="http://www.omg.org/spec/BPMN/20100524/DI" '
    'xmlns:tns="urn:here" targetNamespace="urn:here" exporter="Drawer" exporterVersion="7">'
)
REFERENCES = {"parent", "lane", "attached_to", "handler", "refers_to"}


def read(text: str) -> SourceFacts | Refused:
    return read_bpmn(text.encode(), document="doc.bpmn", naming=lambda name: name)


def facts_of(body: str) -> SourceFacts:
    facts = read(HEAD + body + "</definitions>")
    assert isinstance(facts, SourceFacts)
    return facts


def node_id(name: str) -> str:
    """`a` is an element of the process p, `P2|` a process of its own."""
    if name.endswith("|"):
        return process_id(name[:-1])
    return f"bpmn:p/{name}" if name else "bpmn:p"


def fields_of(record: object) -> dict[str, Any]:
    fields = {name: json.loads(msgspec.json.encode(getattr(record, name))) for name in record.__struct_fields__}
    return fields | {"terms": [kept["term"] for kept in fields.get("opaque", ())]}


@pytest.mark.parametrize("case", CASES, ids=[case["title"] for case in CASES])
def test_a_document_is_read(case: dict[str, Any]) -> None:
    facts = facts_of(case["body"])
    nodes = {node.id: fields_of(node) for node in facts.nodes}
    for name, wanted in case.get("nodes", {}).items():
        found = nodes[node_id(name)]
        for field, value in wanted.items():
            expected = node_id(value) if field in REFERENCES and value else value
            assert found[field] == expected, (name, field)
    for kind, source, target, wanted in case.get("edges", ()):
        [edge] = [
            fields_of(edge)
            for edge in facts.edges
            if (edge.kind, edge.source, edge.target) == (kind, node_id(source), node_id(target))
        ]
        assert {field: edge[field] for field in wanted} == wanted
    assert [issue.code for issue in facts.issues] == case.get("issues", [])
    assert all(issue.place.line > 0 for issue in facts.issues)


@pytest.mark.parametrize("case", REFUSED, ids=[case["title"] for case in REFUSED])
def test_a_document_that_is_no_model_is_refused_in_one_line(case: dict[str, Any]) -> None:
    refused = read(case["text"])
    assert isinstance(refused, Refused)
    assert refused.issue.code == case["code"]
    assert case["says"] in refused.issue.message
    assert "\n" not in str(refused.issue)


def test_the_caller_names_the_processes_and_the_source_id_stays() -> None:
    text = HEAD + '<process id="p"><task id="a"/></process><process id="q"/></definitions>'
    facts = read_bpmn(text.encode(), document="d", naming=lambda name: f"{name}@2")
    assert isinstance(facts, SourceFacts)
    processes = [node for node in facts.nodes if isinstance(node, Process)]
    assert [(node.process, node.source_id) for node in processes] == [("p@2", "p"), ("q@2", "q")]
    assert "bpmn:p@2/a" in {node.id for node in facts.nodes}


@pytest.mark.parametrize("prefix", ["", "bpmn", "semantic", "b2"])
def test_any_prefix_gives_the_same_facts(prefix: str) -> None:
    mark, declared = (f"{prefix}:", f"xmlns:{prefix}") if prefix else ("", "xmlns")
    namespace = "http://www.omg.org/spec/BPMN/20100524/MODEL"
    text = (
        f'<{mark}definitions {declared}="{namespace}"><{mark}process id="p"><{mark}task id="a"/><{mark}task id="b"/>'
        f'<{mark}sequenceFlow id="f" sourceRef="a" targetRef="b"/></{mark}process></{mark}definitions>'
    )
    facts = read(text)
    assert isinstance(facts, SourceFacts)
    assert [node.id for node in facts.nodes] == ["bpmn:p", "bpmn:p/a", "bpmn:p/b"]
    assert [edge.key for edge in facts.edges] == ["f"]


def test_the_report_tells_who_wrote_the_file_and_what_is_in_it() -> None:
    report = facts_of('<itemDefinition id="i"/><process id="p"><task id="a" v:x="1"/></process>').report
    assert (report.kind, report.version, report.producer) == ("bpmn", "2.0", "Drawer 7")
    assert dict(report.counts) == {"Activity": 1, "Process": 1}
    assert dict(report.opaque) == {"bpmn:itemDefinition": 1, "{http://vendor.example}x": 1}
    assert report.owners == ("bpmn:p",)


@given(st.text(max_size=200) | st.binary(max_size=200))
def test_no_input_makes_the_reader_stumble(text: str | bytes) -> None:
    data = text if isinstance(text, bytes) else (HEAD + text + "</definitions>").encode(errors="replace")
    outcome = read_bpmn(data, document="d", naming=lambda name: name)
    assert isinstance(outcome, SourceFacts | Refused)


NAMES = st.sampled_from(["task", "subProcess", "exclusiveGateway", "boundaryEvent", "sequenceFlow", "lane", "laneSet"])
VALUES = st.sampled_from(["a", "b", "c", "tns:a", "", "zz"])
ATTRIBUTES = st.dictionaries(
    st.sampled_from(["id", "sourceRef", "targetRef", "attachedToRef", "default", "name", "triggeredByEvent"]), VALUES
)


@st.composite
def elements(draw: st.DrawFn, depth: int = 3) -> str:
    name = draw(NAMES)
    attributes = "".join(f' {key}="{value}"' for key, value in draw(ATTRIBUTES).items())
    inner = "".join(draw(st.lists(elements(depth - 1), max_size=3))) if depth else ""
    return f"<{name}{attributes}>{inner}</{name}>"


@given(st.lists(elements(), max_size=6))
def test_contradicting_models_are_read_with_ids_that_tell_nodes_apart(parts: list[str]) -> None:
    facts = facts_of('<process id="p">' + "".join(parts) + "</process>")
    ids = [node.id for node in facts.nodes]
    assert len(set(ids)) == len(ids)
    assert {end for edge in facts.edges for end in (edge.source, edge.target)} <= set(ids)
