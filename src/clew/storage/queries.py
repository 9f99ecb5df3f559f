"""Named queries: their text is in `sql/<dialect>/*.sql`, each introduced by `-- name:` and a comment that says why."""

import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import LiteralString, cast

from clew.domain.errors import StorageError
from clew.domain.records import Record

FOLDER = Path(__file__).with_name("sql")

_NAME = re.compile(r"^-- name: ([a-z][a-z0-9_]*)$", re.MULTILINE)


class Query(Record, frozen=True, kw_only=True):
    """One named query. The text is as trustworthy as a literal: it comes from this package's own files."""

    name: str
    purpose: str
    text: LiteralString


class Migration(Record, frozen=True, kw_only=True):
    """One step of the schema, forwards only."""

    version: int
    name: str
    text: LiteralString


@cache
def queries_of(dialect: str) -> Mapping[str, Query]:
    """Gives the named queries of a dialect.

    Raises:
        StorageError: two queries have one name, or one has no comment.
    """
    found: dict[str, Query] = {}
    for path in sorted((FOLDER / dialect).glob("*.sql")):
        for query in _split(path.read_text(encoding="utf-8")):
            if query.name in found or not query.purpose:
                raise StorageError(f"{path.name}: the query {query.name} is there twice, or says not what it is for.")
            found[query.name] = query
    return found


@cache
def migrations_of(dialect: str) -> tuple[Migration, ...]:
    """Gives the migrations of a dialect in the order of their numbers."""
    return tuple(
        Migration(
            version=int(path.name[:4]), name=path.stem[5:], text=cast("LiteralString", path.read_text(encoding="utf-8"))
        )
        for path in sorted((FOLDER / dialect / "migrations").glob("[0-9][0-9][0-9][0-9]_*.sql"))
    )


def query_named(dialect: str, name: str) -> LiteralString:
    """Gives the text of a query.

    Raises:
        StorageError: there is no such query.
    """
    query = queries_of(dialect).get(name)
    if query is None:
        raise StorageError(f"There is no query {name!r} in storage/sql/{dialect}.")
    return query.text


def _split(text: str) -> Iterator[Query]:
    _, *parts = _NAME.split(text)
    for name, body in zip(parts[::2], parts[1::2], strict=True):
        lines = body.strip().splitlines()
        comment = [line[3:] for line in lines if line.startswith("--")]
        statement = "\n".join(line for line in lines if not line.startswith("--")).strip().removesuffix(";")
        yield Query(name=name, purpose=" ".join(comment), text=cast("LiteralString", statement))
