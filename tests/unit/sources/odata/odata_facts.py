"""Facts as plain data that people can read and edit: nodes by id, issues as `code line`, lines of nodes left out."""

from pathlib import Path
from typing import Any

import msgspec

from clew.domain.facts import Refused, SourceFacts
from clew.sources.odata import read_csdl

FIXTURES = Path(__file__).resolve().parents[3] / "fixtures" / "odata"


def read(text: str | bytes, *, document: str = "shop.xml") -> SourceFacts:
    data = text.encode() if isinstance(text, str) else text
    facts = read_csdl(data, document=document, naming=lambda name: name)
    assert isinstance(facts, SourceFacts), facts
    return facts


def refusal(text: str | bytes, *, document: str = "shop.xml") -> Refused:
    data = text.encode() if isinstance(text, str) else text
    facts = read_csdl(data, document=document, naming=lambda name: name)
    assert isinstance(facts, Refused)
    return facts


def plain(record: object) -> Any:
    """Gives a record as data: opaque annotations as `term#qualifier: value`, no lines, nothing empty."""
    return _plain(msgspec.to_builtins(record))


def _plain(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if not isinstance(value, dict):
        return value
    kept: dict[str, Any] = {}
    for name, item in value.items():
        if name == "opaque":
            kept[name] = {_term(part): msgspec.json.decode(part.get("value", "true")) for part in item}
        elif name != "line" and item not in ({}, [], ()):
            kept[name] = _plain(item)
    return kept


def _term(annotation: dict[str, str]) -> str:
    qualifier = annotation.get("qualifier", "")
    return annotation["term"] + (f"#{qualifier}" if qualifier else "")


def describe(facts: SourceFacts) -> dict[str, Any]:
    """Gives facts as the expected files hold them."""
    nodes = {node.id: plain(node) for node in facts.nodes}
    for node in nodes.values():
        del node["id"]
        node.pop("service", None)
    return {
        "report": {"kind": facts.report.kind, "version": facts.report.version, "producer": facts.report.producer},
        "issues": [f"{issue.code} {issue.place.line}" for issue in facts.issues],
        "nodes": nodes,
        "overlays": [plain(overlay) for overlay in facts.overlays],
    }
