"""What the graph shows beside the stored records: members as nodes of their own, relations stored and implied."""

from typing import Literal

from clew.domain.facts import Edge
from clew.domain.kinds import EdgeKind, NodeKind
from clew.domain.records import Record
from clew.domain.services import Code, Multiplicity, Parameter, Property, ReferentialConstraint


class Member(Record, frozen=True, kw_only=True):
    """A property, a parameter or a code as a node; `parent` is the id of the stored record that holds it."""

    id: str
    kind: NodeKind
    parent: str
    member: Property | Parameter | Code

    @property
    def name(self) -> str:
        """The property's or parameter's name, the code itself."""
        return self.member.code if isinstance(self.member, Code) else self.member.name


class ShownEdge(Record, frozen=True, kw_only=True):
    """A relation as the graph shows it.

    `stated` is the stored relation (flows, messages, bindings …) with all its attributes; it is `None` for one that a
    record implies. `documents` are those that assert it, or that assert the record which implies it.
    """

    kind: EdgeKind
    source: str
    target: str
    key: str = ""
    name: str = ""
    multiplicity: Multiplicity | Literal[""] = ""
    """`NAVIGATES_TO`: how many targets a source has."""
    source_multiplicity: Multiplicity | Literal[""] = ""
    """`NAVIGATES_TO`: how many sources a target has; empty where the metadata says nothing."""
    contains: bool = False
    constraints: tuple[ReferentialConstraint, ...] = ()
    path: str = ""
    """`BOUND_TO`: the binding path; `HAS_KEY`: the key's property path."""
    documents: tuple[str, ...] = ()
    stated: Edge | None = None
