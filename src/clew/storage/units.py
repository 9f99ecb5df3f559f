"""What both dialects share: parameters that are always there, one writer at a time, applying migrations."""

import threading
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager

from clew.domain.clocks import Clock, stamp
from clew.domain.errors import StorageError, WorkspaceError, WorkspaceTooNew
from clew.domain.ports import SqlValue, Transaction
from clew.storage.queries import Migration, migrations_of

Parameters = Mapping[str, SqlValue]


def complete(parameters: Parameters) -> dict[str, SqlValue]:
    """Gives the parameters with the tenant and the principal, which are the empty text where nobody names them."""
    return {"tenant": "", "principal": "", **parameters}


class Turn:
    """Lets one thread of this process write at a time; the database itself keeps other processes apart."""

    def __init__(self, timeout_s: float) -> None:
        """Waits at most `timeout_s` for its turn."""
        self._lock = threading.Lock()
        self._timeout_s = timeout_s
        self._holder = 0

    @contextmanager
    def taken(self) -> Generator[None]:
        """Holds the turn while the block runs.

        Raises:
            StorageError: this thread has it already, or it did not come in time.
        """
        if self._holder == threading.get_ident():
            raise StorageError("A unit of work that writes is open in this thread; go on in it, or close it first.")
        if not self._lock.acquire(timeout=self._timeout_s):
            raise StorageError(f"Another thread has been writing for {self._timeout_s:g} s; nothing was changed.")
        self._holder = threading.get_ident()
        try:
            yield
        finally:
            self._holder = 0
            self._lock.release()


def version_of(transaction: Transaction, *, place: str) -> int:
    """Gives the version of the schema: 0 for an empty database.

    Raises:
        WorkspaceError: the database belongs to another program.
    """
    tables = {name for (name,) in transaction.all("list_tables")}
    if "migration" not in tables:
        if tables:
            raise WorkspaceError(f"{place} is a database of another program: it has tables, and none of Clew's.")
        return 0
    row = transaction.one("migration_version")
    return int(row[0] or 0) if row else 0


def refuse_newer(version: int, *, dialect: str, place: str) -> bool:
    """Gives whether migrations are wanting.

    Raises:
        WorkspaceTooNew: the schema is newer than this package knows.
    """
    newest = migrations_of(dialect)[-1].version
    if version > newest:
        raise WorkspaceTooNew(
            f"{place} was written by a newer version of Clew (schema {version}; this one knows up to {newest}); "
            "it was not touched. Install the newer version."
        )
    return version < newest


def migrate(
    transaction: Transaction, apply: Callable[[Migration], None], *, dialect: str, place: str, clock: Clock
) -> None:
    """Brings the schema up to date inside one unit of work; `apply` runs a migration's statements in it."""
    version = version_of(transaction, place=place)
    if not refuse_newer(version, dialect=dialect, place=place):
        return
    if version == 0:
        transaction.execute("create_migration")
    for migration in migrations_of(dialect):
        if migration.version > version:
            apply(migration)
            noted = {"version": migration.version, "name": migration.name, "at": stamp(clock())}
            transaction.execute("put_migration", noted)
