"""Facts: what one source asserts. The graph is the merge of the facts of all sources, each of which may go again."""

from typing import Literal, TypeAlias

from clew.domain.issues import Issue
from clew.domain.kinds import EdgeKind
from clew.domain.processes import Activity, DataObject, Event, Gateway, Lane, Process
from clew.domain.records import Record
from clew.domain.services import (
    Annotation,
    Capabilities,
    ComplexType,
    Draft,
    EntitySet,
    EntityType,
    EnumType,
    Operation,
    Service,
    ValueHelp,
)

Node: TypeAlias = (
    Service
    | EntitySet
    | EntityType
    | ComplexType
    | EnumType
    | Operation
    | ValueHelp
    | Process
    | Activity
    | Event
    | Gateway
    | Lane
    | DataObject
)
"""A stored node; its kind is the name of its class (`clew.domain.kinds.NodeKind`)."""


class Provenance(Record, frozen=True, kw_only=True):
    """Where a fact came from: the document's key, the line (1-based, 0 unknown) and the path inside it."""

    document: str
    line: int = 0
    path: str = ""


class Edge(Record, frozen=True, kw_only=True):
    """A relation that no node's own attributes imply: flows, messages, data associations, bindings, calls.

    Edges that a node implies (`HAS_PROPERTY`, `OF_TYPE`, `NAVIGATES_TO` …) are shown by `clew.graph`, not stored.
    """

    kind: EdgeKind
    source: str
    target: str
    key: str = ""
    """The source's own id of it (a sequence flow's id); tells parallel edges apart."""
    name: str = ""
    condition: str = ""
    conditional: bool = False
    """`HAS_NEXT`: there is a condition, even where `condition` is empty since the source writes none down."""
    default: bool = False
    method: str = ""
    """`PERFORMED_BY`: the HTTP method."""
    via: str = ""
    """`PERFORMED_BY`: a detour such as `upsert`."""
    bound_to: str = ""
    """`PERFORMED_BY` an operation: the entity set whose instance it is called on."""
    values: tuple[tuple[str, str], ...] = ()
    """`PERFORMED_BY`: (property path, value) pairs that the activity fixes (`GoodsMovementCode` = `01`)."""
    note: str = ""
    opaque: tuple[Annotation, ...] = ()
    line: int = 0


class Overlay(Record, frozen=True, kw_only=True):
    """Typed attributes that a document states about an element of another document (`<Annotations Target>`).

    `target` is as written with the alias resolved: `Ns.Type`, `Ns.Type/Property`, `Ns.Container/Set`,
    `Ns.Operation(Types)/param`. `attributes` maps field names of the target's record to values as builtins of msgspec
    (what `msgspec.to_builtins` gives); `graph` applies them and reports contradictions.
    """

    target: str
    service: str = ""
    """Owner name of the one service that is meant; empty: the service that the document belongs to."""
    attributes: tuple[tuple[str, object], ...] = ()
    texts: tuple[tuple[str, str], ...] = ()
    capabilities: Capabilities | None = None
    navigation_capabilities: tuple[tuple[str, Capabilities], ...] = ()
    draft: Draft | None = None
    value_help: ValueHelp | None = None
    """The value list of the target (a property or parameter). Its `id` and `service` are empty: they follow from the
    service that has the target, `codes:` and the target's id without its scheme (`codes:SVC#Ns.Type/Property`)."""
    opaque: tuple[Annotation, ...] = ()
    line: int = 0


class SourceReport(Record, frozen=True, kw_only=True):
    """What reading one document gave."""

    document: str
    kind: Literal["odata", "annotations", "bpmn", "codelist", "bindings", "landscape", "openapi", "empty"]
    version: str = ""
    producer: str = ""
    owners: tuple[str, ...] = ()
    """Ids of the services or processes that it describes."""
    counts: tuple[tuple[str, int], ...] = ()
    opaque: tuple[tuple[str, int], ...] = ()
    """(term, how often) of what was kept opaque."""
    size_bytes: int = 0
    seconds: float = 0.0


class SourceFacts(Record, frozen=True, kw_only=True):
    """All that one document asserts, with the issues found on the way."""

    report: SourceReport
    nodes: tuple[Node, ...] = ()
    edges: tuple[Edge, ...] = ()
    overlays: tuple[Overlay, ...] = ()
    issues: tuple[Issue, ...] = ()


class Refused(Record, frozen=True, kw_only=True):
    """A document that was not read; nothing of it enters the graph. `others` are further reasons."""

    issue: Issue
    others: tuple[Issue, ...] = ()
