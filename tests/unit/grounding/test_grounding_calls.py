"""Calls become requests: spelt as the version spells them, and then allowed by the validator."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from clew.domain.plans import Earlier
from clew.domain.requests import Call, Request
from clew.graph.service_view import ServiceView
from clew.grounding import Grounding, PlanChecker, compose, read_request
from clew.protocol.json import parse_json, write_json
from clew.protocol.urls import format_url

NAMES = st.sampled_from(
    ["Title", "title", "DueOn", "CustomerID", "Urgency", "Hazards", "Price", "Where", "Labels", "Parts", "Customer"]
) | st.text(max_size=6)

FILE = Path(__file__).parents[2] / "fixtures" / "grounding" / "calls" / "composed.yaml"
CASES = yaml.safe_load(FILE.read_text(encoding="utf-8"))["cases"]


@pytest.mark.parametrize("case", [pytest.param(case, id=case["name"]) for case in CASES])
def test_a_call_becomes_the_request_its_case_states(
    case: dict[str, Any], view: Callable[[str], ServiceView], grounding: Callable[[str], Grounding]
) -> None:
    service = view(case["service"])
    call = msgspec.convert({"service": service.id, **case["call"]}, Call)
    request = compose(call, service)
    assert f"{request.method} {format_url(request.path, request.query)}" == case["request"]
    if "body" in case:
        assert parse_json(request.body or "") == parse_json(case["body"])
    else:
        assert request.body is None
    if case.get("sent", True):
        problems = grounding(case["service"]).validate(request).problems
        assert not [problem for problem in problems if problem.severity == "error" and not _lacks(problem.code)]


def _lacks(code: str) -> bool:
    """The cases hold what they are about, not everything that a create must hold."""
    return code in {"REQUIRED", "REQUIRED_BY_ANNOTATION"}


def test_a_number_of_a_float_keeps_its_digits(depot: ServiceView) -> None:
    call = Call(method="POST", service="depot", entity_set="Requisitions", payload={"Value": 1190.1})
    assert compose(call, depot).body == '{"Value":"1190.1"}'


@pytest.mark.parametrize(
    "text",
    [
        "https://host.example/sap/opu/odata/DEPOT/Requisitions('4711')/to_Item?$top=3",
        "Requisitions('4711')/to_Item?$top=3",
        "/Requisitions('4711')/to_Item?$top=3",
        "/sap/opu/odata/DEPOT/Requisitions('4711')/to_Item?$top=3",
    ],
)
def test_a_url_is_read_below_the_root_of_its_service(depot: ServiceView, text: str) -> None:
    service = msgspec.structs.replace(depot.service, url="https://host.example/sap/opu/odata/DEPOT/")
    rooted = ServiceView.of([service, *depot.sets.values(), *depot.types.values()])
    request = read_request(f"GET {text}", rooted).request
    assert request is not None
    assert (request.path, request.query) == ("Requisitions('4711')/to_Item", (("$top", "3"),))


def test_a_url_of_another_host_is_refused(depot: ServiceView) -> None:
    service = msgspec.structs.replace(depot.service, url="https://host.example/odata/DEPOT")
    rooted = ServiceView.of([service, *depot.sets.values()])
    for url in ("https://other.example/odata/DEPOT/Plants", "https://host.example/odata/DEPOT2/Plants"):
        reading = read_request(f"GET {url}", rooted)
        assert reading.request is None
        assert reading.problems[0].code == "URL_OUTSIDE"


def test_a_request_object_keeps_how_its_numbers_are_spelt(depot: ServiceView) -> None:
    body = '{"Value": 12.50, "Counter": 9007199254740993}'
    text = f'{{"method": "POST", "url": "Requisitions", "headers": {{"Prefer": "x"}}, "body": {body}}}'
    request = read_request(text, depot).request
    assert request is not None
    assert request.body == '{"Value":12.50,"Counter":9007199254740993}'
    assert request.headers == (("Prefer", "x"),)


@pytest.mark.parametrize("text", ["", "   ", "{", "{}", "[]", '{"url": 5}', "\x00", "GET %zz", "GET A#b"])
def test_what_is_no_request_is_a_problem_and_no_exception(grounding: Callable[[str], Grounding], text: str) -> None:
    verdict = grounding("depot_v2.csdl.xml").validate_text(text)
    assert not verdict.allowed
    assert verdict.problems
    assert verdict.repaired is None


@pytest.mark.parametrize(
    "body",
    [
        '{"Requester": ' + "[" * 1000 + "]" * 1000 + "}",
        '{"Requester": "' + "x" * 5_000_000 + '"}',
        '{"Value": 1' + "0" * 5000 + "}",
        '{"Requester": "\\ud800"}',
        '{"Value": 1e999999999}',
    ],
    ids=["a thousand levels", "five megabytes", "a number of 5,000 digits", "half a character", "a huge exponent"],
)
def test_a_hostile_body_is_one_problem(grounding: Callable[[str], Grounding], body: str) -> None:
    verdict = grounding("depot_v2.csdl.xml").validate_text(f"POST Requisitions\n\n{body}")
    assert [problem.pointer for problem in verdict.problems] == [""]
    assert len(verdict.problems[0].message) < 300


JSON_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.text(max_size=8)
    | st.decimals(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=4),
    max_leaves=12,
)


@given(
    body=st.dictionaries(NAMES, JSON_VALUES, max_size=6), path=st.sampled_from(["Jobs", "Jobs(3)", "Shelves", "Reset"])
)
def test_any_json_gets_a_verdict_and_a_repair_that_is_itself_allowed(
    grounding: Callable[[str], Grounding], body: dict[str, Any], path: str
) -> None:
    validator = grounding("workshop_v4.csdl.xml")
    method = "PATCH" if "(" in path else "POST"
    verdict = validator.validate(Request(method=method, service="workshop", path=path, body=write_json(body)))
    assert verdict.allowed is (verdict.checked is not None)
    assert all(problem.message and problem.code for problem in verdict.problems)
    if verdict.repaired is not None:
        assert not verdict.allowed
        assert validator.validate(verdict.repaired).allowed


@given(text=st.text(alphabet="GET Jobs(3)/Parts?$filter=Title eq 'x'&$select,()%20", max_size=60))
def test_any_url_gets_a_verdict(grounding: Callable[[str], Grounding], text: str) -> None:
    verdict = grounding("workshop_v4.csdl.xml").validate_text(f"GET {text}")
    assert verdict.allowed is (verdict.checked is not None)


def test_a_plan_s_calls_are_checked_by_what_earlier_steps_will_give(grounding: Callable[[str], Grounding]) -> None:
    files = {"depot": "depot_v2.csdl.xml", "workshop": "workshop_v4.csdl.xml"}
    checker = PlanChecker(lambda service: grounding(files[service]))
    first = Call(method="POST", service="depot", entity_set="Requisitions", payload={"Plant": "1010"})
    by_key = Call(method="GET", service="depot", entity_set="Requisitions", key={"Requisition": "$1.Requisition"})
    verdict = checker.check(by_key, (Earlier(call=first),))
    assert verdict.allowed
    assert verdict.checked is not None
    assert verdict.checked.request.path == "Requisitions($1.Requisition)"
    assert verdict.checked.call == by_key
    known = checker.check(by_key, (Earlier(call=first, result={"Requisition": "4711"}, carried_out=True),))
    assert known.checked is not None
    assert known.checked.request.path == "Requisitions('4711')"
