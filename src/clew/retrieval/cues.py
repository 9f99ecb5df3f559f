"""Which system or service a request names: by its name, by the initials of it, or as one who writes in haste does."""

import re
from collections.abc import Iterable, Sequence

import numpy as np

from clew.index.arrays import Floats
from clew.index.search_index import ServiceWords
from clew.index.words import fold

_PART = re.compile(r"[^\W_]+(?:/[^\W_]+)*")
_TECHNICAL_NAME = re.compile(r"[\d_]")
"""A service called by a mere word of the language is not named by whoever uses the word."""
_LEADING = re.compile(r"([a-z]+/?\d+)")
_SOUNDS = {"one": "1", "two": "2", "to": "2", "for": "4", "four": "4"}
"""Words that initials write as a figure: Business One is B1, Cloud for Customer C4C."""
_VENDORS = frozenset({"sap", "microsoft", "oracle", "ibm", "salesforce", "ms"})
_SHORTEST_ALIAS = 2


def aliases(system: str) -> set[str]:
    """Gives the names under which people know a system.

    >>> sorted(aliases("SAP Business One")), sorted(aliases("S/4HANA"))
    (['b1', 'business one'], ['s/4', 's/4hana', 's4'])
    """
    parts: list[str] = [part for part in _PART.findall(fold(system)) if part not in _VENDORS]
    found: set[str] = {" ".join(parts)}
    if len(parts) > 1:
        found.add("".join(_SOUNDS.get(part, part[0]) for part in parts))
    for part in parts:
        if leading := _LEADING.match(part):
            found |= {leading.group(1), leading.group(1).replace("/", "")}
    return {alias for alias in found if len(alias) >= _SHORTEST_ALIAS}


class SystemCues:
    """Finds the services whose system or own name a request speaks of."""

    def __init__(self, services: Sequence[ServiceWords]) -> None:
        """Notes the aliases of all services."""
        self._size = len(services)
        self._services: dict[str, list[int]] = {}
        for number, service in enumerate(services):
            own = {fold(service.name)} if _TECHNICAL_NAME.search(service.name) else set[str]()
            for alias in aliases(service.system) | own:
                self._services.setdefault(alias, []).append(number)
        self._longest = max((alias.count(" ") + 1 for alias in self._services), default=0)

    def named(self, request: str) -> tuple[Floats, tuple[str, ...]]:
        """Gives 1 for each service that is named and 0 for the others, shape `(services,)`, and the names it found."""
        marks = np.zeros(self._size, dtype=np.float32)
        found = [name for name in _phrases(request, self._longest) if name in self._services]
        for name in found:
            marks[self._services[name]] = 1.0
        return marks, tuple(dict.fromkeys(found))


def _phrases(request: str, longest: int) -> Iterable[str]:
    parts = _PART.findall(fold(request).replace("_", " _ "))
    yield from (fold(name) for name in re.findall(r"\w+", request) if "_" in name)
    for length in range(1, longest + 1):
        for start in range(len(parts) - length + 1):
            yield " ".join(parts[start : start + length])
