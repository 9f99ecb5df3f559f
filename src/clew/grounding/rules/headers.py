"""Rule: headers that decide how the body is read: content type, number format, protocol version."""

from collections.abc import Iterable

from clew.grounding.faults import Fault
from clew.grounding.subject import READS, Subject
from clew.grounding.targets import Place

_JSON = ("application/json", "text/json")
_MEDIA = {Place.VALUE, Place.BATCH}


def check_headers(subject: Subject) -> Iterable[Fault]:
    """Reads the content type; says so where the body is not announced as JSON."""
    content_type = subject.header("Content-Type")
    kind, *parameters = [part.strip() for part in content_type.split(";")]
    stated = {name.strip().casefold(): value.strip() for name, _, value in (p.partition("=") for p in parameters)}
    subject.ieee754 = subject.view.is_v4 and stated.get("ieee754compatible", "").casefold() == "true"
    step = subject.last
    if not subject.request.body or subject.method in READS or (step is not None and step.place in _MEDIA):
        return
    found = subject.view.types.get(step.type) if step is not None else None
    if kind and kind.casefold() not in _JSON and not kind.casefold().endswith("+json"):
        if getattr(found, "has_stream", False):
            subject.stopped = True  # a media entity's content, which is whatever it is
            return
        subject.stopped = True
        message = f"The body is announced as {kind}; only JSON is checked here"
        yield Fault("CONTENT_TYPE", message, "header:Content-Type", "application/json")
