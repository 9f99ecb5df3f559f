"""`Snapshot`: one state of the graph, read-only and lazy; asking for one service loads one service."""

import difflib
import hashlib
import weakref
from collections.abc import Collection, Iterator
from contextlib import ExitStack
from typing import Self, TypeVar

from clew.domain.errors import UnknownReference
from clew.domain.facts import Edge, Node, Provenance
from clew.domain.issues import Issue, Suggestion
from clew.domain.kinds import EdgeKind, NodeKind
from clew.domain.ports import Database, Row
from clew.domain.processes import Process
from clew.domain.services import Service
from clew.graph.counts import count_graph
from clew.graph.findings import find_contradictions, find_issues
from clew.graph.implied import IMPLIED
from clew.graph.loading import CODES, PROCESS, SERVICE, Loader, Recent, joined_version
from clew.graph.merging import Contradiction
from clew.graph.neighbours import Neighbours
from clew.graph.process_view import ProcessView
from clew.graph.relations import stored_edges
from clew.graph.rows import unit_of
from clew.graph.service_view import ServiceView
from clew.graph.shown import Member, ShownEdge
from clew.graph.units import Unit, members_of

T = TypeVar("T")

_HOLDERS = {
    NodeKind.PROPERTY: ("EntityType", "ComplexType"),
    NodeKind.PARAMETER: ("Operation",),
    NodeKind.CODE: ("ValueHelp",),
}
_RECENT_VIEWS = 16
_SUGGESTIONS = 3


class Snapshot:
    """One state of the graph.

    It holds a read-only unit of work of the database, so that what it gives belongs together however long it is asked
    and whatever is written meanwhile. `close` lets go of it, as does the end of the object.
    """

    def __init__(self, database: Database, *, tenant: str = "") -> None:
        """Opens the unit of work and reads the version; everything else is read when it is asked for."""
        stack = ExitStack()
        self._loader = Loader(stack.enter_context(database.read()), tenant=tenant)
        self._finalizer = weakref.finalize(self, stack.close)
        self._views: Recent[ServiceView] = Recent(_RECENT_VIEWS)
        self._neighbours = Neighbours(self._loader)
        self.version = version_of_sources(self._loader.rows("source_hashes"))
        """A hash of the documents and their contents; two graphs of the same documents have the same version."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Lets go of the unit of work; nothing can be asked afterwards."""
        self._finalizer()

    def node(self, node_id: str) -> Node | Member | None:
        """Gives a stored record, or a property, parameter or code; `None` where no document asserts it."""
        key = unit_of(node_id)
        unit = self._loader.unit_at_hand(key)
        if unit is None and not self._loader.has_overlays(key):
            alone = self._loader.record(node_id)
            if alone.records:
                return alone.records[node_id]
            unit = self._parent_unit(node_id)
        elif unit is None:
            unit = self._loader.unit(key)
        return unit.records.get(node_id) or unit.member(node_id)

    def nodes(self, kind: NodeKind | None = None, owner: str = "") -> Iterator[Node | Member]:
        """Gives the nodes of a kind (all stored ones where it is `None`), unit by unit.

        `owner` narrows them to a service, a process or a code list of this name. Properties, parameters and codes come
        only where their kind is asked for.
        """
        holders = _HOLDERS.get(kind) if kind else None
        for unit in self._units(kind, owner):
            for record in unit.records.values():
                name = type(record).__name__
                if kind is None or name == kind.value:
                    yield record
                elif holders and name in holders:
                    yield from members_of(record)

    def units(self, owner: str = "") -> Iterator[Unit]:
        """Gives what is loaded together, one after the other: each service, process and code list of its own.

        Raises:
            UnknownReference: there is none of this owner name.
        """
        found = False
        for unit in self._units(None, owner):
            if unit.records:
                found = True
                yield unit
        if owner and not found:
            _require("service or process", owner, {**self._loader.services, **self._loader.processes})

    def edges_of(self, owner: str) -> Iterator[ShownEdge]:
        """Gives the relations that begin or end in a service, process or code list of this name."""
        roots = [self._loader.services.get(owner), self._loader.processes.get(owner)]
        for key in self._keys(None, owner):
            yield from self._neighbours.of_unit(key)
        for root in [node.id for node in roots if node is not None]:
            # Between `#` and `0` lies `/` too, and the beginning of other names, which are left out again.
            rows = self._loader.rows("edges_within", id=root, low=root + "#", high=root + "0")
            for edge in stored_edges(rows)[0]:
                if unit_of(root) in (unit_of(edge.source), unit_of(edge.target)):
                    yield edge

    def edges(self, source: str = "", target: str = "", kind: EdgeKind | None = None) -> Iterator[ShownEdge]:
        """Gives the relations from `source`, to `target`, of a kind; stored ones first, then those that records imply.

        Without source and target everything is read, unit by unit.
        """
        for edge in stored_edges(self._stored(source, target, kind))[0]:
            if _fits(edge, source, target, kind):
                yield edge
        if kind is None or kind in IMPLIED:
            for edge in self._neighbours.implied(source, target):
                if _fits(edge, source, target, kind):
                    yield edge

    def service(self, name: str) -> ServiceView:
        """Gives a service by its owner name, with the code lists of others that it uses.

        Raises:
            UnknownReference: no document describes it.
        """
        _require("service", name, self._loader.services)
        return self._views.get(name, self._make_view)

    def process(self, name: str) -> ProcessView:
        """Gives a process by its owner name, with its flows and the bindings of its activities.

        Raises:
            UnknownReference: no document describes it.
        """
        process = _require("process", name, self._loader.processes)
        ends = {"id": process.id, "low": process.id + "/", "high": process.id + "0"}
        edges = stored_edges(self._loader.rows("edges_within", **ends))[0]
        stated: list[Edge] = [edge.stated for edge in edges if edge.stated is not None]
        return ProcessView(process, self._loader.unit(PROCESS + name).records.values(), stated)

    def services(self) -> list[Service]:
        """Gives all services, without what annotation documents state about them."""
        return list(self._loader.services.values())

    def processes(self) -> list[Process]:
        """Gives all processes."""
        return list(self._loader.processes.values())

    def service_names(self) -> Collection[str]:
        """Gives the owner names of all services."""
        return self._loader.services.keys()

    def process_names(self) -> Collection[str]:
        """Gives the owner names of all processes."""
        return self._loader.processes.keys()

    def provenance(self, node_id: str) -> tuple[Provenance, ...]:
        """Gives the documents that assert a node, the strongest first, with the line where it stands."""
        node = self.node(node_id)
        return self._loader.load_rows(node.parent if isinstance(node, Member) else node_id).provenance(node_id)

    def counts(self) -> tuple[tuple[str, int], ...]:
        """Gives the rows of the published table with their counts."""
        return count_graph(self._loader)

    def issues(self) -> list[Issue]:
        """Gives the issues of all documents and those of the merge; loads what several documents speak of."""
        return list(find_issues(self._loader))

    def contradictions(self) -> list[Contradiction]:
        """Gives every field on which documents disagree, both values kept."""
        return find_contradictions(self._loader)

    def _parent_unit(self, node_id: str) -> Unit:
        parent, _, _ = node_id.rpartition("/")
        while parent:
            unit = self._loader.record(parent)
            if unit.records:
                return unit
            parent, _, _ = parent.rpartition("/")
        return Unit(())

    def _make_view(self, name: str) -> ServiceView:
        unit = self._loader.unit(SERVICE + name)
        lists = self._loader.lists_of(unit)
        records = [*unit.records.values(), *(record for each in lists for record in each.records.values())]
        root = next(record for record in records if isinstance(record, Service))
        return ServiceView(root, records, version=joined_version(unit, lists))

    def _units(self, kind: NodeKind | None, owner: str) -> Iterator[Unit]:
        for key in self._keys(kind, owner):
            # What is gone through from end to end does not drive out what was asked for.
            yield self._loader.unit_at_hand(key) or self._loader.load(key)

    def _keys(self, kind: NodeKind | None, owner: str) -> Iterator[str]:
        if owner:
            yield from (SERVICE + owner, PROCESS + owner, CODES + owner)
            return
        listed = _HOLDERS.get(kind, (kind.value,)) if kind else ("",)
        found = dict.fromkeys(key for holder in listed for key in self._loader.unit_keys(holder))
        if kind in (NodeKind.VALUE_HELP, NodeKind.CODE):
            found |= dict.fromkeys(self._loader.units_with_stated_lists())
        yield from found

    def _stored(self, source: str, target: str, kind: EdgeKind | None) -> list[Row]:
        if source:
            return self._loader.rows("edges_from", source=source)
        if target:
            return self._loader.rows("edges_to", target=target)
        if kind is not None:
            return self._loader.rows("edges_of_kind", kind=kind.value)
        return self._loader.rows("list_edges")


def version_of_sources(rows: list[Row]) -> str:
    """Gives a hash of (document, content hash) pairs; the empty text for no document at all."""
    if not rows:
        return ""
    digest = hashlib.blake2b(digest_size=16)
    for document, content_hash in rows:
        digest.update(f"{document}\0{content_hash}\n".encode())
    return digest.hexdigest()


def _fits(edge: ShownEdge, source: str, target: str, kind: EdgeKind | None) -> bool:
    return (
        (not source or edge.source == source)
        and (not target or edge.target == target)
        and (kind is None or edge.kind is kind)
    )


def _require(what: str, name: str, known: dict[str, T]) -> T:
    if name not in known:
        close = difflib.get_close_matches(name, known, n=_SUGGESTIONS)
        raise UnknownReference(what, name, tuple(Suggestion(value=each) for each in close))
    return known[name]
