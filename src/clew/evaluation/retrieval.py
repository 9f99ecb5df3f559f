"""The retrieval experiment: recipes over a landscape and its queries, overall and by type of query.

Leave-one-process-out answers each query with the
weights that were best on the queries of all other processes, so that no query has a say in its own answer.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from clew.domain.ports import Embedder, Retriever
from clew.domain.records import Record
from clew.evaluation.metrics import mean_reciprocal_rank, recall_at
from clew.evaluation.queries import Query
from clew.index import SearchIndex
from clew.retrieval import make_retriever
from clew.retrieval.process import ProcessOptions, ProcessRetriever

CUTOFFS = (1, 3, 5, 10)
GRID: tuple[ProcessOptions, ...] = tuple(
    ProcessOptions(strength=strength, nearby=nearby, lift=lift)
    for strength in (2.0, 3.0, 4.0)
    for nearby in (0.5, 0.7)
    for lift in (0.25, 0.5)
)
"""The weights among which leave-one-process-out chooses."""

Answer: TypeAlias = Callable[[Query], Sequence[str]]


class Row(Record, frozen=True, kw_only=True):
    """One recipe on one type of query (`all` for every type): mean recall at each cut-off, and MRR."""

    recipe: str
    type: str
    queries: int
    recall: tuple[tuple[int, float], ...]
    mrr: float


class RetrievalReport(Record, frozen=True, kw_only=True):
    """The table, and for the product's recipe how often it names the right process first for a process chain."""

    model: str
    rows: tuple[Row, ...]
    process_first: float | None = None


def run_retrieval(
    index: SearchIndex,
    embedder: Embedder,
    queries: Sequence[Query],
    recipes: Sequence[str],
    *,
    leave_one_out: bool = False,
) -> RetrievalReport:
    """Runs recipes over queries; `leave_one_out` adds the row `process (leave one process out)`."""
    remembering = _Remembering(embedder)
    answers: dict[str, Answer] = {recipe: _answer_of(make_retriever(recipe, index, remembering)) for recipe in recipes}
    if leave_one_out:
        answers["process (leave one process out)"] = _leave_one_out(index, remembering, queries)
    rows = [row for recipe, answer in answers.items() for row in _rows(recipe, answer, queries)]
    return RetrievalReport(
        model=embedder.name, rows=tuple(rows), process_first=_process_first(index, remembering, queries)
    )


def _answer_of(retriever: Retriever) -> Answer:
    return lambda query: [hit.node for hit in retriever.search(query.query, max(CUTOFFS))]


def _rows(recipe: str, answer: Answer, queries: Sequence[Query]) -> list[Row]:
    answered = [(query, answer(query), query.accepted()) for query in queries]
    types = ["all", *dict.fromkeys(query.type for query in queries)]
    rows: list[Row] = []
    for kind in types:
        group = [(ranked, wanted) for query, ranked, wanted in answered if kind in ("all", query.type)]
        recall = tuple(
            (k, sum(recall_at(ranked, wanted, k) for ranked, wanted in group) / len(group)) for k in CUTOFFS if group
        )
        rows.append(Row(recipe=recipe, type=kind, queries=len(group), recall=recall, mrr=mean_reciprocal_rank(group)))
    return rows


def _leave_one_out(index: SearchIndex, embedder: Embedder, queries: Sequence[Query]) -> Answer:
    """Chooses weights for each process on the queries of all others; queries of no process are a group of their own."""
    retrievers = [ProcessRetriever(index, embedder, options) for options in GRID]
    scores: dict[tuple[int, str], float] = {}
    for number, retriever in enumerate(retrievers):
        answer = _answer_of(retriever)
        for query in queries:
            scores[number, query.id] = recall_at(answer(query), query.accepted(), 5)

    def best_without(process: str | None) -> ProcessRetriever:
        others = [query.id for query in queries if query.process != process]
        totals = [sum(scores[number, query] for query in others) for number in range(len(retrievers))]
        return retrievers[totals.index(max(totals))]

    chosen: Mapping[str | None, ProcessRetriever] = {
        process: best_without(process) for process in {query.process for query in queries}
    }
    return lambda query: [hit.node for hit in chosen[query.process].search(query.query, max(CUTOFFS))]


def _process_first(index: SearchIndex, embedder: Embedder, queries: Sequence[Query]) -> float | None:
    retriever = ProcessRetriever(index, embedder)
    chains = [query for query in queries if query.type == "process_chain" and query.process]
    named = [retriever.standings(query.query) for query in chains]
    if not chains:
        return None
    right = [bool(found) and found[0][0] == f"bpmn:{query.process}" for query, found in zip(chains, named, strict=True)]
    return sum(right) / len(right)


class _Remembering:
    """Embeds a text once in an experiment, however many recipes ask for it."""

    def __init__(self, inner: Embedder) -> None:
        self._inner = inner
        self._known: dict[tuple[str, ...], NDArray[np.float32]] = {}
        self.name = inner.name
        self.dimensions = inner.dimensions

    def embed(self, texts: Sequence[str]) -> "NDArray[np.float32]":
        key = tuple(texts)
        if key not in self._known:
            self._known[key] = self._inner.embed(texts)
        return self._known[key]
