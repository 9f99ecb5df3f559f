"""The rows of the published table, counted in the database; only what documents disagree on is decoded."""

from collections import Counter

from clew.domain.kinds import EdgeKind
from clew.domain.services import ComplexType, EntityType, ValueHelp
from clew.graph.loading import Loader
from clew.graph.rows import unit_of
from clew.graph.units import Unit

_NODES = {
    "services": "Service",
    "entity sets": "EntitySet",
    "entity types": "EntityType",
    "complex types": "ComplexType",
    "enum types": "EnumType",
    "properties": "properties",
    "navigation edges": "navigations",
    "operations": "Operation",
    "processes": "Process",
    "activities": "Activity",
    "events": "Event",
    "gateways": "Gateway",
    "flows": EdgeKind.HAS_NEXT,
    "message flows": EdgeKind.MESSAGES,
    "bindings": EdgeKind.PERFORMED_BY,
    "value helps": "ValueHelp",
    "codes": "codes",
}


def count_graph(loader: Loader) -> tuple[tuple[str, int], ...]:
    """Gives (row, count) in the order of the published table; singletons count as entity sets.

    Properties are those of entity and complex types where they are declared; bindings are relations from an activity.
    """
    counts: Counter[str] = Counter()
    for kind, nodes, *members in loader.rows("count_nodes"):
        _add(counts, str(kind), int(nodes or 0), [int(each or 0) for each in members])
    for kind, relations in loader.rows("count_edges"):
        counts[str(kind)] += int(relations or 0)
    for node_id, kind, *members in loader.rows("contested_nodes"):
        _add(counts, str(kind), -1, [-int(each or 0) for each in members])
        _count_record(counts, loader.unit(unit_of(str(node_id))), str(node_id))
    for key in loader.units_with_stated_lists():
        loaded = loader.unit(key)
        for node_id in loaded.records:
            if not loaded.documents(node_id):
                _count_record(counts, loaded, node_id)
    return tuple((row, counts[key]) for row, key in _NODES.items())


def _add(counts: Counter[str], kind: str, nodes: int, members: list[int]) -> None:
    counts[kind] += nodes
    for name, number in zip(("properties", "navigations", "codes"), members, strict=True):
        counts[name] += number


def _count_record(counts: Counter[str], unit: Unit, node_id: str) -> None:
    record = unit.records[node_id]
    structure = record if isinstance(record, EntityType | ComplexType) else None
    members = [
        len(structure.properties) if structure else 0,
        len(structure.navigations) if structure else 0,
        len(record.codes) if isinstance(record, ValueHelp) else 0,
    ]
    _add(counts, type(record).__name__, 1, members)
