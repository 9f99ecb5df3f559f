"""Mock services made from real metadata: in each set that allows it an entity goes the whole round.

The payloads are made from the metadata by the few rules below, which know nothing of the mock's own.
"""

from dataclasses import dataclass, field
from pathlib import Path

import pytest
import yaml

from clew.domain.records import JsonObject, JsonValue
from clew.domain.requests import Request
from clew.domain.services import EntitySet, Property
from clew.graph.service_view import ServiceView
from clew.mock import MockOptions, MockService
from clew.protocol.json import parse_json, write_json
from clew.protocol.literals import format_literal
from clew.protocol.urls import split_url
from clew.protocol.values import write_value
from clew.sources.odata import read_csdl

pytestmark = pytest.mark.corpus

SERVICES = [
    "API_SALES_ORDER_SRV",
    "API_OUTBOUND_DELIVERY_SRV",
    "API_BILLING_DOCUMENT_SRV",
    "API_CUSTOMER_RETURN_SRV",
    "API_CREDIT_MEMO_REQUEST_SRV",
    "API_MATERIAL_STOCK_SRV",
    "API_EQUIPMENT",
    "API_ENTERPRISE_PROJECT_SRV",
    "API_COST_CENTER",
    "MM_PUR_RFQ_MAINTAIN_SRV",
    "MM_PUR_QTN_MAINTAIN_SRV",
    "MM_PUR_PO_MAINT_V2_SRV",
    "MM_PUR_SES_MAINTAIN_SRV",
    "SAPB1_SL_V3",
]

EXAMPLES: dict[str, JsonValue] = {
    "Edm.String": "1",
    "Edm.Boolean": True,
    "Edm.Byte": 1,
    "Edm.SByte": 1,
    "Edm.Int16": 1,
    "Edm.Int32": 1,
    "Edm.Int64": 1,
    "Edm.Decimal": 1,
    "Edm.Double": 1,
    "Edm.Single": 1,
    "Edm.Guid": "3f2504e0-4f89-41d3-9a0c-0305e82c3301",
    "Edm.DateTime": "2025-06-20",
    "Edm.Date": "2025-06-20",
    "Edm.DateTimeOffset": "2025-06-20T08:00:00Z",
    "Edm.Time": "PT8H",
    "Edm.TimeOfDay": "08:00:00",
    "Edm.Binary": "AAAA",
}


@pytest.fixture(scope="module")
def landscape(test_data: Path) -> dict[str, JsonObject]:
    content = yaml.safe_load((test_data / "bench-real" / "landscape.yaml").read_text(encoding="utf-8"))
    return {service["id"]: service for service in content["services"]}


def test_every_service_of_the_landscape_is_tried(landscape: dict[str, JsonObject]) -> None:
    assert sorted(landscape) == sorted(SERVICES)


@dataclass
class Trip:
    """A way through one service, with what happened to each set."""

    view: ServiceView
    service: MockService
    done: dict[str, int] = field(default_factory=dict)
    failed: list[str] = field(default_factory=list)
    parts: set[str] = field(default_factory=set)
    """Sets whose entities are created below others."""
    reached: set[str] = field(default_factory=set)

    def count(self, what: str) -> None:
        self.done[what] = self.done.get(what, 0) + 1

    def send(self, method: str, url: str, body: JsonObject | None = None) -> tuple[int, JsonObject]:
        path, query = split_url(url)
        headers = (("If-Match", "*"),)
        text = None if body is None else write_json(body)
        response = self.service.send(
            Request(method=method, service=self.view.id, path=path, query=query, headers=headers, body=text)
        )
        content = parse_json(response.body) if response.body.startswith("{") else {}
        if response.status >= 400 or response.status == 201:
            content = {"headers": dict(response.headers), "body": content}  # type: ignore[dict-item]
        return response.status, content  # type: ignore[return-value]

    def expect(self, status: int, method: str, url: str, body: JsonObject | None = None) -> JsonObject:
        got, content = self.send(method, url, body)
        if got != status:
            self.failed.append(f"{method} {url} {write_json(body)[:300]}: {got} {write_json(content)[:300]}")
        return content


def payload_for(view: ServiceView, node: EntitySet) -> JsonObject:
    """Gives the key as far as it may be set, and what is mandatory."""
    properties = view.properties(node.type)
    wanted = [name for name in view.key(node.type) if name not in ("IsActiveEntity", "DraftUUID")]
    wanted += [name for name, prop in properties.items() if prop.field_control == "Mandatory" and name not in wanted]
    wanted += [name for name in node.capabilities.required_on_insert if name not in wanted]
    return {
        name: example(view, properties[name]) for name in wanted if properties[name].creatable and name in properties
    }


def example(view: ServiceView, prop: Property) -> JsonValue:
    enum = view.enums.get(prop.type)
    if enum is not None:
        return enum.members[0].name
    listed = view.value_help_of(prop)
    if listed is not None and listed.closed and listed.codes:
        return listed.codes[0].code
    kind = view.underlying(prop.type)
    return write_value(EXAMPLES[kind], kind, view.service.version)


def changeable(view: ServiceView, node: EntitySet) -> Property | None:
    """Gives a text that may be changed and asked for."""
    barred = {*view.key(node.type), *node.capabilities.non_updatable, *node.capabilities.non_filterable}
    for prop in view.properties(node.type).values():
        is_free = prop.name not in barred and not prop.computed and not prop.immutable and not prop.value_help
        if prop.type == "Edm.String" and prop.updatable and prop.filterable and is_free and not prop.field_control:
            return prop
    return None


def go_round(trip: Trip, node: EntitySet) -> None:
    """Creates, reads, changes, finds and deletes one entity of a set, and the parts that hang below it."""
    payload = payload_for(trip.view, node)
    status, content = trip.send("POST", node.name, payload)
    if status == 400 and any(code in write_json(content) for code in ("PARENT_MISSING", "KEY_MISSING")):
        trip.parts.add(node.name)
        return
    if status == 409 and node.name in trip.reached:
        return  # one with this key was created below another entity, and stayed
    if status != 201:
        trip.failed.append(f"POST {node.name} {write_json(payload)}: {status} {write_json(content)[:300]}")
        return
    trip.count("created")
    url = location(content)
    trip.expect(200, "GET", url)
    change_and_find(trip, node, url)
    create_parts(trip, node, url, depth=0)
    if node.capabilities.deletable:
        trip.expect(204, "DELETE", url)
        trip.expect(404, "GET", url)
        trip.count("deleted")


def location(content: JsonObject) -> str:
    headers = content["headers"]
    assert isinstance(headers, dict)
    return str(headers["Location"])


def change_and_find(trip: Trip, node: EntitySet, url: str) -> None:
    prop = changeable(trip.view, node)
    if prop is None or not node.capabilities.updatable:
        return
    trip.expect(204, "PATCH" if trip.view.is_v4 else "MERGE", url, {prop.name: "2"})
    trip.count("changed")
    if not node.capabilities.requires_filter and not node.capabilities.required_in_filter:
        literal = format_literal("2", prop.type, trip.view.service.version)
        found = trip.expect(200, "GET", f"{node.name}?$filter={prop.name}%20eq%20{literal}")
        assert len(entries(found)) == 1, (node.name, found)
        trip.count("found")


def create_parts(trip: Trip, node: EntitySet, url: str, *, depth: int) -> None:
    """Creates one entity along each navigation to many whose set has the parent's key in its own."""
    view = trip.view
    for navigation in view.navigations(node.type).values():
        target = view.target_set(node.name, navigation.name)
        stated = {rule.property for rule in navigation.constraints}
        shared = set(view.key(navigation.target)) & (stated or set(view.key(node.type)))
        shared -= {"IsActiveEntity", "DraftUUID"}
        is_part = navigation.multiplicity == "*" and shared and len(shared) < len(view.key(navigation.target))
        if not is_part or target is None or not target.capabilities.insertable or not navigation.creatable:
            continue
        payload = {k: v for k, v in payload_for(view, target).items() if k not in shared}
        made = trip.expect(201, "POST", f"{url}/{navigation.name}", payload)
        if trip.failed:
            return
        trip.count("created below")
        trip.parts.discard(target.name)
        trip.reached.add(target.name)
        listed = trip.expect(200, "GET", f"{url}/{navigation.name}?$top=5")
        assert entries(listed), (url, navigation.name)
        if depth == 0:
            create_parts(trip, target, location(made), depth=1)


def entries(content: JsonObject) -> list[JsonValue]:
    inner = content.get("d", content)
    assert isinstance(inner, dict)
    listed = inner.get("results", inner.get("value"))
    assert isinstance(listed, list)
    return listed


@pytest.mark.parametrize("name", SERVICES)
def test_an_entity_goes_round_in_every_set_that_allows_it(
    test_data: Path, landscape: dict[str, JsonObject], name: str
) -> None:
    file = str(landscape[name]["file"])
    facts = read_csdl((test_data / "corpus" / file).read_bytes(), document=file, naming=lambda _: name)
    view = ServiceView.of(facts.nodes)  # type: ignore[union-attr]
    trip = Trip(view, MockService(view, options=MockOptions(etags="always")))
    for node in view.sets.values():
        asks_for_more = node.capabilities.required_in_filter or node.capabilities.requires_filter
        if node.capabilities.readable and node.addressable and not node.singleton and not asks_for_more:
            trip.expect(200, "GET", node.name + "?$top=1&$filter=true")
            trip.count("read")
        is_abstract = view.types[node.type].abstract
        if node.capabilities.insertable and node.addressable and not node.singleton and not is_abstract:
            go_round(trip, node)
    assert trip.failed == [], "\n".join(trip.failed[:20])
    assert trip.done["read"] > 0
