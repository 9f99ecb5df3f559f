"""The typed property graph: facts assembled, merged, versioned, traversed.

Above: flow, index, retrieval, grounding, process, mock, workspace. Below: domain (and storage through its port).
Not its business: foreign formats, ranking, what a call may do.
"""

from clew.graph.export import EXPORT_FORMATS, export_graph
from clew.graph.merging import Contradiction
from clew.graph.paths import Explanation, explain
from clew.graph.process_view import ProcessView
from clew.graph.service_view import ServiceView
from clew.graph.shown import Member, ShownEdge
from clew.graph.snapshot import Snapshot
from clew.graph.store import GraphStore, StoredDocument

__all__ = [
    "EXPORT_FORMATS",
    "Contradiction",
    "Explanation",
    "GraphStore",
    "Member",
    "ProcessView",
    "ServiceView",
    "ShownEdge",
    "Snapshot",
    "StoredDocument",
    "explain",
    "export_graph",
]
