"""What every `Journal` promises (`clew.domain.ports`), on every database."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from itertools import count

import pytest

from clew.domain.clocks import Clock
from clew.domain.errors import StorageError
from clew.domain.events import JournalEvent
from clew.domain.ports import Database
from clew.storage import SqlJournal
from clew.storage.queries import Migration


def ticking() -> Clock:
    seconds = count()
    return lambda: datetime(2026, 12, 1, 8, 30, tzinfo=UTC) + timedelta(seconds=next(seconds))


def event(run_id: str = "r1", **fields: object) -> JournalEvent:
    return JournalEvent(kind="call", run_id=run_id, principal="buyer", **fields)  # type: ignore[arg-type]


@pytest.fixture
def journal(database: Database) -> SqlJournal:
    return SqlJournal(database, ticking())


def test_an_event_comes_back_as_it_was_with_its_sequence_and_time(journal: SqlJournal) -> None:
    stored = journal.append(
        event(case_id="c1", conversation_id="v1", plan_hash="h", body={"ok": True, "list": [1, None]})
    )
    assert (stored.at, stored.sequence > 0) == ("2026-12-01T08:30:00.000Z", True)
    assert list(journal.events()) == [stored]


def test_numbers_keep_their_digits(journal: SqlJournal) -> None:
    body = {"price": Decimal("1234567890123456.10"), "count": 2**60, "text": "12.50"}
    journal.append(event(body=body))
    (found,) = journal.events()
    assert found.body == body
    assert str(found.body["price"]) == "1234567890123456.10"


def test_events_come_in_the_order_in_which_they_were_appended(journal: SqlJournal) -> None:
    appended = [journal.append(event(body={"number": number})) for number in range(5)]
    assert list(journal.events()) == appended
    assert [each.sequence for each in appended] == sorted({each.sequence for each in appended})


def test_a_trace_is_the_journal_of_one_run(journal: SqlJournal) -> None:
    for number in range(4):
        journal.append(event(run_id=f"r{number % 2}", case_id=f"c{number}"))
    assert [each.case_id for each in journal.events(run_id="r1")] == ["c1", "c3"]
    assert [each.run_id for each in journal.events(case_id="c2")] == ["r0"]
    assert list(journal.events(run_id="r1", case_id="c2")) == []
    assert [each.case_id for each in journal.events(run_id="r1", case_id="c3")] == ["c3"]
    assert list(journal.events(run_id="unknown")) == []


def test_a_long_trace_is_read_to_its_end(journal: SqlJournal, database: Database) -> None:
    with database.write() as transaction:
        for number in range(1203):
            journal.append_in(transaction, event(body={"number": number}))
    assert [each.body["number"] for each in journal.events(run_id="r1")] == list(range(1203))


def test_an_event_stands_or_falls_with_what_it_tells_of(journal: SqlJournal, database: Database) -> None:
    with pytest.raises(ZeroDivisionError), database.write() as transaction:  # noqa: PT012
        journal.append_in(transaction, event())
        _ = 1 // 0
    assert list(journal.events()) == []


def test_a_tenant_reads_its_own_events(database: Database) -> None:
    one, other = SqlJournal(database, ticking(), tenant="one"), SqlJournal(database, ticking(), tenant="other")
    assert one.append(event()).tenant == "one"
    assert len(list(one.events())) == 1
    assert list(other.events()) == []


def test_runs_are_listed_with_the_newest_first(journal: SqlJournal, database: Database) -> None:
    for run_id in ("r1", "r2", "r1", ""):
        journal.append(event(run_id=run_id))
    with database.read() as transaction:
        rows = transaction.all("list_traces", {"limit": 10})
    assert [(row[0], row[1], row[2]) for row in rows] == [("r1", "buyer", 2), ("r2", "buyer", 1)]


@pytest.mark.parametrize("change", ["UPDATE journal SET body = '{}'", "DELETE FROM journal"])
def test_what_was_written_cannot_be_changed_even_past_the_queries(
    journal: SqlJournal, database: Database, change: str
) -> None:
    stored = journal.append(event(body={"amount": 5}))
    with pytest.raises(StorageError, match="append-only"), database.write() as transaction:
        run_past_the_queries(transaction, change)
    assert list(journal.events()) == [stored]


def run_past_the_queries(transaction: object, statement: str) -> None:
    """Runs a statement that no query file has, as a stray tool would."""
    transaction.apply(Migration(version=9999, name="stray", text=statement + ";\n"))  # type: ignore[attr-defined]
