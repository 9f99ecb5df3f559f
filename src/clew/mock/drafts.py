"""The life of a draft: activated, taken up for editing, discarded, together with its parts."""

from clew.domain.errors import CallRefused
from clew.domain.records import JsonObject, JsonValue
from clew.mock.numbering import ZERO_GUID, Surroundings, new_guid
from clew.mock.relations import own_values, parts
from clew.mock.schema import ACTIVE
from clew.mock.state import Row


def activate(where: Surroundings, draft: Row) -> Row:
    """Makes a draft and its parts active; an active version that it was taken up from is replaced.

    Raises:
        CallRefused: 400, the entity is no draft, or what is mandatory is missing.
    """
    if draft.values.get(ACTIVE) is not False:
        raise CallRefused(400, "NO_DRAFT", "only a draft can be activated")
    tree = _tree(where, draft)
    for row in tree:
        _check_mandatory(where, row)
    former = _twin(where, draft, active=True)
    for row in _tree(where, former) if former is not None else ():
        where.state.delete(row)
    for row in tree:
        _set(where, row, {ACTIVE: True, "DraftUUID": ZERO_GUID, "HasDraftEntity": False, "HasActiveEntity": False})
    return draft


def edit(where: Surroundings, active: Row) -> Row:
    """Makes a draft of an active entity and its parts.

    Raises:
        CallRefused: 400, the entity is a draft already; 409, it has one.
    """
    if active.values.get(ACTIVE) is not True:
        raise CallRefused(400, "NOT_ACTIVE", "only an active entity can be taken up for editing")
    if _twin(where, active, active=False) is not None:
        raise CallRefused(409, "DRAFT_EXISTS", "the entity has a draft already")
    copies = [_copy(where, row) for row in _tree(where, active)]
    _set(where, active, {"HasDraftEntity": True})
    return copies[0]


def discard(where: Surroundings, draft: Row) -> None:
    """Takes a draft away.

    Raises:
        CallRefused: 400, the entity is no draft.
    """
    if draft.values.get(ACTIVE) is not False:
        raise CallRefused(400, "NO_DRAFT", "only a draft can be discarded")
    former = _twin(where, draft, active=True)
    for row in _tree(where, draft):
        where.state.delete(row)
    if former is not None:
        _set(where, former, {"HasDraftEntity": False})


def _tree(where: Surroundings, row: Row) -> list[Row]:
    """Gives a row and those of its parts that have drafts themselves."""
    below = [part for part in parts(where.schema, where.state, row) if where.schema.is_draft(part.type)]
    return [row, *dict.fromkeys(below)]


def _twin(where: Surroundings, row: Row, *, active: bool) -> Row | None:
    own = own_values(where.schema, row)
    return next(
        (
            other
            for other in where.state.table(row.table)
            if other.values.get(ACTIVE) is active and own_values(where.schema, other) == own
        ),
        None,
    )


def _copy(where: Surroundings, row: Row) -> Row:
    values = dict(row.values)
    known = where.schema.view.properties(row.type)
    changes: JsonObject = {ACTIVE: False, "HasActiveEntity": True, "HasDraftEntity": False}
    if "DraftUUID" in known:
        changes["DraftUUID"] = new_guid(where)
    values.update({name: value for name, value in changes.items() if name in known})
    return where.state.insert((row.table, row.type), where.schema.key_tuple(row.type, values), values)


def _set(where: Surroundings, row: Row, changes: dict[str, JsonValue]) -> None:
    known = where.schema.view.properties(row.type)
    values = {**row.values, **{name: value for name, value in changes.items() if name in known}}
    where.state.change(row, values, where.schema.key_tuple(row.type, values))


def _check_mandatory(where: Surroundings, row: Row) -> None:
    for name, prop in where.schema.view.properties(row.type).items():
        if prop.field_control == "Mandatory" and row.values.get(name) in (None, ""):
            raise CallRefused(400, "REQUIRED", f"{name} is required before the draft can be activated", name)
