"""The cases of public problem reports, sent to the mock: it refuses what a service refuses, and takes what it takes."""

from pathlib import Path
from typing import Any

import pytest

from clew.domain.errors import MalformedText
from clew.domain.records import JsonObject
from clew.domain.requests import Request
from clew.graph.service_view import ServiceView
from clew.mock import MockOptions, MockService
from clew.protocol.json import JsonLimits, parse_json
from clew.protocol.urls import split_url
from clew.sources.odata import read_csdl

pytestmark = pytest.mark.corpus

AREAS = ("odata-url", "odata-payload", "odata-http")
# What no metadata tells: a code list of another document, a facet that the server changed.
NOT_IN_THE_METADATA = {"PL-051", "PL-053"}
SEEDS: dict[str, dict[str, list[JsonObject]]] = {
    "BASE-V4.edmx": {
        "Suppliers": [{"PartnerID": "1000123", "Name": "North", "Grade": "A"}],
        "Crates": [{"Site": "N1", "CrateNo": 7}],
        "Orders": [
            {"OrderID": "3f2504e0-4f89-41d3-9a0c-0305e82c3301", "OrderedOn": "2025-01-01", "SupplierID": "1000123"}
        ],
    },
    "BASE-V2.edmx": {
        "PurchaseOrderSet": [{"PurchaseOrder": "4500000001", "CompanyCode": "1010"}],
        "SupplierSet": [{"Supplier": "1000123"}, {"Supplier": "V1000"}],
    },
}


def single_requests(folder: Path) -> list[tuple[str, str, str, Any]]:
    """Gives (id, verdict, document, input) of the cases that are one request to one service."""
    found = []
    for line in (folder / "cases.jsonl").read_text(encoding="utf-8").splitlines():
        case: Any = parse_json(line, JsonLimits(depth=200))
        given = case["input"]
        if case["area"] not in AREAS or case["id"] in NOT_IN_THE_METADATA or not isinstance(given, dict):
            continue
        text = (
            given["request"] if "request" in given else f"{given['method']} {given['url']}" if "method" in given else ""
        )
        if isinstance(text, str) and text:
            document = given.get("metadata_file") or case.get("context") or case["files"][0]
            found.append((case["id"], case["expected"]["verdict"], document, {**given, "request": text}))
    return found


def status_of(service: MockService, given: Any) -> int:
    method, _, url = given["request"].partition(" ")
    try:
        path, query = split_url(url)
    except MalformedText:
        return 400
    headers = tuple(given.get("headers", {}).items())
    body = given.get("body") or None
    request = Request(method=method, service=service.view.id, path=path, query=query, headers=headers, body=body)
    return service.send(request).status


def test_what_is_wrong_is_refused_and_what_is_right_is_taken(test_data: Path) -> None:
    folder = test_data / "cases"
    views: dict[str, ServiceView] = {}
    wrong: list[str] = []
    cases = single_requests(folder)
    assert len(cases) > 50
    for case_id, verdict, document, given in cases:
        if document not in views:
            content = (folder / "files" / document).read_bytes()
            facts = read_csdl(content, document=document, naming=lambda name: name)
            views[document] = ServiceView.of(facts.nodes)  # type: ignore[union-attr]
        # The cases about entity tags are exchanges; in the others If-Match holds whatever the writer chose.
        service = MockService(views[document], seed=SEEDS.get(document, {}), options=MockOptions(etags="never"))
        status = status_of(service, given)
        if (status >= 400) != (verdict == "reject"):
            wrong.append(f"{case_id}: {verdict} expected, {status} answered")
    assert wrong == []
