"""The expected calls of the agent tasks of bench-real, sent to the mock: each goes through and leads to its state.

The requests are composed here from `clew.protocol` alone, so that nothing but the mock itself is tested.
"""

import re
from pathlib import Path
from typing import Any

import msgspec
import pytest
import yaml

from clew.domain.records import JsonObject, JsonValue
from clew.domain.requests import Request
from clew.domain.services import EntityType, Operation
from clew.graph.service_view import ServiceView
from clew.mock import MockLandscape, MockService
from clew.protocol.json import parse_json, write_json
from clew.protocol.keys import format_key
from clew.protocol.literals import format_literal
from clew.protocol.values import comparable, read_value, write_value
from clew.sources.odata import read_csdl

pytestmark = pytest.mark.corpus

TASKS = [f"dev-a{number:02d}" for number in range(1, 16)]


@pytest.fixture(scope="module")
def views(test_data: Path) -> dict[str, ServiceView]:
    landscape = yaml.safe_load((test_data / "bench-real" / "landscape.yaml").read_text(encoding="utf-8"))
    found: dict[str, ServiceView] = {}
    for service in landscape["services"]:
        content = (test_data / "corpus" / service["file"]).read_bytes()
        facts = read_csdl(content, document=service["file"], naming=lambda _, name=service["id"]: name)
        found[service["id"]] = ServiceView.of(facts.nodes)  # type: ignore[union-attr]
    return found


@pytest.fixture(scope="module")
def tasks(test_data: Path) -> dict[str, JsonObject]:
    lines = (test_data / "bench-real" / "agent_tasks.jsonl").read_text(encoding="utf-8").splitlines()
    read = [parse_json(line) for line in lines if line.strip()]
    return {str(task["id"]): task for task in read if isinstance(task, dict)}


def test_every_task_is_tried(tasks: dict[str, JsonObject]) -> None:
    assert sorted(tasks) == TASKS


# --- from expected calls to requests


def wire(view: ServiceView, type_name: str, values: JsonObject) -> JsonObject:
    """Writes an entity as a body of the service's version, nested entities and complex values included."""
    properties, navigations = view.properties(type_name), view.navigations(type_name)
    body: JsonObject = {}
    for name, value in values.items():
        if name in navigations:
            body[name] = [wire(view, navigations[name].target, entry) for entry in value]  # type: ignore[union-attr]
            continue
        prop = properties[name]
        if isinstance(value, list):
            body[name] = [wire(view, prop.type, entry) for entry in value]  # type: ignore[arg-type]
        elif prop.type in view.enums or view.underlying(prop.type) == "Edm.String":
            body[name] = value
        else:
            body[name] = write_value(value, view.underlying(prop.type), view.service.version)
    return body


def looked_up(reference: str, results: list[JsonObject]) -> JsonValue:
    """Gives what `$2.to_Item[0].Name` stands for."""
    step, *parts = re.findall(r"\w+", reference)
    value: JsonValue = results[int(step) - 1]
    for part in parts:
        value = value[int(part)] if isinstance(value, list) else value[part]  # type: ignore[index]
    return value


def put(payload: JsonObject, path: str, value: JsonValue) -> None:
    *way, last = re.findall(r"\w+", path)
    target: Any = payload
    for part in way:
        target = target[int(part)] if part.isdigit() else target.setdefault(part, [])
    target[last] = value


def with_links(call: JsonObject, results: list[JsonObject]) -> JsonObject:
    payload = parse_json(write_json(call["payload_must_contain"]))
    assert isinstance(payload, dict)
    links = call.get("links", {})
    assert isinstance(links, dict)
    for path, reference in links.items():
        put(payload, path, looked_up(str(reference), results))
    return payload


def requested(view: ServiceView, call: JsonObject, results: list[JsonObject]) -> Request:
    payload = with_links(call, results)
    if "operation" in call:
        return operation_request(view, call, payload, results)
    entity_set = str(call["entity_set"])
    type_name = view.sets[entity_set].type
    path = entity_set + key_of(view, entity_set, call)
    if call["method"] == "POST":
        payload = {**mandatory(view, type_name, payload), **payload}
    body = write_json(wire(view, type_name, payload))
    return Request(method=str(call["method"]), service=view.id, path=path, body=body)


def mandatory(view: ServiceView, type_name: str, payload: JsonObject) -> JsonObject:
    """Gives a text for each mandatory field that the task, which names the least that a payload holds, leaves out."""
    if "IsActiveEntity" in view.key(type_name):
        return {}
    properties = view.properties(type_name).values()
    return {prop.name: "X" for prop in properties if prop.field_control == "Mandatory" and prop.name not in payload}


def with_etag(landscape: MockLandscape, request: Request) -> Request:
    """Gives the request with the entity tag that a read of its entity showed."""
    if request.method not in ("PATCH", "PUT", "DELETE"):
        return request
    shown = dict(landscape.send(Request(method="GET", service=request.service, path=request.path)).headers)
    headers = (("If-Match", shown["ETag"]),) if "ETag" in shown else ()
    return msgspec.structs.replace(request, headers=headers)


def key_of(view: ServiceView, entity_set: str, call: JsonObject) -> str:
    key = call.get("key")
    if not isinstance(key, dict):
        return ""
    type_name = view.sets[entity_set].type
    types = {name: view.properties(type_name)[name].type for name in view.key(type_name)}
    return format_key(key, types, view.service.version)


def operation_request(view: ServiceView, call: JsonObject, payload: JsonObject, results: list[JsonObject]) -> Request:
    name = str(call["operation"])
    if "bound_to" in call:
        bound = str(call["bound_to"])
        path = f"{bound}{key_of(view, bound, call)}/{name}"
        return Request(method="POST", service=view.id, path=path, body=write_json(payload))
    operation = view.operations[name][0]
    completed = {**taken_from_results(view, operation, call, results), **payload}
    known = {parameter.name: parameter for parameter in operation.parameters}
    query = tuple(
        (parameter, format_literal(completed[parameter], known[parameter].type, view.service.version))
        for parameter in known
        if parameter in completed
    )
    return Request(method=operation.method, service=view.id, path=name, query=query)


def taken_from_results(
    view: ServiceView, operation: Operation, call: JsonObject, results: list[JsonObject]
) -> JsonObject:
    """Gives key parameters that the task leaves to the entity that its links come from."""
    links = call.get("links", {})
    assert isinstance(links, dict)
    steps = {int(str(reference)[1:].partition(".")[0]) for reference in links.values()}
    key = view.key(operation.bound_to) if operation.bound_to else ()
    found: JsonObject = {}
    for step in sorted(steps):
        found.update({name: results[step - 1][name] for name in key if name in results[step - 1]})
    return found


# --- what is there before: whatever the tasks speak of and do not create themselves


def seeds_for(views: dict[str, ServiceView], task: JsonObject) -> dict[str, dict[str, list[JsonObject]]]:
    found: dict[str, dict[str, list[JsonObject]]] = {}
    for call in task["expected_calls"]:  # type: ignore[union-attr]
        assert isinstance(call, dict)
        view = views[str(call["service"])]
        seeded = found.setdefault(view.id, {})
        if "key" in call:
            seeded.setdefault(str(call.get("bound_to", call.get("entity_set"))), []).append(dict(call["key"]))  # type: ignore[arg-type]
        elif "operation" in call:
            payload = call["payload_must_contain"]
            assert isinstance(payload, dict)
            for node in view.sets.values():
                key = view.key(node.type)
                if len(key) == 1 and key[0] in payload and not node.name.endswith("Item"):
                    seeded.setdefault(node.name, []).append({key[0]: payload[key[0]]})
                    break
    return found


# --- comparing


def result_of(body: str) -> JsonObject:
    """Gives the entity of an answer in plain JSON: wrappers taken off, V2 collections as arrays."""
    content = parse_json(body) if body else {}
    assert isinstance(content, dict)
    return plain(content.get("d", content))  # type: ignore[return-value]


def plain(value: JsonValue) -> JsonValue:
    if isinstance(value, dict):
        if set(value) == {"results"}:
            return plain(value["results"])
        return {name: plain(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [plain(entry) for entry in value]
    return value


def json_terms(view: ServiceView, type_name: str, result: JsonObject) -> JsonObject:
    """Gives the result as references in later calls use it: dates as ISO text, numbers as numbers."""
    read: JsonObject = {}
    for name, value in result.items():
        prop = view.properties(type_name).get(name)
        if prop is None or isinstance(value, dict | list) or prop.type in view.enums:
            read[name] = value
        else:
            read[name] = read_value(value, view.underlying(prop.type), view.service.version)
    return read


def agrees(view: ServiceView, type_name: str, entity: JsonObject, match: JsonObject) -> bool:
    for name, wanted in match.items():
        kind = view.underlying(view.properties(type_name)[name].type)
        terms = write_value(wanted, kind, "V4") if not isinstance(wanted, str) or kind != "Edm.String" else wanted
        held = entity.get(name)
        if comparable(held, kind) != comparable(terms, kind):
            return False
    return True


def result_type(view: ServiceView, call: JsonObject) -> str:
    if "entity_set" in call:
        return view.sets[str(call["entity_set"])].type
    return view.operations[str(call["operation"])][0].returns


@pytest.mark.parametrize("task_id", TASKS)
def test_the_expected_calls_lead_to_the_expected_state(
    views: dict[str, ServiceView], tasks: dict[str, JsonObject], task_id: str
) -> None:
    task = tasks[task_id]
    seeds = seeds_for(views, task)
    landscape = MockLandscape([MockService(views[name], seed=seed) for name, seed in seeds.items()])
    results: list[JsonObject] = []
    calls = task["expected_calls"]
    assert isinstance(calls, list)
    for call in calls:
        assert isinstance(call, dict)
        view = views[str(call["service"])]
        response = landscape.send(with_etag(landscape, requested(view, call, results)))
        assert response.status < 300, f"{call}: {response.status} {response.body}"
        type_name = result_type(view, call)
        result = result_of(response.body)
        is_entity = isinstance(view.types.get(type_name), EntityType)
        results.append(json_terms(view, type_name, result) if is_entity else {})
    assert sum(len(writes) for writes in landscape.writes.values()) == len(calls)
    for expected in task["expected_final_state"]:  # type: ignore[union-attr]
        assert isinstance(expected, dict)
        view = views[str(expected["service"])]
        entity_set, match = str(expected["entity_set"]), expected["match"]
        assert isinstance(match, dict)
        held = landscape.services[view.id].entities(entity_set)
        type_name = view.sets[entity_set].type
        assert any(agrees(view, type_name, entity, match) for entity in held), (expected, held)
