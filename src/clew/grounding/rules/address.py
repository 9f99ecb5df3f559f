"""Rule: the path is well formed and leads somewhere, name by name."""

from collections.abc import Iterable

from clew.domain.errors import MalformedText
from clew.grounding.faults import Fault, Repair
from clew.grounding.rules.upserts import is_upsert, upsert_target
from clew.grounding.subject import Subject
from clew.grounding.targets import resolve_path
from clew.protocol.urls import parse_path


def check_address(subject: Subject) -> Iterable[Fault]:
    """Parses the path and resolves it; stops the other rules where it leads nowhere."""
    override = subject.header("X-HTTP-Method") or subject.header("X-HTTP-Method-Override")
    subject.method = (override or subject.request.method).upper()
    try:
        path = parse_path(subject.request.path)
    except MalformedText as error:
        subject.stopped = True
        yield Fault(error.code, str(error), f"url:{error.position}", repair=_quoted(subject.request.path, error))
        return
    subject.upserts = is_upsert(subject, path)
    target = upsert_target(subject) if subject.upserts else resolve_path(path, subject.view)
    if isinstance(target, Fault):
        subject.stopped = True
        yield target
    else:
        subject.target = target


def _quoted(path: str, error: MalformedText) -> Repair | None:
    """Doubles the one quote inside of a single text key, or encodes its slashes: the only reading there is."""
    head, bracket, rest = path.partition("('")
    inner, closing, tail = rest.rpartition("')")
    if not bracket or not closing or "='" in inner or "," in inner or tail:
        return None
    if error.code == "KEY_QUOTE" and "''" not in inner:
        return Repair("url", text=head + "('" + inner.replace("'", "''") + "')")
    if error.code == "KEY_SLASH" and "'" not in inner:
        return Repair("url", text=head + "('" + inner.replace("/", "%2F") + "')")
    return None
