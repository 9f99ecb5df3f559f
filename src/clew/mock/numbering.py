"""Keys that the server makes, decided by rule, since metadata seldom says which ones they are.

For each key property that a create leaves out, the first rule that fits:

1. `IsActiveEntity` is that of the parent, else false: what is created is a draft. `DraftUUID` is a new GUID.
2. A key that belongs to the parent (`SalesOrder` of an item) is never made.
3. An `Edm.Guid` is a new GUID.
4. A year (`FiscalYear`: four characters) is this year. A date is the end of time (9999-12-31) where its name speaks of
   an end, else today.
5. A whole number is the next one of the set where it is the only such part of the key, and for a part the next one
   below its parent (from 1; from 0 where the name begins with `Line`).
6. A text of a part is the next number below its parent where the name ends like a count (`…Item` in steps of 10;
   `…Line`, `…Number`, `…Counter`, `…Position`, `…Step` by 1), or where the metadata says that it cannot be set.
7. A text of an entity of its own is the next document number of the set where, years left aside, it is the only text of
   the key and either cannot be set or is what the entity is called (`SalesOrder` of `A_SalesOrder`, not `CardCode` of
   `BusinessPartner`).
8. Anything else is asked for: 400.
"""

import re
import uuid

from clew.domain.clocks import Clock
from clew.domain.errors import CallRefused
from clew.domain.records import JsonObject, JsonValue, Record
from clew.domain.services import Property
from clew.mock.schema import ACTIVE, TEMPORAL, Schema
from clew.mock.state import Row, State
from clew.protocol.primitives import INTEGER_RANGES

__all__ = ["ZERO_GUID", "Numbering", "Surroundings", "make_key", "new_guid", "note_number"]

ZERO_GUID = "00000000-0000-0000-0000-000000000000"

_COUNT = re.compile(r"(?:Item|Line|Number|Nmbr|Counter|Position|Step|Sequence|No|Num|Nr)$")
_END = re.compile(r"End|To(?:Date)?$|Until|Expir", re.IGNORECASE)
_YEAR_LENGTH = 4
_NAMESPACE = uuid.UUID("6ba7b811-9dad-11d1-80b4-00c04fd430c8")  # that of URLs (RFC 9562, clause 6.6)


class Numbering(Record, frozen=True, kw_only=True):
    """Where numbers begin. `first` gives the first document number of a set; without it, 1 followed by zeros.

    The default has as many digits as the property takes, eight at most; whole numbers begin at 1.
    """

    first: dict[str, int] = {}
    item_step: int = 10


class Surroundings(Record, frozen=True, kw_only=True):
    """Where an entity is to be created: its table, the rows it will stand beside, its parent, the time."""

    schema: Schema
    state: State
    numbering: Numbering
    clock: Clock
    table: str
    parent: Row | None = None
    siblings: tuple[Row, ...] = ()


def make_key(where: Surroundings, type_name: str, values: JsonObject) -> JsonObject:
    """Gives the key values that are still missing.

    Raises:
        CallRefused: 400 `KEY_MISSING`, no rule makes one of them.
    """
    properties = where.schema.view.properties(type_name)
    made: JsonObject = {}
    for name in where.schema.view.key(type_name):
        if values.get(name) is not None and values.get(name) != "":
            continue
        prop = properties.get(name, Property(name=name))
        made[name] = _make(where, type_name, prop)
        if made[name] is None:
            message = f"{name} is a part of the key that the service does not make; it has to be given"
            raise CallRefused(400, "KEY_MISSING", message, name)
    return made


def new_guid(where: Surroundings) -> str:
    """Gives a GUID that is new in this state, and the same in every run."""
    number = where.state.count("guid", 1)
    return str(uuid.uuid5(_NAMESPACE, f"{where.schema.view.id}/{where.table}/{number}"))


def _make(where: Surroundings, type_name: str, prop: Property) -> JsonValue:
    schema = where.schema
    kind = schema.view.underlying(prop.type)
    if prop.name == ACTIVE:
        return bool(where.parent.values.get(ACTIVE)) if where.parent else False
    if prop.name in schema.foreign(type_name):
        return None
    if kind == "Edm.Guid":
        return new_guid(where)
    if kind in TEMPORAL:
        return _date(where, prop, kind)
    if _is_year(prop):
        return str(where.clock().year)
    is_part = bool(schema.foreign(type_name)) or where.parent is not None
    if kind in INTEGER_RANGES:
        return _integer(where, type_name, prop, is_part=is_part)
    if kind != "Edm.String":
        return None
    return _line(where, prop) if is_part else _document(where, type_name, prop)


def _is_year(prop: Property) -> bool:
    return prop.type == "Edm.String" and prop.max_length == _YEAR_LENGTH and prop.name.endswith("Year")


def _date(where: Surroundings, prop: Property, kind: str) -> str:
    day = "9999-12-31" if _END.search(prop.name) else where.clock().date().isoformat()
    return {"Edm.Date": day, "Edm.DateTime": f"{day}T00:00:00"}.get(kind, f"{day}T00:00:00Z")


def _integer(where: Surroundings, type_name: str, prop: Property, *, is_part: bool) -> int | None:
    if is_part:
        taken = [value for row in where.siblings if isinstance(value := row.values.get(prop.name), int)]
        first = 0 if prop.name.startswith("Line") else 1
        return max(taken) + 1 if taken else first
    kinds = where.schema.key_types(type_name)
    alike = [name for name in where.schema.own_key(type_name) if kinds[name] not in TEMPORAL]
    if alike != [prop.name] and prop.creatable:
        return None
    return where.state.count(f"{where.table}/{prop.name}", where.numbering.first.get(where.table, 1))


def _line(where: Surroundings, prop: Property) -> str | None:
    if prop.creatable and not prop.computed_default and not _COUNT.search(prop.name):
        return None
    step = where.numbering.item_step if prop.name.endswith("Item") else 1
    taken = [int(text) for row in where.siblings if (text := str(row.values.get(prop.name, ""))).isdigit()]
    number = (max(taken) // step + 1) * step if taken else step
    return str(number)


def _document(where: Surroundings, type_name: str, prop: Property) -> str | None:
    kinds = where.schema.key_types(type_name)
    own = where.schema.view.properties(type_name)
    texts = [
        name for name in where.schema.own_key(type_name) if kinds[name] == "Edm.String" and not _is_year(own[name])
    ]
    called = {where.table, type_name.rpartition(".")[2]}
    is_own_number = any(prop.name in name for name in called)
    if prop.creatable and not prop.computed_default and not (texts == [prop.name] and is_own_number):
        return None
    width = min(prop.max_length or 10, 8)
    first = where.numbering.first.get(where.table, 10 ** (width - 1) + 1 if width > 1 else 1)
    return str(where.state.count(f"{where.table}/{prop.name}", first))


def note_number(state: State, table: str, prop: Property, value: JsonValue) -> None:
    """Takes note of a number that was given, so that the server's own numbers go on after it."""
    text = str(value)
    if isinstance(value, bool) or not (text.isascii() and text.isdigit()) or text.startswith("0"):
        return
    following = int(text) + 1
    if len(str(following)) <= (prop.max_length or 18):
        state.reserve(f"{table}/{prop.name}", following)
