"""What every `Database` promises (`clew.domain.ports`), on every implementation."""

import threading
from collections.abc import Callable

import pytest

from clew.domain.errors import StorageError
from clew.domain.ports import Database

VALUES = [f"value {number}" for number in range(5)]


def settings(database: Database) -> dict[object, object]:
    with database.read() as transaction:
        return dict(transaction.all("list_settings"))


def put(database: Database, key: str, value: str) -> None:
    with database.write() as transaction:
        transaction.execute("put_setting", {"key": key, "value": value})


def test_what_was_committed_is_read_back(database: Database) -> None:
    put(database, "colour", "grün 🧵")
    assert settings(database) == {"colour": "grün 🧵"}


def test_a_second_put_replaces_the_first(database: Database) -> None:
    put(database, "colour", "green")
    put(database, "colour", "red")
    assert settings(database) == {"colour": "red"}


def test_a_unit_of_work_that_raises_changes_nothing(database: Database) -> None:
    put(database, "colour", "green")
    with pytest.raises(ZeroDivisionError), database.write() as transaction:  # noqa: PT012
        transaction.execute("put_setting", {"key": "colour", "value": "red"})
        _ = 1 // 0
    assert settings(database) == {"colour": "green"}


def test_the_database_goes_on_after_a_refused_query(database: Database) -> None:
    with pytest.raises(StorageError), database.write() as transaction:
        transaction.execute("put_setting", {"key": "colour", "value": None})
    put(database, "colour", "green")
    assert settings(database) == {"colour": "green"}


def test_execute_tells_how_many_rows_it_changed(database: Database) -> None:
    with database.write() as transaction:
        assert transaction.execute("put_setting", {"key": "colour", "value": "green"}) == 1
        assert transaction.execute("delete_setting", {"key": "colour"}) == 1
        assert transaction.execute("delete_setting", {"key": "colour"}) == 0


def test_execute_many_runs_the_query_for_each_set_of_parameters(database: Database) -> None:
    with database.write() as transaction:
        transaction.execute_many("put_setting", ({"key": value, "value": value} for value in VALUES))
        transaction.execute_many("put_setting", [])
    assert list(settings(database)) == VALUES


def test_one_gives_nothing_where_there_is_no_row(database: Database) -> None:
    with database.read() as transaction:
        assert transaction.one("get_setting", {"key": "colour"}) is None
        assert transaction.all("list_settings") == []


def test_bytes_come_back_as_they_were(database: Database) -> None:
    vector = bytes(range(256))
    with database.write() as transaction:
        transaction.execute("put_vector", {"model": "m", "content_hash": "h", "vector": vector})
        assert transaction.one("get_vector", {"model": "m", "content_hash": "h"}) == (vector,)


def test_texts_are_sorted_by_their_bytes(database: Database) -> None:
    keys = ["a", "B", "Z", "ä", "b", "a_", "aZ"]
    with database.write() as transaction:
        transaction.execute_many("put_setting", [{"key": key, "value": ""} for key in keys])
    assert list(settings(database)) == sorted(keys, key=lambda key: key.encode())


def test_a_tenant_sees_only_its_own_rows(database: Database) -> None:
    with database.write() as transaction:
        transaction.execute("put_setting", {"tenant": "one", "key": "colour", "value": "green"})
        transaction.execute("put_setting", {"tenant": "two", "key": "colour", "value": "red"})
    with database.read() as transaction:
        assert transaction.all("list_settings", {"tenant": "one"}) == [("colour", "green")]
        assert transaction.all("list_settings") == []


def test_a_reader_cannot_write(database: Database) -> None:
    with pytest.raises(StorageError), database.read() as transaction:
        transaction.execute("put_setting", {"key": "colour", "value": "green"})
    assert settings(database) == {}


def test_a_reader_sees_the_state_of_its_beginning_while_a_writer_works(database: Database) -> None:
    put(database, "colour", "green")
    with database.read() as before:
        with database.write() as transaction:
            transaction.execute("put_setting", {"key": "colour", "value": "red"})
            assert before.one("get_setting", {"key": "colour"}) == ("green",)
            assert settings(database) == {"colour": "green"}
        assert settings(database) == {"colour": "red"}
        assert before.one("get_setting", {"key": "colour"}) == ("green",)


def test_an_unknown_query_is_named(database: Database) -> None:
    with pytest.raises(StorageError, match="'put_nonsense'"), database.read() as transaction:
        transaction.all("put_nonsense")


def test_a_second_unit_of_work_of_the_same_thread_is_refused_instead_of_waiting_for_itself(database: Database) -> None:
    with database.write() as transaction:
        with pytest.raises(StorageError, match="in this thread"):
            put(database, "colour", "red")
        transaction.execute("put_setting", {"key": "colour", "value": "green"})
    assert settings(database) == {"colour": "green"}


def test_writers_of_several_threads_queue_and_none_is_lost(database: Database) -> None:
    def count_up() -> None:
        for _ in range(10):
            with database.write() as transaction:
                row = transaction.one("get_setting", {"key": "count"})
                count = int(str(row[0])) if row else 0
                transaction.execute("put_setting", {"key": "count", "value": str(count + 1)})

    threads = [threading.Thread(target=count_up) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert settings(database) == {"count": "40"}


def test_after_it_was_closed_a_database_says_so(database: Database) -> None:
    put(database, "colour", "green")
    database.close()
    with pytest.raises(StorageError, match="was closed"):
        put(database, "colour", "red")


def test_what_was_committed_is_there_for_the_next_one_who_opens_it(reopen: Callable[[], Database]) -> None:
    first = reopen()
    put(first, "colour", "green")
    first.close()
    assert settings(reopen()) == {"colour": "green"}


def test_two_who_open_a_new_database_at_once_both_find_its_tables(reopen: Callable[[], Database]) -> None:
    failures: list[BaseException] = []
    start = threading.Barrier(4)

    def open_and_put(number: int) -> None:
        database = reopen()
        start.wait()
        try:
            put(database, f"key {number}", "value")
        except StorageError as error:
            failures.append(error)

    threads = [threading.Thread(target=open_and_put, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert len(settings(reopen())) == 4


def test_writers_of_several_databases_queue(reopen: Callable[[], Database]) -> None:
    one, other = reopen(), reopen()
    with one.write() as transaction:
        transaction.execute("put_setting", {"key": "colour", "value": "green"})
        waiting = threading.Thread(target=put, args=(other, "shape", "round"))
        waiting.start()
        assert settings(other) == {}
    waiting.join()
    assert settings(one) == {"colour": "green", "shape": "round"}


def test_a_plan_is_confirmed_once(database: Database) -> None:
    claim = {"hash": "h", "run_id": "r1", "at": "now"}
    with database.write() as transaction:
        assert transaction.execute("claim_confirmation", claim) == 1
    with database.write() as transaction:
        assert transaction.execute("claim_confirmation", {**claim, "run_id": "r2"}) == 0
        assert transaction.one("confirmation_of_plan", {"hash": "h"}) == ("r1", "", "now")


def test_a_step_has_one_intent_and_one_receipt(database: Database) -> None:
    intent = {"run_id": "r", "position": 1, "at": "now", "payload": "{}"}
    with database.write() as transaction:
        assert transaction.execute("put_intent", intent) == 1
        assert transaction.execute("put_intent", intent) == 0
        assert transaction.execute("put_receipt", {**intent, "status": 201}) == 1
        assert transaction.execute("put_receipt", {**intent, "status": 500}) == 0
        assert transaction.all("receipts_of_run", {"run_id": "r"}) == [(1, 201, "now", "{}")]
        assert transaction.all("intents_of_run", {"run_id": "r"}) == [(1, "now", "{}")]


def test_a_case_is_there_for_its_principal_alone(database: Database) -> None:
    case = {"handle": "h", "process": "p", "state": "open", "mode": "enforce", "opened_at": "now", "payload": "{}"}
    evidence = {"handle": "h", "activity": "a", "object_key": "", "at": "now", "payload": "{}"}
    buyer, other = {"principal": "buyer", "handle": "h"}, {"principal": "other", "handle": "h"}
    with database.write() as transaction:
        transaction.execute("put_case", {**case, **buyer})
        transaction.execute("put_evidence", {**evidence, **buyer})
        assert transaction.execute("set_case_state", {**other, "state": "closed"}) == 0
        row = transaction.one("case_by_handle", buyer)
        assert row == ("h", "p", "buyer", "", "open", "enforce", "now", "{}")
        assert transaction.one("case_by_handle", other) is None
        assert transaction.all("evidence_of_case", buyer) == [("{}",)]
        assert transaction.all("evidence_of_case", other) == []


def test_a_run_keeps_its_beginning_when_its_state_changes(database: Database) -> None:
    run = {"run_id": "r", "plan_hash": "h", "principal": "buyer", "failure": "", "payload": "{}"}
    with database.write() as transaction:
        transaction.execute("put_run", {**run, "state": "running", "at": "8:00"})
        transaction.execute("put_run", {**run, "principal": "other", "state": "done", "at": "9:00"})
        row = transaction.one("run_by_id", {"run_id": "r"})
        assert row == ("r", "h", "buyer", "done", "", "8:00", "9:00", "{}")
        assert transaction.all("list_runs", {"limit": 10}) == [row]
