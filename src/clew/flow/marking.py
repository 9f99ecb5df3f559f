"""Markings, and the moves between them."""

from typing import NamedTuple, TypeAlias

from clew.flow.settling import Tokens

Marking: TypeAlias = "tuple[Tokens, Children]"
Children: TypeAlias = "tuple[tuple[int, Marking], ...]"
EMPTY: Marking = ((), ())
SILENT = -1


class Thrown(NamedTuple):
    """Something on its way outwards: an error, escalation or cancellation with its reference."""

    kind: str
    reference: str


class Move(NamedTuple):
    """One step: the node that it completes (an activity) or that occurs (an event), `SILENT` for any other."""

    label: int
    marking: Marking
    assumed: frozenset[int] = frozenset()
    thrown: Thrown | None = None


def with_child(children: Children, index: int, marking: Marking) -> Children:
    """Gives the open scopes with one more."""
    return tuple(sorted((*children, (index, marking))))
