"""Foreign tables of codes as rows of texts: separated values, JSON and YAML, each row with its line."""

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

from clew.domain.errors import MalformedText
from clew.domain.records import JsonValue, Record
from clew.protocol.json import JsonLimits, parse_json
from clew.sources.yaml_fields import Notes, shown
from clew.sources.yaml_text import Fields, Items, Scalar, YamlNode, decode_text

CODE_COLUMN = "code"
TEXT_COLUMN = "text"

_SEPARATORS = ",;\t|"
_LIST_KEYS = ("codes", "value", "values", "items")
_JSON_LIMITS = JsonLimits(depth=8, size_bytes=32 * 1024 * 1024)


class TableRow(Record, frozen=True, kw_only=True):
    """One row: texts by column, stripped; the line is 1-based, 0 where the format has none."""

    cells: Mapping[str, str]
    line: int = 0


class Table(Record, frozen=True, kw_only=True):
    """Column names in order, and the rows."""

    columns: tuple[str, ...]
    rows: tuple[TableRow, ...]


Cells: TypeAlias = dict[str, str]


def read_separated(data: bytes | str, notes: Notes) -> Table:
    """Reads separated values with a header line (RFC 4180); the separator is the one that the header holds most of.

    Text that is no UTF-8 and has no byte order mark is taken for Windows-1252, with a warning.

    Raises:
        MalformedText: a quoted cell has no end or follows no separator; there is no header.
    """
    text = _decoded(data, notes)
    if "\0" in text:
        raise MalformedText("nul", "holds NUL characters; it is no text")
    # Spreadsheets say their separator in a line of its own.
    declared = text[4:5] if text[:4].lower() == "sep=" else ""
    body = text.partition("\n")[2] if declared else text
    separator = declared or _separator_of(body)
    reader = csv.reader(io.StringIO(body, newline=""), delimiter=separator, strict=True)
    first_line = 2 if declared else 1
    records = _records(reader, first_line)
    header = next((record for record in records if any(record[1])), None)
    if header is None:
        raise MalformedText("empty", "is empty")
    columns = tuple(header[1])
    _check_header(columns, header[0], notes)
    return Table(columns=columns, rows=tuple(_rows(columns, records, notes)))


def _decoded(data: bytes | str, notes: Notes) -> str:
    try:
        return decode_text(data)
    except MalformedText as error:
        if isinstance(data, str) or data[:2] in (b"\xff\xfe", b"\xfe\xff"):
            raise
        line = data.count(b"\n", 0, error.position) + 1
        message = f"The document {error}; it was read as Windows-1252. Save it as UTF-8 to be sure of its letters."
        notes.warn("codelist-encoding", message, line)
        return data.decode("cp1252", errors="replace")


def _separator_of(body: str) -> str:
    header = next((line for line in body.splitlines() if line.strip()), "")
    outside = "".join(header.split('"')[::2])
    return max(_SEPARATORS, key=outside.count)


def _records(reader: Iterator[list[str]], first_line: int) -> Iterator[tuple[int, list[str]]]:
    line = first_line
    while True:
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise MalformedText("csv", f"breaks the rules of separated values: {error}", line) from None
        yield line, [cell.strip() for cell in cells]
        line = first_line + getattr(reader, "line_num", 0)


def _check_header(columns: Sequence[str], line: int, notes: Notes) -> None:
    seen: set[str] = set()
    for column in columns:
        if column and column in seen:
            notes.warn("codelist-column", f"The column {shown(column)} is there twice; its last cell counts.", line)
        seen.add(column)


def _rows(columns: Sequence[str], records: Iterable[tuple[int, list[str]]], notes: Notes) -> Iterator[TableRow]:
    for line, cells in records:
        if not any(cells):
            continue
        if len(cells) > len(columns) and any(cells[len(columns) :]):
            notes.warn("codelist-row", f"The line has {len(cells)} cells, its header {len(columns)}.", line)
        yield TableRow(cells=dict(zip(columns, cells, strict=False)), line=line)


def read_json(data: bytes | str, notes: Notes) -> Table:
    """Reads a JSON list of objects (also below `codes` or an OData answer's `value`), a list of codes, or code: text.

    Raises:
        MalformedText: it is no JSON, or JSON of another shape.
    """
    value = parse_json(decode_text(data), _JSON_LIMITS)
    if isinstance(value, dict):
        inner = next((value[key] for key in _LIST_KEYS if isinstance(value.get(key), list)), None)
        value = inner if inner is not None else [{CODE_COLUMN: code, TEXT_COLUMN: text} for code, text in value.items()]
    if not isinstance(value, list):
        raise MalformedText("shape", "holds neither a list of codes nor a mapping of codes to texts")
    rows = [TableRow(cells=_json_cells(item, index, notes)) for index, item in enumerate(value)]
    return _table(rows)


def _json_cells(item: JsonValue, index: int, notes: Notes) -> Cells:
    members = item if isinstance(item, dict) else {CODE_COLUMN: item}
    cells: Cells = {}
    for name, value in members.items():
        if isinstance(value, dict | list):
            raise MalformedText("shape", f"holds no text at /{index}/{name}")
        if isinstance(value, int) and not isinstance(value, bool) and name == CODE_COLUMN:
            message = f"The code at /{index} is the number {value}; leading zeros, if there were any, are lost."
            notes.warn("codelist-number", message, 0)
        cells[name] = "" if value is None else _json_text(value)
    return cells


def _json_text(value: JsonValue) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value).strip()


def read_yaml_table(node: YamlNode) -> Table:
    """Reads the same shapes from YAML; what stands there is taken as text, so that `0010` and `NO` stay codes.

    Raises:
        MalformedText: it has another shape; the position is a line.
    """
    if isinstance(node, Fields):
        inner = next((node.entries[key] for key in _LIST_KEYS if isinstance(node.entries.get(key), Items)), None)
        if inner is None:
            return _table([_pair_row(code, child, node.key_lines[code]) for code, child in node.entries.items()])
        node = inner
    if not isinstance(node, Items):
        raise MalformedText("shape", "holds neither a list of codes nor a mapping of codes to texts", node.line)
    return _table([_yaml_row(item) for item in node.items])


def _pair_row(code: str, child: YamlNode, line: int) -> TableRow:
    return TableRow(cells={CODE_COLUMN: code.strip(), TEXT_COLUMN: _yaml_text(child)}, line=line)


def _yaml_row(item: YamlNode) -> TableRow:
    members = item.entries if isinstance(item, Fields) else {CODE_COLUMN: item}
    return TableRow(cells={name: _yaml_text(child) for name, child in members.items()}, line=item.line)


def _yaml_text(node: YamlNode) -> str:
    if not isinstance(node, Scalar):
        raise MalformedText("shape", "holds a list or mapping where a text is expected", node.line)
    return "" if node.is_null else node.text.strip()


def _table(rows: Sequence[TableRow]) -> Table:
    columns = dict.fromkeys(name for row in rows for name in row.cells)
    return Table(columns=tuple(columns), rows=tuple(rows))
