"""Query files: one JSON object a line with `id`, `type`, `query`, `gold` and, where there are any, `also`."""

from pathlib import Path

import msgspec

from clew.domain.errors import InputRefused
from clew.domain.ids import entity_set_id
from clew.domain.issues import Issue, Place
from clew.domain.records import Record


class Gold(Record, frozen=True, kw_only=True):
    """An entity set that a request needs; in `also`, one that is as right as the set named by `instead_of`."""

    service: str
    entity_set: str
    instead_of: str = ""

    @property
    def id(self) -> str:
        """The entity set's node id."""
        return entity_set_id(self.service, self.entity_set)


class Query(Record, frozen=True, kw_only=True):
    """A request with the entity sets that it needs, in process order where there is one."""

    id: str
    type: str
    query: str
    gold: tuple[Gold, ...]
    also: tuple[Gold, ...] = ()
    process: str | None = None
    lang: str = "en"

    def accepted(self) -> tuple[frozenset[str], ...]:
        """Gives for each gold set the ids that count as it: itself, and what is as right instead of it."""
        return tuple(
            frozenset({gold.id, *(other.id for other in self.also if other.instead_of == gold.entity_set)})
            for gold in self.gold
        )


def read_queries(path: Path) -> tuple[Query, ...]:
    """Reads a query file.

    Raises:
        InputRefused: it cannot be read, or a line is no query; the issue names the line.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InputRefused((Issue(code="QUERY_FILE", message=f"{error}", place=Place(document=str(path))),)) from error
    queries: list[Query] = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            queries.append(msgspec.json.decode(line, type=Query))
        except msgspec.MsgspecError as error:
            place = Place(document=str(path), line=number)
            raise InputRefused((Issue(code="QUERY_SHAPE", message=f"is no query: {error}", place=place),)) from error
    return tuple(queries)
