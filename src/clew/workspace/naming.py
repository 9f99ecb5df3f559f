"""Owner names of services and processes: natural where free, told apart where two documents claim the same one."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import PurePosixPath


class OwnerNames:
    """Gives each document the names of what it describes, and the same names again when it is read again.

    The first document keeps the natural name; a later one gets `@` and the shortest part of its path that tells it
    apart.
    """

    def __init__(self, taken: Mapping[str, str]) -> None:
        """Begins with the names in use: owner name → key of the document that has it."""
        self._taken = dict(taken)

    def of(self, document: str, *, given: str = "") -> Callable[[str], str]:
        """Gives the naming for one document; `given` replaces the natural name of its first service."""
        waiting = [given] if given else []

        def name(natural: str) -> str:
            wanted = waiting.pop() if waiting else natural
            return self._claim(wanted, document)

        return name

    def release(self, document: str) -> None:
        """Frees the names of a document that is no longer there."""
        self._taken = {name: owner for name, owner in self._taken.items() if owner != document}

    def _claim(self, wanted: str, document: str) -> str:
        for name in self._candidates(wanted, document):
            if self._taken.get(name, document) == document:
                self._taken[name] = document
                return name
        raise AssertionError("the candidates have no end")

    def _candidates(self, wanted: str, document: str) -> Iterator[str]:
        yield wanted
        parts = PurePosixPath(document)
        yield f"{wanted}@{parts.stem}"
        if len(parts.parts) > 1:
            yield f"{wanted}@{parts.parts[-2]}.{parts.stem}"
        number = 2
        while True:
            yield f"{wanted}@{number}"
            number += 1
