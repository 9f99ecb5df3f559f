"""The validator against the real services of the benchmark landscape: its tasks pass, its traps do not."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from clew.domain.facts import Refused
from clew.domain.issues import Severity
from clew.domain.plans import Earlier
from clew.domain.records import JsonValue
from clew.domain.requests import Call
from clew.domain.services import Code, ValueHelp
from clew.domain.verdicts import Problem, Verdict
from clew.graph.service_view import ServiceView
from clew.grounding import Grounding, PlanChecker, compose
from clew.sources.odata.csdl import read_csdl

pytestmark = pytest.mark.corpus

Views = Callable[[str], ServiceView]

COMPLETED = {
    # The task names one key parameter; the draft action takes all three.
    ("dev-a12", 4): {"DraftUUID": "$3.DraftUUID", "IsActiveEntity": "$3.IsActiveEntity"},
}


@pytest.fixture(scope="module")
def views(test_data: Path) -> Views:
    landscape = yaml.safe_load((test_data / "bench-real" / "landscape.yaml").read_text(encoding="utf-8"))
    files = {service["id"]: test_data / "corpus" / service["file"] for service in landscape["services"]}
    found: dict[str, ServiceView] = {}

    def view(service: str) -> ServiceView:
        if service not in found:
            found[service] = _read(files[service], service)
        return found[service]

    return view


def _read(path: Path, service: str) -> ServiceView:
    facts = read_csdl(path.read_bytes(), document=path.name, naming=lambda _name: service)
    assert not isinstance(facts, Refused), facts
    return ServiceView.of(facts.nodes, version="1")


def _lines(test_data: Path, name: str) -> list[dict[str, Any]]:
    text = (test_data / "bench-real" / name).read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines() if line.strip()]


def _place(payload: dict[str, Any], path: str, value: JsonValue) -> None:
    parts = [int(part) if part.isdigit() else part for part in re.findall(r"[^.\[\]]+", path)]
    holder: Any = payload
    for part in parts[:-1]:
        holder = holder[part]
    holder[parts[-1]] = value


def _errors(verdict: Verdict) -> list[Problem]:
    return [problem for problem in verdict.problems if problem.severity is Severity.ERROR]


def test_every_expected_call_of_the_agent_tasks_is_allowed(test_data: Path, views: Views) -> None:
    groundings: dict[str, Grounding] = {}
    checker = PlanChecker(lambda service: groundings.setdefault(service, Grounding(views(service))))
    refused: list[str] = []
    count = 0
    for task in _lines(test_data, "agent_tasks.jsonl"):
        earlier: list[Earlier] = []
        for step, wanted in enumerate(task["expected_calls"], 1):
            payload = json.loads(json.dumps(wanted["payload_must_contain"]))
            for path, reference in wanted.get("links", {}).items():
                _place(payload, path, reference)
            payload |= COMPLETED.get((task["id"], step), {})
            call = Call(
                method=wanted["method"],
                service=wanted["service"],
                entity_set=wanted.get("entity_set", wanted.get("bound_to", "")),
                operation=wanted.get("operation", ""),
                key=wanted.get("key", {}),
                payload=payload,
            )
            verdict = checker.check(call, tuple(earlier))
            refused += [f"{task['id']} {step}: {p.pointer} {p.message}" for p in _errors(verdict)]
            earlier.append(Earlier(call=call))
            count += 1
    assert not refused
    assert count == 39


def _listed(view: ServiceView, task: dict[str, Any]) -> Grounding:
    owner = view.type_of(task["entity_set"]) if "entity_set" in task else view.operations[task["operation"]][0]
    assert owner is not None
    lists = {
        f"{owner.id}/{name}": ValueHelp(
            id="codes:given", codes=tuple(Code(code=code, text=text) for code, text in codes.items())
        )
        for name, codes in task.get("code_list", {}).get("values", {}).items()
    }
    return Grounding(view, code_lists=lists)


def _verdict(grounding: Grounding, task: dict[str, Any], payload: dict[str, Any]) -> Verdict:
    call = Call(
        method="POST",
        service=grounding.view.id,
        entity_set=task.get("entity_set", ""),
        operation=task.get("operation", ""),
        payload=payload,
    )
    return grounding.validate(compose(call, grounding.view))


def test_what_the_elicitation_tasks_expect_is_allowed(test_data: Path, views: Views) -> None:
    refused = {
        task["id"]: [problem.message for problem in errors]
        for task in _lines(test_data, "elicitation.jsonl")
        if (errors := _errors(_verdict(_listed(views(task["service"]), task), task, task["expected"])))
    }
    assert not refused


def test_no_plausible_name_that_does_not_exist_gets_past(test_data: Path, views: Views) -> None:
    passed: list[str] = []
    count = 0
    for task in _lines(test_data, "elicitation.jsonl"):
        grounding = _listed(views(task["service"]), task)
        for name in task["traps"]["keys"]:
            count += 1
            errors = _errors(_verdict(grounding, task, {**task["expected"], name: "x"}))
            if not any(name in problem.message for problem in errors):
                passed.append(f"{task['id']} {name}")
    assert not passed
    assert count > 50


def test_no_wrong_code_gets_past_but_those_that_mean_something_else(test_data: Path, views: Views) -> None:
    passed: list[str] = []
    for task in _lines(test_data, "elicitation.jsonl"):
        view = views(task["service"])
        grounding = _listed(view, task)
        for path, codes in task["traps"]["codes"].items():
            members = _members(view, task, path)
            for code in codes:
                payload = json.loads(json.dumps(task["expected"]))
                _place(payload, path, code)
                if _verdict(grounding, task, payload).allowed is not (code in members):
                    passed.append(f"{task['id']} {path} {code}")
    assert not passed


def _members(view: ServiceView, task: dict[str, Any], path: str) -> set[str]:
    """Gives the codes that are allowed there, by the enumeration of the metadata or the list that the task gives."""
    listed = task.get("code_list", {}).get("values", {}).get(path)
    if listed is not None:
        return set(listed)
    type_name = view.sets[task["entity_set"]].type
    found = None
    for name in re.findall(r"[A-Za-z_]\w*", path):
        found = view.properties(type_name)[name]
        type_name = found.type
    return {member.name for member in view.enums[type_name].members} if type_name in view.enums else set()


SALES_ORDER = {
    "SalesOrderType": "OR",
    "SalesOrganization": "1710",
    "DistributionChannel": "10",
    "OrganizationDivision": "00",
    "SoldToParty": "17100001",
    "RequestedDeliveryDate": "2025-06-12",
    "CompleteDeliveryIsDefined": True,
    "to_Item": [
        {
            "Material": "TG11",
            "RequestedQuantity": "40",
            "RequestedQuantityUnit": "PC",
            "RequestedQuantitySAPUnit": "PC",
        }
    ],
}
ORDERS = {
    "CardCode": "C20000",
    "DocType": "dDocument_Items",
    "DocDueDate": "2025-08-01",
    "DocumentLines": [{"ItemCode": "A00001", "Quantity": 3, "UnitPrice": "12.5"}],
}


@pytest.mark.parametrize(
    ("service", "entity_set", "valid", "changes"),
    [
        (
            "API_SALES_ORDER_SRV",
            "A_SalesOrder",
            SALES_ORDER,
            [
                ("SalesOrdrType", "OR", "UNKNOWN_PROPERTY"),
                ("SalesOrganization", "17100", "MAX_LENGTH"),
                ("CreatedByUser", "ME", "NOT_CREATABLE"),
                ("CompleteDeliveryIsDefined", "X", "JSON_TYPE"),
                ("RequestedDeliveryDate", "12 June 2025", "DATE_SYNTAX"),
                ("to_Item[0].RequestedQuantity", "40.12345", "SCALE"),
                ("to_Item[0].Materiel", "TG11", "UNKNOWN_PROPERTY"),
                ("to_Item", {"Material": "TG11"}, "NAV_COLLECTION"),
                ("SoldToParty", None, ""),
            ],
        ),
        (
            "SAPB1_SL_V3",
            "Orders",
            ORDERS,
            [
                ("Customer", "C20000", "UNKNOWN_PROPERTY"),
                ("DocType", "Service", "ENUM_UNKNOWN"),
                ("DocDueDate", "2025-13-01", "DATE_INVALID"),
                ("DocumentLines[0].Quantity", "three", "NUMBER_SYNTAX"),
                ("DocumentLines[0].Item", "A00001", "UNKNOWN_PROPERTY"),
                ("DocumentLines", {"ItemCode": "A00001"}, "COLLECTION_EXPECTED"),
                ("DocEntry", 2**40, "LITERAL_RANGE"),
                ("U_OurOwnField", "anything", ""),
            ],
        ),
    ],
    ids=["S/4 sales order", "Business One order"],
)
def test_a_valid_order_passes_and_each_single_fault_in_it_is_caught(
    views: Views, service: str, entity_set: str, valid: dict[str, Any], changes: list[tuple[str, Any, str]]
) -> None:
    grounding = Grounding(views(service))
    task = {"entity_set": entity_set}
    verdict = _verdict(grounding, task, valid)
    assert verdict.allowed, _errors(verdict)
    caught: dict[str, str] = {}
    for path, value, _ in changes:
        payload = json.loads(json.dumps(valid))
        _place(payload, path, value)
        errors = _errors(_verdict(grounding, task, payload))
        caught[f"{path}={value}"] = ",".join(problem.code for problem in errors)
    assert caught == {f"{path}={value}": code for path, value, code in changes}


def test_a_draft_service_takes_a_draft_and_refuses_what_is_wrong_with_it(test_data: Path) -> None:
    view = _read(test_data / "corpus" / "odata" / "sap-open-ux-tools" / "travel-metadata.xml", "travel")
    grounding = Grounding(view)
    name = "Travel"
    assert view.sets[name].draft is not None
    task = {"entity_set": name}
    valid = {"AgencyID": "070001", "CustomerID": "000012", "BeginDate": "2026-05-01", "EndDate": "2026-05-08"}
    valid |= {"BookingFee": 12.5, "CurrencyCode": "EUR", "_Booking": [{"BookingDate": "2026-04-01", "CustomerID": "1"}]}
    verdict = _verdict(grounding, task, valid)
    assert verdict.allowed, _errors(verdict)
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"CurrencyCode": "EUROS!"}, "MAX_LENGTH"),
        ({"BeginDate": "01.05.2026"}, "DATE_SYNTAX"),
        ({"BookingFee": "12,50"}, "DECIMAL_JSON_TYPE"),
        ({"BeginDat": "2026-05-01"}, "UNKNOWN_PROPERTY"),
        ({"Confirmed": "X"}, "JSON_TYPE"),
        ({"TravelCode": 2**40}, "LITERAL_RANGE"),
        ({"_Booking": [{"BookingDate": "2026-04-01"}]}, ""),
        ({"_Agency": {"AgencyID": "070001"}}, "NAV_NOT_INSERTABLE"),
    ]
    for change, code in wrong:
        errors = _errors(_verdict(grounding, task, valid | change))
        assert ",".join(problem.code for problem in errors) == code, change
    booking = _verdict(grounding, {"entity_set": "Booking"}, {"BookingDate": "2026-04-01", "CustomerID": "1"})
    assert [problem.code for problem in _errors(booking)] == ["NOT_INSERTABLE"]
