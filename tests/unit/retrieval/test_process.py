"""The process-aware retriever: what the process adds, and that it takes nothing away."""

from pathlib import Path

import pytest
from tests.retrieval_landscape import SmallLandscape

from clew.domain.errors import UnknownReference
from clew.index import SearchIndex, build_index
from clew.llm import HashEmbedder
from clew.retrieval import make_retriever
from clew.retrieval.asking import split_clauses
from clew.retrieval.process import ProcessRetriever


@pytest.fixture(scope="module")
def index() -> SearchIndex:
    return build_index(SmallLandscape(), HashEmbedder())


CHAIN = "see what is left on the shelf, order it from the vendor, settle the bill"
CHAIN_SETS = {"odata:STOCK/A_MaterialStock", "odata:BUYING/A_PurchaseOrder", "odata:BUYING/A_SupplierInvoice"}


def found(index: SearchIndex, recipe: str, request: str, k: int) -> set[str]:
    return {hit.node for hit in make_retriever(recipe, index, HashEmbedder()).search(request, k)}


def test_a_request_in_the_words_of_the_work_finds_the_sets_that_the_process_binds(index: SearchIndex) -> None:
    assert found(index, "process", CHAIN, 4) >= CHAIN_SETS
    assert not found(index, "dense", CHAIN, 4) >= CHAIN_SETS


def test_hits_of_the_process_name_it_and_the_step(index: SearchIndex) -> None:
    hits = make_retriever("process", index, HashEmbedder()).search(CHAIN, 4)
    invoice = next(hit for hit in hits if hit.node == "odata:BUYING/A_SupplierInvoice")
    assert (invoice.process, invoice.activity) == ("bpmn:restock", "bpmn:restock/pay")
    assert [why.channel for why in invoice.why][-1] == "process"
    assert invoice.why[-1].path == ("bpmn:restock", "bpmn:restock/pay", "odata:BUYING/A_SupplierInvoice")


def test_the_process_that_the_request_means_stands_first(index: SearchIndex) -> None:
    standings = ProcessRetriever(index, HashEmbedder()).standings("apply for days off")
    assert standings[0][0] == "bpmn:holiday"
    assert all(0 <= standing <= 1 for _, standing in standings)


def test_a_set_that_a_request_names_stays_first(index: SearchIndex) -> None:
    for name, node in (
        ("stock count", "StockCount"),
        ("employees", "Employees"),
        ("purchase order item", "A_PurchaseOrderItem"),
    ):
        assert make_retriever("process", index, HashEmbedder()).search(name, 1)[0].node.endswith(f"/{node}")


def test_the_published_hybrid_keeps_the_dense_top_1_and_expands_along_the_process(index: SearchIndex) -> None:
    request = "purchase requisition for material"
    dense = make_retriever("dense", index, HashEmbedder()).search(request, 1)[0].node
    hits = make_retriever("hybrid", index, HashEmbedder()).search(request, 8)
    assert hits[0].node == dense
    expanded = [hit for hit in hits if any(why.channel == "process" for why in hit.why)]
    assert expanded
    assert found(index, "hybrid-nobpmn", request, 3) == found(index, "dense", request, 3)


def test_an_index_that_was_saved_answers_as_before(index: SearchIndex, tmp_path: Path) -> None:
    index.save(tmp_path / "index")
    opened = SearchIndex.open(tmp_path / "index")
    assert opened is not None
    for recipe in ("process", "lexical", "hybrid"):
        assert make_retriever(recipe, opened, HashEmbedder()).search(CHAIN, 5) == make_retriever(
            recipe, index, HashEmbedder()
        ).search(CHAIN, 5)


def test_a_folder_without_an_index_is_none(tmp_path: Path) -> None:
    assert SearchIndex.open(tmp_path) is None


def test_a_recipe_that_there_is_not_is_named_with_those_that_there_are(index: SearchIndex) -> None:
    with pytest.raises(UnknownReference, match=r"'vector'.*'process'"):
        make_retriever("vector", index, HashEmbedder())


@pytest.mark.parametrize(
    ("request_text", "clauses"),
    [
        (
            "order 500 bolts, receive them and settle the invoice",
            ["order 500 bolts", "receive them", "settle the invoice"],
        ),
        ("Umlagerung anlegen und danach buchen", ["Umlagerung anlegen", "danach buchen"]),
        ("price 1.50", ["price 1.50"]),
    ],
)
def test_requests_are_split_where_they_ask_for_something_else(request_text: str, clauses: list[str]) -> None:
    assert split_clauses(request_text) == clauses
