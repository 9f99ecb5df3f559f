"""The experiment over the small landscape: what its report says follows from what the recipes answered."""

from pathlib import Path

import msgspec
import pytest
from tests.retrieval_landscape import SmallLandscape

from clew.domain.errors import InputRefused
from clew.evaluation import Gold, Query, read_queries, run_retrieval
from clew.index import build_index
from clew.llm import HashEmbedder


def query(name: str, kind: str, text: str, *gold: str, process: str | None = None) -> Query:
    wanted = tuple(Gold(service=node.split("/")[0], entity_set=node.split("/")[1]) for node in gold)
    return Query(id=name, type=kind, query=text, gold=wanted, process=process)


QUERIES = (
    query("q1", "single_entity", "stock count", "STOCK/StockCount"),
    query("q2", "single_entity", "employees", "PEOPLE/Employees"),
    query(
        "q3",
        "process_chain",
        "see what is left on the shelf, order it from the vendor, settle the bill",
        "STOCK/A_MaterialStock",
        "BUYING/A_PurchaseOrder",
        "BUYING/A_SupplierInvoice",
        process="restock",
    ),
)


@pytest.fixture(scope="module")
def report():  # type: ignore[no-untyped-def]
    index = build_index(SmallLandscape(), HashEmbedder())
    return run_retrieval(index, HashEmbedder(), QUERIES, ("process", "fusion"), leave_one_out=True)


def test_there_is_a_row_for_each_recipe_and_type(report) -> None:  # type: ignore[no-untyped-def]
    rows = {(row.recipe, row.type): row for row in report.rows}
    assert {recipe for recipe, _ in rows} == {"process", "fusion", "process (leave one process out)"}
    assert rows["process", "all"].queries == 3
    assert dict(rows["process", "single_entity"].recall)[1] == 1.0
    assert all(0 <= row.ndcg <= 1 for row in report.rows)
    assert report.process_first == 1.0


def test_differences_are_those_of_the_rows(report) -> None:  # type: ignore[no-untyped-def]
    rows = {(row.recipe, row.type): dict(row.recall) for row in report.rows}
    for compared in report.comparisons:
        expected = rows["process", compared.type][compared.k] - rows[compared.other, compared.type][compared.k]
        assert compared.difference.value == pytest.approx(expected)
        assert compared.difference.low <= compared.difference.value <= compared.difference.high
        assert 0 < compared.p <= 1


def test_the_fates_of_gold_sets_add_up(report) -> None:  # type: ignore[no-untyped-def]
    for fate in report.fates:
        total = fate.seed + fate.expanded + fate.displaced + fate.missed
        assert total == {"all": 5, "single_entity": 2, "process_chain": 3}[fate.type]


def test_a_query_file_is_read_and_a_wrong_line_is_named(tmp_path: Path) -> None:
    path = tmp_path / "queries.jsonl"
    path.write_bytes(b"\n".join(msgspec.json.encode(entry) for entry in QUERIES) + b"\n\n")
    assert read_queries(path) == QUERIES
    path.write_text('{"id": "q1"}\n', encoding="utf-8")
    with pytest.raises(InputRefused, match="1"):
        read_queries(path)
    with pytest.raises(InputRefused):
        read_queries(tmp_path / "missing.jsonl")


def test_what_is_as_right_counts_instead() -> None:
    gold, other = Gold(service="S", entity_set="A"), Gold(service="S", entity_set="B", instead_of="A")
    found = Query(id="q", type="t", query="x", gold=(gold,), also=(other,)).accepted()
    assert found == (frozenset({"odata:S/A", "odata:S/B"}),)
