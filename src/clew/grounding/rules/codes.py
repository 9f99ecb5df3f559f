"""Rule: a code is one of its closed list, under the inputs it depends on, on a day on which it is valid."""

from collections.abc import Mapping

from clew.domain.issues import Suggestion
from clew.domain.records import JsonObject, JsonValue
from clew.domain.services import Code, ValueHelp
from clew.grounding.faults import Fault, Repair, warning
from clew.grounding.requirements import has_initial_values
from clew.grounding.suggestions import closest
from clew.grounding.tables import Spot, Tables, ValueCheck
from clew.grounding.wording import codes_text


def check_of(tables: Tables, spot: Spot) -> ValueCheck | None:
    """Gives the check of a property's code list, `None` where it has none whose codes are known."""
    found = tables.codes_of(spot)
    if found is None or not found.codes or tables.enum_of(spot.prop) is not None:
        return None
    name = spot.prop.name
    by_code: dict[str, list[Code]] = {}
    for code in found.codes:
        by_code.setdefault(code.code, []).append(code)
    takes_initial = has_initial_values(tables.view.service) or not tables.view.is_v4
    locals_of = {p.remote or p.local: p.local for p in found.parameters if p.direction in {"In", "InOut"}}

    def check(value: JsonValue, siblings: JsonObject) -> Fault | None:
        text = value if isinstance(value, str) else str(value)
        listed = by_code.get(text)
        if listed is None:
            return None if not text and takes_initial else _unlisted(name, text, found)
        fitting = [code for code in listed if _fits(code, siblings, locals_of)]
        if not fitting:
            return _dependent(name, text, listed, siblings, locals_of)
        return _expired(name, text, fitting, tables.today().isoformat())

    return check


def _fits(code: Code, siblings: JsonObject, locals_of: Mapping[str, str]) -> bool:
    """Whether the inputs of a code agree with what the object gives; an input that is not given does not disagree."""
    return all(
        str(given) == value
        for name, value in code.inputs
        if (given := siblings.get(locals_of.get(name, name), siblings.get(name))) is not None
    )


def _unlisted(name: str, text: str, found: ValueHelp) -> Fault:
    labels = {code.code: code.text for code in found.codes}
    folded = text.strip().casefold()
    same_case = [code for code in labels if code.casefold() == folded]
    same_text = [code for code, label in labels.items() if label and label.casefold() == folded]
    meant = same_case or same_text
    first = [Suggestion(value=code, reason="code", score=1.0) for code in meant]
    rest = [suggestion for suggestion in closest(text, labels) if suggestion.value not in meant]
    suggestions = tuple((first + rest)[:3])
    message = f"{name}: {text!r} is not in the list of allowed values"
    expected = f"one of {codes_text(found)}"
    if not found.closed:
        return warning("VALUE_UNLISTED", message, expected=expected, suggestions=suggestions)
    repair = Repair("value", value=meant[0]) if len(meant) == 1 else None
    return Fault("VALUE_NOT_ALLOWED", message, expected=expected, suggestions=suggestions, repair=repair)


def _dependent(name: str, text: str, listed: list[Code], siblings: JsonObject, locals_of: Mapping[str, str]) -> Fault:
    needed = [" and ".join(f"{locals_of.get(key, key)} = {value}" for key, value in code.inputs) for code in listed]
    given = ", ".join(
        f"{locals_of.get(key, key)} = {siblings.get(locals_of.get(key, key))}" for key, _ in listed[0].inputs
    )
    message = f"{name}: {text!r} is not allowed with {given}"
    return Fault("VALUE_NOT_ALLOWED_HERE", message, expected=f"{text!r} goes with {' or '.join(needed[:4])}")


def _expired(name: str, text: str, fitting: list[Code], today: str) -> Fault | None:
    valid = [
        code
        for code in fitting
        if (not code.valid_from or code.valid_from <= today) and (not code.valid_to or today <= code.valid_to)
    ]
    if valid:
        return None
    spans = " or ".join(f"from {code.valid_from or 'ever'} to {code.valid_to or 'ever'}" for code in fitting)
    message = f"{name}: {text!r} is not valid on {today}"
    return Fault("VALUE_EXPIRED", message, expected=f"a code that is valid; {text!r} is so {spans}")
