"""`kill -9` at any point of an ingest: the workspace opens, is sound, and is in the state before or after."""

import random
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.integration import endless_ingest
from tests.integration.endless_ingest import STATES, ingest

from clew.graph import GraphStore
from clew.storage import SqliteDatabase

LONGEST_S = 0.25


def contents(database: SqliteDatabase) -> tuple[Any, ...]:
    """Gives everything there is to compare: the version alone is made of the documents' hashes."""
    with GraphStore(database).snapshot() as snapshot:
        services = tuple((name, snapshot.service(name).version) for name in snapshot.service_names())
        edges = sum(1 for _ in snapshot.edges())
        return snapshot.version, snapshot.counts(), services, edges, tuple(map(str, snapshot.issues()))


def wanted_states() -> list[tuple[Any, ...]]:
    """Gives the contents of the three states, ingested in peace, and of the empty graph last."""
    states: list[tuple[Any, ...]] = []
    for number in range(STATES):
        database = SqliteDatabase(":memory:")
        ingest(GraphStore(database), number)
        states.append(contents(database))
        database.close()
    database = SqliteDatabase(":memory:")
    states.append(contents(database))
    database.close()
    return states


def ingest_until_killed(path: Path, first: int, delay_s: float) -> int:
    """Ingests from number `first` on and kills after `delay_s` from the first acknowledged one; gives the last one."""
    command = [sys.executable, endless_ingest.__file__, str(path), str(first)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, encoding="utf-8") as process:
        assert process.stdout is not None
        said = [process.stdout.readline()]
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(timeout=delay_s)
        process.kill()
        said += process.stdout.readlines()
        assert process.wait() == -signal.SIGKILL
    # A line that was cut short was not read by anybody as an acknowledgement.
    return int([line for line in said if line.endswith("\n")][-1])


def soundness(path: Path) -> list[tuple[str]]:
    connection = sqlite3.connect(path)
    try:
        return connection.execute("PRAGMA integrity_check").fetchall()
    finally:
        connection.close()


@pytest.mark.parametrize("kills", [10, pytest.param(200, marks=pytest.mark.soak)])
def test_after_a_kill_the_graph_is_as_before_or_as_after_the_ingest(tmp_path: Path, kills: int) -> None:
    states = wanted_states()
    assert len({state[0] for state in states}) == STATES + 1
    path = tmp_path / "workspace.db"
    chance = random.Random(20261201)  # noqa: S311 - moments, not secrets
    between, number = 0, 0
    for _ in range(kills):
        acknowledged = ingest_until_killed(path, number, chance.uniform(0, LONGEST_S))
        assert soundness(path) == [("ok",)]
        database = SqliteDatabase(path)
        found = contents(database)
        database.close()
        before, after = states[acknowledged % STATES], states[(acknowledged + 1) % STATES]
        assert found in (before, after), f"after ingest {acknowledged}, version {found[0]}"
        between += found == before
        number = acknowledged + (1 if found == before else 2)
    assert between > 0


def test_a_kill_before_anything_was_acknowledged_leaves_an_empty_graph_or_the_first_one(tmp_path: Path) -> None:
    states = wanted_states()
    path = tmp_path / "workspace.db"
    command = [sys.executable, endless_ingest.__file__, str(path), "0"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
        # Until there is a file there is nothing that could be damaged.
        while not path.exists() and process.poll() is None:
            pass
        process.kill()
    database = SqliteDatabase(path)
    found = contents(database)
    database.close()
    assert found == states[STATES] or found in states[:STATES]
