"""Code lists from CSV, JSON and YAML: what is kept, what is reported, what is refused, and what they apply to."""

import csv
import io
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.sources.sources_cases import cases

from clew.domain.facts import Overlay, Refused, SourceFacts
from clew.domain.landscape import CodeListColumns
from clew.domain.services import Code, ValueHelp
from clew.sources.codelists import read_codelist
from clew.sources.resolution import PropertyTarget

ACCEPTED = cases("codelists/accepted.yaml")
REFUSED = cases("codelists/refused.yaml")


def read(case: dict[str, Any]) -> SourceFacts | Refused:
    stated = dict(case.get("columns", {}))
    stated["inputs"] = tuple(stated.get("inputs", {}).items())
    data = case["text"].encode(case.get("encoding", "utf-8"))
    return read_codelist(data, document=case["file"], name="units", columns=CodeListColumns(**stated))


def codes_of(facts: SourceFacts) -> tuple[Code, ...]:
    (node,) = facts.nodes
    assert isinstance(node, ValueHelp)
    return node.codes


def expected(parts: list[Any]) -> Code:
    code, text, valid_from, valid_to, inputs = (*parts, *("", "", "", "", ())[len(parts) :])
    return Code(code=code, text=text, valid_from=valid_from, valid_to=valid_to, inputs=tuple(map(tuple, inputs)))


@pytest.mark.parametrize("case", ACCEPTED, ids=lambda case: case["name"])
def test_a_code_list_is_read_with_what_it_says_and_what_is_wrong_in_it(case: dict[str, Any]) -> None:
    facts = read(case)
    assert isinstance(facts, SourceFacts), facts
    assert codes_of(facts) == tuple(expected(parts) for parts in case["codes"])
    assert [str(issue) for issue in facts.issues] == case.get("says", [])


@pytest.mark.parametrize("case", REFUSED, ids=lambda case: case["name"])
def test_a_code_list_that_cannot_be_used_is_refused_in_one_line(case: dict[str, Any]) -> None:
    refused = read(case)
    assert isinstance(refused, Refused)
    assert str(refused.issue) == case["says"]


def test_a_list_that_applies_to_properties_says_so_by_overlays() -> None:
    targets = (
        PropertyTarget(service="ORDERS", path="Ns.OrderType/Plant"),
        PropertyTarget(service="STOCK", path="Ns.Move(Ns.StockType)/Plant"),
    )
    facts = read_codelist("code,text\n1010,Works\n", document="codes/plants.csv", name="plants list", targets=targets)
    assert isinstance(facts, SourceFacts)
    attributes = (("value_help", "codes:plants%20list"),)
    assert facts.overlays == (
        Overlay(service="ORDERS", target="Ns.OrderType/Plant", attributes=attributes),
        Overlay(service="STOCK", target="Ns.Move(Ns.StockType)/Plant", attributes=attributes),
    )
    (node,) = facts.nodes
    assert node == ValueHelp(
        id="codes:plants%20list",
        name="plants list",
        origin="file",
        closed=True,
        codes=(Code(code="1010", text="Works"),),
        line=1,
    )
    assert (facts.report.kind, facts.report.counts) == ("codelist", (("value_helps", 1), ("codes", 1)))


def test_a_file_over_the_bound_is_refused() -> None:
    refused = read_codelist(b"code\n" + b"x" * 33_554_432, document="big.csv", name="big")
    assert isinstance(refused, Refused)
    assert str(refused.issue) == "big.csv: The code list has 33,554,437 bytes; at most 33,554,432 are read."


cells = st.text(st.characters(codec="utf-8", exclude_characters="\0", exclude_categories=["Cs"]), max_size=12)
rows = st.dictionaries(cells.map(str.strip).filter(bool), cells, min_size=1, max_size=8)


@given(rows, st.sampled_from(",;\t|"), st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]))
def test_what_a_csv_writer_wrote_is_read_again(table: dict[str, str], separator: str, encoding: str) -> None:
    text = io.StringIO(newline="")
    writer = csv.writer(text, delimiter=separator, quoting=csv.QUOTE_ALL)
    writer.writerows([("code", "text"), *table.items()])
    facts = read_codelist(text.getvalue().encode(encoding), document="a.csv", name="a")
    assert isinstance(facts, SourceFacts), facts
    assert {code.code: code.text for code in codes_of(facts)} == {code: text.strip() for code, text in table.items()}


@given(st.binary(max_size=200), st.sampled_from(["a.csv", "a.json", "a.yaml"]))
def test_no_bytes_make_the_reader_fail(data: bytes, document: str) -> None:
    assert isinstance(read_codelist(data, document=document, name="a"), SourceFacts | Refused)


@given(rows)
def test_what_a_json_writer_wrote_is_read_again(table: dict[str, str]) -> None:
    facts = read_codelist(msgspec.json.encode(table), document="a.json", name="a")
    assert isinstance(facts, SourceFacts), facts
    assert {code.code: code.text for code in codes_of(facts)} == {code: text.strip() for code, text in table.items()}
