"""Bindings files: which call performs an activity. Read with lines, and written back without disturbing the rest."""

from collections.abc import Mapping, Sequence

import msgspec
import yaml

from clew.domain.facts import Refused
from clew.domain.landscape import BindingRow, Bindings
from clew.domain.records import Record
from clew.sources.landscape_shapes import BINDING
from clew.sources.yaml_fields import FieldValues, Notes, closest, read_fields
from clew.sources.yaml_text import Fields, Items, YamlNode, decode_text, read_yaml

__all__ = ["read_binding_row", "read_bindings", "write_bindings"]

_FILLED = tuple(name for name in BINDING.fields if name != "unbound")
_NO_LIMIT = 1 << 30


def read_bindings(data: bytes | str, *, document: str) -> Bindings | Refused:
    """Reads a bindings file: a mapping with the key `bindings`, or the list alone."""
    node = read_yaml(data, document=document)
    if isinstance(node, Refused):
        return node
    notes = Notes(document)
    items = _items_of(node, notes)
    rows = [] if items is None else [read_binding_row(item, notes) for item in items.items]
    found = tuple(row for row in rows if row is not None)
    _note_repetitions(found, notes)
    if errors := notes.errors:
        return Refused(issue=errors[0], others=errors[1:])
    return Bindings(document=document, rows=found, issues=notes.in_order)


def read_binding_row(node: YamlNode, notes: Notes) -> BindingRow | None:
    """Reads one row, `None` where it is wrong."""
    values = read_fields(node, BINDING, notes)
    if values is None:
        return None
    problem = _problem_of(values)
    if problem:
        where = f"The binding of activity {values['activity']!r} of process {values['process']!r}"
        notes.error("wrong-binding", f"{where} {problem}.", node.line)
        return None
    return BindingRow(**values, line=node.line)


def _problem_of(values: FieldValues) -> str:
    bound = [name for name in ("service", "entity_set", "operation", "method", "bound_to") if name in values]
    if values.get("unbound"):
        return f"is unbound and yet names {' and '.join(map(repr, bound))}" if bound else ""
    missing = [name for name in ("service", "method") if name not in values]
    if missing:
        return f"needs {' and '.join(map(repr, missing))}, or 'unbound: true' where it is done outside the systems"
    if ("entity_set" in values) == ("operation" in values):
        return "needs either 'entity_set' or 'operation'; an operation's entity set is named by 'bound_to'"
    if "bound_to" in values and "operation" not in values:
        return "has 'bound_to', which only an operation has"
    return ""


def _items_of(node: YamlNode, notes: Notes) -> Items | None:
    if isinstance(node, Items):
        return node
    if isinstance(node, Fields):
        for name in node.entries:
            if name != "bindings":
                suggestions = closest(name, ["bindings"])
                notes.error("unknown-key", f"{name!r} is no key of a bindings file.", node.key_lines[name], suggestions)
        found = node.entries.get("bindings")
        if isinstance(found, Items):
            return found
    notes.error("no-bindings", "A bindings file is a mapping with the key 'bindings', which holds a list.", node.line)
    return None


def _note_repetitions(rows: Sequence[BindingRow], notes: Notes) -> None:
    seen: dict[tuple[str, ...], int] = {}
    for row in rows:
        first = seen.setdefault(_identity(row), row.line)
        if first != row.line:
            name = f"{row.process}/{row.activity}"
            notes.warn("repeated-binding", f"The binding of {name!r} is the same as in line {first}.", row.line)


def _identity(row: BindingRow) -> tuple[str, ...]:
    return (row.process, row.activity, row.service, row.entity_set, row.operation, row.bound_to, row.method)


def write_bindings(
    rows: Sequence[BindingRow],
    *,
    text: bytes | str = "",
    document: str = "bindings.yaml",
    without: Sequence[BindingRow] = (),
) -> str | Refused:
    """Gives the bindings file `text` with `rows` accepted into it; everything else stays as written, comments too.

    A row that the file holds already for the same call is written anew in its place. Another one follows the last row
    of its activity, else of its process, else of the file. `without` are rows of the file that go.
    """
    if not text.strip():
        return _listed(rows)
    old = read_bindings(text, document=document)
    node = read_yaml(text, document=document)
    if isinstance(old, Refused) or isinstance(node, Refused):
        return old if isinstance(old, Refused) else node  # pyright: ignore[reportReturnType]
    items = node if isinstance(node, Items) else node.entries["bindings"] if isinstance(node, Fields) else None
    gone = {_identity(row) for row in without}
    written = {_identity(row): row for row in rows}
    kept = [written.pop(_identity(row), row) for row in old.rows if _identity(row) not in gone]
    if not isinstance(items, Items) or items.flow or not kept:
        return _listed((*kept, *written.values()))
    unchanged = {msgspec.structs.replace(row, line=0) for row in old.rows}
    rows = [row for row in rows if msgspec.structs.replace(row, line=0) not in unchanged]
    lines = decode_text(text).splitlines(keepends=True)
    blocks = [
        _Block(row=row, first=item.line - 1, end=_end_of(lines, item))
        for row, item in zip(old.rows, items.items, strict=True)
    ]
    return _merged(lines, blocks, rows, gone, indent=" " * items.column)


def _end_of(lines: Sequence[str], item: YamlNode) -> int:
    # A block scalar reaches over the blank lines after it, which belong to no row.
    end = item.end_line
    while end > item.line and not lines[end - 1].strip():
        end -= 1
    return end


def _listed(rows: Sequence[BindingRow]) -> str:
    return "bindings:\n" + "".join(_written(row, indent="") for row in rows) if rows else "bindings: []\n"


class _Block(Record, frozen=True, kw_only=True):
    """A row of a file with its lines: `first` is 0-based, `end` is the line after the last one."""

    row: BindingRow
    first: int
    end: int


def _merged(
    lines: list[str], blocks: Sequence[_Block], rows: Sequence[BindingRow], gone: set[tuple[str, ...]], *, indent: str
) -> str:
    if not lines[-1].endswith("\n"):
        lines[-1] += "\n"
    known = {_identity(block.row): block for block in blocks}
    after: dict[int, list[str]] = {}
    instead: dict[int, str] = {}
    for row in rows:
        written = _written(row, indent=indent)
        block = known.get(_identity(row))
        if block is not None and _identity(row) not in gone:
            instead[block.first] = written
        else:
            after.setdefault(_place_for(row, blocks).end, []).append(written)
    skipped = {block.first: block.end for block in blocks if _identity(block.row) in gone or block.first in instead}
    parts: list[str] = []
    covered = 0
    for number in range(len(lines) + 1):
        parts.extend(after.get(number, ()))
        if number in skipped:
            parts.append(instead.get(number, ""))
            covered = skipped[number]
        if covered <= number < len(lines):
            parts.append(lines[number])
    return "".join(parts)


def _place_for(row: BindingRow, blocks: Sequence[_Block]) -> _Block:
    same_process = [block for block in blocks if block.row.process == row.process]
    same_activity = [block for block in same_process if block.row.activity == row.activity]
    return (same_activity or same_process or list(blocks))[-1]


def _written(row: BindingRow, *, indent: str) -> str:
    entry: dict[str, object] = {name: getattr(row, name) for name in _FILLED if getattr(row, name)}
    if row.values:
        entry["values"] = dict(row.values)
    if row.unbound:
        entry["unbound"] = True
    ordered: Mapping[str, object] = {name: entry[name] for name in BINDING.fields if name in entry}
    text: str = yaml.safe_dump([ordered], sort_keys=False, allow_unicode=True, width=_NO_LIMIT)
    return "".join(indent + line for line in text.splitlines(keepends=True))
