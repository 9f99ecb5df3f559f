"""The whole way, for the agent tasks of the benchmark landscape: plan, validate, confirm, execute on the mock.

The requests are planned from their texts; a question is answered from what the task expects, as a person would. The
mock holds what the tasks speak of as there already. Afterwards its state is the expected one, and nothing else was
written.
"""

import re
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.corpus.planner_tasks import Bench, plan_with_user, read_bench, read_tasks

from clew.domain.plans import Run
from clew.domain.ports import Response
from clew.domain.records import JsonObject
from clew.domain.requests import Call, Request
from clew.execution import Runner, RunStore, Surroundings, WritePermissions, make_plan
from clew.execution.permissions import Permission
from clew.grounding import Grounding, PlanChecker
from clew.mock import MockLandscape, MockService
from clew.protocol.values import comparable, write_value
from clew.storage import SqliteDatabase

pytestmark = pytest.mark.corpus

TASKS = [f"dev-a{number:02d}" for number in range(1, 16)]
PRINCIPAL = "tester"


@pytest.fixture(scope="module")
def bench(test_data: Path) -> Bench:
    return read_bench(test_data)


@pytest.fixture(scope="module")
def tasks(test_data: Path) -> dict[str, dict[str, Any]]:
    return {task["id"]: task for task in read_tasks(test_data)}


class WithETags:
    """Adds the ETag that a changing request must name, as a client that has read the entity would."""

    def __init__(self, landscape: MockLandscape) -> None:
        self.landscape = landscape

    def send(self, request: Request) -> Response:
        response = self.landscape.send(request)
        if response.status != 428:
            return response
        path = request.path.rpartition("/")[0] if not request.path.endswith(")") else request.path
        read = self.landscape.send(Request(method="GET", service=request.service, path=path))
        tags = [value for name, value in read.headers if name.lower() == "etag"]
        return self.landscape.send(
            Request(
                method=request.method,
                service=request.service,
                path=request.path,
                query=request.query,
                headers=(*request.headers, ("If-Match", tags[0] if tags else "*")),
                body=request.body,
            )
        )


def seeds_for(bench: Bench, task: dict[str, Any]) -> dict[str, dict[str, list[JsonObject]]]:
    """Gives what is there before: the objects whose keys the expected calls name."""
    found: dict[str, dict[str, list[JsonObject]]] = {}
    for call in task["expected_calls"]:
        view = bench.views[call["service"]]
        seeded = found.setdefault(view.id, {})
        if "key" in call:
            seeded.setdefault(call.get("bound_to", call.get("entity_set")), []).append(dict(call["key"]))
        elif "operation" in call:
            for node in view.sets.values():
                key = view.key(node.type)
                if len(key) == 1 and key[0] in call["payload_must_contain"]:
                    seeded.setdefault(node.name, []).append({key[0]: call["payload_must_contain"][key[0]]})
                    break
    return found


def with_texts(bench: Bench, call: Call) -> Call:
    """Adds a text for what a service marks as mandatory on its screens only: the tasks, and the validator, do not ask.

    The mock refuses a create without it, so a person would be asked for it in the end.
    """
    if call.method != "POST" or call.operation or call.navigation or not isinstance(call.payload, dict):
        return call
    view = bench.views[call.service]
    type_name = view.sets[call.entity_set].type
    if "IsActiveEntity" in view.key(type_name):
        return call
    mandatory = [prop.name for prop in view.properties(type_name).values() if prop.field_control == "Mandatory"]
    return msgspec.structs.replace(call, payload={**dict.fromkeys(mandatory, "X"), **call.payload})


def execute(bench: Bench, calls: tuple[Call, ...], landscape: MockLandscape) -> Run:
    """Makes a plan of the calls, rehearses it, confirms its hash and executes it."""
    groundings: dict[str, Grounding] = {}
    checker = PlanChecker(lambda name: groundings.setdefault(name, Grounding(bench.views[name])))
    with closing(SqliteDatabase(":memory:")) as database:
        runner = Runner(
            Surroundings(
                store=RunStore(database),
                checker=checker,
                gates=[WritePermissions([Permission(service="*")])],
                transport=WithETags(landscape),
                views=lambda name: bench.views[name],
                clock=lambda: datetime(2025, 6, 4, tzinfo=UTC),
                new_id=lambda: "run-1",
            )
        )
        lock = {(call.service, bench.views[call.service].version) for call in calls}
        plan = make_plan(calls, principal=PRINCIPAL, schema_lock=lock)
        rehearsed = runner.rehearse(plan)
        refused = [f"{step.position}: {step.verdict.problems}" for step in rehearsed.steps if not step.verdict.allowed]
        assert not refused
        return runner.execute(plan, plan.hash, principal=PRINCIPAL)


def agrees(bench: Bench, expected: dict[str, Any], entity: JsonObject) -> bool:
    """Whether an entity of the mock is the expected one, each value compared by its type."""
    view = bench.views[expected["service"]]
    properties = view.properties(view.sets[expected["entity_set"]].type)
    for name, wanted in expected["match"].items():
        kind = view.underlying(properties[name].type)
        terms = write_value(wanted, kind, "V4") if not isinstance(wanted, str) or kind != "Edm.String" else wanted
        if comparable(entity.get(name), kind) != comparable(terms, kind):
            return False
    return True


@pytest.mark.parametrize("task_id", TASKS)
def test_the_planned_calls_lead_to_the_expected_state_and_write_nothing_else(
    bench: Bench, tasks: dict[str, dict[str, Any]], task_id: str
) -> None:
    task = tasks[task_id]
    proposal, _ = plan_with_user(bench.planner(), task)
    seeds = seeds_for(bench, task)
    landscape = MockLandscape([MockService(bench.views[name], seed=seed) for name, seed in seeds.items()])
    run = execute(bench, tuple(with_texts(bench, call) for call in proposal.calls), landscape)
    assert run.state == "done", (run.failure, proposal.calls)
    written = [(name, write) for name, writes in landscape.writes.items() for write in writes]
    assert len(written) == len(task["expected_calls"])
    for expected in task["expected_final_state"]:
        held = landscape.services[expected["service"]].entities(expected["entity_set"])
        assert any(agrees(bench, expected, entity) for entity in held), (expected, held)


def test_steps_in_the_wrong_order_are_refused(bench: Bench, tasks: dict[str, dict[str, Any]]) -> None:
    calls = bench.planner().plan(tasks["dev-a01"]["request"]).calls
    checker = PlanChecker(lambda name: Grounding(bench.views[name]))
    plan = make_plan(reversed(calls), principal=PRINCIPAL, schema_lock=())
    with closing(SqliteDatabase(":memory:")) as database:
        around = Surroundings(
            store=RunStore(database),
            checker=checker,
            gates=[],
            transport=MockLandscape([]),
            views=lambda name: bench.views[name],
            clock=lambda: datetime(2025, 6, 4, tzinfo=UTC),
            new_id=lambda: "run-2",
        )
        rehearsed = Runner(around).rehearse(plan)
    assert not rehearsed.executable
    problems = [problem.message for step in rehearsed.steps for problem in step.verdict.problems]
    assert any(re.search(r"does not come before step", message) for message in problems)
