"""What a mock service offers besides answering: its state, its log, handlers, seeds, copies, threads, landscapes."""

import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.domain.errors import CallFailed, InputRefused
from clew.domain.ports import Transport
from clew.domain.records import JsonObject, JsonValue
from clew.domain.requests import Request
from clew.graph.service_view import ServiceView
from clew.mock import Desk, MockLandscape, MockOptions, MockService, Numbering, OperationCall
from clew.protocol.faults import parse_fault
from clew.protocol.json import parse_json, write_json
from clew.sources.odata import read_csdl

FOLDER = Path(__file__).resolve().parents[2] / "fixtures" / "mock"


def view_of(document: str, name: str) -> ServiceView:
    facts = read_csdl((FOLDER / document).read_bytes(), document=document, naming=lambda _: name)
    return ServiceView.of(facts.nodes)  # type: ignore[union-attr]


TRADE = view_of("trade.v2.edmx", "trade")
GARDEN = view_of("garden.v4.edmx", "garden")
ORDERS: JsonObject = {
    "Order": "5",
    "Buyer": "B1",
    "OrderDate": "2025-06-20",
    "to_Item": [{"OrderItem": "10", "Quantity": 4}],
}


def request(method: str, path: str, body: JsonValue = None, *, service: str = "trade", query: str = "") -> Request:
    pairs = tuple(tuple(part.split("=", 1)) for part in query.split("&")) if query else ()
    text = None if body is None else write_json(body)
    return Request(method=method, service=service, path=path, query=pairs, body=text)  # type: ignore[arg-type]


def test_a_service_and_a_landscape_are_transports() -> None:
    service = MockService(TRADE)
    transports: list[Transport] = [service, MockLandscape([service])]
    assert [t.send(request("GET", "A_Order/$count")).body for t in transports] == ["0", "0"]


def test_seeded_entities_are_there_in_json_terms_and_a_reset_brings_them_back() -> None:
    service = MockService(TRADE, seed={"A_Order": [ORDERS]})
    assert service.entities("A_OrderItem") == [{"Order": "5", "OrderItem": "10", "Quantity": 4}]
    assert service.entities("A_Order")[0]["OrderDate"] == "2025-06-20T00:00:00"
    service.send(request("DELETE", "A_Order('5')"))
    service.send(request("POST", "A_Order", {"Buyer": "B2"}))
    service.reset()
    assert [entity["Order"] for entity in service.entities("A_Order")] == ["5"]
    assert service.writes == ()


@pytest.mark.parametrize(
    ("seed", "says"),
    [
        ({"A_Orders": [{}]}, "A_Orders"),
        ({"A_Order": [{"Order": "5", "Buyr": "x"}]}, "Buyr"),
        ({"A_Order": [{"Order": "5"}, {"Order": "5"}]}, "this key already"),
        ({"A_Order": [{"Order": "5", "Buyer": "longer than ten"}]}, "10 are allowed"),
        ({"A_Order": [{"Order": "5", "OrderDate": "20.06.2025"}]}, "OrderDate"),
    ],
)
def test_seed_data_that_does_not_fit_is_refused_in_words(seed: dict[str, list[JsonObject]], says: str) -> None:
    with pytest.raises(InputRefused, match=says):
        MockService(TRADE, seed=seed)


def test_seeding_is_all_or_nothing() -> None:
    service = MockService(TRADE)
    with pytest.raises(InputRefused):
        service.seed({"A_Order": [{"Order": "5"}, {"Order": "6", "Buyr": "x"}]})
    assert service.entities("A_Order") == []


def test_numbers_go_on_after_those_that_were_given() -> None:
    service = MockService(TRADE, seed={"A_Order": [{"Order": "4711"}]}, numbering=Numbering(first={"A_Order": 4711}))
    service.send(request("POST", "A_Order", {}))
    service.send(request("POST", "A_Order", {"Order": "5000"}))
    service.send(request("POST", "A_Order", {}))
    assert [entity["Order"] for entity in service.entities("A_Order")] == ["4711", "4712", "5000", "5001"]


def test_the_clock_that_is_passed_in_is_the_services_time() -> None:
    service = MockService(TRADE, clock=lambda: datetime(2027, 3, 4, 5, 6, 7, tzinfo=UTC))
    service.send(request("POST", "A_Order", {}))
    assert service.entities("A_Order")[0]["CreatedAt"] == "2027-03-04T05:06:07Z"


def test_the_log_of_writes_tells_what_was_changed_in_json_terms() -> None:
    service = MockService(TRADE)
    body: JsonValue = {"Discount": "2.50", "OrderDate": "/Date(1750377600000)/", "to_Item": [{"Material": "M"}]}
    service.send(request("POST", "A_Order", body))
    service.send(request("POST", "A_Order", {"Bayer": "x"}))
    service.send(request("POST", "PickOrder", query="Order='10000001'"))
    created, picked = service.writes
    assert (created.method, created.entity_set, created.key) == ("POST", "A_Order", {"Order": "10000001"})
    assert (
        write_json(created.payload)
        == '{"Discount":2.50,"OrderDate":"2025-06-20T00:00:00","to_Item":[{"Material":"M"}]}'
    )
    assert (picked.operation, picked.entity_set, picked.key) == ("PickOrder", "A_Order", {"Order": "10000001"})
    assert picked.payload == {"Order": "10000001"}


def test_a_fork_and_its_origin_go_their_own_ways() -> None:
    service = MockService(TRADE, seed={"A_Order": [ORDERS]})
    other = service.fork()
    other.send(request("MERGE", "A_Order('5')", {"Buyer": "B2"}))
    other.send(request("POST", "A_Order('5')/to_Item", {}))
    assert service.entities("A_Order")[0]["Buyer"] == "B1"
    assert len(service.entities("A_OrderItem")) == 1
    assert (len(service.writes), len(other.writes)) == (0, 2)


def test_a_dumped_state_is_loaded_as_it_was() -> None:
    service = MockService(GARDEN)
    service.send(
        request("POST", "Plants", {"@odata.type": "#garden.Tree", "Name": "Oak", "Height": 2, "Jobs": [{"Text": "a"}]})
    )
    other = MockService(GARDEN)
    other.load(service.dump())
    assert other.dump() == service.dump()
    plant = other.entities("Plants")[0]["PlantID"]
    assert other.send(request("GET", f"Plants({plant})/Jobs(1)/Text/$value")).body == "a"
    assert other.writes == service.writes


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"service":"trade","state":{"rows":[{}]},"writes":[]}', "not JSON"])
def test_what_is_no_state_is_not_loaded(text: str) -> None:
    service = MockService(TRADE, seed={"A_Order": [ORDERS]})
    before = service.dump()
    with pytest.raises(InputRefused, match="no state of the service"):
        service.load(text)
    with pytest.raises(InputRefused, match="'garden'"):
        service.load(MockService(GARDEN).dump())
    assert service.dump() == before


# --- handlers


def split_order(desk: Desk, call: OperationCall) -> JsonValue:
    """Splits an order in two: a handler that reads, creates, changes and refuses."""
    order = desk.find("A_Order", Order=call.key["Order"])
    assert order is not None
    if order["Buyer"] == "LOCKED":
        desk.update("A_Order", call.key, {"Buyer": "TOUCHED"})
        raise desk.refuse(423, "LOCKED", "the order is locked")
    fresh = desk.create("A_Order", {"Buyer": order["Buyer"], "OrderDate": desk.now().date().isoformat()})
    desk.update("A_Order", call.key, {"Secret": fresh["Order"]})
    return fresh


def test_a_handler_of_the_users_own_works_on_the_state_and_gives_the_result() -> None:
    service = MockService(TRADE, seed={"A_Order": [ORDERS]}, handlers={"A_Order.ApproveOrder": split_order})
    response = service.send(request("POST", "ApproveOrder", query="Order='5'"))
    content = parse_json(response.body)
    assert isinstance(content, dict)
    assert isinstance(content["d"], dict)
    assert content["d"]["Order"] == "10000001"
    assert content["d"]["OrderDate"] == "/Date(1767225600000)/"
    assert [entity.get("Secret") for entity in service.entities("A_Order")] == ["10000001", None]


def test_what_a_refusing_handler_did_is_taken_back() -> None:
    service = MockService(
        TRADE, seed={"A_Order": [{"Order": "5", "Buyer": "LOCKED"}]}, handlers={"ApproveOrder": split_order}
    )
    before = service.dump()
    response = service.send(request("POST", "ApproveOrder", query="Order='5'"))
    assert (response.status, service.dump()) == (423, before)


def count_orders(desk: Desk, call: OperationCall) -> JsonValue:
    del call
    return len(desk.entities("A_Order"))


def test_a_handler_gives_plain_values_too() -> None:
    service = MockService(TRADE, seed={"A_Order": [ORDERS]}, handlers={"CountOrders": count_orders})
    assert service.send(request("GET", "CountOrders")).body == '{"d":{"CountOrders":1}}'


def delete_all(desk: Desk, call: OperationCall) -> JsonValue:
    for plant in desk.entities("Plants"):
        desk.delete("Plants", {"PlantID": plant["PlantID"]})
    return bool(call.parameters["Reason"])


def test_an_action_of_the_users_own_may_delete() -> None:
    seed: dict[str, list[JsonObject]] = {"Growers": [{"GrowerID": "G1"}]}
    service = MockService(GARDEN, seed=seed, handlers={"Reset": delete_all})
    service.send(request("POST", "Plants", {"@odata.type": "#garden.Herb", "Name": "Mint", "Height": 1}))
    response = service.send(request("POST", "Reset", {"Reason": "x"}))
    assert (response.status, service.entities("Plants")) == (200, [])


# --- a landscape


def test_a_landscape_sends_each_request_to_its_service_and_knows_all_writes() -> None:
    landscape = MockLandscape([MockService(TRADE), MockService(GARDEN)])
    landscape.send(request("POST", "A_Order", {}))
    landscape.send(request("POST", "Growers", {"GrowerID": "G1"}, service="garden"))
    assert {name: len(writes) for name, writes in landscape.writes.items()} == {"trade": 1, "garden": 1}
    other = MockLandscape([MockService(TRADE), MockService(GARDEN)])
    other.load(landscape.dump())
    assert other.services["garden"].entities("Growers") == [{"GrowerID": "G1"}]
    fork = other.fork()
    other.reset()
    assert (len(other.writes), len(fork.writes)) == (0, 2)
    with pytest.raises(CallFailed, match="'nowhere'"):
        landscape.send(request("GET", "X", service="nowhere"))


def test_a_landscape_that_cannot_be_loaded_stays_as_it_is() -> None:
    landscape = MockLandscape([MockService(TRADE), MockService(GARDEN)])
    landscape.send(request("POST", "A_Order", {}))
    before = landscape.dump()
    broken = write_json({"trade": MockService(TRADE).dump(), "garden": "{}"})
    for text in (broken, write_json({"x": ""}), "{"):
        with pytest.raises(InputRefused):
            landscape.load(text)
        assert landscape.dump() == before


# --- many threads, many calls


def test_requests_of_many_threads_lose_nothing() -> None:
    service = MockService(TRADE)

    def work() -> None:
        for _ in range(25):
            assert service.send(request("POST", "A_Order", {"to_Item": [{}, {}]})).status == 201

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    orders = [entity["Order"] for entity in service.entities("A_Order")]
    assert (len(set(map(str, orders))), len(service.entities("A_OrderItem")), len(service.writes)) == (200, 400, 200)


PATHS = st.sampled_from(
    ["A_Order", "A_Order('10000001')", "A_Order('10000002')", "A_Order('10000001')/to_Item", "A_OrderItem"]
)
BODIES: st.SearchStrategy[JsonValue] = st.one_of(
    st.none(),
    st.fixed_dictionaries(
        {},
        optional={
            "Order": st.sampled_from(["10000001", "77", "", None]),
            "Buyer": st.sampled_from(["B", "longer than ten", 5]),
            "to_Item": st.lists(
                st.fixed_dictionaries({}, optional={"OrderItem": st.sampled_from(["10", "20"])}), max_size=2
            ),
        },
    ),
)
CALLS = st.lists(st.tuples(st.sampled_from(["GET", "POST", "MERGE", "PUT", "DELETE"]), PATHS, BODIES), max_size=12)


@settings(max_examples=60)
@given(CALLS)
def test_whatever_is_called_the_state_stays_whole(calls: list[tuple[str, str, JsonValue]]) -> None:
    service = MockService(TRADE)
    for method, path, body in calls:
        before = (service.entities("A_Order"), service.entities("A_OrderItem"), service.writes)
        response = service.send(request(method, path, body))
        assert 200 <= response.status < 500
        if response.status >= 400 or method == "GET":
            assert (service.entities("A_Order"), service.entities("A_OrderItem"), service.writes) == before
    orders = {entity["Order"] for entity in service.entities("A_Order")}
    keys = [(entity["Order"], entity["OrderItem"]) for entity in service.entities("A_OrderItem")]
    assert {order for order, _ in keys} <= orders
    assert len(set(keys)) == len(keys)
    for order in orders:
        shown = parse_json(service.send(request("GET", f"A_Order('{order}')/to_Item")).body)
        assert isinstance(shown, dict)
        assert isinstance(shown["d"], dict)
        assert isinstance(shown["d"]["results"], list)
        assert len(shown["d"]["results"]) == sum(owner == order for owner, _ in keys)
    other = MockService(TRADE)
    other.load(service.dump())
    assert other.dump() == service.dump()


def ticking() -> Iterator[datetime]:
    moment = datetime(2026, 1, 1, tzinfo=UTC)
    while True:
        yield moment
        moment += timedelta(seconds=1)


def test_two_runs_of_the_same_calls_give_the_same_answers() -> None:
    def run() -> list[str]:
        clock = ticking()
        service = MockService(GARDEN, clock=lambda: next(clock), options=MockOptions(page_size=1, etags="always"))
        calls = [
            request("POST", "Plants", {"@odata.type": "#garden.Herb", "Name": name, "Height": 1}) for name in ("a", "b")
        ]
        return [service.send(call).body for call in [*calls, request("GET", "Plants"), request("GET", "Nothing")]]

    assert run() == run()


NAMES = [
    "A_Order",
    "Plants",
    "to_Item",
    "Jobs",
    "garden.Tree",
    "garden.Water",
    "Reset",
    "PickOrder",
    "$count",
    "$value",
]
MARKS = [
    "('1')",
    "(1)",
    "(Order='1')",
    "(Since=2025-01-01)",
    "/",
    "$ref",
    "$links",
    "$batch",
    "%",
    "%27",
    "(",
    "'",
    "@p",
]
FRAGMENTS = st.sampled_from([*NAMES, *MARKS])
URLS = st.lists(FRAGMENTS | st.text(max_size=3), max_size=5).map("".join)
OPTION_NAMES = ["$filter", "$select", "$expand", "$orderby", "$top", "$skiptoken", "$search", "$apply", "$id", "Order"]
OPTION_TEXTS = st.text(alphabet="abNameOrdeqt ()'/,:$@*15-.;=", max_size=25)
OPTIONS = st.lists(st.tuples(st.sampled_from(OPTION_NAMES), OPTION_TEXTS), max_size=3)
METHODS = st.sampled_from(["GET", "POST", "PATCH", "PUT", "DELETE", "BREW"])


@settings(max_examples=300)
@given(
    st.sampled_from(["GET", "POST", "PATCH", "PUT", "DELETE", "BREW"]), URLS, OPTIONS, st.none() | st.text(max_size=30)
)
def test_any_request_is_answered(method: str, path: str, query: list[tuple[str, str]], body: str | None) -> None:
    for view in (TRADE, GARDEN):
        service = MockService(view, seed={"A_Order": [ORDERS]} if view is TRADE else {"Growers": [{"GrowerID": "G1"}]})
        response = service.send(Request(method=method, service="S", path=path, query=tuple(query), body=body))
        assert 200 <= response.status <= 501
        assert response.status < 400 or parse_fault(response.body) is not None
