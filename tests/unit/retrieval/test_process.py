"""The process-aware retriever: what the process adds, and that it takes nothing away."""

from pathlib import Path

import pytest
from tests.retrieval_landscape import SmallLandscape

from clew.domain.errors import UnknownReference, WorkspaceError
from clew.domain.hits import Scope
from clew.index import CardOptions, SearchIndex, build_index
from clew.llm import HashEmbedder
from clew.retrieval import make_retriever
from clew.retrieval.process import ProcessOptions, ProcessRetriever


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


ITEMS = "for each purchase order the item schedule line with its delivery date"


def test_the_way_to_a_part_comes_with_it(index: SearchIndex) -> None:
    retriever = ProcessRetriever(index, HashEmbedder(), ProcessOptions(strength=0.0))
    names = [hit.node.rpartition("/")[2] for hit in retriever.search(ITEMS, 3)]
    assert set(names) == {"A_ItemScheduleLine", "A_PurchaseOrderItem", "A_PurchaseOrder"}


def test_nothing_is_drawn_past_what_draws_it(index: SearchIndex) -> None:
    hits = make_retriever("process", index, HashEmbedder()).search("item schedule line", 3)
    assert hits[0].node == "odata:BUYING/A_ItemScheduleLine"
    drawn = [why for hit in hits[1:] for why in hit.why if why.channel == "navigation"]
    assert drawn
    assert all(why.path[0] == why.seed != why.path[-1] for why in drawn)


def test_a_question_about_one_thing_is_not_expanded(index: SearchIndex) -> None:
    retriever = ProcessRetriever(index, HashEmbedder())
    asked = "purchase requisition"
    brought = [why.score for hit in retriever.search(asked, 10) for why in hit.why if why.channel == "process"]
    wanted = [why.score for hit in retriever.search(CHAIN, 10) for why in hit.why if why.channel == "process"]
    assert max(brought, default=0.0) < 0.01 < max(wanted)


def test_steps_beyond_the_bound_are_not_reached(index: SearchIndex) -> None:
    def gain(hops: int) -> float:
        options = ProcessOptions(hops=hops, nearby=1.0)
        hits = ProcessRetriever(index, HashEmbedder(), options).search("arrange that somebody will settle the bill", 12)
        stock = next(hit for hit in hits if hit.node == "odata:STOCK/A_MaterialStock")
        return max((why.score for why in stock.why if why.channel == "process"), default=0.0)

    assert gain(0) == gain(2) == 0.0
    assert gain(3) > 0


def test_operations_activities_and_processes_are_found_when_asked_for(index: SearchIndex) -> None:
    retriever = make_retriever("process", index, HashEmbedder())
    for kind, node in (
        ("Operation", "odata:STOCK#STOCK.CloseCount()"),
        ("Activity", "bpmn:audit/shut"),
        ("Process", "bpmn:audit"),
        ("Service", "odata:STOCK"),
    ):
        hits = retriever.search("shut the books of the stock count", 5, scope=Scope(kinds=(kind,)))
        assert hits[0].node == node
    operation = retriever.search("shut the books of the count", 1, scope=Scope(kinds=("Operation",)))[0]
    assert (operation.process, operation.activity) == ("bpmn:audit", "bpmn:audit/shut")


def test_a_scope_of_processes_admits_what_takes_part_in_them(index: SearchIndex) -> None:
    for scope in (Scope(processes=("holiday",)), Scope(processes=("bpmn:holiday",))):
        hits = make_retriever("process", index, HashEmbedder()).search(CHAIN, 10, scope=scope)
        assert [hit.node for hit in hits] == ["odata:PEOPLE/AbsenceRequests"]


def test_a_kind_that_no_card_has_is_found_nowhere(index: SearchIndex) -> None:
    assert make_retriever("process", index, HashEmbedder()).search(CHAIN, 5, scope=Scope(kinds=("Gateway",))) == []


def test_the_summary_baseline_says_what_it_needs(index: SearchIndex) -> None:
    with pytest.raises(WorkspaceError, match=r"CardOptions\(summaries=True\)"):
        make_retriever("chunk", index, HashEmbedder())
    summarised = build_index(SmallLandscape(), HashEmbedder(), CardOptions(summaries=True))
    hits = make_retriever("chunk", summarised, HashEmbedder()).search("first name and last name of employees", 1)
    assert hits[0].node == "odata:PEOPLE/Employees"


def test_the_clauses_of_a_request_take_turns_in_the_fusion(index: SearchIndex) -> None:
    hits = make_retriever("fusion", index, HashEmbedder()).search(
        "stock count, absence requests and supplier invoice", 4
    )
    assert {hit.node.rpartition("/")[2] for hit in hits} >= {"StockCount", "AbsenceRequests", "A_SupplierInvoice"}


def test_graph_retrievers_reach_what_shares_no_word(index: SearchIndex) -> None:
    for recipe in ("graph", "pagerank"):
        hits = make_retriever(recipe, index, HashEmbedder()).search("vendor shelf", 20)
        reached = {hit.node for hit in hits}
        assert "odata:BUYING/A_PurchaseOrderItem" in reached
        assert make_retriever(recipe, index, HashEmbedder()).search("zyzzyva", 5) == []
