"""A graph store on a database of its own."""

from collections.abc import Iterator

import pytest

from clew.graph import GraphStore
from clew.storage import SqliteDatabase


@pytest.fixture
def store() -> Iterator[GraphStore]:
    database = SqliteDatabase(":memory:")
    yield GraphStore(database)
    database.close()
