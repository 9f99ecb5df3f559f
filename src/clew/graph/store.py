"""`GraphStore`: puts facts into the graph and takes them out again, document by document."""

from collections.abc import Iterable

import msgspec

from clew.domain.clocks import Clock, stamp, utc_now
from clew.domain.facts import SourceFacts, SourceReport
from clew.domain.ports import Database, SqlValue, Transaction
from clew.domain.records import Record
from clew.graph.rows import decode_report, edge_rows, encode_report, issue_rows, node_rows, overlay_rows
from clew.graph.snapshot import Snapshot

_FORGET = ("delete_nodes", "delete_edges", "delete_overlays", "delete_issues")


class StoredDocument(Record, frozen=True, kw_only=True):
    """A document whose facts are in the graph."""

    document: str
    content_hash: str
    report: SourceReport
    ingested_at: str


class GraphStore:
    """The graph's facts, kept by document.

    A node is the merge of what all documents assert of it, and goes when the last of them goes. Every method that
    changes something is one unit of work: the graph is as before or as after, never between.
    """

    def __init__(self, database: Database, *, clock: Clock = utc_now, tenant: str = "", principal: str = "") -> None:
        """Keeps the facts of `tenant`; `principal` is noted beside what is written."""
        self._database = database
        self._clock = clock
        self._scope: dict[str, SqlValue] = {"tenant": tenant, "principal": principal}
        self._tenant = tenant

    def put(self, facts: SourceFacts, content_hash: str) -> None:
        """Puts a document's facts in place of those that it had.

        Raises:
            StorageError: nothing was changed.
        """
        self.put_many([(facts, content_hash)])

    def put_many(self, documents: Iterable[tuple[SourceFacts, str]], *, remove: Iterable[str] = ()) -> None:
        """Takes documents out and puts others in, all in one unit of work; an iterator is drawn while it is open.

        Args:
            documents: (facts, content hash) pairs.
            remove: keys of documents to take out first; unknown ones are passed over.

        Raises:
            StorageError: nothing was changed.
        """
        with self._database.write() as transaction:
            for document in remove:
                self._forget(transaction, document)
            for facts, content_hash in documents:
                self._put(transaction, facts, content_hash)

    def remove(self, document: str) -> bool:
        """Takes a document's facts out; gives whether it was there."""
        with self._database.write() as transaction:
            return self._forget(transaction, document)

    def documents(self) -> list[StoredDocument]:
        """Gives the documents in the order of their keys, which is the order in which they are merged."""
        with self._database.read() as transaction:
            rows = transaction.all("list_sources", self._scope)
        return [
            StoredDocument(
                document=str(document),
                content_hash=str(content_hash),
                report=decode_report(report),
                ingested_at=str(ingested_at),
            )
            for document, content_hash, _, _, report, ingested_at in rows
        ]

    def snapshot(self) -> Snapshot:
        """Gives the graph as it is now."""
        return Snapshot(self._database, tenant=self._tenant)

    def _put(self, transaction: Transaction, facts: SourceFacts, content_hash: str) -> None:
        report = facts.report
        self._forget(transaction, report.document)
        source: dict[str, SqlValue] = {
            **self._scope,
            "document": report.document,
            "content_hash": content_hash,
            "kind": report.kind,
            "owners": msgspec.json.encode(report.owners).decode(),
            "report": encode_report(report),
            "ingested_at": stamp(self._clock()),
        }
        transaction.execute("put_source", source)
        for query, rows in (
            ("put_node", node_rows(facts)),
            ("put_edge", edge_rows(facts)),
            ("put_overlay", overlay_rows(facts)),
            ("put_issue", issue_rows(facts)),
        ):
            transaction.execute_many(query, ({**self._scope, **row} for row in rows))

    def _forget(self, transaction: Transaction, document: str) -> bool:
        key = {**self._scope, "document": document}
        if not transaction.execute("delete_source", key):
            return False
        for query in _FORGET:
            transaction.execute(query, key)
        return True
