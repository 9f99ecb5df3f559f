"""Requests in words become calls, questions, and a list of what found no place, over a small landscape of its own."""

import string
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.unit.agent.planner.harbour import PROCESS, WEDNESDAY, cases, catalogue, planner

from clew.agent.planner.planner import Planner
from clew.domain.proposals import MasterRecord, Proposal
from clew.domain.records import JsonValue
from clew.domain.requests import Call

CASES = cases("plans.yaml")


def _done(call: Call) -> str:
    return (
        f"CALL {call.service}/{call.operation}" if call.operation else f"{call.method} {call.service}/{call.entity_set}"
    )


@pytest.mark.parametrize("case", CASES, ids=[f"{number}: {case['text'][:50]}" for number, case in enumerate(CASES)])
def test_a_request_becomes_the_calls_and_questions_that_its_words_say(case: dict[str, Any]) -> None:
    proposal = planner().plan(case["text"], case.get("answers", {}))
    assert [_done(call) for call in proposal.calls] == [call["do"] for call in case["calls"]]
    for call, wanted in zip(proposal.calls, case["calls"], strict=True):
        assert (call.key, call.payload) == (wanted.get("key", {}), wanted.get("payload")), _done(call)
    assert [question.slot for question in proposal.questions] == case.get("questions", [])
    assert [unused.mention.text for unused in proposal.unused] == case.get("unused", [])
    assert proposal.complete == (bool(case["calls"]) and not proposal.questions and not proposal.unused)
    for told in ("language", "process"):
        assert told not in case or getattr(proposal, told) == case[told]


@pytest.mark.parametrize("case", CASES, ids=[f"{number}: {case['text'][:50]}" for number, case in enumerate(CASES)])
def test_every_value_of_a_plan_is_told_with_its_words_and_rule(case: dict[str, Any]) -> None:
    answers = case.get("answers", {})
    proposal = planner().plan(case["text"], answers)
    filled = {fill.slot: fill for fill in proposal.fills}
    for number, call in enumerate(proposal.calls, 1):
        for place, value in _leaves(call):
            fill = filled.get(f"{number}:{place}") or filled[f"{number}:key{place}"]
            assert fill.value == value or f"${fill.value}" == value
            assert _comes_from(proposal, fill.words, value, answers), fill


def _leaves(call: Call) -> Iterator[tuple[str, JsonValue]]:
    yield from _inside(call.payload, "")
    yield from ((f"/{name}", value) for name, value in call.key.items())


def _inside(value: JsonValue, place: str) -> Iterator[tuple[str, JsonValue]]:
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from _inside(inner, f"{place}/{name}")
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from _inside(inner, f"{place}/{index}")
    elif place:
        yield place, value


def _comes_from(proposal: Proposal, words: str, value: JsonValue, answers: dict[str, str]) -> bool:
    """Whether a value stands in the request, is one's answer or a reference, or is named by words of the request."""
    if isinstance(value, str) and value.startswith("$") and not value.startswith("$$"):
        return True
    said = proposal.request.replace("2 red", "2")
    is_said = str(value).removeprefix("$") in said or str(value) in answers.values()
    return is_said or (bool(words) and words in proposal.request)


def test_a_closed_list_is_asked_for_with_its_codes() -> None:
    (question,) = planner().plan("Write an invoice for customer 1000 over 250 EUR.").questions
    assert (question.slot, question.type, question.allowed) == ("1:/PaymentMethod", "Edm.String", ("T", "C"))


def test_a_step_is_explained_by_its_words_and_its_place_in_the_process() -> None:
    proposal = planner().plan("Release charter order 4711.")
    (choice,) = proposal.choices
    assert (choice.words, choice.activity) == ("Release charter order 4711", f"bpmn:{PROCESS}/release")
    assert proposal.position == f"bpmn:{PROCESS}/release"
    assert "Release the order" in choice.reason


def test_a_looked_up_name_is_told_as_looked_up() -> None:
    proposal = planner().plan("Create a charter order for Miller: 1 PC of DINGHY-1.")
    fill = next(fill for fill in proposal.fills if fill.slot == "1:/Customer")
    assert (fill.rule, fill.value, "Miller" in fill.words) == ("lookup", "1000", True)


def test_the_lookup_is_asked_for_names_only() -> None:
    asked: list[str] = []

    class Spy:
        def find(self, name: str) -> list[MasterRecord]:
            asked.append(name)
            return []

    Planner(catalogue(), lookup=Spy(), clock=lambda: WEDNESDAY).plan(
        "Create a charter order for Miller: 1 PC of DINGHY-1, reference R-77, note 'North Club'."
    )
    assert asked == ["Miller", "North Club"]


def test_an_answer_for_a_question_that_nobody_asked_changes_nothing() -> None:
    text = "Release charter order 4711."
    assert planner().plan(text, {"7:/Nowhere": "x", "nonsense": "y"}) == planner().plan(text)


def test_a_planner_without_services_asks_what_is_to_be_done() -> None:
    empty = Planner(type(catalogue())(catalogue().vocabulary, {}, {}), clock=lambda: WEDNESDAY)
    proposal = empty.plan("Create a charter order for customer 1000.")
    assert not proposal.calls
    assert proposal.questions


WORDS = st.sampled_from(
    [
        "order",
        "create",
        "charter",
        "release",
        "invoice",
        "customer",
        "1000",
        "DINGHY-1",
        "2",
        "PC",
        "for",
        "and",
        "it",
        ",",
        ".",
        ";",
        ":",
        "(",
        ")",
        "the",
        "to",
        "of",
        "from",
        "by",
        "see that",
        "'wait'",
        "2025-07-01",
        "Friday",
        "not",
        "without",
        "bank transfer",
        "$1.Customer",
        "/",
        "lege",
        "an",
    ]
)


@settings(max_examples=60, deadline=None)
@given(st.lists(WORDS, max_size=14).map(" ".join) | st.text(max_size=60))
@example("order order order")
@example("see that")
@example("create it, release it, post it")
@example("from 1710 to 1711/10 and 'x")
def test_any_text_gets_an_answer_and_no_mention_is_lost(text: str) -> None:
    proposal = planner().plan(text)
    assert proposal.calls or proposal.questions
    for call in proposal.calls:
        assert call.service in catalogue().services
    for unused in proposal.unused:
        assert proposal.request[unused.mention.start : unused.mention.end] == unused.mention.text


@settings(max_examples=40, deadline=None)
@given(
    customer=st.integers(10**6, 10**7 - 1),
    quantity=st.integers(1, 999),
    price=st.decimals(min_value=Decimal("0.01"), max_value=Decimal("9999.99"), places=2),
    material=st.text(string.ascii_uppercase, min_size=3, max_size=8).map(lambda letters: f"{letters}-1"),
)
def test_whatever_the_values_are_they_go_where_their_words_say(
    customer: int, quantity: int, price: Decimal, material: str
) -> None:
    text = f"Create a charter order for customer {customer}: {quantity} PC of {material}, net price {price}."
    (call,) = planner().plan(text).calls
    assert call.payload == {
        "Customer": str(customer),
        "to_Item": [
            {"Material": material, "OrderQuantity": quantity, "OrderQuantityUnit": "PC", "NetPriceAmount": price}
        ],
    }
