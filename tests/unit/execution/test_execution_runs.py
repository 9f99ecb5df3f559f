"""Runs: carried out step by step with receipts, interrupted anywhere, resumed, and nothing sent twice."""

import msgspec
import pytest
from tests.unit.execution.execution_site import Killed, Site

from clew.domain.errors import CallFailed, NotPermitted
from clew.domain.plans import Run
from clew.domain.ports import Response
from clew.domain.requests import Call, Request


def _execute(site: Site, calls: list[Call]) -> Run:
    plan = site.plan(calls)
    return site.runner().execute(plan, plan.hash, principal="buyer")


def test_a_plan_is_carried_out_with_each_result_in_the_next_call(site: Site, calls: list[Call]) -> None:
    run = _execute(site, calls)
    assert run.state == "done", run.failure
    assert [receipt.position for receipt in run.receipts] == [1, 2, 3, 4]
    number = run.receipts[0].result["Requisition"]
    assert run.receipts[0].result["NeededOn"] == "2026-12-31T00:00:00"
    assert run.receipts[1].request.query == (("Requisition", f"'{number}'"),)
    assert run.receipts[3].result["Title"] == "BOLT-M8"
    assert run.receipts[3].result["CustomerID"] == "C1"
    assert run.receipts[0].at == "2026-12-01T08:30:00.000Z"
    assert [position for position, _ in site.ledger.seen] == [1, 2, 3, 4]
    assert site.store().run(run.run_id) == run


def test_a_service_that_refuses_ends_the_run_and_the_rest_is_not_sent(site: Site, calls: list[Call]) -> None:
    answer = Response(status=400, body='{"error":{"code":"X1","message":{"lang":"en","value":"Plant is locked"}}}')
    site.line.fault = lambda count, _request: answer if count == 2 else None
    run = _execute(site, calls)
    assert run.state == "failed"
    assert "step 2: HTTP 400 X1: Plant is locked" in run.failure
    assert len(site.line.sent) == 2
    site.line.fault = lambda _count, _request: None
    resumed = site.runner().resume(run.run_id, principal="buyer")
    assert resumed.state == "done"
    assert len(site.line.sent) == 5
    assert site.stored("depot", "Requisitions") == 1


@pytest.mark.parametrize("position", [1, 2, 3, 4])
def test_a_run_that_is_killed_after_a_receipt_goes_on_behind_it(site: Site, calls: list[Call], position: int) -> None:
    site.ledger.kill_at = position
    plan = site.plan(calls)
    with pytest.raises(Killed):
        site.runner().execute(plan, plan.hash, principal="buyer")
    site.ledger.kill_at = 0
    resumed = site.runner().resume("run-1", principal="buyer")
    assert resumed.state == "done"
    assert len(site.line.sent) == 4
    assert site.stored("depot", "Requisitions") == site.stored("workshop", "Jobs") == 1
    assert {seen for seen, _ in site.ledger.seen} == {1, 2, 3, 4}


@pytest.mark.parametrize("arrived", [True, False])
def test_a_write_that_was_sent_without_an_answer_is_never_sent_again_by_itself(
    site: Site, calls: list[Call], arrived: bool
) -> None:
    def kill(count: int, _request: Request = Request(method="", service="", path="")) -> None:
        if count == 3:
            raise Killed

    if arrived:
        site.line.after = kill
    else:
        site.line.fault = kill
    plan = site.plan(calls)
    with pytest.raises(Killed):
        site.runner().execute(plan, plan.hash, principal="buyer")
    site.line.after = lambda _count: None
    site.line.fault = lambda _count, _request: None
    uncertain = site.runner().resume("run-1", principal="buyer")
    assert uncertain.state == "uncertain"
    assert "step 3 (POST Customers of workshop) was sent and its answer is not known" in uncertain.failure
    assert len(site.line.sent) == 3
    result = {"CustomerID": "C1", "Name": "Mill"} if arrived else None
    settled = site.runner().settle("run-1", 3, principal="buyer", result=result)
    assert len(settled.receipts) == (3 if arrived else 2)
    resumed = site.runner().resume("run-1", principal="buyer")
    assert resumed.state == "done", resumed.failure
    assert site.stored("workshop", "Customers") == 1
    assert len(site.line.sent) == (4 if arrived else 5)


@pytest.mark.parametrize("status", [500, 502, 504])
def test_an_answer_that_says_nothing_of_the_write_leaves_it_uncertain(
    site: Site, calls: list[Call], status: int
) -> None:
    site.line.fault = lambda count, _request: Response(status=status, body="<html/>") if count == 1 else None
    run = _execute(site, calls)
    assert run.state == "uncertain"
    assert site.runner().resume(run.run_id, principal="buyer").state == "uncertain"
    assert len(site.line.sent) == 1


def test_a_connection_that_breaks_leaves_a_write_uncertain_and_a_read_to_be_repeated(
    site: Site, calls: list[Call]
) -> None:
    def broken(count: int, _request: Request) -> None:
        if count == 1:
            raise CallFailed(0, "connection reset")

    site.line.fault = broken
    reading = Call(method="GET", service="depot", entity_set="Requisitions")
    run = _execute(site, [reading, calls[0]])
    assert (run.state, run.failure) == ("failed", "step 1: HTTP 0: connection reset")
    resumed = site.runner().resume(run.run_id, principal="buyer")
    assert resumed.state == "done"
    assert resumed.receipts[0].result == []


def test_what_an_answer_left_out_is_read_before_it_is_needed(site: Site, calls: list[Call]) -> None:
    """An empty answer that only names the new entity, as with `Prefer: return=minimal`."""

    def minimal(count: int, request: Request) -> Response | None:
        if count != 1:
            return None
        response = site.line.landscape.send(request)
        location = next(value for name, value in response.headers if name.casefold() == "location")
        return Response(status=204, headers=(("Location", location),))

    site.line.fault = minimal
    run = _execute(site, calls)
    assert run.state == "done", run.failure
    assert list(run.receipts[0].result) == ["Requisition"]
    assert any(line.startswith("GET Requisitions(") for line in site.line.sent)
    assert run.receipts[3].result["Title"] == "BOLT-M8"


def test_a_result_without_what_is_referred_to_ends_the_run(site: Site, calls: list[Call]) -> None:
    site.line.fault = lambda count, _request: (
        Response(status=201, body='{"d":{"Plant":"1010"}}') if count == 1 else None
    )
    run = _execute(site, calls[:2])
    assert run.state == "failed"
    assert "step 2: $1.Requisition is not in the result of step 1" in run.failure
    assert len(site.line.sent) == 1


def test_a_resolved_call_is_validated_again(site: Site, calls: list[Call]) -> None:
    long = '{"d":{"Requisition":"12345678901234567890"}}'
    site.line.fault = lambda count, _request: Response(status=201, body=long) if count == 1 else None
    run = _execute(site, calls[:2])
    assert run.state == "failed"
    assert "10 are allowed" in run.failure
    assert len(site.line.sent) == 1


def test_a_run_is_resumed_by_its_owner_alone_and_not_after_a_change(site: Site, calls: list[Call]) -> None:
    site.line.fault = lambda count, _request: Response(status=403) if count == 2 else None
    run = _execute(site, calls)
    with pytest.raises(NotPermitted, match="no run 'run-1' of 'stranger'"):
        site.runner().resume(run.run_id, principal="stranger")
    with pytest.raises(NotPermitted, match="no run 'run-9'"):
        site.runner().resume("run-9", principal="buyer")
    with pytest.raises(NotPermitted, match="Step 2 of run run-1 is not uncertain"):
        site.runner().settle(run.run_id, 2, principal="buyer", result=None)
    site.versions["depot"] = "2"
    with pytest.raises(NotPermitted, match="description of depot changed"):
        site.runner().resume(run.run_id, principal="buyer")
    assert len(site.line.sent) == 2


def test_a_finished_run_is_given_back_as_it_is(site: Site, calls: list[Call]) -> None:
    run = _execute(site, calls)
    assert site.runner().resume(run.run_id, principal="buyer") == run
    assert len(site.line.sent) == 4


def test_another_runner_that_is_at_the_same_step_does_not_send_it_too(site: Site, calls: list[Call]) -> None:
    other: list[Run] = []

    def meanwhile(count: int, _request: Request) -> None:
        if count == 2:
            other.append(site.runner().resume("run-1", principal="buyer"))

    site.line.fault = meanwhile
    run = _execute(site, calls)
    assert run.state == "done"
    assert other[0].state == "uncertain"
    assert len(site.line.sent) == 4
    assert site.store().run("run-1").state == "done"


def test_plans_are_kept_by_their_hash(site: Site, calls: list[Call]) -> None:
    plan = site.plan(calls)
    site.runner().rehearse(plan)
    assert site.store().plan(plan.hash) == plan
    assert site.store().plan("none") is None
    assert msgspec.structs.replace(plan, hash="x") != plan
