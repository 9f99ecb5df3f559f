"""What is said of names and members that a type does not have, with what was meant."""

from clew.domain.errors import MalformedText
from clew.domain.issues import Suggestion
from clew.domain.records import JsonObject, JsonValue
from clew.domain.services import EnumType
from clew.grounding.faults import Fault, Path, Repair, pointer_of, readable, warning
from clew.grounding.requirements import DYNAMIC_PREFIXES
from clew.grounding.suggestions import closest, safe_spelling
from clew.grounding.tables import Table
from clew.grounding.wording import enum_codes, simple

NEAR = 0.85


def unknown_name(name: str, members: JsonObject, table: Table, path: Path, *, shown: str = "") -> Fault | None:
    """Gives the fault of a name that a type does not have.

    A type that is open takes it: a warning where a declared name comes so near that it was probably meant.
    """
    labels = table.labels()
    free = {known: label for known, label in labels.items() if known not in members}
    suggestions = closest(name, free)
    place = (*path, shown or name)
    prefix = DYNAMIC_PREFIXES.get(table.type.rpartition(".")[0])
    if table.open and (prefix is None or name.startswith(prefix)):
        return _dynamic(name, place, suggestions, table)
    kind = "parameter" if table.scope.use.value == "call" and not path else "property"
    what = f"has no {kind}" + ("" if kind == "parameter" else " or navigation")
    message = f"{simple(table.type)} {what} {name!r}"
    if path:
        message = f"{readable(place)}: {message}"
    if table.open:
        message += f"; its user-defined fields begin with {prefix}"
    right = safe_spelling(name, free) if not shown else None
    repair = Repair("name", path=place, name=right) if right else None
    expected = f"one of the {len(labels)} names of {simple(table.type)}"
    source = f"{table.type}"
    return Fault(
        "UNKNOWN_PROPERTY", message, pointer_of(place), expected, suggestions=suggestions, source=source, repair=repair
    )


def _dynamic(name: str, place: Path, suggestions: tuple[Suggestion, ...], table: Table) -> Fault | None:
    near = tuple(suggestion for suggestion in suggestions if suggestion.score >= NEAR)
    if not near:
        return None
    message = f"{simple(table.type)} does not declare {name!r}; it takes other names, which are then stored as they are"
    return warning("DYNAMIC_PROPERTY", message, suggestions=near)._replace(pointer=pointer_of(place))


def _bare_member(text: str, enum: EnumType) -> str:
    """Takes off the marks of a literal in a URL (`Ns.Grade'A'`), which JSON does not have."""
    head, quote, rest = text.partition("'")
    return rest[:-1] if quote and rest.endswith("'") and simple(head) == simple(enum.name) else text


def unlisted_member(message: str, value: JsonValue, enum: EnumType, error: MalformedText) -> Fault:
    """Gives the fault of a value that is no member of an enumeration."""
    labels = {member.name: member.texts.label for member in enum.members}
    expected = f"{'members' if enum.flags else 'one'} of {enum_codes(enum)}"
    text = str(value)
    if error.code == "ENUM_SYNTAX":
        spelt = ",".join(part for part in text.replace("|", " ").replace(";", " ").replace("+", " ").split())
        return Fault(error.code, message, expected=expected, repair=Repair("value", value=spelt))
    text = _bare_member(text, enum)
    same = [name for name in labels if name.casefold() == text.casefold()]
    by_number = [member.name for member in enum.members if error.code == "JSON_TYPE" and str(member.value) == text]
    meant = (same or by_number)[:1]
    ends = [name for name in labels if len(text) > 2 and name.casefold().endswith(text.casefold())]
    first = [Suggestion(value=name, reason="code", score=1.0) for name in meant]
    first += [Suggestion(value=name, reason="code", score=0.9) for name in ends if name not in meant]
    rest = [suggestion for suggestion in closest(text, labels) if suggestion.value not in {s.value for s in first}]
    repair = Repair("value", value=meant[0]) if len(same or by_number) == 1 else None
    return Fault(error.code, message, expected=expected, suggestions=tuple((first + rest)[:3]), repair=repair)
