"""Rule: an amount or a quantity comes with its unit. A warning: a service may take the unit from elsewhere."""

from collections.abc import Iterable

from clew.grounding.faults import Fault, pointer_of, readable, warning
from clew.grounding.subject import Subject
from clew.grounding.tables import Use


def check_units(subject: Subject) -> Iterable[Fault]:
    """Looks for amounts whose unit the same object does not give."""
    for entry in subject.entries:
        if entry.table.scope.use is not Use.CREATE:
            continue
        for amount, unit in entry.table.units:
            if entry.members.get(amount) is not None and entry.members.get(unit) is None:
                path = (*entry.path, amount)
                message = f"{readable(path)} is given without its unit or currency, {unit}"
                fault = warning("UNIT_MISSING", message, expected=f"{unit} beside it")
                yield fault._replace(pointer=pointer_of(path), source=entry.table.slots[amount].source)
