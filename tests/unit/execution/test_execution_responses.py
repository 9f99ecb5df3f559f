"""Answers of services in every wrapping, read into JSON terms."""

import pytest
from tests.unit.execution.execution_site import view_of

from clew.domain.ports import Response
from clew.domain.records import JsonValue
from clew.domain.requests import Call, CheckedRequest, Request
from clew.execution.responses import read_error, read_result


def _checked(service: str, path: str, target: str, call: Call | None = None) -> CheckedRequest:
    request = Request(method="POST", service=service, path=path)
    return CheckedRequest(request=request, target=target, writes=True, schema_version="1", call=call)


REQUISITIONS = ("depot", "Requisitions", "odata:depot/Requisitions")


@pytest.mark.parametrize(
    ("place", "body", "wanted"),
    [
        (REQUISITIONS, '{"d":{"__metadata":{},"Plant":"1010"}}', {"Plant": "1010"}),
        (REQUISITIONS, '{"Value":"12.50","Counter":"7"}', {"Value": "12.50", "Counter": 7}),
        (REQUISITIONS, '{"d":{"results":[{"Plant":"1010"},{"Plant":"1020"}]}}', [{"Plant": "1010"}, {"Plant": "1020"}]),
        (REQUISITIONS, '{"d":{"to_Item":{"__deferred":{"uri":"x"}},"Plant":"1"}}', {"Plant": "1"}),
        (
            REQUISITIONS,
            '{"d":{"to_Item":{"results":[{"Quantity":"5.000"}]},"NeededOn":"/Date(1798675200000)/"}}',
            {"to_Item": [{"Quantity": "5.000"}], "NeededOn": "2026-12-31T00:00:00"},
        ),
        (
            ("depot", "Approve", "odata:depot#DEPOT.Approve()"),
            '{"d":{"Approve":{"Requisition":"4711","IsUrgent":true}}}',
            {"Requisition": "4711", "IsUrgent": True},
        ),
        (("workshop", "Jobs", "odata:workshop/Jobs"), '{"@odata.context":"x","value":[{"JobID":3}]}', [{"JobID": 3}]),
        (
            ("workshop", "Jobs(3)/Parts", "odata:workshop/Jobs"),
            '{"@odata.etag":"W/1","PartNo":1,"Quantity":2.500}',
            {"PartNo": 1, "Quantity": "2.500"},
        ),
        (("workshop", "FreeBays", "odata:workshop#workshop.v1.FreeBays(Edm.String,Edm.Date)"), "7", {"value": 7}),
    ],
)
def test_a_body_is_read_out_of_its_wrapping(place: tuple[str, str, str], body: str, wanted: JsonValue) -> None:
    service, path, target = place
    found = read_result(view_of(service), _checked(service, path, target), Response(status=201, body=body))
    assert _plain(found) == wanted


def _plain(value: JsonValue) -> JsonValue:
    """Writes decimals as text, digit for digit."""
    if isinstance(value, dict):
        return {name: _plain(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [_plain(inner) for inner in value]
    return value if isinstance(value, bool | int | str) or value is None else str(value)


def test_dates_outside_of_the_calendar_stay_as_they_came() -> None:
    body = '{"d":{"NeededOn":"/Date(-62135769600000)/","ChangedAt":"/Date(253402214400000+0000)/"}}'
    found = read_result(view_of("depot"), _checked(*REQUISITIONS), Response(status=200, body=body))
    assert found == {"NeededOn": "/Date(-62135769600000)/", "ChangedAt": "9999-12-31T00:00:00Z"}


@pytest.mark.parametrize("header", ["OData-EntityId", "Location"])
def test_an_empty_answer_gives_the_key_that_its_header_names(header: str) -> None:
    headers = ((header, "https://host.example/odata/Customers('C''1')"),)
    response = Response(status=204, headers=headers)
    found = read_result(view_of("workshop"), _checked("workshop", "Customers", "odata:workshop/Customers"), response)
    assert found == {"CustomerID": "C'1"}


def test_an_empty_answer_to_a_change_gives_the_key_of_the_call() -> None:
    call = Call(method="PATCH", service="workshop", entity_set="Jobs", key={"JobID": 3})
    checked = _checked("workshop", "Jobs(3)", "odata:workshop/Jobs", call)
    assert read_result(view_of("workshop"), checked, Response(status=204)) == {"JobID": 3}


def test_an_empty_answer_without_a_name_gives_nothing() -> None:
    checked = _checked("workshop", "Reset", "odata:workshop#workshop.v1.Reset()")
    assert read_result(view_of("workshop"), checked, Response(status=204)) is None
    assert read_result(view_of("workshop"), checked, Response(status=200, body="<html/>")) is None


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        ('{"error":{"code":"X1","message":"No such plant"}}', "HTTP 400 X1: No such plant"),
        ("<html>down</html>", "HTTP 400 without a message"),
        ("", "HTTP 400 without a message"),
    ],
)
def test_an_error_is_told_in_one_line(body: str, wanted: str) -> None:
    assert read_error(Response(status=400, body=body)) == wanted
