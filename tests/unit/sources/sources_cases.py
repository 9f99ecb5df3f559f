"""Cases in YAML files under tests/fixtures, and YAML nodes as the JSON that an editor would check."""

from pathlib import Path
from typing import Any

import yaml

from clew.domain.records import JsonValue
from clew.sources.yaml_text import Fields, Items, YamlNode

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"


def cases(name: str) -> list[dict[str, Any]]:
    return yaml.safe_load((FIXTURES / name).read_text(encoding="utf-8"))


def make_files(folder: Path, names: list[str]) -> None:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x", encoding="utf-8")


def as_json(node: YamlNode) -> JsonValue:
    """Gives a node as YAML 1.2 (core schema) resolves it, which is what editors check against a JSON Schema."""
    if isinstance(node, Items):
        return [as_json(item) for item in node.items]
    if isinstance(node, Fields):
        return {name: as_json(child) for name, child in node.entries.items()}
    if node.is_null:
        return None
    if node.flag is not None:
        return node.flag
    if node.plain and node.text.isdecimal() and not node.text.startswith("0"):
        return int(node.text)
    return node.text
