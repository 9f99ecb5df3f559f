"""What every retriever promises, held by each named recipe over the same small landscape."""

import pytest
from tests.retrieval_landscape import SmallLandscape

from clew.domain.hits import Scope
from clew.domain.ports import Retriever
from clew.index import CardOptions, SearchIndex, build_index
from clew.llm import HashEmbedder
from clew.retrieval import RECIPES, make_retriever
from clew.retrieval.recipes import SUMMARY_RECIPES

REQUESTS = ["which purchase orders are open", "order it from the vendor and settle the bill", "Bestellung 4500000001"]
ODD = ["x" * 100_000, "注文書", "🙂🙂", "' OR 1=1 --", "\x00\x07", "<script>", "%_%", "a\nb\tc"]


@pytest.fixture(scope="module")
def index() -> SearchIndex:
    return build_index(SmallLandscape(), HashEmbedder(), CardOptions(summaries=True))


@pytest.fixture(scope="module", params=[*RECIPES, *SUMMARY_RECIPES])
def retriever(request: pytest.FixtureRequest, index: SearchIndex) -> Retriever:
    return make_retriever(request.param, index, HashEmbedder())


@pytest.mark.parametrize("k", [1, 3, 8, 50])
@pytest.mark.parametrize("request_text", REQUESTS)
def test_gives_at_most_k_distinct_hits_ranked_from_1_by_falling_score(
    retriever: Retriever, k: int, request_text: str
) -> None:
    hits = retriever.search(request_text, k)
    assert len(hits) <= k
    assert [hit.rank for hit in hits] == list(range(1, len(hits) + 1))
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    assert len({hit.node for hit in hits}) == len(hits)


def test_fewer_hits_are_the_first_of_more(retriever: Retriever) -> None:
    for text in REQUESTS:
        few, many = retriever.search(text, 2), retriever.search(text, 6)
        assert [hit.node for hit in few] == [hit.node for hit in many[: len(few)]]


def test_keeps_to_the_services_of_the_scope(retriever: Retriever) -> None:
    for text in REQUESTS:
        hits = retriever.search(text, 10, scope=Scope(services=("STOCK",)))
        assert all(hit.node.startswith("odata:STOCK/") for hit in hits)


def test_keeps_to_the_kinds_of_the_scope(retriever: Retriever) -> None:
    hits = retriever.search(REQUESTS[1], 10, scope=Scope(kinds=("Activity",)))
    assert all(hit.node.startswith("bpmn:") for hit in hits)


def test_keeps_to_the_processes_of_the_scope(retriever: Retriever) -> None:
    for text in REQUESTS:
        hits = retriever.search(text, 10, scope=Scope(processes=("restock",), services=("BUYING",)))
        allowed = ("A_PurchaseRequisition", "A_PurchaseOrder", "A_SupplierInvoice")
        assert {hit.node for hit in hits} <= {f"odata:BUYING/{name}" for name in allowed}


@pytest.mark.parametrize("k", [0, -1])
def test_nothing_wanted_is_nothing_given(retriever: Retriever, k: int) -> None:
    assert retriever.search(REQUESTS[0], k) == []


def test_every_hit_says_why(retriever: Retriever) -> None:
    assert all(hit.why for text in REQUESTS for hit in retriever.search(text, 10))


def test_answers_the_same_every_time(retriever: Retriever) -> None:
    assert all(retriever.search(text, 10) == retriever.search(text, 10) for text in REQUESTS)


@pytest.mark.parametrize("nothing", ["", "   ", "?!…", "\n"])
def test_nothing_asked_is_nothing_found(retriever: Retriever, nothing: str) -> None:
    assert retriever.search(nothing, 5) == []


@pytest.mark.parametrize("odd", ODD, ids=range(len(ODD)))
def test_odd_requests_get_an_answer(retriever: Retriever, odd: str) -> None:
    assert len(retriever.search(odd, 3)) <= 3


def test_finds_the_set_that_the_request_names(retriever: Retriever) -> None:
    assert retriever.search("purchase requisition", 1)[0].node == "odata:BUYING/A_PurchaseRequisition"


def test_an_index_of_nothing_finds_nothing(retriever: Retriever) -> None:
    class Nothing(SmallLandscape):
        def __init__(self) -> None:
            self._services, self._processes = {}, {}

    empty = build_index(Nothing(), HashEmbedder(), CardOptions(summaries=True))
    assert type(retriever)(empty, HashEmbedder()).search("purchase order", 5) == []  # type: ignore[call-arg]
