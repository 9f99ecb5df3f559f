"""PostgreSQL: the shared system of record beyond one machine; the same queries under the same names."""

import importlib
import threading
import weakref
from collections.abc import Generator, Iterable
from contextlib import contextmanager, suppress
from types import ModuleType
from typing import TYPE_CHECKING, Any, cast

from clew.domain.clocks import Clock, utc_now
from clew.domain.errors import MissingExtra, StorageError, StorageFull
from clew.domain.ports import Row
from clew.storage.queries import Migration, query_named
from clew.storage.units import Parameters, Turn, complete, migrate, refuse_newer, version_of

if TYPE_CHECKING:
    import psycopg

    Connection = psycopg.Connection[tuple[Any, ...]]

DIALECT = "postgres"

# One number for all of Clew, so that writers of one database queue; the lock goes with the transaction.
_WRITERS = 0x436C6577


class PostgresDatabase:
    """A workspace's database on a server; implements `clew.domain.ports.Database`.

    Nothing is opened before the first unit of work. Reads are repeatable: they see the state of the moment at which
    their unit of work was opened. Writers queue by an advisory lock, so that journal sequences are in commit order.

    Args:
        dsn: connection string or URI; a schema of its own is chosen by `options=-csearch_path=NAME`.
        clock: dates the migrations.
        timeout_s: how long a writer waits for its turn.

    Raises:
        MissingExtra: psycopg is not installed.
    """

    dialect = DIALECT

    def __init__(self, dsn: str, *, clock: Clock = utc_now, timeout_s: float = 30.0) -> None:
        """Stores where the database is."""
        self._driver = _Driver(_load_psycopg())
        self._clock = clock
        self._timeout_s = timeout_s
        self._turn = Turn(timeout_s)
        self._connections = _Connections(dsn, self._driver)
        self._opening = threading.Lock()
        self._is_open = False
        self._finalizer = weakref.finalize(self, self._connections.close)

    @contextmanager
    def read(self) -> "Generator[PostgresTransaction]":
        """Opens a read-only unit of work on the state of this moment.

        Raises:
            StorageError: the server cannot be reached.
            WorkspaceError: the database belongs to another program, or to a newer version of Clew.
        """
        self._open()
        with self._unit("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY") as transaction:
            # The state is fixed by the first statement, not by BEGIN.
            transaction.one("migration_version")
            yield transaction

    @contextmanager
    def write(self) -> "Generator[PostgresTransaction]":
        """Opens the unit of work of the single writer, waiting for its turn.

        Raises:
            StorageError: it could not be opened or committed; nothing was changed.
            StorageFull: the disk is full; nothing was changed.
        """
        self._open()
        with self._writing() as transaction:
            yield transaction

    def close(self) -> None:
        """Lets go of every connection; those in use are closed when their unit of work ends."""
        self._finalizer()

    @contextmanager
    def _writing(self) -> "Generator[PostgresTransaction]":
        with self._turn.taken(), self._unit("BEGIN") as transaction:
            transaction.queue(self._timeout_s)
            yield transaction
            transaction.commit()

    @contextmanager
    def _unit(self, begin: str) -> "Generator[PostgresTransaction]":
        connection = self._connections.take()
        try:
            transaction = PostgresTransaction(connection, self._driver)
            transaction.begin(begin)
            yield transaction
        finally:
            # After a commit there is nothing to roll back, and a lost connection cannot.
            with suppress(self._driver.error):
                connection.rollback()
            self._connections.give_back(connection)

    def _open(self) -> None:
        with self._opening:
            if self._is_open:
                return
            place = "The PostgreSQL database"
            with self._unit("BEGIN") as transaction:
                wants = refuse_newer(version_of(transaction, place=place), dialect=DIALECT, place=place)
            if wants:
                with self._writing() as transaction:
                    migrate(transaction, transaction.apply, dialect=DIALECT, place=place, clock=self._clock)
            self._is_open = True


class PostgresTransaction:
    """A unit of work on one connection."""

    def __init__(self, connection: "Connection", driver: "_Driver") -> None:
        """Works on a connection that has begun a transaction."""
        self._connection = connection
        self._driver = driver

    def execute(self, query: str, parameters: Parameters = {}) -> int:
        """Runs the named query; gives how many rows it changed."""
        with self._driver.translated():
            cursor = self._connection.execute(query_named(DIALECT, query), complete(parameters))
            return max(cursor.rowcount, 0)

    def execute_many(self, query: str, parameters: Iterable[Parameters]) -> None:
        """Runs the named query once for each set of parameters."""
        with self._driver.translated(), self._connection.cursor() as cursor:
            cursor.executemany(query_named(DIALECT, query), (complete(each) for each in parameters))

    def all(self, query: str, parameters: Parameters = {}) -> list[Row]:
        """Gives all rows of the named query."""
        with self._driver.translated():
            return self._connection.execute(query_named(DIALECT, query), complete(parameters)).fetchall()

    def one(self, query: str, parameters: Parameters = {}) -> Row | None:
        """Gives the first row of the named query, `None` where there is none."""
        with self._driver.translated():
            return self._connection.execute(query_named(DIALECT, query), complete(parameters)).fetchone()

    def apply(self, migration: Migration) -> None:
        """Runs a migration's statements."""
        with self._driver.translated():
            self._connection.execute(migration.text)

    def begin(self, statement: str) -> None:
        """Begins the transaction."""
        with self._driver.translated():
            self._connection.execute(statement.encode())

    def queue(self, timeout_s: float) -> None:
        """Waits for the turn to write."""
        with self._driver.translated():
            self._connection.execute("SELECT set_config('lock_timeout', %s, TRUE)", [str(round(timeout_s * 1000))])
            self._connection.execute("SELECT pg_advisory_xact_lock(%s)", [_WRITERS])

    def commit(self) -> None:
        """Makes what was done durable."""
        with self._driver.translated():
            self._connection.commit()


class _Driver:
    """psycopg's errors, known once it is loaded."""

    def __init__(self, module: ModuleType) -> None:
        self.module = module
        self.error: type[Exception] = module.Error
        self._full: tuple[type[Exception], ...] = (module.errors.DiskFull,)
        self._waited: tuple[type[Exception], ...] = (module.errors.LockNotAvailable,)

    @contextmanager
    def translated(self) -> Generator[None]:
        """Turns the driver's errors into Clew's, the cause kept."""
        try:
            yield
        except self._full as error:
            raise StorageFull("The disk is full; nothing was changed. Free some space and try again.") from error
        except self._waited as error:
            raise StorageError("Another process has been writing all the time; nothing was changed.") from error
        except self.error as error:
            first = next(iter(str(error).strip().splitlines()), "no reason given")
            raise StorageError(f"The database refused: {first}; nothing was changed.") from error


class _Connections:
    """Connections that are used again."""

    def __init__(self, dsn: str, driver: _Driver) -> None:
        self._dsn = dsn
        self._driver = driver
        self._lock = threading.Lock()
        self._idle: list[Connection] = []
        self._is_closed = False

    def take(self) -> "Connection":
        with self._lock:
            if self._is_closed:
                raise StorageError("The database was closed.")
            if self._idle:
                return self._idle.pop()
        with self._driver.translated():
            # Transactions are begun and ended by name, so that their isolation is what the port promises.
            return cast("Connection", self._driver.module.connect(self._dsn, autocommit=True))

    def give_back(self, connection: "Connection") -> None:
        with self._lock:
            if not self._is_closed and not connection.closed:
                self._idle.append(connection)
                return
        connection.close()

    def close(self) -> None:
        with self._lock:
            self._is_closed = True
            connections, self._idle = self._idle, []
        for connection in connections:
            connection.close()


def _load_psycopg() -> ModuleType:
    try:
        return importlib.import_module("psycopg")
    except ImportError as error:
        raise MissingExtra("psycopg", "postgres") from error
