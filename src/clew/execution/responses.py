"""Answers of services, read into JSON terms: what a step gave, what an error said, what must be read afterwards."""

from collections.abc import Sequence
from typing import Final

from clew.domain.errors import MalformedText
from clew.domain.plans import Earlier
from clew.domain.ports import Response
from clew.domain.records import JsonObject, JsonValue
from clew.domain.references import Reference, parse_reference, references_of, value_at
from clew.domain.requests import Call, CheckedRequest
from clew.domain.services import EntitySet, Operation
from clew.graph.service_view import ServiceView
from clew.protocol.faults import parse_fault
from clew.protocol.json import parse_json
from clew.protocol.keys import read_key
from clew.protocol.urls import parse_path
from clew.protocol.values import read_value

_ABSENT: Final[JsonObject] = {}
_CONTROL = ("__metadata", "__deferred", "__count", "__next")


def read_result(view: ServiceView, checked: CheckedRequest, response: Response) -> JsonObject | list[JsonObject] | None:
    """Gives what a response holds in JSON terms (ISO dates, exact numbers), or the key of what it made.

    A collection is a list. A value that is out of its type's range (the initial dates of ABAP) stays as it came.
    `None` where the response says nothing.
    """
    type_name = _type_of(view, checked)
    text = response.body.strip()
    if not text:
        return _made_entity(view, checked, response)
    try:
        content = parse_json(text)
    except MalformedText:
        return None
    found = _unwrapped(content, checked)
    if isinstance(found, list):
        return [_read(view, item, type_name) for item in found if isinstance(item, dict)]
    return _read(view, found, type_name) if isinstance(found, dict) else {"value": found}


def _type_of(view: ServiceView, checked: CheckedRequest) -> str:
    for node in view.sets.values():
        if node.id == checked.target:
            return _navigated(view, node, checked)
    operation = _operation(view, checked.target)
    return operation.returns if operation is not None else ""


def _navigated(view: ServiceView, node: EntitySet, checked: CheckedRequest) -> str:
    """Gives the type at the end of the path: the target names the nearest set, contained entities have none."""
    current = node.type
    for segment in parse_path(checked.request.path).segments[1:]:
        way = view.navigations(current).get(segment.name)
        if way is not None:
            current = way.target
    return current


def _operation(view: ServiceView, node_id: str) -> Operation | None:
    return next((node for group in view.operations.values() for node in group if node.id == node_id), None)


def _unwrapped(content: JsonValue, checked: CheckedRequest) -> JsonValue:
    """Takes the version's wrapping off: `d`, `d.results`, `value`, and V2's name of the function import."""
    if not isinstance(content, dict):
        return content
    inner = content.get("d", content)
    if isinstance(inner, dict) and isinstance(inner.get("results"), list):
        return inner["results"]
    if inner is content and isinstance(content.get("value"), list):
        return content["value"]
    name = checked.request.path.partition("?")[0].rpartition("/")[2].partition("(")[0]
    if isinstance(inner, dict) and len(inner) == 1 and isinstance(inner.get(name), dict):
        return inner[name]
    return inner


def _read(view: ServiceView, members: JsonObject, type_name: str) -> JsonObject:
    properties, navigations = view.properties(type_name), view.navigations(type_name)
    found: JsonObject = {}
    for name, value in members.items():
        if name in _CONTROL or "@" in name or name.startswith("odata."):
            continue
        way, prop = navigations.get(name), properties.get(name)
        if way is not None:
            nested = _nested(view, value, way.target)
            if nested is not None:
                found[name] = nested
        elif prop is not None:
            found[name] = _value(view, value, prop.type)
        else:
            found[name] = value
    return found


def _nested(view: ServiceView, value: JsonValue, type_name: str) -> JsonValue:
    """Reads expanded entities; a deferred navigation was not read, which is not the same as empty."""
    if isinstance(value, dict) and isinstance(value.get("results"), list):
        value = value["results"]
    if isinstance(value, list):
        return [_read(view, item, type_name) for item in value if isinstance(item, dict)]
    if not isinstance(value, dict) or "__deferred" in value:
        return None
    return _read(view, value, type_name)


def _value(view: ServiceView, value: JsonValue, type_name: str) -> JsonValue:
    if isinstance(value, list):
        return [_value(view, item, type_name) for item in value]
    if isinstance(value, dict):
        inner = value.get("results")
        return _value(view, inner, type_name) if isinstance(inner, list) else _read(view, value, type_name)
    try:
        return read_value(value, view.underlying(type_name), view.service.version)
    except MalformedText:
        return value


def _made_entity(view: ServiceView, checked: CheckedRequest, response: Response) -> JsonObject | None:
    """Gives the key of an entity that an empty answer names by its URL (`OData-EntityId`, `Location`)."""
    for name in ("odata-entityid", "location"):
        url = next((value for header, value in response.headers if header.casefold() == name), "")
        key = _key_of_url(view, url)
        if key is not None:
            return key
    call = checked.call
    return dict(call.key) if call is not None and call.key else None


def _key_of_url(view: ServiceView, url: str) -> JsonObject | None:
    segments = url.partition("?")[0].split("/")
    for index, segment in enumerate(segments):
        node = view.sets.get(segment.partition("(")[0])
        if node is None or index != len(segments) - 1:
            continue
        properties = view.properties(node.type)
        types = {name: view.underlying(properties[name].type) for name in view.key(node.type)}
        try:
            last = parse_path(segment).last
            return read_key(last.key, types, view.service.version) if last is not None and last.key else None
        except MalformedText:
            return None
    return None


def read_error(response: Response) -> str:
    """Gives what a service says of a failure, in one line."""
    fault = parse_fault(response.body)
    if fault is None or not (fault.message or fault.code):
        return f"HTTP {response.status} without a message"
    details = [detail.message for detail in fault.details if detail.message and detail.message != fault.message]
    return f"HTTP {response.status} {fault.code}: {'; '.join([fault.message, *details[:5]])}".replace("\n", " ")


def missing_references(call: Call, earlier: Sequence[Earlier]) -> dict[int, set[str]]:
    """Gives, by step, the navigation properties ('' for others) that a call refers to and a result does not hold."""
    missing: dict[int, set[str]] = {}
    for _, text in references_of(call):
        try:
            reference = parse_reference(text)
        except MalformedText:
            continue
        if reference.step <= len(earlier) and not _holds(earlier[reference.step - 1].result, reference):
            first = reference.path[0]
            way = first if isinstance(first, str) and len(reference.path) > 1 else ""
            missing.setdefault(reference.step, set()).add(way)
    return missing


def _holds(result: JsonObject | list[JsonObject] | None, reference: Reference) -> bool:
    value: JsonValue = [*result] if isinstance(result, list) else result
    return value_at(value, reference.path, _ABSENT) is not _ABSENT


def read_back(view: ServiceView, known: Earlier, ways: set[str]) -> Call | None:
    """Gives the read of what a step made or changed, expanded along `ways`; `None` where its key is not known."""
    call = known.call
    entity_set = call.entity_set
    if call.operation:
        operation = next(iter(view.operations.get(call.operation.rpartition(".")[2], [])), None)
        entity_set = operation.entity_set if operation is not None else ""
    node = view.sets.get(entity_set)
    if node is None or call.navigation or not isinstance(known.result, dict):
        return None
    key = {name: known.result.get(name) for name in view.key(node.type)}
    if not key or any(value is None for value in key.values()):
        return None
    expand = ",".join(sorted(way for way in ways if way))
    query = {"$expand": expand} if expand else {}
    return Call(method="GET", service=call.service, entity_set=entity_set, key=key, query=query)
