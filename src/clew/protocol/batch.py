"""Multipart batches: several requests in one, and their answers (OData V2 Batch Processing; V4 Protocol, clause 11.7).

A change set is a group of changes that are carried out all or none. Reading is by grammar alone; the requests inside
are read by `urls`, `options`, `json` as any other. `json_batch` has the other form.
"""

import re
from itertools import pairwise

from clew.domain.errors import MalformedText
from clew.domain.records import Record

__all__ = [
    "BatchAnswer",
    "BatchPart",
    "boundary_of",
    "check_content_ids",
    "format_answers",
    "format_batch",
    "parse_answers",
    "parse_batch",
]

MOST_PARTS = 1000

Headers = tuple[tuple[str, str], ...]

_BOUNDARY = re.compile(r'boundary=(?:"([^"]{1,70})"|([^\s;,"]{1,70}))', re.IGNORECASE)
_HEADER = re.compile(r"([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*(.*?)[ \t]*")
_REQUEST_LINE = re.compile(r"([A-Z]+) (\S+) HTTP/1\.[01]")
_STATUS_LINE = re.compile(r"HTTP/1\.[01] ([1-5][0-9]{2})(?: .*)?")
CHANGES = ("POST", "PUT", "PATCH", "MERGE", "DELETE")


class BatchPart(Record, frozen=True, kw_only=True):
    """One request of a batch. `change_set` numbers its group from 1, 0 where it stands alone.

    `url` is as written: relative, absolute, or beginning with a reference to an earlier part (`$1/to_Item`).
    """

    method: str
    url: str
    headers: Headers = ()
    body: str | None = None
    content_id: str = ""
    change_set: int = 0
    depends_on: tuple[str, ...] = ()
    """JSON batch: ids of parts or groups that must have succeeded before."""
    position: int = 0


class BatchAnswer(Record, frozen=True, kw_only=True):
    """One answer of a batch, in the order of the parts; a failed change set has one answer for all of its parts."""

    status: int
    headers: Headers = ()
    body: str = ""
    content_id: str = ""
    change_set: int = 0


class _Section(Record, frozen=True, kw_only=True):
    headers: Headers
    content: str
    position: int


def boundary_of(content_type: str) -> str:
    """Gives the boundary of a multipart content type.

    Raises:
        MalformedText: `BATCH_BOUNDARY`, it is no multipart, or names none.
    """
    match = _BOUNDARY.search(content_type)
    if not content_type.lower().lstrip().startswith("multipart/") or match is None:
        message = f"{content_type!r} is no multipart/mixed with a boundary"
        raise MalformedText("BATCH_BOUNDARY", message)
    return match[1] or match[2]


def parse_batch(body: str, content_type: str, version: str = "V4") -> tuple[BatchPart, ...]:
    """Reads a multipart batch.

    Raises:
        MalformedText: `BATCH_BOUNDARY`, `BATCH_SYNTAX`, `BATCH_SIZE`, `BATCH_NESTED` (a change set in a change set),
            `BATCH_METHOD` (a read in a change set), `BATCH_CONTENT_ID` (twice in a change set; in V4 in the batch).
    """
    parts: list[BatchPart] = []
    groups = 0
    for section in _sections(body, boundary_of(content_type), 0):
        if _is_multipart(section):
            groups += 1
            inner = _sections(section.content, boundary_of(_header(section.headers, "content-type")), section.position)
            parts += [_change(nested, groups) for nested in inner]
        else:
            parts.append(_request(section, 0))
    if len(parts) > MOST_PARTS:
        raise MalformedText("BATCH_SIZE", f"the batch has {len(parts)} requests, {MOST_PARTS} are allowed")
    check_content_ids(parts, across=version.startswith("V4"))
    return tuple(parts)


def format_batch(parts: tuple[BatchPart, ...], boundary: str) -> str:
    """Writes a multipart batch; its content type is `multipart/mixed; boundary=` and the boundary."""
    texts = [(part.change_set, _format_request(part)) for part in parts]
    return _format_parts(texts, boundary)


def parse_answers(body: str, content_type: str) -> tuple[BatchAnswer, ...]:
    """Reads the answers to a multipart batch.

    Raises:
        MalformedText: `BATCH_BOUNDARY`, `BATCH_SYNTAX`.
    """
    answers: list[BatchAnswer] = []
    groups = 0
    for section in _sections(body, boundary_of(content_type), 0):
        if _is_multipart(section):
            groups += 1
            inner = _sections(section.content, boundary_of(_header(section.headers, "content-type")), section.position)
            answers += [_answer(nested, groups) for nested in inner]
        else:
            answers.append(_answer(section, 0))
    return tuple(answers)


def format_answers(answers: tuple[BatchAnswer, ...], boundary: str) -> str:
    """Writes the answers to a multipart batch."""
    return _format_parts([(answer.change_set, _format_answer(answer)) for answer in answers], boundary)


def _sections(body: str, boundary: str, offset: int) -> list[_Section]:
    """Splits a multipart body into its parts (RFC 2046, clause 5.1.1)."""
    delimiter = re.compile(rf"^--{re.escape(boundary)}(--)?[ \t]*\r?$", re.MULTILINE)
    marks = list(delimiter.finditer(body))
    closing = next((index for index, mark in enumerate(marks) if mark[1]), None)
    if closing is None or closing == 0:
        raise MalformedText("BATCH_SYNTAX", f"--{boundary} does not begin, or --{boundary}-- does not end", offset)
    sections: list[_Section] = []
    for mark, following in pairwise(marks[: closing + 1]):
        start = mark.end() + 1
        text = body[start : following.start()]
        sections.append(_section(text, offset + start, "part"))
    return sections


def _section(text: str, position: int, what: str) -> _Section:
    """Reads header lines up to the empty one."""
    headers: list[tuple[str, str]] = []
    start = 0
    while start <= len(text):
        end = text.find("\n", start)
        line = text[start : end if end >= 0 else len(text)].rstrip("\r")
        if not line:
            content = text[end + 1 :] if end >= 0 else ""
            return _Section(headers=tuple(headers), content=content, position=position + end + 1)
        match = _HEADER.fullmatch(line)
        if match is None:
            message = f"an empty line after the {what}'s headers is missing before {line[:40]!r}"
            raise MalformedText("BATCH_SYNTAX", message, position + start)
        headers.append((match[1], match[2]))
        if end < 0:
            break
        start = end + 1
    return _Section(headers=tuple(headers), content="", position=position + len(text))


def _is_multipart(section: _Section) -> bool:
    return _header(section.headers, "content-type").lower().startswith("multipart/")


def _header(headers: Headers, name: str) -> str:
    return next((value for header, value in headers if header.lower() == name), "")


def _change(section: _Section, group: int) -> BatchPart:
    if _is_multipart(section):
        raise MalformedText("BATCH_NESTED", "a change set holds no change set", section.position)
    part = _request(section, group)
    if part.method not in CHANGES:
        raise MalformedText("BATCH_METHOD", f"a change set holds changes only, no {part.method}", section.position)
    return part


def _http(section: _Section) -> tuple[str, _Section]:
    """Gives the first line of an embedded HTTP message, and what follows it."""
    if _header(section.headers, "content-type").partition(";")[0].strip().lower() != "application/http":
        message = "each part is application/http (a change set is multipart/mixed)"
        raise MalformedText("BATCH_SYNTAX", message, section.position)
    content = section.content.lstrip("\r\n")
    skipped = len(section.content) - len(content)
    line, _, rest = content.partition("\n")
    return line.rstrip("\r"), _section(rest, section.position + skipped + len(line) + 1, "request")


def _request(section: _Section, group: int) -> BatchPart:
    line, message = _http(section)
    match = _REQUEST_LINE.fullmatch(line)
    if match is None:
        raise MalformedText("BATCH_SYNTAX", f"{line[:60]!r} is no request line: METHOD url HTTP/1.1", section.position)
    identity = _header(section.headers, "content-id") or _header(message.headers, "content-id")
    body = _without_last_break(message.content)
    return BatchPart(
        method=match[1],
        url=match[2],
        headers=message.headers,
        body=body or None,
        content_id=identity,
        change_set=group,
        position=section.position,
    )


def _answer(section: _Section, group: int) -> BatchAnswer:
    line, message = _http(section)
    match = _STATUS_LINE.fullmatch(line)
    if match is None:
        raise MalformedText("BATCH_SYNTAX", f"{line[:60]!r} is no status line: HTTP/1.1 200 OK", section.position)
    identity = _header(section.headers, "content-id") or _header(message.headers, "content-id")
    body = _without_last_break(message.content)
    return BatchAnswer(status=int(match[1]), headers=message.headers, body=body, content_id=identity, change_set=group)


def _without_last_break(text: str) -> str:
    """Takes off the line break that belongs to the delimiter after it."""
    return text.removesuffix("\n").removesuffix("\r")


def check_content_ids(parts: list[BatchPart], *, across: bool) -> None:
    """Checks that a Content-ID names one part of its change set, or with `across` of the whole batch.

    Raises:
        MalformedText: `BATCH_CONTENT_ID`.
    """
    seen: set[tuple[int, str]] = set()
    for part in parts:
        if not part.content_id:
            continue
        entry = (0 if across else part.change_set, part.content_id)
        if entry in seen:
            message = f"the Content-ID {part.content_id!r} is given twice"
            raise MalformedText("BATCH_CONTENT_ID", message, part.position)
        seen.add(entry)


def _format_request(part: BatchPart) -> str:
    lines = ["Content-Type: application/http", "Content-Transfer-Encoding: binary"]
    if part.content_id:
        lines.append(f"Content-ID: {part.content_id}")
    lines += ["", f"{part.method} {part.url} HTTP/1.1", *(f"{name}: {value}" for name, value in part.headers)]
    return "\r\n".join([*lines, "", part.body or ""])


def _format_answer(answer: BatchAnswer) -> str:
    lines = ["Content-Type: application/http", "Content-Transfer-Encoding: binary"]
    if answer.content_id:
        lines.append(f"Content-ID: {answer.content_id}")
    lines += ["", f"HTTP/1.1 {answer.status} {_PHRASES.get(answer.status, 'Status')}"]
    lines += [f"{name}: {value}" for name, value in answer.headers]
    return "\r\n".join([*lines, "", answer.body])


_PHRASES = {200: "OK", 201: "Created", 204: "No Content", 400: "Bad Request", 404: "Not Found"}


def _format_parts(texts: list[tuple[int, str]], boundary: str) -> str:
    """Joins parts, those of one change set in a multipart of their own."""
    lines: list[str] = []
    index = 0
    while index < len(texts):
        group = texts[index][0]
        if not group:
            lines += [f"--{boundary}", texts[index][1]]
            index += 1
            continue
        inner = f"{boundary}_{group}"
        lines += [f"--{boundary}", f"Content-Type: multipart/mixed; boundary={inner}", ""]
        while index < len(texts) and texts[index][0] == group:
            lines += [f"--{inner}", texts[index][1]]
            index += 1
        lines.append(f"--{inner}--")
    return "\r\n".join([*lines, f"--{boundary}--", ""])
