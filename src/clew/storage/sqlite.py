"""SQLite: one file, write-ahead log, any number of readers beside one writer, in this process and in others."""

import shutil
import sqlite3
import tempfile
import threading
import weakref
from collections.abc import Generator, Iterable
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Literal

from clew.domain.clocks import Clock, utc_now
from clew.domain.errors import StorageError, StorageFull
from clew.domain.ports import Row
from clew.storage.queries import Migration, query_named
from clew.storage.units import Parameters, Turn, complete, migrate, refuse_newer, version_of

DIALECT = "sqlite"
PAGE_BYTES = 4096
OLDEST_SQLITE = (3, 35)
"""The first version that gives back what an INSERT made (`RETURNING`)."""

_WAITED = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED})


class SqliteDatabase:
    """A workspace's database in one file; implements `clew.domain.ports.Database`.

    Nothing is opened before the first unit of work. Commits are synced to the disk, so that an acknowledged write
    survives `kill -9` and the loss of power. `":memory:"` is a database of its own in a temporary folder that goes
    with it: the same code runs, readers beside a writer included.

    Args:
        path: the file, made where it is not there yet; its folder must exist.
        clock: dates the migrations.
        timeout_s: how long a writer waits for its turn.
        size_limit_bytes: beyond it the database counts as full; 0 for no limit but the disk's.
    """

    dialect = DIALECT

    def __init__(
        self,
        path: Path | Literal[":memory:"],
        *,
        clock: Clock = utc_now,
        timeout_s: float = 30.0,
        size_limit_bytes: int = 0,
    ) -> None:
        """Stores where the database is."""
        self._clock = clock
        self._turn = Turn(timeout_s)
        self._connections = _Connections(path, timeout_s, size_limit_bytes)
        self._opening = threading.Lock()
        self._is_open = False
        # Connections that nobody closes are closed with the object, so that no test leaves a file behind.
        self._finalizer = weakref.finalize(self, self._connections.close)

    @contextmanager
    def read(self) -> "Generator[SqliteTransaction]":
        """Opens a read-only unit of work on the state of this moment.

        Raises:
            StorageError: the file cannot be read as a database.
            WorkspaceError: it belongs to another program, or to a newer version of Clew.
        """
        self._open()
        connection = self._connections.take()
        try:
            with _translated():
                connection.execute("BEGIN")
                # The state is fixed by the first read, not by BEGIN.
                connection.execute("SELECT 1 FROM migration LIMIT 1").fetchone()
            yield SqliteTransaction(connection)
        finally:
            with suppress(sqlite3.Error):
                connection.rollback()
            self._connections.give_back(connection)

    @contextmanager
    def write(self) -> "Generator[SqliteTransaction]":
        """Opens the unit of work of the single writer, waiting for its turn.

        Raises:
            StorageError: it could not be opened or committed; nothing was changed.
            StorageFull: the disk is full; nothing was changed.
        """
        self._open()
        with self._turn.taken():
            with _translated():
                connection = self._connections.writer()
                connection.execute("BEGIN IMMEDIATE")
            with _undone(connection):
                yield SqliteTransaction(connection)
                with _translated():
                    connection.execute("COMMIT")

    def close(self) -> None:
        """Lets go of every connection; those in use are closed when their unit of work ends."""
        self._finalizer()

    def _open(self) -> None:
        with self._opening:
            if self._is_open:
                return
            with _translated():
                self._migrate()
            self._is_open = True

    def _migrate(self) -> None:
        connections, place = self._connections, self._connections.place
        if sqlite3.sqlite_version_info < OLDEST_SQLITE:
            wanted = ".".join(map(str, OLDEST_SQLITE))
            raise StorageError(f"Python has SQLite {sqlite3.sqlite_version} here; {wanted} or newer is wanted.")
        # A file that is newer, foreign or no database is left as it is: it is looked at before anything is set.
        connection = connections.connect()
        try:
            version = version_of(SqliteTransaction(connection), place=place)
            if not refuse_newer(version, dialect=DIALECT, place=place):
                return
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("BEGIN IMMEDIATE")
            with _undone(connection):
                transaction = SqliteTransaction(connection)
                migrate(transaction, transaction.apply, dialect=DIALECT, place=place, clock=self._clock)
                connection.execute("COMMIT")
        finally:
            connection.close()


class SqliteTransaction:
    """A unit of work on one connection."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        """Works on a connection that has begun a transaction."""
        self._connection = connection

    def execute(self, query: str, parameters: Parameters = {}) -> int:
        """Runs the named query; gives how many rows it changed."""
        with _translated():
            cursor = self._connection.execute(query_named(DIALECT, query), complete(parameters))
            return max(cursor.rowcount, 0)

    def execute_many(self, query: str, parameters: Iterable[Parameters]) -> None:
        """Runs the named query once for each set of parameters."""
        with _translated():
            self._connection.executemany(query_named(DIALECT, query), (complete(each) for each in parameters))

    def all(self, query: str, parameters: Parameters = {}) -> list[Row]:
        """Gives all rows of the named query."""
        with _translated():
            return self._connection.execute(query_named(DIALECT, query), complete(parameters)).fetchall()

    def one(self, query: str, parameters: Parameters = {}) -> Row | None:
        """Gives the first row of the named query, `None` where there is none."""
        with _translated():
            cursor = self._connection.execute(query_named(DIALECT, query), complete(parameters))
            row = cursor.fetchone()
            cursor.close()
            return row

    def apply(self, migration: Migration) -> None:
        """Runs a migration's statements; `executescript` would commit what came before."""
        statement = ""
        with _translated():
            for line in migration.text.splitlines(keepends=True):
                statement += line
                if sqlite3.complete_statement(statement):
                    self._connection.execute(statement)
                    statement = ""
            self._connection.execute(statement)


class _Connections:
    """The writer's connection and the readers', which are used again."""

    def __init__(self, path: Path | Literal[":memory:"], timeout_s: float, size_limit_bytes: int) -> None:
        self._path = path if isinstance(path, Path) else None
        self.place = str(path)
        self._timeout_s = timeout_s
        self._size_limit_bytes = size_limit_bytes
        self._lock = threading.Lock()
        self._writer: sqlite3.Connection | None = None
        self._idle: list[sqlite3.Connection] = []
        self._folder = ""
        self._is_closed = False

    def connect(self) -> sqlite3.Connection:
        if self._is_closed:
            raise StorageError(f"{self.place}: the database was closed.")
        if self._path is None:
            self._path = self._temporary_path()
        elif not self._path.parent.is_dir():
            raise StorageError(f"{self._path}: there is no folder {self._path.parent} to keep the database in.")
        connection = sqlite3.connect(
            self._path, timeout=self._timeout_s, isolation_level=None, check_same_thread=False, cached_statements=256
        )
        # What is in a temporary folder does not outlive the process, so it need not outlive the power either.
        connection.execute("PRAGMA synchronous = OFF" if self._folder else "PRAGMA synchronous = FULL")
        return connection

    def _temporary_path(self) -> Path:
        try:
            self._folder = tempfile.mkdtemp(prefix="clew-")
        except OSError as error:
            raise StorageError(f"There is no room for a temporary database: {error.strerror or error}.") from error
        return Path(self._folder) / "memory.db"

    def writer(self) -> sqlite3.Connection:
        if self._writer is None:
            connection = self.connect()
            if self._size_limit_bytes:
                connection.execute(f"PRAGMA max_page_count = {self._size_limit_bytes // PAGE_BYTES}")
            self._writer = connection
        return self._writer

    def take(self) -> sqlite3.Connection:
        with self._lock:
            if self._idle:
                return self._idle.pop()
        with _translated():
            connection = self.connect()
            connection.execute("PRAGMA query_only = ON")
        return connection

    def give_back(self, connection: sqlite3.Connection) -> None:
        with self._lock:
            if not self._is_closed:
                self._idle.append(connection)
                return
        connection.close()

    def close(self) -> None:
        with self._lock:
            self._is_closed = True
            connections = [*self._idle, *([self._writer] if self._writer else [])]
            self._idle, self._writer = [], None
        for connection in connections:
            connection.close()
        if self._folder:
            shutil.rmtree(self._folder, ignore_errors=True)


@contextmanager
def _undone(connection: sqlite3.Connection) -> Generator[None]:
    """Rolls back what the block did when it raises; SQLite has done it itself where the disk was full."""
    try:
        yield
    except BaseException:
        with suppress(sqlite3.Error):
            if connection.in_transaction:
                connection.rollback()
        raise


@contextmanager
def _translated() -> Generator[None]:
    """Turns the driver's errors into Clew's, the cause kept."""
    try:
        yield
    except sqlite3.Error as error:
        raise _translate(error) from error


def _translate(error: sqlite3.Error) -> StorageError:
    code = getattr(error, "sqlite_errorcode", None)
    # The lower byte is the error, the rest says where it came from.
    primary = code & 0xFF if isinstance(code, int) else None
    if primary == sqlite3.SQLITE_FULL:
        return StorageFull("The disk is full; nothing was changed. Free some space and try again.")
    if primary in _WAITED:
        return StorageError("Another process has been writing all the time; nothing was changed. Try again.")
    if primary == sqlite3.SQLITE_NOTADB:
        return StorageError("The file is not a database; nothing was changed.")
    return StorageError(f"The database refused: {error}; nothing was changed.")
