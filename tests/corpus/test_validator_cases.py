"""The validator against cases from public problem reports and standards (areas odata-url and odata-payload)."""

import json
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import pytest

from clew.domain.facts import Refused
from clew.domain.issues import Severity
from clew.domain.requests import Call, Request
from clew.domain.services import Code, ValueHelp
from clew.domain.verdicts import Problem, Verdict
from clew.graph.service_view import ServiceView
from clew.grounding import Grounding, compose
from clew.protocol.filter_tree import Binary, constant, format_filter
from clew.protocol.filter_tree import Path as NamePath
from clew.protocol.json import parse_json
from clew.protocol.keys import format_key, read_key
from clew.protocol.urls import decode_percent, format_url, parse_path
from clew.sources.odata.csdl import read_csdl

pytestmark = pytest.mark.corpus

REQUESTS = {"odata-request-v2", "odata-request-v4", "odata-payload-v2", "odata-payload-v4"}


@cache
def _read(path: Path) -> ServiceView:
    facts = read_csdl(path.read_bytes(), document=path.name, naming=lambda name: name)
    assert not isinstance(facts, Refused), facts
    return ServiceView.of(facts.nodes, version="1")


def _view(folder: Path, case: dict[str, Any]) -> ServiceView:
    named = case.get("context") or case["input"].get("metadata_file") or case["input"].get("stored")
    return _read(folder / "files" / str(named))


def _cases(test_data: Path, formats: set[str]) -> list[dict[str, Any]]:
    lines = (test_data / "cases" / "cases.jsonl").read_text(encoding="utf-8").splitlines()
    cases = [json.loads(line) for line in lines if line.strip()]
    areas = {"odata-url", "odata-payload"}
    found = [case for case in cases if case["area"] in areas and case["input_format"] in formats]
    assert found, "no such cases in the folder"
    return found


def _lists(view: ServiceView, given: dict[str, list[str]]) -> dict[str, ValueHelp]:
    found: dict[str, ValueHelp] = {}
    for place, codes in given.items():
        entity_set, _, name = place.partition(".")
        owner = view.type_of(entity_set)
        assert owner is not None
        found[f"{owner.id}/{name}"] = ValueHelp(id="codes:given", codes=tuple(Code(code=code) for code in codes))
    return found


def _word(problems: tuple[Problem, ...]) -> str:
    if any(problem.severity is Severity.ERROR for problem in problems):
        return "reject"
    return "warn" if any(problem.severity is Severity.WARNING for problem in problems) else "accept"


def _said(verdict: Verdict) -> list[str]:
    return [f"{problem.code} {problem.pointer}: {problem.message}" for problem in verdict.problems]


def test_every_request_gets_its_verdict_and_a_message_that_helps(test_data: Path) -> None:
    wrong: list[str] = []
    for case in _cases(test_data, REQUESTS):
        given, expected = case["input"], case["expected"]
        view = _view(test_data / "cases", case)
        grounding = Grounding(view, code_lists=_lists(view, given.get("value_help", {})))
        verdict = grounding.validate_text(
            json.dumps({k: given[k] for k in ("request", "headers", "body") if k in given})
        )
        texts = " ".join(f"{problem.message} {problem.expected}" for problem in verdict.problems)
        unnamed = [word for word in expected.get("message_must_mention", []) if word not in texts]
        if _word(verdict.problems) != expected["verdict"] or unnamed:
            wrong.append(f"{case['id']} wants {expected['verdict']} {unnamed}: {_said(verdict)}")
    assert not wrong


def test_the_wanted_repair_is_the_one_that_is_offered(test_data: Path) -> None:
    """Of the requests whose repair is certain; the others (an offset, which part is meant) are not guessed."""
    certain = {"UR-001", "UR-003", "UR-013", "UR-021", "UR-023", "UR-025", "UR-070", "UR-085", "UR-087", "UR-091"}
    found: dict[str, str] = {}
    wanted: dict[str, str] = {}
    for case in _cases(test_data, REQUESTS):
        if case["id"] not in certain:
            continue
        verdict = Grounding(_view(test_data / "cases", case)).validate_text(case["input"]["request"])
        repaired = verdict.repaired
        wanted[case["id"]] = decode_percent(case["expected"]["fix"])
        if repaired is not None:
            url = format_url(repaired.path, repaired.query)
            found[case["id"]] = f"{repaired.method} {decode_percent(url)}"
    assert found == wanted


def test_each_value_is_judged_by_the_facets_of_its_property(test_data: Path) -> None:
    for case in _cases(test_data, {"value-check-v4"}):
        view = _view(test_data / "cases", case)
        entity_set, _, name = case["input"]["property"].partition(".")
        properties = view.properties(view.sets[entity_set].type)
        samples = {"Edm.String": "A", "Edm.Int32": 1, "Edm.Date": "2025-01-01"}
        key = {part: samples[properties[part].type] for part in view.key(view.sets[entity_set].type)}
        predicate = format_key(key, {part: properties[part].type for part in key}, "V4")
        judged: list[str] = []
        for value in case["input"]["json_values"]:
            body = f'{{"{name}":{value}}}'
            request = Request(method="PATCH", service=view.id, path=entity_set + predicate, body=body)
            problems = Grounding(_updatable(view, entity_set)).validate(request).problems
            judged.append(_word(tuple(problem for problem in problems if problem.pointer == f"/{name}")))
        assert judged == case["expected"]["per_value"], case["id"]


def _updatable(view: ServiceView, entity_set: str) -> ServiceView:
    """The value is judged, not whether the set may be changed."""
    node = view.sets[entity_set]
    capabilities = msgspec.structs.replace(node.capabilities, updatable=True)
    opened = msgspec.structs.replace(node, capabilities=capabilities)
    nodes = [view.service, *view.types.values(), *view.enums.values(), *view.value_helps.values()]
    return ServiceView.of([*nodes, *(n for n in view.sets.values() if n is not node), opened])


def test_built_queries_are_encoded_as_wanted(test_data: Path) -> None:
    for case in _cases(test_data, {"query-build-v4"}):
        view = _view(test_data / "cases", case)
        wanted = case["input"]["filter"]
        left = NamePath(names=(wanted["property"],))
        text = format_filter(
            Binary(operator=wanted["op"], left=left, right=constant(wanted["value"], "Edm.String", "V4"))
        )
        call = Call(method="GET", service=view.id, entity_set=case["input"]["set"], query={"$filter": text})
        request = compose(call, view)
        assert format_url(request.path, request.query) == case["expected"]["fix"], case["id"]
        assert Grounding(view).validate(request).allowed


def test_stated_values_are_read_as_stated(test_data: Path) -> None:
    """The asserted values of accepted payloads, the canonical form of a key."""
    by_id = {case["id"]: case for case in _cases(test_data, REQUESTS)}
    date = by_id["PL-020"]
    view = _view(test_data / "cases", date)
    table_value = parse_json(date["input"]["body"])
    assert isinstance(table_value, dict)
    call = Call(
        method="POST",
        service=view.id,
        entity_set="PurchaseOrderSet",
        payload={**table_value, "OrderDate": date["expected"]["assert"]["OrderDate"]},
    )
    assert parse_json(compose(call, view).body or "") == table_value
    alpha = by_id["PL-121"]
    assert parse_json(alpha["input"]["body"]) == alpha["expected"]["assert"]
    order = by_id["UR-005"]
    key = parse_path(order["input"]["request"].partition(" ")[2]).segments[0].key
    assert key is not None
    types = {"Site": "Edm.String", "CrateNo": "Edm.Int32"}
    canonical = "Crates" + format_key(read_key(key, types, "V4"), types, "V4")
    assert canonical == order["expected"]["assert"]["canonical"]


def test_a_facet_that_the_server_changed_is_enforced_once_it_was_read_again(test_data: Path) -> None:
    case = next(case for case in _cases(test_data, {"metadata-drift"}) if case["id"] == "PL-053")
    stored = _view(test_data / "cases", case)
    place, (_, length) = next(iter(case["input"]["live_change"].items()))
    entity_set, name, _ = place.split(".")
    text = case["input"]["request"]
    body = {"request": text, "body": case["input"]["body"]}
    assert Grounding(stored).validate_text(json.dumps(body)).allowed
    owner = stored.type_of(entity_set)
    assert owner is not None
    changed = msgspec.structs.replace(
        owner,
        properties=tuple(
            msgspec.structs.replace(prop, max_length=length) if prop.name == name else prop for prop in owner.properties
        ),
    )
    nodes = [node for node in (*stored.sets.values(), *stored.types.values()) if node is not owner]
    live = ServiceView.of([stored.service, *nodes, changed])
    verdict = Grounding(live).validate_text(json.dumps(body))
    assert [problem.pointer for problem in verdict.problems if problem.severity is Severity.ERROR] == [f"/{name}"]


def test_numbers_of_payloads_are_never_floats(test_data: Path) -> None:
    case = next(case for case in _cases(test_data, REQUESTS) if case["id"] == "PL-007")
    body = parse_json(case["input"]["body"])
    assert isinstance(body, dict)
    assert body["Total"] == Decimal("12.345")
