"""Rule: an amount comes with its unit, a text with its code. Warnings: a service may take the other from elsewhere."""

from collections.abc import Iterable

from clew.grounding.faults import Fault, pointer_of, readable, warning
from clew.grounding.subject import Subject
from clew.grounding.tables import Use


def check_units(subject: Subject) -> Iterable[Fault]:
    """Looks for amounts whose unit, and texts whose code, the same object does not give."""
    for entry in subject.entries:
        if entry.table.scope.use is not Use.CREATE:
            continue
        for amount, unit in entry.table.units:
            if entry.members.get(amount) is not None and entry.members.get(unit) is None:
                path = (*entry.path, amount)
                message = f"{readable(path)} is given without its unit or currency, {unit}"
                fault = warning("UNIT_MISSING", message, expected=f"{unit} beside it")
                yield fault._replace(pointer=pointer_of(path), source=entry.table.slots[amount].source)
        for text, code in entry.table.texts:
            if entry.members.get(text) is not None and entry.members.get(code) is None:
                path = (*entry.path, text)
                message = f"{readable(path)} is the text of {code}, which is not given"
                fault = warning("CODE_MISSING", message, expected=f"{code}, from which the service takes the text")
                yield fault._replace(pointer=pointer_of(path), source=entry.table.slots[text].source)
