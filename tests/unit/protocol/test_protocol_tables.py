"""Every row of the tables in tests/fixtures/protocol: what is read, how it is written again, what is refused."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from clew.domain.errors import MalformedText
from clew.domain.services import EnumMember, EnumType, Property
from clew.protocol.expand import format_expand
from clew.protocol.facets import check_facets
from clew.protocol.faults import format_fault, parse_fault
from clew.protocol.filter_tree import Alias, Binary, Constant, Listing, Logical, Negated, Not
from clew.protocol.filter_tree import Path as FilterPath
from clew.protocol.filters import format_filter, parse_filter
from clew.protocol.json import parse_json, write_json
from clew.protocol.keys import format_key, parse_key, read_key
from clew.protocol.literals import format_literal, parse_literal
from clew.protocol.options import Options, parse_options
from clew.protocol.orderby import format_orderby
from clew.protocol.urls import format_path, parse_path, split_url
from clew.protocol.values import read_enum, read_value, write_value

TABLES = Path(__file__).resolve().parents[2] / "fixtures" / "protocol"
Row = dict[str, Any]

ENUMS = {
    "Grade": EnumType(
        id="e1",
        service="S",
        name="Ns.Grade",
        members=tuple(EnumMember(name=n, value=v) for n, v in zip("ABC", (1, 2, 3), strict=True)),
    ),
    "Handling": EnumType(
        id="e2",
        service="S",
        name="Ns.Handling",
        flags=True,
        members=tuple(
            EnumMember(name=n, value=v) for n, v in {"None": 0, "Chilled": 1, "Fragile": 2, "Organic": 4}.items()
        ),
    ),
}


def rows(name: str, *, refused: bool = False) -> list[Row]:
    table: list[Row] = yaml.safe_load((TABLES / f"{name}.yaml").read_text(encoding="utf-8"))
    chosen = [row for row in table if ("code" in row) == refused]
    assert chosen
    return chosen


def says(row: Row, error: MalformedText) -> None:
    """The error has the row's code, and where the row tells them its position and a part of its message."""
    assert error.code == row["code"]
    assert str(row.get("says", "")) in str(error)
    if "position" in row:
        assert error.position == row["position"]


@pytest.mark.parametrize("row", rows("json"), ids=str)
def test_json_is_read_exactly_and_written_again(row: Row) -> None:
    assert write_json(parse_json(row["text"])) == row.get("again", row["text"])


@pytest.mark.parametrize("row", rows("json", refused=True), ids=str)
def test_json_that_is_none_is_refused_with_its_place(row: Row) -> None:
    with pytest.raises(MalformedText) as caught:
        parse_json(row["text"])
    says(row, caught.value)


@pytest.mark.parametrize("row", rows("literals"), ids=str)
def test_literals_are_read_and_written(row: Row) -> None:
    literal = parse_literal(row["text"], row["in"], type=row.get("for", ""))
    assert literal.type == row.get("for", row.get("is"))
    assert write_json(literal.value) == row["value"]
    assert format_literal(literal.value, literal.type or "Edm.String", row["in"]) == row.get("again", row["text"])


@pytest.mark.parametrize("row", rows("literals", refused=True), ids=str)
def test_malformed_literals_are_refused(row: Row) -> None:
    with pytest.raises(MalformedText) as caught:
        parse_literal(row["text"], row["in"], type=row.get("for", ""))
    says(row, caught.value)


@pytest.mark.parametrize("row", rows("keys"), ids=str)
def test_keys_are_read_and_written(row: Row) -> None:
    values = read_key(parse_key(row["text"]), row["key"], row["in"], aliases=row.get("aliases"))
    assert write_json(values) == row["values"]
    assert format_key(values, row["key"], row["in"]) == row["again"]


@pytest.mark.parametrize("row", rows("keys", refused=True), ids=str)
def test_malformed_keys_are_refused(row: Row) -> None:
    with pytest.raises(MalformedText) as caught:
        read_key(parse_key(row["text"]), row["key"], row["in"])
    says(row, caught.value)


@pytest.mark.parametrize("row", rows("urls"), ids=str)
def test_urls_are_split_into_segments_and_options(row: Row) -> None:
    path, query = split_url(row["url"])
    parsed = parse_path(path)
    shown = []
    for segment in parsed.segments:
        parts = [f"{p.name}={p.text}" if p.name else p.text for p in segment.key.parts] if segment.key else None
        shown.append([segment.name, segment.kind.value, *([parts] if parts is not None else [])])
    assert shown == row["segments"]
    assert [list(pair) for pair in query] == row.get("query", [])
    assert write_json([s.name for s in parse_path(format_path(parsed)).segments]) == write_json(
        [s.name for s in parsed.segments]
    )


@pytest.mark.parametrize("row", rows("urls", refused=True), ids=str)
def test_malformed_urls_are_refused(row: Row) -> None:
    with pytest.raises(MalformedText) as caught:
        parse_path(split_url(row["url"])[0])
    says(row, caught.value)


def prefix_form(node: object) -> str:
    match node:
        case Constant():
            return node.literal.text
        case FilterPath() | Alias():
            return format_filter(node)
        case Not():
            return f"(not {prefix_form(node.operand)})"
        case Negated():
            return f"(- {prefix_form(node.operand)})"
        case Logical():
            return f"({node.operator} {' '.join(map(prefix_form, node.operands))})"
        case Binary():
            return f"({node.operator} {prefix_form(node.left)} {prefix_form(node.right)})"
        case Listing():
            return f"({' '.join(map(prefix_form, node.items))})"
        case _:
            raise AssertionError(node)


@pytest.mark.parametrize("row", rows("filters"), ids=str)
def test_filters_are_read_by_precedence_and_written_with_the_brackets_they_need(row: Row) -> None:
    expression = parse_filter(row["text"], row["in"])
    assert format_filter(expression) == row.get("again", row["text"])
    if "tree" in row:
        assert prefix_form(expression) == row["tree"]


@pytest.mark.parametrize("row", rows("filters", refused=True), ids=str)
def test_malformed_filters_are_refused(row: Row) -> None:
    with pytest.raises(MalformedText) as caught:
        parse_filter(row["text"], row["in"])
    says(row, caught.value)


def shown_options(options: Options) -> Row:
    shown: Row = {}
    for field in options.__struct_fields__:
        value = getattr(options, field)
        if value in (None, (), "", False) and value != 0:
            continue
        if field in ("select", "expand"):
            value = format_expand(value)
        elif field == "orderby":
            value = format_orderby(value)
        elif field == "filter":
            value = format_filter(value)
        elif field in ("aliases", "custom", "other"):
            value = "&".join(f"{name}={text}" for name, text in value)
        shown[field] = value
    return {field: value for field, value in shown.items() if value is not False}


@pytest.mark.parametrize("row", rows("options"), ids=str)
def test_query_options_are_read(row: Row) -> None:
    assert shown_options(parse_options(split_url(row["url"])[1], row["in"])) == row["give"]


@pytest.mark.parametrize("row", rows("options", refused=True), ids=str)
def test_malformed_query_options_are_refused(row: Row) -> None:
    with pytest.raises(MalformedText) as caught:
        parse_options(split_url(row["url"])[1], row["in"])
    says(row, caught.value)


@pytest.mark.parametrize("row", rows("values"), ids=str)
def test_json_values_are_read_and_written_by_type_and_version(row: Row) -> None:
    ieee754 = row.get("ieee754", False)
    value = read_value(parse_json(row["json"]), row["type"], row["in"], ieee754=ieee754)
    assert write_json(value) == row["value"]
    assert write_json(write_value(value, row["type"], row["in"], ieee754=ieee754)) == row.get("again", row["json"])


@pytest.mark.parametrize("row", rows("values", refused=True), ids=str)
def test_json_values_of_another_kind_are_refused(row: Row) -> None:
    with pytest.raises(MalformedText) as caught:
        read_value(parse_json(row["json"]), row["type"], row["in"], ieee754=row.get("ieee754", False))
    says(row, caught.value)


@pytest.mark.parametrize("row", rows("facets"), ids=str)
def test_facets_are_reckoned_exactly(row: Row) -> None:
    facets = Property(
        name="P",
        type=row["type"],
        max_length=row.get("max_length"),
        precision=row.get("precision"),
        scale=row.get("scale"),
        scale_kind=row.get("scale_kind", "fixed"),
    )
    breaches = check_facets(parse_json(row["value"]), facets, row["type"], row.get("in", "V4"))
    assert [breach.code for breach in breaches] == row["breaks"]


@pytest.mark.parametrize("row", rows("enums"), ids=str)
def test_enumerations_are_read_by_name_number_and_flags(row: Row) -> None:
    assert read_enum(parse_json(row["json"]), ENUMS[row["enum"]]) == row["value"]


@pytest.mark.parametrize("row", rows("enums", refused=True), ids=str)
def test_what_is_no_member_is_refused(row: Row) -> None:
    with pytest.raises(MalformedText) as caught:
        read_enum(parse_json(row["json"]), ENUMS[row["enum"]])
    says(row, caught.value)


FAULTS: list[Row] = yaml.safe_load((TABLES / "faults.yaml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("row", FAULTS, ids=range(len(FAULTS)))
def test_error_bodies_are_read_in_every_form(row: Row) -> None:
    fault = parse_fault(row["body"])
    if row.get("none"):
        assert fault is None
        return
    assert fault is not None
    assert (fault.code, fault.message) == (row["code"], row["message"])
    assert [[d.code, d.message, d.target] for d in fault.details] == row["details"]
    for version in ("V2", "V4"):
        again = parse_fault(format_fault(fault, version))
        assert again is not None
        assert (again.code, again.message) == (fault.code, fault.message)
        assert [d.message for d in again.details] == [d.message for d in fault.details]
