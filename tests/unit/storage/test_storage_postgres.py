"""PostgreSQL without a server: what is said when the driver or the server is not there."""

import sys

import pytest

from clew.domain.errors import MissingExtra, StorageError
from clew.storage import PostgresDatabase


def test_without_the_driver_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(MissingExtra, match=r"clew\[postgres\]"):
        PostgresDatabase("postgresql://localhost/clew")


@pytest.mark.postgres
def test_a_server_that_is_not_there_is_told_in_one_line() -> None:
    database = PostgresDatabase("postgresql://nobody@127.0.0.1:1/clew?connect_timeout=2")
    with pytest.raises(StorageError) as told, database.read():
        pass
    assert "\n" not in str(told.value)
    assert "nothing was changed" in str(told.value)
    database.close()
