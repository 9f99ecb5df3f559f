"""Where bytes live: SQLite and PostgreSQL behind one port, named queries in files, migrations, the journal.

Above: every package that keeps something, through `clew.domain.ports.Database`. Below: domain.
Not its business: what the bytes mean.
"""

from clew.storage.journal import SqlJournal
from clew.storage.postgres import PostgresDatabase
from clew.storage.sqlite import SqliteDatabase

__all__ = ["PostgresDatabase", "SqlJournal", "SqliteDatabase"]
