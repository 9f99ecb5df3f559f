"""Rule: a create holds what it must (see `clew.grounding.requirements` for what that is), an update what is stated."""

from collections.abc import Iterable, Mapping

from clew.domain.issues import Severity
from clew.grounding.faults import Fault, pointer_of, readable
from clew.grounding.requirements import Requirement
from clew.grounding.subject import Entry, Subject
from clew.grounding.wording import example_of, type_text

_CODES = {
    "stated": "REQUIRED_BY_ANNOTATION",
    "not_null": "REQUIRED",
    "nullable_v2": "REQUIRED_PERHAPS",
    "draft": "REQUIRED_LATER",
    "asked_for": "REQUIRED_PERHAPS",
    "key": "KEY_PERHAPS",
    "parent": "PARENT_PERHAPS",
}
_SEVERITIES = {
    "nullable_v2": Severity.WARNING,
    "draft": Severity.WARNING,
    "asked_for": Severity.WARNING,
    "parent": Severity.WARNING,
    "key": Severity.NOTE,
}
_WORDS: Mapping[str, str] = {
    "stated": "must be given: the metadata states so",
    "not_null": "must be given: it is not nullable, has no default and is not computed",
    "nullable_v2": "is not nullable; the service may refuse a create without it",
    "draft": "may be left out of the draft, not when it is activated",
    "asked_for": "is a mandatory field; the service may refuse a create without it",
    "parent": "names the entity above, along whose navigation such an entity is made; nothing gives it here",
    "key": "is part of the key, and nothing says that the service numbers it",
}


def check_required(subject: Subject) -> Iterable[Fault]:
    """Looks for what each object of the body lacks."""
    for entry in subject.entries:
        for requirement in entry.table.requirements:
            if requirement.name not in entry.members and not _is_linked(entry, requirement):
                yield _fault(subject, entry, requirement)


def _is_linked(entry: Entry, requirement: Requirement) -> bool:
    """Whether a linked or nested entity gives the value of a foreign key."""
    return any(
        entry.members.get(name) is not None or f"{name}@odata.bind" in entry.members or f"{name}@bind" in entry.members
        for name in requirement.links
    )


def _fault(subject: Subject, entry: Entry, requirement: Requirement) -> Fault:
    path = (*entry.path, requirement.name)
    slot = entry.table.slots.get(requirement.name)
    expected, source = "", f"{entry.table.type}"
    if slot is not None:
        expected = f"{type_text(subject.view, slot.prop)}, for example {example_of(subject.view, slot.prop)}"
        source = slot.source
    return Fault(
        _CODES[requirement.reason],
        f"{readable(path)} {_WORDS[requirement.reason]}",
        pointer_of(path),
        expected,
        severity=_SEVERITIES.get(requirement.reason, Severity.ERROR),
        source=source,
    )
