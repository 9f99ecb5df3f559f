"""Process order decides about calls: by step, by evidence, by object."""

import pytest
from tests.unit.process.process_world import BOUND, World, approve, get, post

from clew.domain.decisions import Effect
from clew.domain.plans import Receipt
from clew.domain.ports import Gate, RehearsingGate, Witness
from clew.process import steps_of_case, steps_of_process


def test_the_first_step_may_come_and_the_next_one_waits_for_it() -> None:
    world = World()
    case = world.open()
    assert world.codes(case, post("Orders")) == ("PERMIT", [])
    decision = world.gate.decide(post("Deliveries"), principal="ann", case=case.handle)
    assert decision.effect is Effect.DENY
    assert [reason.message for reason in decision.reasons] == [
        "'deliver' cannot come yet: 'order' is missing",
        "'deliver' cannot come yet: 'approve' is missing",
    ]
    assert decision.directive == "Do it: POST S/Orders; or show it done: GET S/Orders"
    assert decision.reasons[1].remedy == "Do it: POST S/Approve; or let a person state that it has been done"


def test_each_step_opens_the_next_and_is_not_repeated() -> None:
    world = World()
    case = world.open()
    world.do(case, post("Orders"), {"OrderId": "1"})
    assert world.codes(case, post("Orders")) == ("DENY", ["done-before"])
    assert world.codes(case, approve("1")) == ("PERMIT", [])
    world.do(case, approve("1"))
    assert world.codes(case, post("Deliveries", {"Items": [{"OrderId": "1"}]})) == ("PERMIT", [])


def test_a_call_that_failed_is_no_evidence() -> None:
    world = World()
    case = world.open()
    world.do(case, post("Orders"), status=400)
    assert world.codes(case, approve("1")) == ("DENY", ["missing-step"])


def test_what_was_there_before_counts_once_it_has_been_read() -> None:
    world = World()
    case = world.open()
    world.do(case, get("Orders", {"OrderId": "1"}), {"OrderId": "1", "Amount": "5"}, status=200)
    assert world.codes(case, approve("1")) == ("PERMIT", [])


def test_an_empty_answer_shows_nothing() -> None:
    world = World()
    case = world.open()
    world.do(case, get("Orders"), [], status=200)
    assert world.codes(case, approve("1")) == ("DENY", ["missing-step"])


def test_reads_may_come_in_any_order() -> None:
    """The delivery is read before the order; what they show was there before either."""
    world = World(bound={name: BOUND[name] for name in ("order", "deliver", "bill")})
    case = world.open()
    world.do(case, get("Deliveries", {"DeliveryId": "8"}), {"DeliveryId": "8", "Items": [{"OrderId": "1"}]}, status=200)
    assert world.codes(case, post("Invoices", {"DeliveryId": "8"})) == ("DENY", ["missing-step"])
    world.do(case, get("Orders", {"OrderId": "1"}), {"OrderId": "1"}, status=200)
    assert world.codes(case, post("Invoices", {"DeliveryId": "8"})) == ("PERMIT", [])


def test_evidence_for_one_object_does_not_open_the_way_for_another() -> None:
    world = World()
    case = world.open()
    world.do(case, get("Orders"), [{"OrderId": "1"}, {"OrderId": "2"}], status=200)
    world.do(case, approve("1"))
    assert world.codes(case, post("Deliveries", {"Items": [{"OrderId": "1"}]})) == ("PERMIT", [])
    decision = world.gate.decide(post("Deliveries", {"Items": [{"OrderId": "2"}]}), principal="ann", case=case.handle)
    assert decision.effect is Effect.DENY
    assert decision.reasons[0].message == "'deliver' cannot come yet: 'approve' is missing for OrderId '2'"


def test_objects_are_linked_through_others_and_keys_are_compared_as_they_are_meant() -> None:
    """The invoice names the delivery, the delivery the order; leading zeros make no other object."""
    world = World()
    case = world.open()
    for order in ("1", "2"):
        world.do(case, get("Orders", {"OrderId": order}), {"OrderId": order}, status=200)
    world.do(case, approve("0001"))
    world.do(case, post("Deliveries", {"Items": [{"OrderId": 1}]}), {"DeliveryId": "80"})
    assert world.codes(case, post("Invoices", {"DeliveryId": "0080"})) == ("PERMIT", [])
    assert world.codes(case, post("Invoices", {"DeliveryId": "81"}))[0] == "DENY"


def test_a_step_without_binding_is_taken_to_have_happened_unless_somebody_has_to_say_so() -> None:
    world = World(stated=["call"])
    case = world.open()
    world.do(case, post("Orders"), {"OrderId": "1"})
    decision = world.gate.decide(approve("1"), principal="ann", case=case.handle)
    assert decision.effect is Effect.DENY
    assert decision.reasons[0].remedy == "Let a person state that it has been done"
    world.book.state(case.handle, "bpmn:p/call", principal="ann")
    assert world.codes(case, approve("1")) == ("PERMIT", [])


def test_a_statement_opens_the_way_where_no_read_can() -> None:
    world = World()
    case = world.open()
    world.do(case, post("Orders"), {"OrderId": "1"})
    world.book.state(case.handle, "bpmn:p/approve", principal="ann")
    assert world.codes(case, post("Deliveries", {"Items": [{"OrderId": "1"}]})) == ("PERMIT", [])


@pytest.mark.parametrize(("mode", "effect"), [("off", "PERMIT"), ("advise", "ADVISE"), ("enforce", "DENY")])
def test_the_mode_says_how_much_order_weighs(mode: str, effect: str) -> None:
    world = World()
    found, codes = world.codes(world.open(mode), post("Invoices"))
    assert found == effect
    assert codes[0] == ("off" if mode == "off" else "missing-step")


def test_reads_are_never_held_back_and_other_calls_are_not_its_business() -> None:
    world = World()
    case = world.open()
    assert world.codes(case, get("Invoices")) == ("PERMIT", ["reads"])
    assert world.codes(case, post("Customers")) == ("PERMIT", ["no-step"])
    assert world.codes(case, post("Customers", activity="bpmn:p/bill")) == ("DENY", ["other-step"])


def test_a_closed_case_takes_no_writes_and_a_strangers_case_is_no_case() -> None:
    world = World()
    case = world.open()
    strange = world.gate.decide(post("Orders"), principal="bob", case=case.handle)
    missing = world.gate.decide(post("Orders"), principal="bob", case="case-7")
    assert strange.effect is missing.effect is Effect.DENY
    assert strange.reasons[0].message.replace("case-1", "case-7") == missing.reasons[0].message
    world.book.close(case.handle, principal="ann")
    assert world.codes(case, post("Orders")) == ("DENY", ["closed-case"])


def test_without_a_case_the_open_ones_are_asked_about() -> None:
    world = World()
    assert world.gate.decide(post("Orders"), principal="ann").reasons[0].code == "off"
    first, second = world.open(), world.open()
    decision = world.gate.decide(post("Orders"), principal="ann")
    assert decision.effect is Effect.ASK
    assert first.handle in decision.reasons[0].message
    assert second.handle in decision.reasons[0].message
    assert world.gate.decide(post("Orders"), principal="bob").effect is Effect.PERMIT
    assert world.gate.decide(post("Customers"), principal="ann").effect is Effect.PERMIT
    world.book.close(second.handle, principal="ann")
    assert world.gate.decide(post("Orders"), principal="ann").effect is Effect.ADVISE


def test_a_branch_that_data_decides_is_asked_about_and_then_followed() -> None:
    text = """
        start s; task order; xor g; task approve; xor m; task deliver; task bill; end e
        s -> order -> g
        g -> approve if Amount > 1000
        g -> m else
        approve -> m -> deliver -> bill -> e
    """
    world = World(text)
    unknown, small, large = world.open(), world.open(), world.open()
    world.do(unknown, post("Orders"), {"OrderId": "1"})
    assert world.codes(unknown, post("Deliveries")) == ("ADVISE", ["data-needed"])
    world.do(small, post("Orders", {"Amount": "999.50"}), {"OrderId": "2"})
    assert world.codes(small, post("Deliveries")) == ("PERMIT", [])
    world.do(large, post("Orders", {"Amount": "1000.01"}), {"OrderId": "3"})
    assert world.codes(large, post("Deliveries")) == ("DENY", ["not-next"])
    assert world.codes(large, approve("3")) == ("PERMIT", [])


def test_a_repetition_is_allowed_where_the_model_repeats() -> None:
    text = """
        start s; task order; xor m; task deliver; xor g; task bill; end e
        s -> order -> m -> deliver -> g -> bill -> e; g -> m
    """
    world = World(text, bound={name: BOUND[name] for name in ("order", "deliver", "bill")})
    case = world.open()
    world.do(case, post("Orders"), {"OrderId": "1"})
    for delivery in ("80", "81"):
        part = post("Deliveries", {"Items": [{"OrderId": "1"}]})
        assert world.codes(case, part) == ("PERMIT", [])
        world.do(case, part, {"DeliveryId": delivery})
    assert world.codes(case, post("Invoices", {"DeliveryId": "81"})) == ("PERMIT", [])


def test_writes_in_an_unusual_order_leave_the_preconditions() -> None:
    """In advise mode a step was made too early; what must be done before the last one is done all the same."""
    world = World(bound={name: BOUND[name] for name in ("order", "deliver", "bill")})
    case = world.open("advise")
    world.do(case, post("Deliveries"), {"DeliveryId": "80"})
    assert world.codes(case, post("Invoices")) == ("ADVISE", ["missing-step"])
    world.do(case, post("Orders"), {"OrderId": "1"})
    assert world.codes(case, post("Invoices")) == ("ADVISE", ["unusual-order"])


def test_a_broken_model_advises_and_says_so() -> None:
    world = World(defects=("bpmn-dangling-reference",))
    assert world.codes(world.open(), post("Invoices"))[0] == "ADVISE"
    assert world.codes(world.open(), post("Invoices"))[1][0] == "unsound"
    text = "start s; task order; xor g; task deliver; and j; task bill; s -> order -> g -> deliver -> j -> bill; g -> j"
    dead = World(text)
    assert dead.codes(dead.open(), post("Invoices"))[1][0] == "unsound"


def test_a_plan_is_rehearsed_by_reference() -> None:
    world = World(bound={name: BOUND[name] for name in ("order", "approve", "deliver")})
    case = world.open()
    order, deliver = post("Orders"), post("Deliveries", {"Items": [{"OrderId": "$1.OrderId"}]})
    rehearsed = world.gate.rehearse([order, approve("$1.OrderId")])
    assert rehearsed.decide(deliver, principal="ann", case=case.handle).effect is Effect.PERMIT
    assert world.gate.rehearse([order]).decide(deliver, principal="ann", case=case.handle).effect is Effect.DENY
    other = world.gate.rehearse([order, post("Orders"), approve("$2.OrderId")])
    assert other.decide(deliver, principal="ann", case=case.handle).effect is Effect.DENY
    assert world.codes(case, deliver)[0] == "DENY"


def test_the_same_receipt_shown_again_changes_nothing() -> None:
    world = World()
    case = world.open()
    order = post("Orders")
    world.do(case, order, {"OrderId": "1"})
    world._positions = iter([1])
    world.do(case, order, {"OrderId": "1"})
    assert len(world.book.show(case.handle, principal="ann").evidence) == 1


def test_next_steps_name_what_is_missing_and_the_read_that_shows_it() -> None:
    world = World()
    case = world.open()
    world.do(case, post("Orders"), {"OrderId": "1"})
    case = world.book.show(case.handle, principal="ann")
    steps = steps_of_case(world.flow("p"), case, world.links)
    assert [(step.name, step.open, [name[7:] for name in step.missing], step.read) for step in steps] == [
        ("approve", True, [], ""),
        ("deliver", False, ["approve"], ""),
        ("bill", False, ["deliver"], "GET S/Deliveries"),
    ]
    closed = world.book.close(case.handle, principal="ann")
    assert steps_of_case(world.flow("p"), closed, world.links) == ()


def test_next_steps_of_a_process_tell_alternatives_and_leave_out_what_is_over() -> None:
    text = "start s; task order; xor g; task approve; task deliver; task bill; end e; s -> order -> g -> approve -> e"
    flow = World(text + "; g -> deliver -> bill -> e").flow("p")
    steps = steps_of_process(flow, ["bpmn:p/order"])
    assert [(step.name, step.open, step.alternative_to) for step in steps] == [
        ("approve", True, ("bpmn:p/deliver",)),
        ("deliver", True, ("bpmn:p/approve",)),
        ("bill", False, ()),
    ]
    assert steps_of_process(flow, ["bpmn:p/order", "bpmn:p/approve"]) == ()


def test_the_gate_and_the_witness_are_what_execution_takes() -> None:
    world = World()
    gate: Gate = world.gate
    witness: Witness = world.witness
    assert isinstance(gate, RehearsingGate)
    receipt = Receipt(run_id="r", position=1, request=post("Orders").request, status=201)
    witness.saw(post("Orders"), receipt, principal="ann", case="nobody's")
    assert world.book.list(principal="ann") == ()
