"""The detour `POST upsert` of SuccessFactors: `__metadata.uri` in the body names the entity to make or to change."""

from clew.domain.errors import MalformedText
from clew.domain.records import JsonValue
from clew.grounding.faults import Fault
from clew.grounding.subject import Subject
from clew.grounding.targets import Place, Target, resolve_path
from clew.protocol.json import parse_json
from clew.protocol.urls import ResourcePath, parse_path

UPSERT = "upsert"
_EXPECTED = '{"__metadata": {"uri": "Set(key)"}, …}'


def is_upsert(subject: Subject, path: ResourcePath) -> bool:
    """Whether the request is an upsert: POST to that name, in a service of V1 to V3 that has no set called so."""
    last = path.last
    return (
        len(path.segments) == 1
        and last is not None
        and last.name == UPSERT
        and subject.method == "POST"
        and not subject.view.is_v4
        and UPSERT not in subject.view.sets
    )


def upsert_target(subject: Subject) -> Target | Fault:
    """Gives the set of the entity that the body names, as if it had been addressed."""
    uri = _uri(subject)
    if uri is None:
        return Fault("UPSERT_URI", "An upsert names its entity by __metadata.uri in the body", "/__metadata", _EXPECTED)
    try:
        named = resolve_path(parse_path(uri), subject.view)
    except MalformedText as error:
        return Fault("UPSERT_URI", f"__metadata.uri: {error}", "/__metadata/uri", _EXPECTED)
    if isinstance(named, Fault):
        return named._replace(pointer="/__metadata/uri", repair=None)
    step = named.last
    if step.place not in {Place.ENTITY, Place.COLLECTION} or step.entity_set is None:
        return Fault("UPSERT_URI", f"__metadata.uri: {uri!r} names no entity", "/__metadata/uri", _EXPECTED)
    node = step.entity_set
    stated = "upsertable" in node.capabilities.stated
    if stated and not node.capabilities.upsertable:
        source = f"{node.id} line {node.line}"
        message = f"The service states that entities of {node.name} are not upserted"
        return Fault("NOT_UPSERTABLE", message, "/__metadata/uri", source=source)
    return named


def _uri(subject: Subject) -> str | None:
    try:
        body: JsonValue = parse_json(subject.request.body or "", subject.limits)
    except MalformedText:
        return None
    control = body.get("__metadata") if isinstance(body, dict) else None
    uri = control.get("uri") if isinstance(control, dict) else None
    return uri if isinstance(uri, str) else None
