"""Named queries: the same in both dialects, each with its purpose, each prepared by its database."""

import re
import sqlite3
from pathlib import Path

import pytest

from clew.domain.errors import StorageError
from clew.storage import SqliteDatabase
from clew.storage.queries import FOLDER, migrations_of, queries_of, query_named

PARAMETER = {"sqlite": re.compile(r"(?<![:\w]):([a-z_]+)"), "postgres": re.compile(r"%\(([a-z_]+)\)s")}


def parameters(dialect: str, name: str) -> set[str]:
    return set(PARAMETER[dialect].findall(query_named(dialect, name)))


def test_both_dialects_have_the_same_queries() -> None:
    assert queries_of("sqlite").keys() == queries_of("postgres").keys()
    assert {path.name for path in (FOLDER / "sqlite").glob("*.sql")} == {
        path.name for path in (FOLDER / "postgres").glob("*.sql")
    }


@pytest.mark.parametrize("name", sorted(queries_of("sqlite")))
def test_a_query_takes_the_same_parameters_and_has_the_same_purpose_in_both_dialects(name: str) -> None:
    assert parameters("sqlite", name) == parameters("postgres", name)
    assert queries_of("sqlite")[name].purpose == queries_of("postgres")[name].purpose


def test_both_dialects_have_the_same_migrations() -> None:
    steps = [(migration.version, migration.name) for migration in migrations_of("sqlite")]
    assert steps == [(migration.version, migration.name) for migration in migrations_of("postgres")]
    assert [version for version, _ in steps] == list(range(1, len(steps) + 1))


def tables_of(dialect: str) -> dict[str, list[str]]:
    """Gives the columns of each table as the migrations write them down."""
    text = "\n".join(
        [*(migration.text for migration in migrations_of(dialect)), query_named(dialect, "create_migration")]
    )
    tables = re.findall(r"CREATE TABLE (\w+) \((.*?)\n\)", text, re.DOTALL)
    return {name: re.findall(r"^    ([a-z_]+) ", body, re.MULTILINE) for name, body in tables}


def test_both_dialects_have_the_same_tables_with_the_same_columns() -> None:
    assert tables_of("sqlite") == tables_of("postgres")


def test_every_table_has_tenant_and_principal() -> None:
    tables = tables_of("sqlite")
    assert len(tables) >= 18
    assert [name for name, columns in tables.items() if not {"tenant", "principal"} <= set(columns)] == []


def test_every_query_of_rows_asks_for_the_tenant() -> None:
    of_the_whole_file = {"list_tables", "create_migration", "migration_version", "check_integrity"}
    careless = [name for name in queries_of("sqlite") if "tenant" not in parameters("sqlite", name)]
    assert set(careless) == of_the_whole_file


def test_every_query_can_be_prepared(tmp_path: Path) -> None:
    database = SqliteDatabase(tmp_path / "w.db")
    with database.write():
        pass
    database.close()
    connection = sqlite3.connect(tmp_path / "w.db")
    for name, query in queries_of("sqlite").items():
        if name not in {"create_migration", "check_integrity"}:
            connection.execute("EXPLAIN " + query.text, dict.fromkeys(parameters("sqlite", name), ""))
    connection.close()


SEARCHED = (
    "node_by_id",
    "nodes_of_owner",
    "node_roots",
    "edges_from",
    "edges_to",
    "edges_within",
    "overlays_of_namespace",
)


@pytest.mark.parametrize("name", [*SEARCHED, "delete_nodes", "delete_edges", "events_by_run", "events_by_case"])
def test_a_query_that_looks_for_few_rows_does_not_read_the_whole_table(tmp_path: Path, name: str) -> None:
    database = SqliteDatabase(tmp_path / "w.db")
    with database.write():
        pass
    database.close()
    connection = sqlite3.connect(tmp_path / "w.db")
    plan = connection.execute(
        "EXPLAIN QUERY PLAN " + query_named("sqlite", name), dict.fromkeys(parameters("sqlite", name), "")
    ).fetchall()
    connection.close()
    reads = [row[3] for row in plan if re.search(r"\b(node|edge|overlay|journal)\b", row[3])]
    assert reads
    assert [step for step in reads if not step.startswith("SEARCH")] == []


def test_an_unknown_query_is_refused_by_its_name() -> None:
    with pytest.raises(StorageError, match="'select_everything'"):
        query_named("sqlite", "select_everything")
