"""Batches sent to a mock service: references to what was created, change sets all or none."""

from pathlib import Path

import pytest

from clew.domain.requests import Request
from clew.graph.service_view import ServiceView
from clew.mock import MockService
from clew.protocol.batch import BatchAnswer, BatchPart, format_batch, parse_answers
from clew.protocol.json_batch import format_json_batch, parse_json_answers
from clew.sources.odata import read_csdl

FOLDER = Path(__file__).resolve().parents[2] / "fixtures" / "mock"


def service_of(document: str) -> MockService:
    facts = read_csdl((FOLDER / document).read_bytes(), document=document, naming=lambda _: "S")
    return MockService(ServiceView.of(facts.nodes))  # type: ignore[union-attr]


def multipart(service: MockService, *parts: BatchPart) -> tuple[BatchAnswer, ...]:
    headers = (("Content-Type", "multipart/mixed; boundary=b"),)
    response = service.send(
        Request(method="POST", service="S", path="$batch", headers=headers, body=format_batch(parts, "b"))
    )
    assert response.status in (200, 202), response.body
    return parse_answers(response.body, dict(response.headers)["Content-Type"])


def as_json(service: MockService, *parts: BatchPart) -> tuple[BatchAnswer, ...]:
    headers = (("Content-Type", "application/json"),)
    response = service.send(
        Request(method="POST", service="S", path="$batch", headers=headers, body=format_json_batch(parts))
    )
    assert response.status == 200, response.body
    return parse_json_answers(response.body)


def test_a_later_change_refers_to_what_an_earlier_one_created() -> None:
    service = service_of("trade.v2.edmx")
    answers = multipart(
        service,
        BatchPart(method="POST", url="A_Order", body='{"Buyer":"B1"}', content_id="1", change_set=1),
        BatchPart(method="POST", url="$1/to_Item", body='{"Material":"M1"}', content_id="2", change_set=1),
        BatchPart(method="GET", url="A_Order('10000001')/to_Item/$count"),
    )
    assert [(answer.status, answer.content_id) for answer in answers] == [(201, "1"), (201, "2"), (200, "")]
    assert answers[2].body == "1"
    assert [write.entity_set for write in service.writes] == ["A_Order", "A_OrderItem"]


def test_a_change_set_with_a_refused_change_changes_nothing_and_the_batch_goes_on() -> None:
    service = service_of("trade.v2.edmx")
    before = service.entities("A_Order")
    answers = multipart(
        service,
        BatchPart(method="POST", url="A_Order", body='{"Buyer":"B1"}', content_id="1", change_set=1),
        BatchPart(method="POST", url="A_Order", body='{"Bayer":"B1"}', content_id="2", change_set=1),
        BatchPart(method="GET", url="A_Order/$count"),
        BatchPart(method="POST", url="A_Order", body='{"Buyer":"B2"}', content_id="3", change_set=2),
    )
    assert [answer.status for answer in answers] == [400, 200, 201]
    assert answers[1].body == "0"
    assert before == []
    assert [entity["Buyer"] for entity in service.entities("A_Order")] == ["B2"]
    assert len(service.writes) == 1


def test_requests_outside_of_change_sets_stand_each_for_itself() -> None:
    service = service_of("garden.v4.edmx")
    answers = as_json(
        service,
        BatchPart(method="POST", url="Growers", body='{"GrowerID":"G1"}', content_id="a"),
        BatchPart(method="POST", url="Growers", body='{"GrowerID":"G1"}', content_id="b"),
        BatchPart(method="PATCH", url="$a", body='{"FullName":"Ann"}', content_id="c"),
        BatchPart(method="GET", url="Growers('G1')?$select=FullName", content_id="d"),
        BatchPart(method="GET", url="Growers('%zz')", content_id="e"),
    )
    assert [(answer.content_id, answer.status) for answer in answers] == [
        ("a", 201),
        ("b", 409),
        ("c", 204),
        ("d", 200),
        ("e", 400),
    ]
    assert '"FullName":"Ann"' in answers[3].body


@pytest.mark.parametrize(
    ("content_type", "body"),
    [("multipart/mixed; boundary=b", "--b"), ("multipart/mixed", "--b--"), ("application/json", "{}"), ("", "")],
)
def test_a_malformed_batch_is_refused_as_a_whole(content_type: str, body: str) -> None:
    service = service_of("garden.v4.edmx")
    response = service.send(
        Request(method="POST", service="S", path="$batch", headers=(("Content-Type", content_type),), body=body)
    )
    assert response.status == 400
