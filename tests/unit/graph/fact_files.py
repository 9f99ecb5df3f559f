"""Reads facts and expectations from the text files of tests/fixtures/graph."""

from pathlib import Path

import msgspec
import yaml

from clew.domain.facts import SourceFacts
from clew.domain.kinds import NodeKind
from clew.graph import GraphStore, Member, Snapshot

FIXTURES = Path(__file__).parents[2] / "fixtures" / "graph"


def load(path: Path) -> dict:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def facts_of(entry: dict) -> SourceFacts:
    report = {"document": entry["document"], "kind": entry.get("kind", "odata"), "owners": entry.get("owners", [])}
    facts = {name: entry.get(name, []) for name in ("nodes", "edges", "overlays", "issues")}
    return msgspec.convert({"report": report, **facts}, SourceFacts)


def documents_of(case: dict) -> list[tuple[SourceFacts, str]]:
    return [(facts_of(entry), f"hash of {entry['document']}") for entry in case["documents"]]


def attributes_of(snapshot: Snapshot, node_id: str) -> dict | None:
    node = snapshot.node(node_id)
    return None if node is None else msgspec.to_builtins(node.member if isinstance(node, Member) else node)


def as_lists(value: object) -> object:
    """Gives a value with lists for tuples, as a file has them."""
    return msgspec.json.decode(msgspec.json.encode(value))


def check(snapshot: Snapshot, expected: dict) -> None:
    """Compares a graph with what a file expects of it."""
    for node_id, fields in expected.get("nodes", {}).items():
        found = attributes_of(snapshot, node_id)
        if fields is None:
            assert found is None, node_id
            continue
        assert found is not None, node_id
        assert {name: as_lists(found.get(name)) for name in fields} == fields, node_id
    counts = dict(snapshot.counts())
    assert {row: counts[row] for row in expected.get("counts", {})} == expected.get("counts", {})
    found_issues = [issue for issue in snapshot.issues() if issue.code.startswith("graph-")]
    told = [(issue.code, issue.place.document) for issue in found_issues]
    assert told == [(issue["code"], issue["document"]) for issue in expected["issues"]], list(map(str, found_issues))
    for issue, wanted in zip(found_issues, expected["issues"], strict=True):
        for part in wanted["says"]:
            assert part in issue.message


def recount(snapshot: Snapshot) -> dict[str, int]:
    """Counts by looking at every node, independently of what the rows say."""
    kinds = {
        "services": NodeKind.SERVICE,
        "entity sets": NodeKind.ENTITY_SET,
        "entity types": NodeKind.ENTITY_TYPE,
        "complex types": NodeKind.COMPLEX_TYPE,
        "enum types": NodeKind.ENUM_TYPE,
        "properties": NodeKind.PROPERTY,
        "operations": NodeKind.OPERATION,
        "processes": NodeKind.PROCESS,
        "activities": NodeKind.ACTIVITY,
        "events": NodeKind.EVENT,
        "gateways": NodeKind.GATEWAY,
        "value helps": NodeKind.VALUE_HELP,
    }
    found = {row: sum(1 for _ in snapshot.nodes(kind)) for row, kind in kinds.items()}
    found["navigation edges"] = sum(len(getattr(node, "navigations", ())) for node in snapshot.nodes())
    found["codes"] = sum(len(node.codes) for node in snapshot.nodes(NodeKind.VALUE_HELP))
    for row, kind in {"flows": "HAS_NEXT", "message flows": "MESSAGES", "bindings": "PERFORMED_BY"}.items():
        found[row] = sum(1 for edge in snapshot.edges() if edge.kind == kind)
    return found


def filled(store: GraphStore, documents: list[tuple[SourceFacts, str]]) -> Snapshot:
    store.put_many(documents)
    return store.snapshot()
