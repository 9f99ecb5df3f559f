"""The graph for other tools, line by line: JSON lines, GraphML, and Mermaid of one process or one service."""

import re
from collections.abc import Callable, Iterator, Mapping
from html import escape

import msgspec

from clew.domain.errors import InputRefused
from clew.domain.facts import Node
from clew.domain.ids import owner_of
from clew.domain.issues import Issue
from clew.domain.records import JsonObject, JsonValue
from clew.domain.services import EntitySet, Texts
from clew.graph.mermaid import draw_process, draw_service
from clew.graph.shown import Member, ShownEdge
from clew.graph.snapshot import Snapshot
from clew.graph.units import members_of

_ENCODER = msgspec.json.Encoder(decimal_format="number")

# Characters that XML 1.0 cannot hold, not even escaped.
_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")

_NODE_KEYS = ("kind", "name", "owner", "label", "documents", "attributes")
_EDGE_KEYS = ("kind", "name", "documents", "attributes")

# Shown as nodes of their own, so left out of the record that holds them.
_MEMBER_LISTS = ("properties", "parameters", "codes")


def export_graph(snapshot: Snapshot, form: str, *, only: str = "") -> Iterator[str]:
    """Gives the graph, or one service or process of it, in lines without their ends.

    Args:
        snapshot: what to export.
        form: one of `EXPORT_FORMATS`: `jsonl`, `graphml`, `mermaid`.
        only: owner name of a service or process; `mermaid` draws nothing larger.

    Raises:
        InputRefused: there is no such form, or nothing was named to be drawn.
        UnknownReference: there is no service or process of this name.
    """
    write = _FORMS.get(form)
    if write is None:
        raise _refusal("export-format", f"There is no format {form!r}; there are {', '.join(_FORMS)}.")
    return write(snapshot, only)


def _write_json_lines(snapshot: Snapshot, only: str) -> Iterator[str]:
    for node in _nodes(snapshot, only):
        yield _ENCODER.encode({"what": "node", **node}).decode()
    for edge in _edges(snapshot, only):
        yield _ENCODER.encode({"what": "edge", **edge}).decode()


def _write_graphml(snapshot: Snapshot, only: str) -> Iterator[str]:
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    yield '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">'
    for domain, keys in (("node", _NODE_KEYS), ("edge", _EDGE_KEYS)):
        for key in keys:
            yield f'<key id="{domain}-{key}" for="{domain}" attr.name="{key}" attr.type="string"/>'
    yield f'<graph id="{_text(snapshot.version)}" edgedefault="directed">'
    for node in _nodes(snapshot, only):
        yield f'<node id="{_text(node["id"])}">{_fields("node", node, _NODE_KEYS)}</node>'
    for edge in _edges(snapshot, only):
        ends = f'source="{_text(edge["source"])}" target="{_text(edge["target"])}"'
        yield f"<edge {ends}>{_fields('edge', edge, _EDGE_KEYS)}</edge>"
    yield "</graph>"
    yield "</graphml>"


def _write_mermaid(snapshot: Snapshot, only: str) -> Iterator[str]:
    if not only:
        raise _refusal("export-only", "Name the one service or process to draw; the whole graph is no drawing.")
    if only in snapshot.process_names():
        return draw_process(snapshot.process(only))
    return draw_service(snapshot.service(only))


_FORMS: Mapping[str, Callable[[Snapshot, str], Iterator[str]]] = {
    "jsonl": _write_json_lines,
    "graphml": _write_graphml,
    "mermaid": _write_mermaid,
}
EXPORT_FORMATS = tuple(_FORMS)


def _nodes(snapshot: Snapshot, only: str) -> Iterator[JsonObject]:
    for unit in snapshot.units(only):
        for record in unit.records.values():
            documents: list[JsonValue] = list(unit.documents(record.id))
            yield _node(record, documents)
            for member in members_of(record):
                yield _member(member, documents)


def _edges(snapshot: Snapshot, only: str) -> Iterator[JsonObject]:
    return map(_edge, snapshot.edges_of(only) if only else snapshot.edges())


def _node(record: Node, documents: list[JsonValue]) -> JsonObject:
    attributes: JsonObject = msgspec.to_builtins(record)
    for name in ("id", "node_kind", "name", *(() if isinstance(record, EntitySet) else _MEMBER_LISTS)):
        attributes.pop(name, None)
    return {
        "id": record.id,
        "kind": type(record).__name__,
        "name": record.name,
        "owner": owner_of(record.id),
        "label": _label(getattr(record, "texts", None)),
        "documents": documents,
        "attributes": attributes,
    }


def _member(member: Member, documents: list[JsonValue]) -> JsonObject:
    attributes: JsonObject = msgspec.to_builtins(member.member)
    return {
        "id": member.id,
        "kind": member.kind.value,
        "name": member.name,
        "owner": owner_of(member.id),
        "label": _label(getattr(member.member, "texts", None)) or getattr(member.member, "text", ""),
        "documents": documents,
        "attributes": attributes,
    }


def _edge(edge: ShownEdge) -> JsonObject:
    attributes: JsonObject = msgspec.to_builtins(edge)
    stated: JsonObject = msgspec.to_builtins(edge.stated) if edge.stated else {}
    for name in ("kind", "source", "target", "name", "documents", "stated"):
        attributes.pop(name, None)
        stated.pop(name, None)
    return {
        "kind": edge.kind.value,
        "source": edge.source,
        "target": edge.target,
        "name": edge.name,
        "documents": list(edge.documents),
        "attributes": {**attributes, **stated},
    }


def _label(texts: Texts | None) -> str:
    return texts.label if texts else ""


def _fields(domain: str, values: JsonObject, keys: tuple[str, ...]) -> str:
    written: list[str] = []
    for key in keys:
        value = values[key]
        text = value if isinstance(value, str) else _ENCODER.encode(value).decode()
        if text:
            written.append(f'<data key="{domain}-{key}">{_text(text)}</data>')
    return "".join(written)


def _text(value: object) -> str:
    return escape(_NOT_XML.sub("", str(value)))


def _refusal(code: str, message: str) -> InputRefused:
    return InputRefused((Issue(code=code, message=message),))
