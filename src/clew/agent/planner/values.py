"""Values: whether a mention's value can stand in a property at all, and how it is written there."""

import re
from decimal import Decimal

from clew.agent.planner.slots import Slot
from clew.domain.proposals import Mention, MentionKind
from clew.domain.records import JsonValue
from clew.domain.services import Code, ValueHelp

WHOLE = frozenset({"Edm.Int16", "Edm.Int32", "Edm.Int64", "Edm.Byte", "Edm.SByte"})
NUMERIC = WHOLE | {"Edm.Decimal", "Edm.Double", "Edm.Single"}
DATES = frozenset({"Edm.Date", "Edm.DateTime", "Edm.DateTimeOffset"})
_GUID = re.compile(r"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}")
_SHORT = 10


def suits(mention: Mention, kind: MentionKind, slot: Slot, codes: ValueHelp | None) -> float:
    """Gives whether a value of this kind may stand in a slot by type and facets: 0 not, 1 well."""
    if codes is not None and codes.closed and codes.codes:
        return 0.0 if kind in {"date", "quantity", "amount"} else float(find_code(mention.text, codes) is not None)
    if slot.type in DATES:
        return float(kind == "date")
    if kind == "date" or slot.type == "Edm.Boolean":
        return 0.0
    if slot.type in NUMERIC:
        return _suits_number(mention, kind, slot)
    if slot.type == "Edm.Guid":
        return float(_GUID.fullmatch(mention.text) is not None)
    return _suits_text(mention, kind, slot) if slot.type == "Edm.String" else 0.0


def _suits_number(mention: Mention, kind: MentionKind, slot: Slot) -> float:
    if kind in {"quantity", "amount"}:
        return 0.0 if slot.type in WHOLE and isinstance(mention.value, Decimal) else 1.0
    plain = mention.text.isdigit() and (mention.text == "0" or not mention.text.startswith("0"))
    if kind == "number" and plain:
        return 1.0
    # `01` may be a number only where numbers are keys.
    return 0.3 if kind in {"identifier", "number"} and mention.text.isdigit() and slot.type in WHOLE else 0.0


def _suits_text(mention: Mention, kind: MentionKind, slot: Slot) -> float:
    if kind in {"quantity", "amount"}:
        return 0.0
    text = str(mention.value if mention.value is not None else mention.text)
    longest = slot.facets.max_length
    if longest is not None and len(text) > longest:
        return 0.0
    if slot.facets.digits_only and not text.isdigit():
        return 0.0
    is_key_like = longest is not None and longest <= _SHORT and (slot.facets.uppercase or " " in text)
    return 0.4 if kind in {"name", "quoted"} and is_key_like else 1.0


def find_code(text: str, codes: ValueHelp) -> Code | None:
    """Gives the code that a text writes, without regard to case and leading zeros."""
    wanted = text.strip("'\"").casefold()
    for code in codes.codes:
        if code.code.casefold() == wanted:
            return code
    stripped = wanted.lstrip("0")
    found = [code for code in codes.codes if stripped and code.code.casefold().lstrip("0") == stripped]
    return found[0] if len(found) == 1 else None


def written(mention: Mention, slot: Slot, codes: ValueHelp | None) -> JsonValue:
    """Gives a mention's value as the call states it, in JSON terms; it must suit the slot."""
    if codes is not None and (code := find_code(mention.text, codes)) is not None:
        return code.code
    value = mention.value
    if slot.type == "Edm.DateTimeOffset" and isinstance(value, str):
        return f"{value}T00:00:00Z"
    if slot.type in NUMERIC and isinstance(value, str):
        return int(value)
    if slot.type == "Edm.String" and value is not None:
        return str(value)
    return value
