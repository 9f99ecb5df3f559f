"""Repairs: the request with every error mended, where each error has just one safe repair."""

import re
from collections.abc import Sequence
from urllib.parse import quote as percent_encode

import msgspec

from clew.domain.errors import MalformedText
from clew.domain.issues import Severity
from clew.domain.records import JsonObject, JsonValue
from clew.domain.requests import Request
from clew.grounding.faults import Fault, Path, Repair
from clew.protocol.json import parse_json, write_json
from clew.protocol.keys import SAFE_IN_KEY

_NAME = re.compile(r"[^/(]+")


def mend(request: Request, faults: Sequence[Fault]) -> Request | None:
    """Gives the request with all errors mended; `None` where an error has no safe repair, or two repairs collide."""
    repairs = [fault.repair for fault in faults if fault.severity is Severity.ERROR]
    if not repairs:
        return None
    mended: Request | None = request
    body_repairs: list[Repair] = []
    for repair in repairs:
        if repair is None:
            return None
        if repair.kind in {"value", "name", "drop"}:
            body_repairs.append(repair)
        elif mended is not None:
            mended = _outside(mended, repair)
    if mended is None or not body_repairs:
        return mended
    return _inside(mended, body_repairs)


def _outside(request: Request, repair: Repair) -> Request | None:
    """Mends the method, the path or the query."""
    match repair.kind:
        case "method":
            return msgspec.structs.replace(request, method=repair.text)
        case "url":
            return msgspec.structs.replace(request, path=repair.text)
        case "segment":
            return _with_path(request, _NAME, repair)
        case "key":
            return _with_key(request, repair)
        case "query" | "query_name":
            return _with_option(request, repair)
        case "option":
            name, _, value = repair.text.partition("=")
            query = tuple((name, value) if pair[0] == repair.name else pair for pair in request.query)
            return msgspec.structs.replace(request, query=query)
        case _:
            return None


def _position(repair: Repair) -> int:
    place = repair.path[0] if repair.path else 0
    return place if isinstance(place, int) else 0


def _with_path(request: Request, pattern: re.Pattern[str], repair: Repair) -> Request | None:
    match = pattern.match(request.path, _position(repair))
    if match is None:
        return None
    path = request.path[: match.start()] + percent_encode(repair.text, safe="") + request.path[match.end() :]
    return msgspec.structs.replace(request, path=path)


def _with_key(request: Request, repair: Repair) -> Request | None:
    start = request.path.find("(", _position(repair))
    end = request.path.find("/", start)
    end = len(request.path) if end < 0 else end
    if start < 0 or request.path[end - 1] != ")":
        return None
    key = "(" + percent_encode(repair.text, safe=SAFE_IN_KEY) + ")"
    return msgspec.structs.replace(request, path=request.path[:start] + key + request.path[end:])


def _with_option(request: Request, repair: Repair) -> Request | None:
    pairs: list[tuple[str, str]] = []
    for name, value in request.query:
        if name != repair.name:
            pairs.append((name, value))
        elif repair.kind == "query":
            pairs.append((name, repair.text))
        else:
            pairs.append((repair.text, value))
    return msgspec.structs.replace(request, query=tuple(pairs))


def _inside(request: Request, repairs: Sequence[Repair]) -> Request | None:
    """Mends the body: values first, then names, deepest first, so that no path changes under the next repair."""
    try:
        body = parse_json(request.body or "")
    except MalformedText:
        return None
    ordered = sorted(repairs, key=lambda repair: (repair.kind == "name", -len(repair.path)))
    for repair in ordered:
        if not repair.path:
            body = repair.value
        elif not _apply(body, repair.path, repair):
            return None
    return msgspec.structs.replace(request, body=write_json(body))


def _apply(body: JsonValue, path: Path, repair: Repair) -> bool:
    holder = _holder(body, path)
    last = path[-1]
    if isinstance(holder, list) and isinstance(last, int) and repair.kind == "value":
        holder[last] = repair.value
        return True
    if not isinstance(holder, dict) or not isinstance(last, str) or last not in holder:
        return False
    if repair.kind == "value":
        holder[last] = repair.value
    elif repair.kind == "drop":
        del holder[last]
    else:
        return _rename(holder, last, repair.name)
    return True


def _rename(holder: JsonObject, old: str, new: str) -> bool:
    if new in holder:
        return False
    members = list(holder.items())
    holder.clear()
    holder.update((new if name == old else name, value) for name, value in members)
    return True


def _holder(body: JsonValue, path: Path) -> JsonValue:
    found = body
    for part in path[:-1]:
        if isinstance(found, dict) and isinstance(part, str):
            found = found.get(part)
        elif isinstance(found, list) and isinstance(part, int) and part < len(found):
            found = found[part]
        else:
            return None
    return found
