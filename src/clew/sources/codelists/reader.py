"""A code-list file → one closed `ValueHelp` and the overlays that join it to properties."""

import re
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Protocol

from clew.domain.errors import MalformedText
from clew.domain.facts import Overlay, Refused, SourceFacts, SourceReport
from clew.domain.ids import value_help_id
from clew.domain.issues import Issue, Place
from clew.domain.landscape import CodeListColumns
from clew.domain.services import Code, ValueHelp
from clew.sources.codelists.tables import Table, TableRow, read_json, read_separated, read_yaml_table
from clew.sources.yaml_fields import Notes, shown
from clew.sources.yaml_text import YamlLimits, read_yaml

__all__ = ["SIZE_LIMIT_BYTES", "Target", "read_codelist"]

SIZE_LIMIT_BYTES = 32 * 1024 * 1024
FIRST_DAY, LAST_DAY = "0001-01-01", "9999-12-31"

_USUAL_NAMES: Mapping[str, tuple[str, ...]] = {
    "code": ("code", "key", "id", "value", "schlüssel"),
    "text": ("text", "description", "name", "label", "bezeichnung"),
    "valid_from": ("valid_from", "validfrom", "valid_since", "gueltig_ab", "gültig_ab"),
    "valid_to": ("valid_to", "validto", "valid_until", "gueltig_bis", "gültig_bis"),
}
_INPUT = re.compile(r"in(?:put)?:\s*(\S.*)", re.IGNORECASE)
_DATES = (
    re.compile(r"(?P<y>\d{4})-(?P<m>\d{2})-(?P<d>\d{2})(?:T00:00:00(?:\.0+)?Z?)?"),
    re.compile(r"(?P<y>\d{4})(?P<m>\d{2})(?P<d>\d{2})"),
    re.compile(r"(?P<d>\d{1,2})\.(?P<m>\d{1,2})\.(?P<y>\d{4})"),
)
_MOST_PERIODS = 500
_UNBOUNDED = frozenset({"", "00000000", "0000-00-00"})


class Target(Protocol):
    """A property or parameter that a list applies to, as `clew.sources.resolution` finds it."""

    @property
    def service(self) -> str:
        """Owner name of the service."""
        ...

    @property
    def path(self) -> str:
        """`Ns.Type/Property` or `Ns.Operation(Types)/parameter`."""
        ...


def read_codelist(
    data: bytes | str,
    *,
    document: str,
    name: str,
    columns: CodeListColumns = CodeListColumns(),
    targets: Sequence[Target] = (),
) -> SourceFacts | Refused:
    """Reads one code list; the ending of `document` tells CSV and TSV, JSON and YAML apart.

    Codes are texts, stripped, leading zeros kept. A column `in:NAME` (or one that `columns` names) is an input of a
    dependent list. A code that is there twice, under the same inputs and for days in common, is used once and reported.
    """
    if len(data) > SIZE_LIMIT_BYTES:
        return _refuse(document, "size", f"has {len(data):,} bytes; at most {SIZE_LIMIT_BYTES:,} are read", 0)
    notes = Notes(document)
    try:
        table = _table_of(data, document, notes)
        if isinstance(table, Refused):
            return table
        codes = _Codes(_roles_of(table, columns, notes), notes).of(table.rows)
    except MalformedText as error:
        # Positions are lines here; the JSON reader's are characters and say nothing to a person.
        line = 0 if error.code.startswith("JSON_") else error.position
        text = f"is not JSON that can be read: {error}" if error.code.startswith("JSON_") else str(error)
        return _refuse(document, error.code.lower().replace("_", "-"), text, line)
    if not codes:
        return _refuse(document, "empty", "has no codes", 0)
    return _facts(document, name, codes, targets, notes, len(data))


def _facts(
    document: str, name: str, codes: tuple[Code, ...], targets: Sequence[Target], notes: Notes, size_bytes: int
) -> SourceFacts:
    help_id = value_help_id(name)
    overlays = tuple(
        Overlay(target=target.path, service=target.service, attributes=(("value_help", help_id),)) for target in targets
    )
    report = SourceReport(
        document=document,
        kind="codelist",
        owners=(help_id,),
        counts=(("value_helps", 1), ("codes", len(codes))),
        size_bytes=size_bytes,
    )
    node = ValueHelp(id=help_id, name=name, origin="file", closed=True, codes=codes, line=1)
    return SourceFacts(report=report, nodes=(node,), overlays=overlays, issues=notes.in_order)


def _refuse(document: str, code: str, what: str, line: int) -> Refused:
    place = Place(document=document, line=line)
    return Refused(issue=Issue(code=f"codelist-{code}", message=f"The code list {what}.", place=place))


def _table_of(data: bytes | str, document: str, notes: Notes) -> Table | Refused:
    ending = document.lower().rpartition(".")[2]
    if ending == "json":
        return read_json(data, notes)
    if ending in ("yaml", "yml"):
        node = read_yaml(data, document=document, limits=YamlLimits(size_bytes=SIZE_LIMIT_BYTES, depth=8))
        return node if isinstance(node, Refused) else read_yaml_table(node)
    return read_separated(data, notes)


class _Roles:
    """Which column holds what."""

    def __init__(self, columns: Mapping[str, str], inputs: tuple[tuple[str, str], ...]) -> None:
        self.columns = columns
        self.inputs = inputs

    def cell(self, row: TableRow, role: str) -> str:
        return row.cells.get(self.columns.get(role, ""), "")


def _roles_of(table: Table, columns: CodeListColumns, notes: Notes) -> _Roles:
    stated = {role: getattr(columns, role) for role in _USUAL_NAMES if getattr(columns, role)}
    for column in (*stated.values(), *(column for _, column in columns.inputs)):
        if column not in table.columns:
            raise MalformedText("column", f"has no column {shown(column)}; it has {_listed(table.columns)}", 1)
    folded = {_folded(column): column for column in reversed(table.columns)}
    for role, names in _USUAL_NAMES.items():
        found = next((folded[_folded(name)] for name in names if _folded(name) in folded), "")
        if found and role not in stated and found not in stated.values():
            stated[role] = found
    if "code" not in stated:
        raise MalformedText("column", f"has no column 'code'; it has {_listed(table.columns)}", 1)
    marked = tuple((match[1], column) for column in table.columns if (match := _INPUT.fullmatch(column)))
    inputs = (*columns.inputs, *(pair for pair in marked if pair[1] not in {column for _, column in columns.inputs}))
    used = {*stated.values(), *(column for _, column in inputs), ""}
    for column in table.columns:
        if column not in used:
            hint = f"write it `in:{column}` if a code is allowed only under its value"
            notes.warn("codelist-column", f"The column {shown(column)} is not read; {hint}.", 1)
    return _Roles(stated, inputs)


def _folded(name: str) -> str:
    return name.casefold().replace("-", "_").replace(" ", "_")


def _listed(columns: Sequence[str]) -> str:
    return ", ".join(shown(column) for column in columns[:8] if column) or "none"


class _Codes:
    """Reads rows into codes and reports those that cannot be used."""

    def __init__(self, roles: _Roles, notes: Notes) -> None:
        self._roles = roles
        self._notes = notes
        self._seen: dict[tuple[str, tuple[tuple[str, str], ...]], list[tuple[Code, int]]] = {}

    def of(self, rows: Sequence[TableRow]) -> tuple[Code, ...]:
        found = (self._code(row) for row in rows)
        return tuple(code for code in found if code is not None)

    def _code(self, row: TableRow) -> Code | None:
        code = self._roles.cell(row, "code")
        if not code:
            self._notes.warn("codelist-no-code", "The row has no code and is not used.", row.line)
            return None
        found = Code(
            code=code,
            text=self._roles.cell(row, "text"),
            valid_from=self._day(row, "valid_from"),
            valid_to=self._day(row, "valid_to"),
            inputs=tuple((name, row.cells.get(column, "")) for name, column in self._roles.inputs),
        )
        if (found.valid_to or LAST_DAY) < (found.valid_from or FIRST_DAY):
            message = (
                f"Code {shown(code)} ends on {found.valid_to}, before it begins on {found.valid_from}; it is not used."
            )
            self._notes.warn("codelist-validity", message, row.line)
            return None
        return found if self._is_new(found, row.line) else None

    def _is_new(self, code: Code, line: int) -> bool:
        others = self._seen.setdefault((code.code, code.inputs), [])
        for other, first in others:
            if _overlap_in_days(code, other):
                where = f" (first in line {first})" if first else ""
                also = "" if other.text == code.text else f", as {shown(other.text)} and as {shown(code.text)}"
                message = f"The code {shown(code.code)} is there twice{also}{where}; the first one counts."
                self._notes.warn("codelist-duplicate", message, line)
                return False
        if len(others) == _MOST_PERIODS:
            raise MalformedText("periods", f"gives code {shown(code.code)} more than {_MOST_PERIODS} periods", line)
        others.append((code, line))
        return True

    def _day(self, row: TableRow, role: str) -> str:
        text = self._roles.cell(row, role)
        if text in _UNBOUNDED:
            return ""
        for pattern in _DATES:
            if match := pattern.fullmatch(text):
                try:
                    return date(int(match["y"]), int(match["m"]), int(match["d"])).isoformat()
                except ValueError:
                    break
        message = f"{shown(text)} is no date; write it like 2027-01-31. The code counts as unbounded there."
        self._notes.warn("codelist-date", message, row.line)
        return ""


def _overlap_in_days(one: Code, other: Code) -> bool:
    return (one.valid_from or FIRST_DAY) <= (other.valid_to or LAST_DAY) and (other.valid_from or FIRST_DAY) <= (
        one.valid_to or LAST_DAY
    )
