"""A unit: all that is loaded together — one service, process or code list — merged, with what was disagreed on."""

import hashlib
from collections.abc import Iterable, Mapping
from functools import cached_property

from clew.domain.facts import Node, Provenance
from clew.domain.ids import member_id
from clew.domain.kinds import NodeKind
from clew.domain.ports import Row
from clew.domain.services import ComplexType, EntityType, Operation, ValueHelp
from clew.graph.merging import Contradiction, Merge
from clew.graph.rows import decode_node, digest_of
from clew.graph.shown import Member


class Unit:
    """The merged records of one service, process or code list, in the order of the documents."""

    def __init__(self, rows: Iterable[Row]) -> None:
        """Merges rows of (document, id, kind, digest, payload), the strongest assertion of a node first."""
        asserted: dict[str, list[Row]] = {}
        for row in rows:
            asserted.setdefault(str(row[1]), []).append(row)
        self.records: dict[str, Node] = {}
        self.digests: dict[str, bytes] = {}
        self.contradictions: list[Contradiction] = []
        self.resolved: set[tuple[str, int]] = set()
        """(document, position) of the overlays that found their target here."""
        self._rows = asserted
        for node_id, listed in asserted.items():
            self._merge(node_id, listed)

    def _merge(self, node_id: str, rows: list[Row]) -> None:
        first = rows[0]
        if all(row[3] == first[3] for row in rows):
            self.records[node_id] = decode_node(first[4])
            self.digests[node_id] = first[3] if isinstance(first[3], bytes) else b""
            return
        merge = Merge(node_id)
        merged = merge.of([(str(row[0]), decode_node(row[4])) for row in rows])
        self.contradictions.extend(merge.contradictions)
        self.records[node_id] = merged
        self.digests[node_id] = digest_of(merged)

    @cached_property
    def version(self) -> str:
        """A hash of the merged content; lines and the order of the records do not count."""
        return version_of(self.digests)

    def documents(self, node_id: str) -> tuple[str, ...]:
        """Gives the documents that assert a record, the strongest first."""
        return tuple(dict.fromkeys(str(row[0]) for row in self._rows.get(node_id, ())))

    def provenance(self, node_id: str) -> tuple[Provenance, ...]:
        """Gives where each assertion of a record stands."""
        rows = self._rows.get(node_id, ())
        return tuple(Provenance(document=str(row[0]), line=decode_node(row[4]).line) for row in rows)

    def first_documents(self) -> dict[str, str]:
        """Gives the document of the strongest assertion of each record."""
        return {node_id: str(rows[0][0]) for node_id, rows in self._rows.items()}

    def member(self, node_id: str) -> Member | None:
        """Gives a property, parameter or code of the unit's records."""
        parent, _, _ = node_id.rpartition("/")
        # A code or a nested name may hold a slash itself, so the parent is the longest one that is there.
        while parent:
            if (record := self.records.get(parent)) is not None:
                return next((found for found in members_of(record) if found.id == node_id), None)
            parent, _, _ = parent.rpartition("/")
        return None


def version_of(digests: Mapping[str, bytes]) -> str:
    """Gives a hash of digests by id."""
    digest = hashlib.blake2b(digest_size=16)
    for node_id in sorted(digests):
        digest.update(node_id.encode())
        digest.update(b"\0")
        digest.update(digests[node_id])
    return digest.hexdigest()


def members_of(record: Node) -> Iterable[Member]:
    """Gives the properties, parameters or codes that a record holds; a code that is there twice is shown once."""
    match record:
        case EntityType() | ComplexType():
            kind, members = NodeKind.PROPERTY, [(item.name, item) for item in record.properties]
        case Operation():
            kind, members = NodeKind.PARAMETER, [(item.name, item) for item in record.parameters]
        case ValueHelp():
            kind, members = NodeKind.CODE, [(item.code, item) for item in reversed(record.codes)]
            members = list({item.code: (name, item) for name, item in members}.values())[::-1]
        case _:
            return
    for name, item in members:
        yield Member(id=member_id(record.id, name), kind=kind, parent=record.id, member=item)
