"""Requests as people and programs write them: a request line, a JSON object, a whole URL below a service's root."""

import re
from collections.abc import Iterator
from urllib.parse import urlsplit

from clew.domain.errors import MalformedText
from clew.domain.issues import Severity, Suggestion
from clew.domain.records import JsonObject, JsonValue, Record
from clew.domain.requests import Request
from clew.domain.verdicts import Problem
from clew.graph.service_view import ServiceView
from clew.protocol.json import parse_json, write_json
from clew.protocol.urls import split_url

_LINE = re.compile(r"\s*(?P<method>[A-Za-z]+)[ \t]+(?P<url>[^\r\n]*?)[ \t]*(?:HTTP/[\d.]+)?[ \t]*(?:\r?\n|\Z)")
_HEADER = re.compile(r"(?P<name>[A-Za-z0-9-]+):[ \t]*(?P<value>[^\r\n]*)\r?\n")
_RAW_PLUS = re.compile(r"(?<=\d)\+(?=\d\d:\d\d)")


class Reading(Record, frozen=True, kw_only=True):
    """What reading a request gave: the request, `None` where there is none, and what is wrong with its spelling."""

    request: Request | None = None
    problems: tuple[Problem, ...] = ()


def read_request(text: str, view: ServiceView) -> Reading:
    """Reads `GET Set('1')?$top=3` with headers and body below it, or a JSON object with `method`, `url` and `body`.

    The URL is relative to the service's root, or whole; a whole one must lie below the root where that is known.
    """
    try:
        if text.lstrip("\ufeff \t\r\n").startswith("{"):
            return _of_object(parse_json(text), view)
        return _of_lines(text, view)
    except MalformedText as error:
        message = f"{error} (at character {error.position})"
        return Reading(problems=(Problem(code=error.code, pointer=f"url:{error.position}", message=message),))


def _of_lines(text: str, view: ServiceView) -> Reading:
    match = _LINE.match(text)
    if match is None:
        raise MalformedText("REQUEST_SYNTAX", "a request begins with a method and a URL, such as GET Orders('1')")
    position = match.end()
    headers: list[tuple[str, str]] = []
    while (header := _HEADER.match(text, position)) is not None:
        headers.append((header["name"], header["value"].strip()))
        position = header.end()
    body = text[position:].strip("\r\n")
    return make_request(match["method"], match["url"], view, headers=tuple(headers), body=body or None)


def _of_object(value: JsonValue, view: ServiceView) -> Reading:
    if not isinstance(value, dict):
        raise MalformedText("REQUEST_SYNTAX", "a request is an object with method, url, and headers and body if any")
    line = value.get("request")
    if isinstance(line, str):
        method, _, url = line.strip().partition(" ")
    else:
        method, url = _text(value, "method", "GET"), _text(value, "url", _text(value, "path", ""))
    if not url:
        raise MalformedText("REQUEST_SYNTAX", "the request object has no url")
    return make_request(method, url.strip(), view, headers=tuple(_headers(value.get("headers"))), body=_body(value))


def _text(value: JsonObject, name: str, default: str) -> str:
    found = value.get(name, default)
    if not isinstance(found, str):
        raise MalformedText("REQUEST_SYNTAX", f"{name} is not a text")
    return found


def _headers(value: JsonValue) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        yield from ((name, str(inner)) for name, inner in value.items())
    elif value is not None:
        raise MalformedText("REQUEST_SYNTAX", "headers are an object of names and values")


def _body(value: JsonObject) -> str | None:
    """Gives the body's text; one that is written as JSON inside of the request object is written out."""
    body = value.get("body")
    if body is None or isinstance(body, str):
        return body
    return write_json(body)


def make_request(
    method: str,
    url: str,
    view: ServiceView,
    *,
    headers: tuple[tuple[str, str], ...] = (),
    body: str | None = None,
) -> Reading:
    """Gives the request of a method and a URL, relative or whole, as it is typed (blanks may be blanks).

    Raises:
        MalformedText: the URL cannot be split or decoded, or lies outside of the service.
    """
    relative = _below_root(url, view)
    path, query = split_url(relative)
    request = Request(
        method=method.upper(), service=view.id, path=path.strip("/"), query=query, headers=headers, body=body
    )
    return Reading(request=request, problems=tuple(_spelling(relative)))


def _below_root(url: str, view: ServiceView) -> str:
    if not re.match(r"[a-z][a-z0-9+.-]*://", url, re.IGNORECASE):
        return _without_root_path(url, view)
    root = view.service.url.rstrip("/")
    if root and (url == root or url.startswith((root + "/", root + "?"))):
        return url[len(root) :].lstrip("/")
    if root:
        raise MalformedText("URL_OUTSIDE", f"the URL does not lie below the service's root, {root}")
    return _after_service(url)


def _without_root_path(url: str, view: ServiceView) -> str:
    """Takes the root's own path off a URL that begins with it (`/sap/opu/odata/sap/SRV/Set`)."""
    root = urlsplit(view.service.url).path.rstrip("/")
    return url[len(root) + 1 :] if root and url.startswith(root + "/") else url.removeprefix("/")


def _after_service(url: str) -> str:
    """Gives what follows the host and the path to the service, where the root is not known."""
    parts = urlsplit(url)
    segments = parts.path.split("/")
    start = next((i for i, segment in enumerate(segments) if "(" in segment), len(segments) - 1)
    return "/".join(segments[start:]) + (f"?{parts.query}" if parts.query else "")


def _spelling(url: str) -> Iterator[Problem]:
    """Warns of a bare plus in an offset: legal, and turned into a blank by many a server (RFC 3986, clause 2.2)."""
    _, mark, query = url.partition("?")
    match = _RAW_PLUS.search(query)
    if mark and match is not None:
        yield Problem(
            code="ENCODE_PLUS",
            pointer=f"url:{len(url) - len(query) + match.start()}",
            message="a plus in a URL is read as a blank by many servers; write %2B",
            severity=Severity.WARNING,
            expected=_RAW_PLUS.sub("%2B", query),
            suggestions=(Suggestion(value="%2B", reason="rule"),),
        )
