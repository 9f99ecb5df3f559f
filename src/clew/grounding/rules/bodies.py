"""Rule: there is a body where one is needed, and it is JSON within its bounds (RFC 8259, RFC 7493)."""

from collections.abc import Iterable

from clew.domain.errors import MalformedText
from clew.domain.records import JsonValue
from clew.grounding.faults import Fault, Repair, warning
from clew.grounding.subject import READS, UPDATES, Subject
from clew.grounding.targets import Place
from clew.protocol.json import parse_json

_UNREAD = {Place.BATCH, Place.LINK, Place.VALUE, Place.OTHER, Place.SERVICE, Place.METADATA}


def check_body(subject: Subject) -> Iterable[Fault]:
    """Parses the body; a body of only blanks counts as none."""
    text = subject.request.body or ""
    step = subject.last
    if not text.strip():
        if _needs_body(subject):
            message = f"{subject.method} needs a body: the JSON object of what is to be stored"
            yield Fault("BODY_MISSING", message, "", expected='{"Name": "value"}')
        return
    if step is None or step.place in _UNREAD:
        return
    if subject.method in READS or subject.method == "DELETE":
        yield warning("BODY_IGNORED", f"{subject.method} takes no body; it is not read")
        return
    try:
        value = parse_json(text, subject.limits)
    except MalformedText as error:
        subject.stopped = True
        yield Fault(error.code, f"{error} (at character {error.position} of the body)", "", expected="one JSON object")
        return
    yield from _top(subject, value)


def _needs_body(subject: Subject) -> bool:
    step = subject.last
    if step is None or step.place not in {Place.COLLECTION, Place.ENTITY}:
        return False
    return subject.method == "POST" or subject.method in UPDATES


def _top(subject: Subject, value: JsonValue) -> Iterable[Fault]:
    if not isinstance(value, dict):
        subject.stopped = True
        yield Fault("BODY_SHAPE", "The body must be one JSON object", "", expected='{"Name": "value"}')
        return
    inner = value.get("d")
    if len(value) == 1 and isinstance(inner, dict) and not subject.view.is_v4:
        message = 'The wrapper "d" belongs to responses; a request holds the entity itself'
        subject.stopped = True
        yield Fault("V2_WRAPPER", message, "/d", repair=Repair("value", path=(), value=inner))
        return
    subject.body = value
    subject.has_body = True
