"""Where a case stands with regard to one call: the evidence that counts for its object, and what may come next.

Writes keep the order in which they were made. What was read or stated was there at some time before, so it may have
come anywhere: it is put wherever the model needs it, and left out where the model has no place for it.
"""

from collections.abc import Iterable, Sequence
from typing import Protocol

from clew.domain.cases import Evidence
from clew.domain.records import JsonObject, JsonValue, Record
from clew.flow import Enabled, ProcessFlow
from clew.process.links import Links
from clew.process.matching import Subject
from clew.process.values import shares_value, values_of

_MOST_ALIKE = 3


class Processes(Protocol):
    """Gives processes prepared for questions about their order."""

    def flow(self, process: str) -> ProcessFlow:
        """Gives a process by its owner name.

        Raises:
            UnknownReference: there is no such process.
        """
        ...


class Standing(Record, frozen=True, kw_only=True):
    """What counts as done, and what may come next."""

    enabled: Enabled
    completed: tuple[str, ...]
    """Activities with evidence that counts, in the order in which the model takes them."""
    shown: frozenset[str]
    """Activities with evidence that counts, also where the model has no place for it yet."""
    fits: bool
    """Whether some execution begins with what was written; if not, `enabled` says nothing."""
    elsewhere: dict[str, str]
    """By activity the object that has no evidence, while other objects have some."""
    visible: frozenset[str]


def stand(
    flow: ProcessFlow,
    evidence: Sequence[Evidence],
    subject: Subject | None,
    links: Links,
    *,
    wanted: Iterable[str] = (),
    stated: frozenset[str] = frozenset(),
) -> Standing:
    """Gives where a case stands for a call about `subject` (for the case as a whole where there is none).

    `wanted` are the activities that the call may be: evidence that is free to move is put so that one of them can come
    next, if that can be. `stated` are activities without binding that count as done only when somebody has said so; all
    other activities without binding may have happened unseen.
    """
    visible = flow.bound | stated
    counting = [one for one in evidence if one.activity in visible]
    elsewhere: dict[str, str] = {}
    if subject is not None:
        counting, elsewhere = _about(subject, counting, links)
    shown = frozenset(one.activity for one in counting)
    firm = [one for one in counting if one.by == "write"]
    movable = _few_alike([one for one in counting if one.by != "write"])
    names = [[one.activity for one in group] for group in (firm, movable)]
    order = flow.arrange(names[0], names[1], visible=visible, wanted=wanted)
    if order is None:
        done = dict.fromkeys(one.activity for one in counting)
        nothing = Enabled(fits=False)
        return Standing(
            enabled=nothing, completed=tuple(done), shown=shown, fits=False, elsewhere=elsewhere, visible=visible
        )
    arranged = [[*firm, *movable][position] for position in order]
    steps = [one.activity for one in arranged]
    known = [_known(flow, one) for one in arranged]
    enabled = flow.enabled(steps, visible=visible, values=known)
    if not enabled.fits:
        enabled = flow.enabled(steps, visible=visible)
    return Standing(
        enabled=enabled, completed=tuple(steps), shown=shown, fits=True, elsewhere=elsewhere, visible=visible
    )


def _few_alike(evidence: list[Evidence]) -> list[Evidence]:
    """Drops what was shown again and again: no model needs it more than a few times."""
    counts: dict[str, int] = {}
    kept: list[Evidence] = []
    for one in reversed(evidence):
        counts[one.activity] = counts.get(one.activity, 0) + 1
        if counts[one.activity] <= _MOST_ALIKE:
            kept.append(one)
    return kept[::-1]


def _known(flow: ProcessFlow, evidence: Evidence) -> JsonObject:
    found: JsonObject = {}
    for name in flow.value_names:
        if values := values_of(evidence.values, name):
            found[name] = values[-1]
    return found


# Objects


def _about(subject: Subject, evidence: list[Evidence], links: Links) -> tuple[list[Evidence], dict[str, str]]:
    """Gives the evidence that counts for the subject's object, and where other objects only have some."""
    linked = _linked(subject, evidence, links)
    kept: list[Evidence] = []
    elsewhere: dict[str, str] = {}
    speakers = [(subject.targets, subject.values), *(((one.target,), one.values) for one in linked)]
    for activity in dict.fromkeys(one.activity for one in evidence):
        group = [one for one in evidence if one.activity == activity]
        own = [one for one in group if one in linked]
        if own:
            kept += own
            continue
        denial = next((said for speaker in speakers if (said := _denies_all(speaker, group, links))), "")
        if denial:
            elsewhere[activity] = denial
        else:
            kept += group
    return [one for one in evidence if one in kept], elsewhere


def _linked(subject: Subject, evidence: list[Evidence], links: Links) -> list[Evidence]:
    """Gives the evidence that is about the subject's object, or about one that refers to it or is referred to by it."""
    found: list[Evidence] = []
    rest = list(evidence)
    reached = [(subject.targets, subject.values)]
    while reached:
        targets, values = reached.pop()
        for one in list(rest):
            forwards = _refers(targets, values, one.target, one.values, links)
            backwards = any(_refers((one.target,), one.values, target, values, links) for target in targets)
            if forwards or backwards:
                rest.remove(one)
                found.append(one)
                reached.append(((one.target,), one.values))
    return found


def _refers(sources: tuple[str, ...], said: JsonObject, target: str, known: JsonObject, links: Links) -> bool | None:
    """Whether something said names an object; `None` where nothing is said of it."""
    compared = False
    for source in sources:
        for link in links.between(source, target):
            first, second = values_of(said, link.name), values_of(known, link.referenced)
            if first and second:
                compared = True
                if not shares_value(first, second):
                    return False
    return True if compared else None


def _denies_all(speaker: tuple[tuple[str, ...], JsonObject], group: list[Evidence], links: Links) -> str:
    """Gives the object that is named instead of all those of a group, the empty text where none is."""
    sources, said = speaker
    if any(_refers(sources, said, one.target, one.values, links) is not False for one in group):
        return ""
    for source in sources:
        for link in links.between(source, group[0].target):
            if values := values_of(said, link.name):
                return f"{link.referenced} {_shown(values[0])}"
    return "another object"


def _shown(value: JsonValue) -> str:
    return repr(value) if isinstance(value, str) else str(value)
