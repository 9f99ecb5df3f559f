"""`SqlJournal`: the append-only record, kept in the database."""

from collections.abc import Iterator
from decimal import Decimal

import msgspec

from clew.domain.clocks import Clock, stamp
from clew.domain.errors import StorageError
from clew.domain.events import JournalEvent
from clew.domain.ports import Database, Row, SqlValue, Transaction
from clew.domain.records import JsonObject

PAGE_ROWS = 500

_ENCODER = msgspec.json.Encoder(decimal_format="number")
_DECODER = msgspec.json.Decoder(JsonObject, float_hook=Decimal)


class SqlJournal:
    """Implements `clew.domain.ports.Journal` on a database.

    Events are read in pages, each on the state of its moment, so that a long trace holds up nobody; since nothing is
    ever changed, the pages fit together.
    """

    def __init__(self, database: Database, clock: Clock, *, tenant: str = "") -> None:
        """Reads the events of `tenant`; an event is stored under the tenant that it names."""
        self._database = database
        self._clock = clock
        self._tenant = tenant

    def append(self, event: JournalEvent) -> JournalEvent:
        """Stores the event; gives it with its sequence and time."""
        with self._database.write() as transaction:
            return self.append_in(transaction, event)

    def append_in(self, transaction: Transaction, event: JournalEvent) -> JournalEvent:
        """Stores the event in a unit of work that is open, so that it stands or falls with what it tells of."""
        at = event.at or stamp(self._clock())
        tenant = event.tenant or self._tenant
        row = transaction.one("append_event", _parameters(event, at=at, tenant=tenant))
        if row is None:
            raise StorageError("The journal gave no sequence for an event; nothing was changed.")
        return msgspec.structs.replace(event, at=at, tenant=tenant, sequence=row[0])

    def events(self, *, run_id: str = "", case_id: str = "") -> Iterator[JournalEvent]:
        """Gives the events of a run or a case, or of a case's part in a run (all where both are empty), in order."""
        query = "events_by_run" if run_id else "events_by_case" if case_id else "list_events"
        asked = {"tenant": self._tenant, "run_id": run_id, "case_id": case_id, "limit": PAGE_ROWS}
        after = 0
        while True:
            with self._database.read() as transaction:
                rows = transaction.all(query, {**asked, "after": after})
            for event in map(_event, rows):
                after = event.sequence
                if not case_id or event.case_id == case_id:
                    yield event
            if len(rows) < PAGE_ROWS:
                return


def _parameters(event: JournalEvent, *, at: str, tenant: str) -> dict[str, SqlValue]:
    return {
        "tenant": tenant,
        "principal": event.principal,
        "kind": event.kind,
        "run_id": event.run_id,
        "case_id": event.case_id,
        "conversation_id": event.conversation_id,
        "plan_hash": event.plan_hash,
        "at": at,
        "body": _ENCODER.encode(event.body).decode(),
    }


def _event(row: Row) -> JournalEvent:
    sequence, tenant, principal, kind, run_id, case_id, conversation_id, plan_hash, at, body = row
    fields = {
        "sequence": sequence,
        "tenant": tenant,
        "principal": principal,
        "kind": kind,
        "run_id": run_id,
        "case_id": case_id,
        "conversation_id": conversation_id,
        "plan_hash": plan_hash,
        "at": at,
        "body": _DECODER.decode(str(body)),
    }
    return msgspec.convert(fields, JournalEvent)
