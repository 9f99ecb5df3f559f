"""Rule: the method is one that the addressed place takes, by protocol and by the stated capabilities."""

from collections.abc import Iterable

from clew.domain.services import Capabilities
from clew.grounding.faults import Fault, Repair
from clew.grounding.subject import READS, UPDATES, Subject
from clew.grounding.targets import Place, Step
from clew.grounding.wording import simple

_WRITES = frozenset({"POST", "DELETE"}) | UPDATES


def check_method(subject: Subject) -> Iterable[Fault]:
    """Holds the method against the place that is addressed."""
    step = subject.last
    method = subject.method
    if step is None or subject.upserts:
        return
    if method not in READS and method not in _WRITES:
        subject.stopped = True
        yield _refusal(subject, step, f"{method} is no method of OData", "GET, POST, PATCH, PUT or DELETE")
        return
    found = _by_place(subject, step)
    if found is None:
        return
    subject.stopped = found.code in {"METHOD", "KEY_MISSING"} and method not in READS
    yield found


def _by_place(subject: Subject, step: Step) -> Fault | None:
    match step.place:
        case Place.OPERATION:
            return _operation(subject, step)
        case Place.COLLECTION:
            return _collection(subject, step)
        case Place.ENTITY:
            return _entity(subject, step)
        case Place.SERVICE | Place.METADATA:
            if subject.method not in READS:
                return _refusal(subject, step, "The service document and its metadata are read only", "GET")
        case Place.BATCH:
            if subject.method != "POST":
                return _refusal(subject, step, "$batch is sent by POST", "POST $batch", repair="POST")
            # What nobody has checked is not let pass: a batch is as right as its parts.
            return Fault(
                "BATCH_UNCHECKED", "The parts of a $batch are not checked here", expected="each part as a request"
            )
        case Place.VALUE:
            return _value(subject, step)
        case _:
            pass
    return None


def _operation(subject: Subject, step: Step) -> Fault | None:
    allowed = {node.method.upper() for node in step.overloads}
    if step.segment.kind.value.startswith("$") or subject.method in allowed:
        return None
    if "GET" in allowed and subject.method == "HEAD":
        return None
    right = sorted(allowed)[0]
    name = simple(step.segment.name)
    return _refusal(
        subject, step, f"{name} must be called with {right}, not with {subject.method}", right, repair=right
    )


def _collection(subject: Subject, step: Step) -> Fault | None:
    name = _name(step)
    capabilities = capabilities_at(subject, step)
    method = subject.method
    if method in READS:
        if step.entity_set and not step.entity_set.addressable and step.navigation is None:
            message = f"{name} is not read directly, only by navigation from another entity"
            return Fault("NOT_ADDRESSABLE", message, f"url:{step.segment.position}")
        return None if capabilities.readable else _denied(name, "read", "NOT_READABLE", step)
    if method == "POST":
        return None if capabilities.insertable else _denied(name, "created", "NOT_INSERTABLE", step)
    message = f"{method} needs one entity of {name}: name it by its key"
    return Fault("KEY_MISSING", message, f"url:{step.segment.position}", f"{method} {name}(key)")


def _entity(subject: Subject, step: Step) -> Fault | None:
    name = _name(step)
    capabilities = capabilities_at(subject, step)
    method = subject.method
    if method in READS:
        readable = capabilities.readable
        if step.segment.key is not None and "readable_by_key" in capabilities.stated:
            readable = capabilities.readable_by_key
        return None if readable else _denied(name, "read", "NOT_READABLE", step)
    if method == "DELETE":
        if step.entity_set is not None and step.entity_set.singleton:
            return _denied(name, "deleted", "NOT_DELETABLE", step)
        return None if capabilities.deletable else _denied(name, "deleted", "NOT_DELETABLE", step)
    if method == "POST":
        return _post_to_entity(subject, step, name)
    if method == "MERGE" and subject.view.is_v4:
        return _refusal(subject, step, "OData V4 has no MERGE; changes are sent by PATCH", "PATCH", repair="PATCH")
    return None if capabilities.updatable else _denied(name, "changed", "NOT_UPDATABLE_SET", step)


def _post_to_entity(subject: Subject, step: Step, name: str) -> Fault | None:
    found = subject.view.types.get(step.type)
    if getattr(found, "has_stream", False):
        return None
    message = f"POST creates in a collection; one entity of {name} is changed by PATCH"
    return _refusal(subject, step, message, f"POST {name}, or PATCH {name}(key)")


def _value(subject: Subject, step: Step) -> Fault | None:
    if subject.method == "POST":
        return _refusal(subject, step, "A single property is not created by POST", "PUT or PATCH of the entity")
    if subject.method in READS:
        return None
    if step.type == "Edm.Int64" and step.prop is None and step.segment.name == "$count":
        return _refusal(subject, step, "A count is read only", "GET")
    return None


def capabilities_at(subject: Subject, step: Step) -> Capabilities:
    """Gives what is stated of a place: restrictions of the navigation to it, else its set's own capabilities."""
    if step.navigation is not None and step.source_set is not None:
        for path, capabilities in step.source_set.navigation_capabilities:
            if path == step.path:
                return capabilities
    return step.entity_set.capabilities if step.entity_set is not None else Capabilities()


def _name(step: Step) -> str:
    if step.entity_set is not None and step.navigation is None:
        return step.entity_set.name
    return step.segment.name


def _denied(name: str, word: str, code: str, step: Step) -> Fault:
    source = f"{step.entity_set.id} line {step.entity_set.line}" if step.entity_set is not None else ""
    message = f"The service states that entities of {name} are not {word} here"
    return Fault(code, message, f"url:{step.segment.position}", source=source)


def _refusal(subject: Subject, step: Step, message: str, expected: str, *, repair: str = "") -> Fault:
    # Where a POST tunnels another method, its header would have to change: no safe repair.
    plain = subject.method == subject.request.method.upper()
    mend = Repair("method", text=repair) if repair and plain else None
    return Fault("METHOD", message, f"url:{step.segment.position}", expected, repair=mend)
