"""Facts ⇄ rows: one row per stored record, its payload as msgpack, its members counted beside it."""

import hashlib
from collections.abc import Iterator
from typing import TypeAlias

import msgspec

from clew.domain.facts import Edge, Node, Overlay, SourceFacts, SourceReport
from clew.domain.ids import owner_of, scheme_of
from clew.domain.issues import Issue
from clew.domain.ports import SqlValue
from clew.domain.records import Record
from clew.domain.services import ComplexType, EntityType, Operation, ValueHelp

Parameters: TypeAlias = dict[str, SqlValue]

DIGEST_BYTES = 16

_ENCODER = msgspec.msgpack.Encoder()
_NODES = msgspec.msgpack.Decoder(Node)
_EDGES = msgspec.msgpack.Decoder(Edge)
_OVERLAYS = msgspec.msgpack.Decoder(Overlay)
_ISSUES = msgspec.msgpack.Decoder(Issue)
_REPORTS = msgspec.msgpack.Decoder(SourceReport)

_UNITS = {"odata": "service", "openapi": "service", "bpmn": "process"}


def unit_of(node_id: str) -> str:
    """Gives what a node is loaded with: `service:NAME`, `process:NAME`, or `codes:NAME` for a list of its own.

    >>> unit_of("codes:SRV#Ns.Status"), unit_of("codes:PLANT"), unit_of("bpmn:p2p/buy")
    ('service:SRV', 'codes:PLANT', 'process:p2p')
    """
    scheme = scheme_of(node_id)
    if scheme == "codes" and "#" in node_id:
        scheme = "odata"
    return f"{_UNITS.get(scheme, scheme)}:{owner_of(node_id)}"


def digest_of(record: Record) -> bytes:
    """Gives a hash of what a record says; where in a file it says so is left out."""
    return hashlib.blake2b(_ENCODER.encode(_without_lines(record)), digest_size=DIGEST_BYTES).digest()


def _without_lines(record: Record) -> Record:
    changes: dict[str, object] = {}
    if getattr(record, "line", 0):
        changes["line"] = 0
    for name in ("properties", "navigations", "parameters"):
        members: tuple[Record, ...] = getattr(record, name, ())
        if isinstance(record, EntityType | ComplexType | Operation) and members:
            changes[name] = tuple(
                msgspec.structs.replace(member, line=0) if getattr(member, "line", 0) else member for member in members
            )
    return msgspec.structs.replace(record, **changes) if changes else record


def node_rows(facts: SourceFacts) -> Iterator[Parameters]:
    """Gives a row for each record of a document."""
    document = facts.report.document
    owned = {unit_of(owner) for owner in facts.report.owners}
    for position, node in enumerate(facts.nodes):
        unit = unit_of(node.id)
        structure = node if isinstance(node, EntityType | ComplexType) else None
        yield {
            "document": document,
            "position": position,
            "id": node.id,
            "kind": type(node).__name__,
            "owner": unit,
            "rank": 0 if unit in owned else 1,
            "name": node.name,
            "property_count": len(structure.properties) if structure else 0,
            "navigation_count": len(structure.navigations) if structure else 0,
            "code_count": len(node.codes) if isinstance(node, ValueHelp) else 0,
            "digest": digest_of(node),
            "payload": _ENCODER.encode(node),
        }


def edge_rows(facts: SourceFacts) -> Iterator[Parameters]:
    """Gives a row for each relation of a document."""
    for position, edge in enumerate(facts.edges):
        yield {
            "document": facts.report.document,
            "position": position,
            "kind": edge.kind.value,
            "source": edge.source,
            "target": edge.target,
            "key": edge_key(edge),
            "payload": _ENCODER.encode(edge),
        }


def edge_key(edge: Edge) -> str:
    """Gives what tells a relation from parallel ones: its own id, or what makes a binding another binding."""
    if edge.key:
        return edge.key
    parts = (edge.method, edge.via, edge.bound_to, *(f"{path}={value}" for path, value in edge.values))
    return "|".join(parts) if any(parts) else ""


def overlay_rows(facts: SourceFacts) -> Iterator[Parameters]:
    """Gives a row for each statement of a document about another one's elements."""
    for position, overlay in enumerate(facts.overlays):
        head, _ = split_target(overlay.target)
        yield {
            "document": facts.report.document,
            "position": position,
            "target": overlay.target,
            "namespace": namespace_of(head),
            "service": overlay.service,
            "value_helps": 0 if overlay.value_help is None else 1,
            "payload": _ENCODER.encode(overlay),
        }


def split_target(target: str) -> tuple[str, str]:
    """Splits an annotation target at the first `/` outside a signature's parentheses (CSDL 4.01, clause 14.2.2).

    >>> split_target("Ns.Close(Collection(Ns.Order))/note")
    ('Ns.Close(Collection(Ns.Order))', 'note')
    """
    start = target.rfind(")") + 1 if "(" in target.partition("/")[0] else 0
    position = target.find("/", start)
    return (target, "") if position < 0 else (target[:position], target[position + 1 :])


def namespace_of(qualified_name: str) -> str:
    """Gives the namespace of a qualified name, with or without a signature."""
    return qualified_name.partition("(")[0].rpartition(".")[0]


def issue_rows(facts: SourceFacts) -> Iterator[Parameters]:
    """Gives a row for each issue of a document."""
    for position, issue in enumerate(facts.issues):
        yield {
            "document": facts.report.document,
            "position": position,
            "code": issue.code,
            "severity": issue.severity.value,
            "payload": _ENCODER.encode(issue),
        }


def encode_report(report: SourceReport) -> bytes:
    """Writes a report."""
    return _ENCODER.encode(report)


def decode_report(payload: SqlValue) -> SourceReport:
    """Reads a report."""
    return _REPORTS.decode(_bytes(payload))


def decode_node(payload: SqlValue) -> Node:
    """Reads a record."""
    return _NODES.decode(_bytes(payload))


def decode_edge(payload: SqlValue) -> Edge:
    """Reads a relation."""
    return _EDGES.decode(_bytes(payload))


def decode_overlay(payload: SqlValue) -> Overlay:
    """Reads a statement about another document's element."""
    return _OVERLAYS.decode(_bytes(payload))


def decode_issue(payload: SqlValue) -> Issue:
    """Reads an issue."""
    return _ISSUES.decode(_bytes(payload))


def _bytes(payload: SqlValue) -> bytes:
    if not isinstance(payload, bytes):
        raise TypeError(f"a payload is bytes, not {type(payload).__name__}")
    return payload
