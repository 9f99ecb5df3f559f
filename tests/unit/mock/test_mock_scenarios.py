"""The scenarios of tests/fixtures/mock, each a conversation with a service made from metadata alone."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from clew.domain.ports import Response
from clew.domain.records import JsonValue
from clew.domain.requests import Request
from clew.graph.service_view import ServiceView
from clew.mock import MockOptions, MockService
from clew.protocol.faults import parse_fault
from clew.protocol.json import parse_json
from clew.protocol.urls import split_url
from clew.sources.odata import read_csdl

FOLDER = Path(__file__).resolve().parents[2] / "fixtures" / "mock"
SERVICES = {"v2": "trade.v2.edmx", "v3": "shop.v3.edmx", "v4": "garden.v4.edmx", "draft": "travel.v4.edmx"}
Step = dict[str, Any]


def scenarios() -> list[tuple[str, Step]]:
    return [
        (version, scenario)
        for version in SERVICES
        for scenario in yaml.safe_load((FOLDER / f"scenarios.{version}.yaml").read_text(encoding="utf-8"))
    ]


def view_of(version: str) -> ServiceView:
    facts = read_csdl((FOLDER / SERVICES[version]).read_bytes(), document=SERVICES[version], naming=lambda _: version)
    return ServiceView.of(facts.nodes)  # type: ignore[union-attr]


def plain_dates(value: Any) -> Any:
    """YAML reads dates; seed data is JSON."""
    if isinstance(value, dict):
        return {name: plain_dates(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [plain_dates(inner) for inner in value]
    return value if value is None or isinstance(value, bool | int) else str(value)


def sent(step: Step, kept: dict[str, str], service: str) -> Request:
    def filled(text: str) -> str:
        for name, value in kept.items():
            text = text.replace("{" + name + "}", value)
        return text

    method, _, url = filled(step["send"]).partition(" ")
    path, query = split_url(url)
    headers = tuple(step.get("headers", {}).items())
    body = step.get("body")
    return Request(
        method=method, service=service, path=path, query=query, headers=headers, body=filled(body) if body else None
    )


def contains(whole: JsonValue, part: JsonValue) -> bool:
    """Whether `part` is what `whole` says, members left out; arrays are as long as each other."""
    if isinstance(part, dict):
        return isinstance(whole, dict) and all(k in whole and contains(whole[k], v) for k, v in part.items())
    if isinstance(part, list):
        same = isinstance(whole, list) and len(whole) == len(part)
        return same and all(contains(a, b) for a, b in zip(whole, part, strict=True))  # type: ignore[arg-type]
    return whole == part and isinstance(whole, bool) == isinstance(part, bool)


def listed(response: Response, name: str) -> list[str]:
    content: Any = parse_json(response.body)
    entries = content["d"]["results"] if "d" in content else content["value"]
    return [entry[name] for entry in entries]


def check(step: Step, response: Response, kept: dict[str, str]) -> None:
    assert response.status == step["status"], response
    if "gives" in step:
        expected = step["gives"]
        for name, value in kept.items():
            expected = expected.replace("{" + name + "}", value)
        assert contains(parse_json(response.body), parse_json(expected)), response.body
    if "text" in step:
        assert response.body == step["text"]
    if "ids" in step:
        assert listed(response, "Order") == step["ids"]
    if "names" in step:
        assert listed(response, "Name") == step["names"]
    if "lacks" in step:
        assert step["lacks"] not in response.body
    for name, value in step.get("header", {}).items():
        assert dict(response.headers)[name] == value
    check_fault(step, response)


def check_fault(step: Step, response: Response) -> None:
    if "code" not in step:
        assert response.status < 400
        return
    fault = parse_fault(response.body)
    assert fault is not None
    assert fault.code == step["code"]
    assert step.get("says", "") in fault.message
    if "target" in step:
        targets = {fault.target, *(detail.target for detail in fault.details)}
        assert step["target"] in targets


@pytest.mark.parametrize(
    ("version", "scenario"), scenarios(), ids=lambda value: value["name"] if isinstance(value, dict) else value
)
def test_a_service_behaves_as_its_metadata_says(version: str, scenario: Step) -> None:
    service = MockService(
        view_of(version), seed=plain_dates(scenario.get("seed", {})), options=MockOptions(**scenario.get("options", {}))
    )
    kept: dict[str, str] = {}
    for step in scenario["steps"]:
        before = service.dump()
        response = service.send(sent(step, kept, version))
        check(step, response, kept)
        for name, path in step.get("keep", {}).items():
            value: Any = parse_json(response.body)
            for part in path.split("/"):
                value = value[part]
            kept[name] = str(value)
        if response.status >= 400:
            assert without_counters(service.dump()) == without_counters(before), "a refused request leaves no trace"
    if "writes" in scenario:
        assert [[w.method, w.operation or w.entity_set] for w in service.writes] == scenario["writes"]


def without_counters(dumped: str) -> JsonValue:
    content: Any = parse_json(dumped)
    del content["state"]["counters"], content["state"]["next"]
    return content
