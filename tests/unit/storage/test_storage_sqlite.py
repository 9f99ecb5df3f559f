"""The SQLite file: what it refuses, what a full disk does, what other processes see."""

import resource
import sqlite3
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from clew.domain.errors import StorageError, StorageFull, WorkspaceError, WorkspaceTooNew
from clew.storage import SqliteDatabase
from clew.storage.queries import Migration, migrations_of

MEGABYTE = 1024 * 1024


def put(database: SqliteDatabase, key: str, value: str) -> None:
    with database.write() as transaction:
        transaction.execute("put_setting", {"key": key, "value": value})


def settings(database: SqliteDatabase) -> dict[object, object]:
    with database.read() as transaction:
        return dict(transaction.all("list_settings"))


@contextmanager
def opened(path: Path, **options: float) -> Generator[SqliteDatabase]:
    database = SqliteDatabase(path, **options)  # type: ignore[arg-type]
    try:
        yield database
    finally:
        database.close()


def make_newer(path: Path) -> None:
    with opened(path) as database:
        put(database, "colour", "green")
    connection = sqlite3.connect(path)
    connection.execute("INSERT INTO migration VALUES ('', '', 9999, 'from_the_future', '')")
    connection.commit()
    connection.close()


def test_a_newer_file_is_refused_and_left_untouched(tmp_path: Path) -> None:
    path = tmp_path / "w.db"
    make_newer(path)
    before = path.read_bytes()
    with opened(path) as database:
        with pytest.raises(WorkspaceTooNew, match="schema 9999"):
            settings(database)
        with pytest.raises(WorkspaceTooNew):
            put(database, "colour", "red")
    assert path.read_bytes() == before
    assert [each.name for each in tmp_path.iterdir()] == ["w.db"]


def test_the_database_of_another_program_is_refused_and_left_untouched(tmp_path: Path) -> None:
    path = tmp_path / "w.db"
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE invoice (number INTEGER)")
    connection.commit()
    connection.close()
    before = path.read_bytes()
    with opened(path) as database, pytest.raises(WorkspaceError, match="another program"):
        put(database, "colour", "green")
    assert path.read_bytes() == before


def test_a_file_that_is_no_database_is_refused_and_left_untouched(tmp_path: Path) -> None:
    path = tmp_path / "w.db"
    path.write_text("<html>not a database at all</html>" * 100, encoding="utf-8")
    with opened(path) as database, pytest.raises(StorageError, match="not a database"):
        put(database, "colour", "green")
    assert path.read_text(encoding="utf-8").startswith("<html>")


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with opened(tmp_path / "no" / "w.db") as database, pytest.raises(StorageError, match="there is no folder"):
        put(database, "colour", "green")


def test_nothing_is_made_before_something_is_asked(tmp_path: Path) -> None:
    with opened(tmp_path / "w.db"):
        assert list(tmp_path.iterdir()) == []


def test_a_new_file_has_had_every_migration(tmp_path: Path) -> None:
    with opened(tmp_path / "w.db") as database, database.read() as transaction:
        assert transaction.one("migration_version") == (migrations_of("sqlite")[-1].version,)


NEXT = Migration(version=2, name="next", text="CREATE TABLE later (tenant TEXT);\nINSERT INTO later VALUES ('');\n")
BROKEN = Migration(
    version=3, name="broken", text="CREATE TABLE latest (tenant TEXT);\nINSERT INTO nowhere VALUES (1);\n"
)


def write_migrations(monkeypatch: pytest.MonkeyPatch, *further: Migration) -> None:
    """Lets this version of Clew know more migrations than it has."""
    known = (*migrations_of("sqlite")[:1], *further)
    monkeypatch.setattr("clew.storage.units.migrations_of", lambda dialect: known)


def test_an_older_file_is_brought_forwards_with_what_is_in_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "w.db"
    with opened(path) as database:
        put(database, "colour", "green")
    write_migrations(monkeypatch, NEXT)
    with opened(path) as database, database.read() as transaction:
        assert transaction.one("migration_version") == (2,)
        assert ("later",) in transaction.all("list_tables")
        assert transaction.all("list_settings") == [("colour", "green")]


def test_a_migration_that_fails_leaves_the_file_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "w.db"
    with opened(path) as database:
        put(database, "colour", "green")
    with monkeypatch.context() as patch:
        write_migrations(patch, NEXT, BROKEN)
        with opened(path) as database, pytest.raises(StorageError, match="nowhere"):
            settings(database)
    with opened(path) as database, database.read() as transaction:
        assert transaction.one("migration_version") == (1,)
        assert not {("later",), ("latest",)} & set(transaction.all("list_tables"))
        assert transaction.all("list_settings") == [("colour", "green")]


def test_a_full_disk_changes_nothing_and_is_told_in_one_line(tmp_path: Path) -> None:
    with opened(tmp_path / "w.db", size_limit_bytes=MEGABYTE) as database:
        put(database, "colour", "green")
        rows = ({"key": f"k{number}", "value": "x" * 10_000} for number in range(1000))
        with pytest.raises(StorageFull) as told, database.write() as transaction:
            transaction.execute_many("put_setting", rows)
        assert str(told.value) == "The disk is full; nothing was changed. Free some space and try again."
        assert settings(database) == {"colour": "green"}
        put(database, "colour", "red")
        assert settings(database) == {"colour": "red"}


def test_a_file_that_may_not_grow_changes_nothing(tmp_path: Path) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    with opened(tmp_path / "w.db") as database:
        put(database, "colour", "green")
        rows = ({"key": f"k{number}", "value": "x" * 10_000} for number in range(1000))
        resource.setrlimit(resource.RLIMIT_FSIZE, (MEGABYTE, hard))
        try:
            with pytest.raises(StorageError, match="nothing was changed"), database.write() as transaction:
                transaction.execute_many("put_setting", rows)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        assert settings(database) == {"colour": "green"}
        put(database, "colour", "red")
        assert settings(database) == {"colour": "red"}


def test_a_writer_that_waits_in_vain_is_told_so(tmp_path: Path) -> None:
    path = tmp_path / "w.db"
    with opened(path) as one, opened(path, timeout_s=0.01) as other, one.write():
        with pytest.raises(StorageError, match="has been writing"):
            put(other, "colour", "green")
        assert settings(other) == {}


def test_a_temporary_database_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    database = SqliteDatabase(":memory:")
    put(database, "colour", "green")
    assert len(list(tmp_path.iterdir())) == 1
    database.close()
    assert list(tmp_path.iterdir()) == []
    forgotten = SqliteDatabase(":memory:")
    put(forgotten, "colour", "green")
    del forgotten
    assert list(tmp_path.iterdir()) == []


WRITER = """
import sys
from pathlib import Path
from clew.storage import SqliteDatabase
database = SqliteDatabase(Path(sys.argv[1]))
for number in range(20):
    with database.write() as transaction:
        row = transaction.one("get_setting", {"key": "count"})
        transaction.execute("put_setting", {"key": "count", "value": str(int(row[0]) + 1 if row else 1)})
database.close()
"""


def test_writers_of_several_processes_queue_and_none_is_lost(tmp_path: Path) -> None:
    path = tmp_path / "w.db"
    command = [sys.executable, "-c", WRITER, str(path)]
    running = [subprocess.Popen(command) for _ in range(3)]
    assert [process.wait(timeout=60) for process in running] == [0, 0, 0]
    with opened(path) as database:
        assert settings(database) == {"count": "60"}
