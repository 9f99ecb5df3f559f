"""Plans: their hash, their references, their dry run, their one confirmation."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.execution.execution_site import Asking, Site

from clew.domain.decisions import Decision, Effect, Reason
from clew.domain.errors import MalformedText, NotPermitted
from clew.domain.plans import Earlier
from clew.domain.references import escape, is_reference, parse_reference, unescape, value_at
from clew.domain.requests import Call
from clew.execution import WritePermissions, check_references, make_plan
from clew.execution.permissions import Permission, simple_name
from clew.grounding import resolve


def _plan(calls: list[Call], *, principal: str = "buyer", version: str = "1", case: str = "") -> str:
    return make_plan(calls, principal=principal, schema_lock=[("depot", version)], case=case).hash


def test_the_hash_covers_calls_lock_principal_and_case(calls: list[Call]) -> None:
    same = _plan(calls)
    assert same == _plan(list(calls))
    other_payload = msgspec.structs.replace(calls[0], payload={**(calls[0].payload or {}), "Plant": "1020"})
    other_reference = msgspec.structs.replace(calls[1], payload={"Requisition": "$1.Plant"})
    hashes = {
        same,
        _plan([other_payload, *calls[1:]]),
        _plan([calls[0], other_reference, *calls[2:]]),
        _plan(calls[::-1]),
        _plan(calls, version="2"),
        _plan(calls, principal="planner"),
        _plan(calls, case="c1"),
    }
    assert len(hashes) == 7


def test_the_order_of_names_in_a_payload_is_no_difference() -> None:
    first = Call(method="POST", service="s", entity_set="A", payload={"A": 1, "B": "x"})
    second = Call(method="POST", service="s", entity_set="A", payload={"B": "x", "A": 1})
    assert _plan([first]) == _plan([second])


@given(st.lists(st.sampled_from(["a", "Item", "to_x", "Größe"]), min_size=1, max_size=4), st.integers(1, 99))
def test_a_reference_is_read_as_it_was_written(names: list[str], step: int) -> None:
    text = f"${step}." + ".".join(name if index % 2 else f"{name}[{index}]" for index, name in enumerate(names))
    reference = parse_reference(text)
    assert str(reference) == text
    assert reference.step == step
    assert is_reference(text)


@given(st.text(alphabet="$1.aB[0] ü", max_size=12))
def test_any_text_comes_back_out_of_its_escaped_form(text: str) -> None:
    assert unescape(escape(text)) == text
    assert not is_reference(escape(text))


@pytest.mark.parametrize("text", ["$1.50", "$1", "$ 1.A", "1.A", "costs $2.x.", "", "$x.A"])
def test_a_price_is_no_reference(text: str) -> None:
    assert not is_reference(text)


@pytest.mark.parametrize("text", ["$1.A b", "$1.A[x]", "$0.A", "$1.A.", "$1.A[0"])
def test_what_begins_like_a_reference_must_go_on_like_one(text: str) -> None:
    assert is_reference(text)
    with pytest.raises(MalformedText):
        parse_reference(text)


def test_a_value_is_found_by_its_path() -> None:
    result = {"to_Item": [{"Material": "A"}, {"Material": "B"}], "Empty": None}
    assert value_at(result, ("to_Item", 1, "Material")) == "B"
    assert value_at(result, ("to_Item", 2, "Material"), "gone") == "gone"
    assert value_at(result, ("Empty",), "gone") is None


def test_references_to_later_steps_are_found_before_anything_is_sent(calls: list[Call], site: Site) -> None:
    forward = [calls[1], calls[0]]
    found = check_references(forward)
    assert [(step, issue.code) for step, issue in found] == [(1, "REFERENCE_STEP")]
    rehearsal = site.runner().rehearse(site.plan(forward))
    assert not rehearsal.executable
    assert rehearsal.steps[0].verdict.problems[0].code == "REFERENCE_STEP"
    assert site.line.sent == []


def test_a_dry_run_shows_requests_with_their_references_and_sends_nothing(calls: list[Call], site: Site) -> None:
    rehearsal = site.runner().rehearse(site.plan(calls))
    assert rehearsal.executable, [step.verdict.problems for step in rehearsal.steps]
    assert rehearsal.steps[1].request.query == (("Requisition", "$1.Requisition"),)
    assert '"Title":"$1.to_Item[0].Material"' in (rehearsal.steps[3].request.body or "")
    assert '"Remark":"for $1 a piece"' in (rehearsal.steps[3].request.body or "")
    checked = rehearsal.steps[3].verdict.checked
    assert checked is not None
    assert checked.request == rehearsal.steps[3].request
    assert site.line.sent == []


@pytest.mark.parametrize(
    ("reference", "code"),
    [
        ("$1.Requisitoin", "REFERENCE_PROPERTY"),
        ("$1.to_Item", "REFERENCE_TYPE"),
        ("$1.to_Item[0].Plant", "REFERENCE_PROPERTY"),
        ("$7.Requisition", "REFERENCE_STEP"),
        ("$1.Requisition!", "REFERENCE_SYNTAX"),
    ],
)
def test_a_wrong_reference_is_refused_in_the_dry_run(site: Site, calls: list[Call], reference: str, code: str) -> None:
    wrong = msgspec.structs.replace(calls[1], payload={"Requisition": reference})
    rehearsal = site.runner().rehearse(site.plan([calls[0], wrong]))
    assert not rehearsal.executable
    assert [problem.code for problem in rehearsal.steps[1].verdict.problems] == [code]


def test_a_reference_of_another_type_is_refused_in_the_dry_run(site: Site, calls: list[Call]) -> None:
    wrong = Call(
        method="PATCH", service="workshop", entity_set="Jobs", key={"JobID": 1}, payload={"Machine": "$1.IsUrgent"}
    )
    rehearsal = site.runner().rehearse(site.plan([calls[0], wrong]))
    problem = rehearsal.steps[1].verdict.problems[0]
    assert (problem.code, problem.pointer) == ("REFERENCE_TYPE", "/Machine")
    assert "Edm.Boolean" in problem.message
    assert "Edm.Guid" in problem.message


def test_a_refused_step_is_denied_with_its_problems(site: Site, calls: list[Call]) -> None:
    wrong = msgspec.structs.replace(calls[0], payload={"Plnt": "1010"})
    rehearsal = site.runner().rehearse(site.plan([wrong]))
    assert not rehearsal.executable
    decision = rehearsal.steps[0].decision
    assert (decision.effect, decision.source) == (Effect.DENY, "validator")
    assert "Plnt" in decision.reasons[0].message


def test_writes_are_off_until_they_are_enabled(site: Site, calls: list[Call]) -> None:
    site.gates = [WritePermissions()]
    rehearsal = site.runner().rehearse(site.plan(calls))
    assert not rehearsal.executable
    assert {step.decision.reasons[0].code for step in rehearsal.steps} == {"WRITES_OFF"}
    assert "service depot, target Requisitions, method POST" in rehearsal.steps[0].decision.reasons[0].remedy
    run = site.runner().execute(site.plan(calls), site.plan(calls).hash, principal="buyer")
    assert run.state == "failed"
    assert site.line.sent == []


def test_writes_are_enabled_by_service_and_operation(site: Site, calls: list[Call]) -> None:
    site.gates = [WritePermissions([Permission(service="depot", target="Requisitions", method="POST")])]
    rehearsal = site.runner().rehearse(site.plan(calls[:2]))
    assert [step.decision.open for step in rehearsal.steps] == [True, False]
    reading = Call(method="GET", service="depot", entity_set="Requisitions")
    assert site.runner().rehearse(site.plan([reading])).executable
    assert simple_name("odata:SRV#Ns.Close(Ns.Order)") == "Close"


def test_a_decision_that_asks_is_no_permission(site: Site, calls: list[Call]) -> None:
    asking = Decision(effect=Effect.ASK, source="asking", reasons=(Reason(code="ask", message="ask the buyer"),))
    site.gates.append(Asking(asking))
    plan = site.plan(calls[:1])
    assert not site.runner().rehearse(plan).executable
    run = site.runner().execute(plan, plan.hash, principal="buyer")
    assert (run.state, run.receipts) == ("failed", ())
    assert "needs a person's consent: ask the buyer" in run.failure


def test_a_plan_is_confirmed_by_its_own_hash_alone(site: Site, calls: list[Call]) -> None:
    plan = site.plan(calls)
    with pytest.raises(NotPermitted, match="is not this plan's"):
        site.runner().execute(plan, "0" * 64, principal="buyer")
    forged = msgspec.structs.replace(plan, calls=(calls[2],))
    with pytest.raises(NotPermitted, match="is not this plan's"):
        site.runner().execute(forged, plan.hash, principal="buyer")
    assert site.line.sent == []


def test_a_plan_is_confirmed_by_who_made_it_alone(site: Site, calls: list[Call]) -> None:
    plan = site.plan(calls)
    with pytest.raises(NotPermitted, match="another principal"):
        site.runner().execute(plan, plan.hash, principal="stranger")
    assert site.line.sent == []


def test_a_plan_is_confirmed_once(site: Site, calls: list[Call]) -> None:
    plan = site.plan(calls)
    first = site.runner().execute(plan, plan.hash, principal="buyer")
    assert first.state == "done"
    sent = len(site.line.sent)
    with pytest.raises(NotPermitted, match=f"confirmed before, as run {first.run_id}"):
        site.runner().execute(plan, plan.hash, principal="buyer")
    assert len(site.line.sent) == sent


def test_a_plan_is_not_executed_after_the_metadata_changed(site: Site, calls: list[Call]) -> None:
    plan = site.plan(calls)
    site.versions["workshop"] = "2"
    with pytest.raises(NotPermitted, match="description of workshop changed"):
        site.runner().execute(plan, plan.hash, principal="buyer")
    assert site.line.sent == []


def test_results_are_put_in_with_the_types_that_their_places_want(site: Site) -> None:
    view = site.view("workshop")
    earlier = [
        Earlier(call=Call(method="GET", service="workshop"), result={"A": 7, "B": "8", "C": "$1.x"}, carried_out=True)
    ]
    call = Call(
        method="POST",
        service="workshop",
        entity_set="Jobs",
        payload={"Title": "$1.A", "Meter": "$1.B", "Remark": "$1.C", "Channel": "$$1.A"},
    )
    resolution = resolve(call, earlier, view)
    assert resolution.issues == ()
    assert resolution.call.payload == {"Title": "7", "Meter": 8, "Remark": "$$1.x", "Channel": "$$1.A"}
