"""What operations do by the convention of their names, where nobody supplied a handler.

| name | does |
|---|---|
| `…Activation`, `draftActivate` | the draft and its parts become active |
| `…Preparation`, `draftPrepare`, `…Validation` | nothing; gives the entity |
| `…Edit`, `draftEdit` | a draft of the active entity |
| `…Discard`, `draftDiscard` | takes the draft away |
| `Close`, `Cancel`, `Reopen`, `Release…`, `Approve…`, `Reject…`, `Post…`, `Complete…`, `Submit…` | sets the status |

The status is each property that is called one (`…Status…`, or like the operation: `Cancelled`), if its enumeration or
its code list has a value whose name or text says the same as the operation; where none does, the call is recorded and
changes nothing, since the mock invents no codes. Everything else is recorded and gives the bound entity, or nothing.
"""

import re
from collections.abc import Callable
from typing import TypeAlias

from clew.domain.records import JsonObject, JsonValue
from clew.domain.services import Draft, Property
from clew.mock import drafts
from clew.mock.numbering import Surroundings
from clew.mock.state import Row

Effect: TypeAlias = Callable[[Surroundings, Row], Row | None]


def _prepare(where: Surroundings, row: Row) -> Row:
    del where
    return row


def _discard(where: Surroundings, row: Row) -> None:
    drafts.discard(where, row)


CONVENTIONS: tuple[tuple[re.Pattern[str], Effect], ...] = (
    (re.compile(r"Activation$|^draftActivate$|^Activate$"), drafts.activate),
    (re.compile(r"Preparation$|^draftPrepare$|Validation$"), _prepare),
    (re.compile(r"Edit$|^draftEdit$"), drafts.edit),
    (re.compile(r"Discard$|^draftDiscard$"), _discard),
)

# (what the operation is called, what a status that it leads to is called)
STATUSES: tuple[tuple[re.Pattern[str], re.Pattern[str]], ...] = (
    (re.compile(r"^close", re.IGNORECASE), re.compile(r"clos", re.IGNORECASE)),
    (re.compile(r"^cancel", re.IGNORECASE), re.compile(r"cancel|^csyes$", re.IGNORECASE)),
    (re.compile(r"^reopen", re.IGNORECASE), re.compile(r"open", re.IGNORECASE)),
    (re.compile(r"reject", re.IGNORECASE), re.compile(r"reject", re.IGNORECASE)),
    (re.compile(r"release|approve", re.IGNORECASE), re.compile(r"releas|approved", re.IGNORECASE)),
    (re.compile(r"^post|^complete|^finish", re.IGNORECASE), re.compile(r"posted|complet|finish", re.IGNORECASE)),
    (re.compile(r"^confirm", re.IGNORECASE), re.compile(r"confirm", re.IGNORECASE)),
    (re.compile(r"submit|sendfor", re.IGNORECASE), re.compile(r"in approval|submitted|pending", re.IGNORECASE)),
)


def effect_of(name: str, draft: Draft | None) -> Effect:
    """Gives what the operation called `name` (its simple name) does to the entity that it is bound to.

    `draft` are the actions that the entity's set declares for its drafts; they go before the names.
    """
    declared = _declared(name, draft) if draft is not None else None
    if declared is not None:
        return declared
    for pattern, effect in CONVENTIONS:
        if pattern.search(name):
            return effect
    for pattern, wanted in STATUSES:
        if pattern.search(name):
            return _status_effect(name, wanted)
    return _prepare


def _declared(name: str, draft: Draft) -> Effect | None:
    declared = {
        draft.activation: drafts.activate,
        draft.preparation: _prepare,
        draft.edit: drafts.edit,
        draft.discard: _discard,
    }
    return next(
        (effect for action, effect in declared.items() if action and re.split(r"[./]", action)[-1] == name), None
    )


def _status_effect(name: str, wanted: re.Pattern[str]) -> Effect:
    stem = name.lower()[:6]

    def set_status(where: Surroundings, row: Row) -> Row:
        changes: JsonObject = {}
        for prop in where.schema.view.properties(row.type).values():
            is_flag = prop.name.lower().startswith(stem)
            if is_flag or "status" in prop.name.lower():
                value = _yes(where, prop) if is_flag else _code(where, prop, wanted)
                if value is not None:
                    changes[prop.name] = value
        if changes:
            where.state.change(row, {**row.values, **changes}, row.key)
        return row

    return set_status


def _code(where: Surroundings, prop: Property, wanted: re.Pattern[str]) -> JsonValue:
    """Gives the value of a status that says what is wanted."""
    enum = where.schema.view.enums.get(prop.type)
    if enum is not None:
        return next((member.name for member in enum.members if wanted.search(member.name)), None)
    listed = where.schema.view.value_help_of(prop)
    return next((code.code for code in listed.codes if wanted.search(code.text)), None) if listed else None


def _yes(where: Surroundings, prop: Property) -> JsonValue:
    """Gives the value by which a flag is set: true, or the member of an enumeration that says yes."""
    if prop.type == "Edm.Boolean":
        return True
    enum = where.schema.view.enums.get(prop.type)
    return next((m.name for m in enum.members if m.name.lower().endswith("yes")), None) if enum else None
