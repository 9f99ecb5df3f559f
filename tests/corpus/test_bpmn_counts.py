"""Every real BPMN file gives as many nodes and flows as an independent count of its XML."""

import json
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from clew.domain.facts import Edge, Refused, SourceFacts
from clew.domain.kinds import EdgeKind
from clew.domain.processes import Activity, DataObject, Event, Gateway, Lane, Process
from clew.sources.bpmn import read_bpmn

pytestmark = pytest.mark.corpus

COLLAPSED = {"subProcess", "adHocSubProcess", "transaction"}

# (counted, read) where the file itself is wrong; the reader says so in its issues.
EXPLAINED = {
    # The defaults name flows that are not in the file, so that no flow is a default.
    ("bpmn/miwg/Cardanit_(prev._BeePMN)_4.9.1__C.8.1-roundtrip.bpmn", "default_flows"): (2, 0),
    # Two flows begin at nodes that are not in the file; an edge needs two ends.
    ("bpmn/miwg/actiBPM_3.E-8__A.3.0-export.bpmn", "sequence_flows"): (8, 6),
    # Two cancel events say that they do not interrupt, which cancel events always do (BPMN 2.0.2, table 10.92).
    ("bpmn/bpmn-js/draw-events-interrupting.bpmn", "non_interrupting_boundary"): (7, 5),
    # The gateway is written `ComplexGateway`, which is no element of the standard; its flows have one end.
    ("bpmn/bpmn-js/popup-menu-ReplaceMenuProvider.defaultFlowsFromComplexGateways.bpmn", "sequence_flows"): (2, 0),
    ("bpmn/bpmn-js/popup-menu-ReplaceMenuProvider.defaultFlowsFromComplexGateways.bpmn", "default_flows"): (1, 0),
}
CODES = {
    "bpmn/miwg/Cardanit_(prev._BeePMN)_4.9.1__C.8.1-roundtrip.bpmn": "bpmn-default-foreign",
    "bpmn/miwg/actiBPM_3.E-8__A.3.0-export.bpmn": "bpmn-dangling-reference",
    "bpmn/bpmn-js/draw-events-interrupting.bpmn": "bpmn-error-interrupts",
    "bpmn/bpmn-js/popup-menu-ReplaceMenuProvider.defaultFlowsFromComplexGateways.bpmn": "bpmn-unread",
}


def of_type(facts: SourceFacts, kind: type) -> list:
    return [node for node in facts.nodes if isinstance(node, kind)]


def flows(facts: SourceFacts, kind: EdgeKind) -> list[Edge]:
    return [edge for edge in facts.edges if edge.kind is kind]


def activities(facts: SourceFacts, *types: str) -> list[Activity]:
    return [node for node in of_type(facts, Activity) if not types or node.type in types]


def data(facts: SourceFacts, type_name: str) -> int:
    return sum(node.type == type_name for node in of_type(facts, DataObject))


def pools(facts: SourceFacts) -> int:
    return sum(
        1 if node.black_box else sum(kept.term == "bpmn:participant" for kept in node.opaque)
        for node in of_type(facts, Process)
    )


MEASURES: dict[str, Callable[[SourceFacts], int]] = {
    "processes": lambda f: sum(not node.black_box for node in of_type(f, Process)),
    "executable": lambda f: sum(node.executable for node in of_type(f, Process)),
    "participants": pools,
    "activities": lambda f: len(activities(f)),
    "tasks": lambda f: sum(node.type.lower().endswith("task") for node in activities(f)),
    "sub_processes": lambda f: len(activities(f, *COLLAPSED)),
    "call_activities": lambda f: len(activities(f, "callActivity")),
    "gateways": lambda f: len(of_type(f, Gateway)),
    "events": lambda f: len(of_type(f, Event)),
    "boundary_events": lambda f: sum(node.position == "boundary" for node in of_type(f, Event)),
    "sequence_flows": lambda f: len(flows(f, EdgeKind.HAS_NEXT)),
    "message_flows": lambda f: len(flows(f, EdgeKind.MESSAGES)),
    "lanes": lambda f: len(of_type(f, Lane)),
    "data_objects": lambda f: data(f, "dataObject"),
    "data_object_references": lambda f: data(f, "dataObjectReference"),
    "data_stores": lambda f: data(f, "dataStore"),
    "data_store_references": lambda f: data(f, "dataStoreReference"),
    "default_flows": lambda f: sum(edge.default for edge in f.edges),
    "conditional_flows": lambda f: sum(edge.conditional for edge in f.edges),
    "multi_instance": lambda f: sum(node.loop in ("parallel", "sequential") for node in activities(f)),
    "standard_loop": lambda f: sum(node.loop == "standard" for node in activities(f)),
    "event_sub_processes": lambda f: sum(node.triggered_by_event for node in activities(f)),
    "non_interrupting_boundary": lambda f: sum(
        node.position == "boundary" and not node.interrupting for node in of_type(f, Event)
    ),
    "unnamed_activities": lambda f: sum(not node.name for node in activities(f)),
}


def read(folder: Path, path: str) -> SourceFacts | Refused:
    return read_bpmn((folder / path).read_bytes(), document=path, naming=lambda name: name)


def differences(folder: Path, counts: dict[str, dict]) -> dict[tuple[str, str], tuple[int, int]]:
    found: dict[tuple[str, str], tuple[int, int]] = {}
    for path, counted in counts.items():
        facts = read(folder, path)
        for name, measure in MEASURES.items():
            got = 0 if isinstance(facts, Refused) else measure(facts)
            if got != counted[name]:
                found[path, name] = (counted[name], got)
    return found


def test_every_file_gives_what_was_counted(test_data: Path) -> None:
    corpus = test_data / "corpus"
    entries = json.loads((corpus / "COUNTS.json").read_text(encoding="utf-8"))
    counts = {
        path: entry["counts"]
        for path, entry in entries.items()
        if path.startswith("bpmn/") and "processes" in entry["counts"]
    }
    assert len(counts) > 400
    assert differences(corpus, counts) == EXPLAINED


def test_every_file_that_deviates_says_why(test_data: Path) -> None:
    for path, code in CODES.items():
        facts = read(test_data / "corpus", path)
        assert isinstance(facts, SourceFacts)
        assert code in {issue.code for issue in facts.issues}


def test_the_processes_of_the_benchmark_are_exact(test_data: Path) -> None:
    for path in sorted((test_data / "bench-real" / "processes").glob("*.bpmn")):
        facts = read(path.parent, path.name)
        assert isinstance(facts, SourceFacts)
        assert facts.issues == ()
        text = path.read_text(encoding="utf-8")
        assert MEASURES["sequence_flows"](facts) == len(re.findall(r"<(?:\w+:)?sequenceFlow ", text))
        assert MEASURES["tasks"](facts) == len(re.findall(r"<(?:\w+:)?\w*[tT]ask ", text))
        assert MEASURES["gateways"](facts) == len(re.findall(r"<(?:\w+:)?\w+Gateway ", text))


def test_every_node_has_its_own_id_and_every_edge_ends_on_nodes(test_data: Path) -> None:
    corpus = test_data / "corpus"
    for path in sorted((corpus / "bpmn").rglob("*.*")):
        facts = read(corpus, str(path.relative_to(corpus)))
        if isinstance(facts, Refused):
            continue
        ids = [node.id for node in facts.nodes]
        assert [name for name, times in Counter(ids).items() if times > 1] == [], path
        loose = [
            e for e in facts.edges if e.kind is not EdgeKind.CALLS_PROCESS and not {e.source, e.target} <= set(ids)
        ]
        assert loose == [], path
