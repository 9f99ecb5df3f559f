"""The planner against the agent tasks of the benchmark landscape: from the request alone, the gold is for scoring only.

A task is right when every expected call is planned, in order, with what it must hold, its key and its links, and
nothing else is written. A question that the expected calls answer is answered from them, as a person would, and
counted. What is planned and not expected is wrong, however little it is.
"""

from pathlib import Path
from typing import Any

import pytest
from tests.corpus.planner_tasks import Bench, read_bench, read_tasks, result_of

pytestmark = pytest.mark.corpus

LEAST_RIGHT = 15
"""Tasks planned completely right; may only grow."""
MOST_QUESTIONS = 1


@pytest.fixture(scope="module")
def bench(test_data: Path) -> Bench:
    return read_bench(test_data)


@pytest.fixture(scope="module")
def tasks(test_data: Path) -> list[dict[str, Any]]:
    return read_tasks(test_data)


@pytest.mark.parametrize("ranked", [True, False], ids=["with a word ranking", "over all services"])
def test_the_tasks_are_planned_right_and_nothing_wrong_is_written(
    bench: Bench, tasks: list[dict[str, Any]], ranked: bool
) -> None:
    planner = bench.planner(ranked=ranked)
    results = [result_of(planner, task) for task in tasks]
    table = "\n".join(line for result in results for line in result.lines())
    assert not [text for result in results for text in result.score.wrong], table
    assert sum(result.score.is_right for result in results) >= LEAST_RIGHT, table
    assert sum(len(result.asked) for result in results) <= MOST_QUESTIONS, table


def test_the_process_of_every_task_is_recognised(bench: Bench, tasks: list[dict[str, Any]]) -> None:
    planner = bench.planner()
    found = {task["id"]: planner.plan(task["request"]).process for task in tasks}
    assert found == {task["id"]: task["process"] for task in tasks}


def test_every_filled_slot_says_which_words_it_comes_from(bench: Bench, tasks: list[dict[str, Any]]) -> None:
    planner = bench.planner()
    for task in tasks:
        proposal = planner.plan(task["request"])
        for fill in proposal.fills:
            assert fill.words, fill
            assert fill.rule in {"default", "same", "reference"} or any(
                part in task["request"] for part in (fill.words, *fill.words.split())
            ), fill
