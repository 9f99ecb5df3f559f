"""Batches are read as they were written, in both forms, and what breaks their grammar is refused with its place."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.domain.errors import MalformedText
from clew.protocol.batch import (
    BatchAnswer,
    BatchPart,
    boundary_of,
    format_answers,
    format_batch,
    parse_answers,
    parse_batch,
)
from clew.protocol.json_batch import format_json_answers, format_json_batch, parse_json_answers, parse_json_batch

URLS = st.from_regex(r"[A-Za-z$][A-Za-z0-9$/()='%?&]{0,20}", fullmatch=True)
BODIES = st.none() | st.sampled_from(['{"a":1.50}', "[1,2]", '{"text":"--b\\r\\n"}', '{"x":"é"}'])
HEADERS = st.lists(st.sampled_from([("accept", "application/json"), ("if-match", 'W/"1"')]), unique=True).map(tuple)


def numbered(drawn: list[tuple[bool, str, str, tuple[tuple[str, str], ...], str | None]]) -> tuple[BatchPart, ...]:
    """Gives parts with ids; neighbours that are changes form one set where the draw says so."""
    parts: list[BatchPart] = []
    group = 0
    for index, (joined, method, url, headers, body) in enumerate(drawn):
        is_change = method != "GET"
        continues = bool(parts) and parts[-1].change_set > 0
        group += is_change and joined and not continues
        parts.append(
            BatchPart(
                method=method,
                url=url,
                headers=headers,
                body=body,
                content_id=str(index + 1),
                change_set=group if is_change and joined else 0,
            )
        )
    return tuple(parts)


PARTS = st.lists(
    st.tuples(st.booleans(), st.sampled_from(["GET", "POST", "PATCH", "DELETE"]), URLS, HEADERS, BODIES),
    min_size=1,
    max_size=6,
).map(numbered)
ANSWERS = PARTS.map(
    lambda parts: tuple(
        BatchAnswer(
            status=200 if part.body else 204,
            headers=part.headers,
            body=part.body or "",
            content_id=part.content_id,
            change_set=part.change_set,
        )
        for part in parts
    )
)


def placeless(parts: tuple[BatchPart, ...]) -> list[BatchPart]:
    return [msgspec.structs.replace(part, position=0) for part in parts]


@given(PARTS)
def test_multipart_batches_are_read_as_they_were_written(parts: tuple[BatchPart, ...]) -> None:
    text = format_batch(parts, "b")
    assert placeless(parse_batch(text, "multipart/mixed; boundary=b")) == list(parts)
    assert placeless(parse_batch(text.replace("\r\n", "\n"), 'multipart/mixed;boundary="b"')) == list(parts)


@given(PARTS)
def test_json_batches_are_read_as_they_were_written(parts: tuple[BatchPart, ...]) -> None:
    assert parse_json_batch(format_json_batch(parts)) == parts


@given(ANSWERS)
def test_answers_are_read_as_they_were_written(answers: tuple[BatchAnswer, ...]) -> None:
    assert parse_answers(format_answers(answers, "b"), "multipart/mixed; boundary=b") == answers
    assert parse_json_answers(format_json_answers(answers)) == answers


REQUEST = "Content-Type: application/http\r\n\r\n{} X HTTP/1.1\r\n\r\n\r\n"


def batch(*sections: str) -> str:
    return "".join(f"--b\r\n{section}" for section in sections) + "--b--\r\n"


def change_set(*sections: str) -> str:
    inner = "".join(f"--c\r\n{section}" for section in sections) + "--c--\r\n"
    return f"Content-Type: multipart/mixed; boundary=c\r\n\r\n{inner}"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "BATCH_SYNTAX"),
        ("--b\r\n" + REQUEST.format("GET"), "BATCH_SYNTAX"),
        (batch("Content-Type: application/http\r\nGET X HTTP/1.1\r\n\r\n"), "BATCH_SYNTAX"),
        (batch("Content-Type: text/plain\r\n\r\nGET X HTTP/1.1\r\n\r\n"), "BATCH_SYNTAX"),
        (batch("Content-Type: application/http\r\n\r\nFETCH IT\r\n\r\n"), "BATCH_SYNTAX"),
        (batch(change_set(REQUEST.format("GET"))), "BATCH_METHOD"),
        (batch(change_set(change_set(REQUEST.format("POST")))), "BATCH_NESTED"),
        (batch(*(["Content-ID: 1\r\n" + REQUEST.format("POST")] * 2)), "BATCH_CONTENT_ID"),
        (batch(change_set(*(["Content-ID: 1\r\n" + REQUEST.format("POST")] * 2))), "BATCH_CONTENT_ID"),
        (batch(*([REQUEST.format("GET")] * 1001)), "BATCH_SIZE"),
    ],
)
def test_malformed_batches_are_refused(text: str, code: str) -> None:
    with pytest.raises(MalformedText) as caught:
        parse_batch(text, "multipart/mixed; boundary=b")
    assert caught.value.code == code


def test_a_content_id_may_come_again_in_another_change_set_of_v2() -> None:
    one = change_set("Content-ID: 1\r\n" + REQUEST.format("POST"))
    assert [part.change_set for part in parse_batch(batch(one, one), "multipart/mixed; boundary=b", "V2")] == [1, 2]


@pytest.mark.parametrize("content_type", ["application/json", "multipart/mixed", "multipart/mixed; boundary="])
def test_a_content_type_without_boundary_is_refused(content_type: str) -> None:
    with pytest.raises(MalformedText) as caught:
        boundary_of(content_type)
    assert caught.value.code == "BATCH_BOUNDARY"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("[]", "BATCH_SYNTAX"),
        ('{"requests":[1]}', "BATCH_SYNTAX"),
        ('{"requests":[{"id":"1","url":"X"}]}', "BATCH_SYNTAX"),
        ('{"requests":[{"id":"1","method":"get","url":"X"},{"id":"1","method":"get","url":"Y"}]}', "BATCH_CONTENT_ID"),
        ('{"requests":[{"id":"1","method":"get","url":"X","atomicityGroup":"g"}]}', "BATCH_METHOD"),
        ('{"requests":', "JSON_SYNTAX"),
    ],
)
def test_malformed_json_batches_are_refused(text: str, code: str) -> None:
    with pytest.raises(MalformedText) as caught:
        parse_json_batch(text)
    assert caught.value.code == code
