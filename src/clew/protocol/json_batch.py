"""JSON batches of V4.01 and their answers (OData JSON 4.01, clause 19); a change set is an `atomicityGroup` here."""

from clew.domain.errors import MalformedText
from clew.domain.records import JsonObject, JsonValue
from clew.protocol.batch import CHANGES, MOST_PARTS, BatchAnswer, BatchPart, Headers, check_content_ids
from clew.protocol.json import parse_json, write_json

__all__ = ["format_json_answers", "format_json_batch", "parse_json_answers", "parse_json_batch"]


def parse_json_batch(text: str) -> tuple[BatchPart, ...]:
    """Reads a JSON batch (OData JSON 4.01, clause 19).

    Raises:
        MalformedText: those of `parse_json`; `BATCH_SYNTAX`, `BATCH_SIZE`, `BATCH_CONTENT_ID`, `BATCH_METHOD`.
    """
    entries = _entries(text, "requests")
    groups: dict[str, int] = {}
    parts: list[BatchPart] = []
    for index, entry in enumerate(entries):
        named = entry.get("atomicityGroup")
        group = groups.setdefault(named, len(groups) + 1) if isinstance(named, str) else 0
        method, url, identity = entry.get("method"), entry.get("url"), entry.get("id")
        if not (isinstance(method, str) and isinstance(url, str) and isinstance(identity, str)):
            raise MalformedText("BATCH_SYNTAX", f"request {index} lacks its id, its method or its url")
        depends = entry.get("dependsOn", [])
        part = BatchPart(
            method=method.upper(),
            url=url,
            headers=_json_headers(entry),
            body=_json_body(entry),
            content_id=identity,
            change_set=group,
            depends_on=tuple(str(name) for name in depends) if isinstance(depends, list) else (),
        )
        if group and part.method not in CHANGES:
            raise MalformedText("BATCH_METHOD", f"request {identity!r}: an atomicity group holds changes only")
        parts.append(part)
    check_content_ids(parts, across=True)
    return tuple(parts)


def format_json_batch(parts: tuple[BatchPart, ...]) -> str:
    """Writes a JSON batch; groups are called `g1`, `g2` and so on."""
    entries: list[JsonValue] = []
    for part in parts:
        entry: JsonObject = {"id": part.content_id, "method": part.method.lower(), "url": part.url}
        if part.change_set:
            entry["atomicityGroup"] = f"g{part.change_set}"
        if part.depends_on:
            entry["dependsOn"] = list(part.depends_on)
        if part.headers:
            entry["headers"] = {name.lower(): value for name, value in part.headers}
        if part.body is not None:
            entry["body"] = parse_json(part.body)
        entries.append(entry)
    return write_json({"requests": entries})


def parse_json_answers(text: str) -> tuple[BatchAnswer, ...]:
    """Reads the answers to a JSON batch.

    Raises:
        MalformedText: those of `parse_json`; `BATCH_SYNTAX`.
    """
    groups: dict[str, int] = {}
    answers: list[BatchAnswer] = []
    for index, entry in enumerate(_entries(text, "responses")):
        status, identity, named = entry.get("status"), entry.get("id", ""), entry.get("atomicityGroup")
        if not isinstance(status, int) or isinstance(status, bool):
            raise MalformedText("BATCH_SYNTAX", f"response {index} lacks its status")
        group = groups.setdefault(named, len(groups) + 1) if isinstance(named, str) else 0
        body = _json_body(entry)
        answer = BatchAnswer(
            status=status, headers=_json_headers(entry), body=body or "", content_id=str(identity), change_set=group
        )
        answers.append(answer)
    return tuple(answers)


def format_json_answers(answers: tuple[BatchAnswer, ...]) -> str:
    """Writes the answers to a JSON batch."""
    entries: list[JsonValue] = []
    for answer in answers:
        entry: JsonObject = {"id": answer.content_id, "status": answer.status}
        if answer.change_set:
            entry["atomicityGroup"] = f"g{answer.change_set}"
        if answer.headers:
            entry["headers"] = {name.lower(): value for name, value in answer.headers}
        if answer.body:
            is_json = answer.body.lstrip().startswith(("{", "["))
            entry["body"] = parse_json(answer.body) if is_json else answer.body
        entries.append(entry)
    return write_json({"responses": entries})


def _entries(text: str, name: str) -> list[JsonObject]:
    content = parse_json(text)
    listed = content.get(name) if isinstance(content, dict) else None
    if not isinstance(listed, list):
        raise MalformedText("BATCH_SYNTAX", f"an object with the array {name!r} was expected")
    if len(listed) > MOST_PARTS:
        raise MalformedText("BATCH_SIZE", f"the batch has {len(listed)} parts, {MOST_PARTS} are allowed")
    return [_object(entry, name) for entry in listed]


def _object(entry: JsonValue, name: str) -> JsonObject:
    if not isinstance(entry, dict):
        raise MalformedText("BATCH_SYNTAX", f"each of the {name} is an object")
    return entry


def _json_headers(entry: JsonObject) -> Headers:
    headers = entry.get("headers", {})
    return tuple((name, str(value)) for name, value in headers.items()) if isinstance(headers, dict) else ()


def _json_body(entry: JsonObject) -> str | None:
    body = entry.get("body")
    if body is None:
        return None
    return body if isinstance(body, str) else write_json(body)
