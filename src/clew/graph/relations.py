"""The stored relations as the graph shows them: what several documents assert is one relation."""

from collections.abc import Iterable

from clew.domain.facts import Edge
from clew.domain.ports import Row
from clew.graph.merging import Contradiction, Merge
from clew.graph.rows import decode_edge, edge_key
from clew.graph.shown import ShownEdge


def stored_edges(rows: Iterable[Row]) -> tuple[list[ShownEdge], list[Contradiction]]:
    """Merges rows of (document, payload) in the order of the documents; gives what they disagree on as well."""
    asserted: dict[tuple[str, str, str, str], list[tuple[str, Edge]]] = {}
    for document, payload in rows:
        edge = decode_edge(payload)
        asserted.setdefault((edge.kind, edge.source, edge.target, edge_key(edge)), []).append((str(document), edge))
    shown: list[ShownEdge] = []
    contradictions: list[Contradiction] = []
    for (_, source, target, _), assertions in asserted.items():
        merge = Merge(f"{source} → {target}")
        shown.append(_shown(merge.of(assertions), tuple(dict.fromkeys(document for document, _ in assertions))))
        contradictions.extend(merge.contradictions)
    return shown, contradictions


def _shown(edge: Edge, documents: tuple[str, ...]) -> ShownEdge:
    return ShownEdge(
        kind=edge.kind,
        source=edge.source,
        target=edge.target,
        key=edge.key,
        name=edge.name,
        documents=documents,
        stated=edge,
    )
