"""`Subject`: one request under validation, and what the rules have established of it so far."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Final, NamedTuple, TypeAlias

from clew.domain.records import JsonObject, JsonValue
from clew.domain.requests import Request
from clew.domain.services import Operation
from clew.graph.service_view import ServiceView
from clew.grounding.faults import Fault, Path
from clew.grounding.tables import Scope, Table, Tables, Use
from clew.grounding.targets import Place, Step, Target
from clew.protocol.json import JsonLimits

READS: Final = frozenset({"GET", "HEAD"})
UPDATES: Final = frozenset({"PATCH", "MERGE", "PUT"})


@dataclass(slots=True)
class Entry:
    """One object of the body: the top, a nested entity, a complex value; rules look at it as a whole."""

    path: Path
    members: JsonObject
    table: Table


class Link(NamedTuple):
    """A member of an object that links to an existing entity: its name as written, its value."""

    entry: Entry
    name: str
    value: JsonValue


@dataclass(slots=True)
class Subject:
    """A request with what is known of it; rules fill it in order, and one that finds the way barred stops the rest."""

    request: Request
    tables: Tables
    limits: JsonLimits
    method: str = ""
    """The method that is meant: `X-HTTP-Method` tells it where a POST carries another one."""
    upserts: bool = False
    """Whether the entity is named in the body of a `POST upsert`; the target is then that entity."""
    target: Target | None = None
    operation: Operation | None = None
    """The overload that the call fits."""
    key: JsonObject = field(default_factory=dict[str, JsonValue])
    """Values of the last key of the path, in JSON terms."""
    body: JsonValue = None
    has_body: bool = False
    ieee754: bool = False
    entries: list[Entry] = field(default_factory=list[Entry])
    links: list[Link] = field(default_factory=list[Link])
    stopped: bool = False

    @property
    def view(self) -> ServiceView:
        """The service."""
        return self.tables.view

    @property
    def last(self) -> Step | None:
        """The step that says what is addressed."""
        return self.target.last if self.target is not None else None

    @property
    def writes(self) -> bool:
        """Whether the request may change something: anything that neither reads nor calls a function."""
        if self.method in READS:
            return False
        operation = self.operation
        return operation is None or operation.flavor != "function"

    def header(self, name: str) -> str:
        """Gives a header's value, empty where it is not there; names do not tell case apart."""
        wanted = name.casefold()
        return next((value for given, value in self.request.headers if given.casefold() == wanted), "")

    def use(self) -> Use:
        """Gives what the body is sent for."""
        if self.operation is not None:
            return Use.CALL
        if self.upserts:
            return Use.UPDATE
        return {"POST": Use.CREATE, "PUT": Use.REPLACE}.get(self.method, Use.UPDATE)

    def scope(self) -> Scope:
        """Gives the scope of the body's top."""
        step = self.last
        if step is None:
            return Scope(use=self.use(), ieee754=self.ieee754)
        if step.entity_set is not None and step.place in {Place.COLLECTION, Place.ENTITY}:
            return Scope(step.entity_set.name, "", self.use(), self.ieee754, *self._above(step))
        source = step.source_set.name if step.source_set else ""
        return Scope(source, step.path, self.use(), self.ieee754, *self._above(step))

    def _above(self, step: Step) -> tuple[str, str]:
        """Gives the type and the navigation property by which the path leads to its last step, empty at a set."""
        if step.navigation is None or self.target is None or len(self.target.steps) < 2:
            return "", ""
        return self.target.steps[-2].type, step.navigation.name


Rule: TypeAlias = Callable[[Subject], Iterable[Fault]]
"""One rule: looks at the subject, may fill in what it established, gives what is wrong."""
