"""The retrieval experiment: recipes over a landscape and its queries, overall and by type of query.

Leave-one-process-out answers each query with the
weights that were best on the queries of all other processes, so that no query has a say in its own answer.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import islice, product
from typing import TypeAlias

import msgspec
import numpy as np
from numpy.typing import NDArray

from clew.domain.ports import Embedder, Retriever
from clew.domain.records import Record
from clew.evaluation.metrics import fates, gain_at, mean_reciprocal_rank, recall_at
from clew.evaluation.queries import Query
from clew.evaluation.statistics import Interval, cluster_interval, holm, permutation_p
from clew.index import SearchIndex
from clew.retrieval import make_retriever
from clew.retrieval.evidence import Weights
from clew.retrieval.process import ProcessOptions, ProcessRetriever
from clew.retrieval.processes import ProcessWeights

CUTOFFS = (1, 3, 5, 10)
_EVERY = 41
_TUNED = product(
    (2.0, 3.0, 4.0),  # strength
    (0.5, 0.7, 0.85),  # nearby
    (0.3, 0.6, 0.9),  # lift
    (0.4, 0.6, 0.8),  # work
    (0.009, 0.014, 0.02),  # words
    (0.25, 0.5, 1.0),  # clauses
    (0.0, 0.3, 0.6),  # sets
)
GRID: tuple[ProcessOptions, ...] = (
    ProcessOptions(),
    *(
        ProcessOptions(
            strength=strength,
            nearby=nearby,
            lift=lift,
            weights=Weights(work=work, words=words),
            processes=ProcessWeights(clauses=clauses, sets=sets),
        )
        for strength, nearby, lift, work, words, clauses, sets in islice(_TUNED, 0, None, _EVERY)
    ),
)
"""The weights among which leave-one-process-out chooses: the defaults, and every 41st of all that were tried."""

Answer: TypeAlias = Callable[[Query], Sequence[str]]


class Row(Record, frozen=True, kw_only=True):
    """One recipe on one type of query (`all` for every type): means of recall at each cut-off, MRR, nDCG@10."""

    recipe: str
    type: str
    queries: int
    recall: tuple[tuple[int, float], ...]
    mrr: float
    ndcg: float = 0.0


class Comparison(Record, frozen=True, kw_only=True):
    """The product's recipe against another one: how much higher its recall@k is, query by query.

    The interval is a bootstrap over processes (queries of no process are clusters of their own); `p` is that of the
    paired permutation test, corrected by Holm over all comparisons of one report.
    """

    other: str
    type: str
    k: int
    difference: Interval
    p: float


class Fates(Record, frozen=True, kw_only=True):
    """What became of the gold sets of one type of query at cut-off `k`, with the product's recipe beside `fusion`."""

    type: str
    k: int
    seed: int = 0
    expanded: int = 0
    displaced: int = 0
    missed: int = 0


class RetrievalReport(Record, frozen=True, kw_only=True):
    """The table, and for the product's recipe how often it names the right process first for a process chain."""

    model: str
    rows: tuple[Row, ...]
    process_first: float | None = None
    comparisons: tuple[Comparison, ...] = ()
    fates: tuple[Fates, ...] = ()


PRODUCT = "process"
UNEXPANDED = "fusion"
COMPARED_AT = (3, 5)


def run_retrieval(
    index: SearchIndex,
    embedder: Embedder,
    queries: Sequence[Query],
    recipes: Sequence[str],
    *,
    leave_one_out: bool = False,
) -> RetrievalReport:
    """Runs recipes over queries; `leave_one_out` adds the row `process (leave one process out)`.

    Where the product's recipe is among them, it is compared with each of the others, and with `fusion` the report says
    which gold sets the expansion brought in and which it drove out.
    """
    remembering = _Remembering(embedder)
    answers: dict[str, Answer] = {recipe: _answer_of(make_retriever(recipe, index, remembering)) for recipe in recipes}
    if leave_one_out:
        answers["process (leave one process out)"] = _leave_one_out(index, remembering, queries)
    ranked = {recipe: [answer(query) for query in queries] for recipe, answer in answers.items()}
    rows = [row for recipe in answers for row in _rows(recipe, ranked[recipe], queries)]
    return RetrievalReport(
        model=embedder.name,
        rows=tuple(rows),
        process_first=_process_first(index, remembering, queries),
        comparisons=_comparisons({name: ranked[name] for name in recipes}, queries),
        fates=_fates(ranked, queries),
    )


def _answer_of(retriever: Retriever) -> Answer:
    return lambda query: [hit.node for hit in retriever.search(query.query, max(CUTOFFS))]


def _types(queries: Sequence[Query]) -> list[str]:
    return ["all", *dict.fromkeys(query.type for query in queries)]


def _rows(recipe: str, ranked: Sequence[Sequence[str]], queries: Sequence[Query]) -> list[Row]:
    rows: list[Row] = []
    for kind in _types(queries):
        group = [
            (found, query.accepted())
            for query, found in zip(queries, ranked, strict=True)
            if kind in ("all", query.type)
        ]
        rows.append(
            Row(
                recipe=recipe,
                type=kind,
                queries=len(group),
                recall=tuple((k, _mean([recall_at(*answer, k) for answer in group])) for k in CUTOFFS),
                mrr=mean_reciprocal_rank(group),
                ndcg=_mean([gain_at(*answer, max(CUTOFFS)) for answer in group]),
            )
        )
    return rows


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0


def _comparisons(ranked: Mapping[str, Sequence[Sequence[str]]], queries: Sequence[Query]) -> tuple[Comparison, ...]:
    found: list[Comparison] = []
    for other in ranked:
        if other == PRODUCT or PRODUCT not in ranked:
            continue
        for kind in _types(queries):
            places = [place for place, query in enumerate(queries) if kind in ("all", query.type)]
            found += [_compare(other, kind, k, ranked, [(queries[at], at) for at in places]) for k in COMPARED_AT]
    corrected = holm({f"{c.other} {c.type} {c.k}": c.p for c in found})
    return tuple(msgspec.structs.replace(c, p=corrected[f"{c.other} {c.type} {c.k}"]) for c in found)


def _compare(
    other: str, kind: str, k: int, ranked: Mapping[str, Sequence[Sequence[str]]], asked: Sequence[tuple[Query, int]]
) -> Comparison:
    ours, theirs = (
        [recall_at(ranked[recipe][at], query.accepted(), k) for query, at in asked] for recipe in (PRODUCT, other)
    )
    clusters = [query.process or query.id for query, _ in asked]
    difference = cluster_interval([a - b for a, b in zip(ours, theirs, strict=True)], clusters)
    return Comparison(other=other, type=kind, k=k, difference=difference, p=permutation_p(ours, theirs))


def _fates(ranked: Mapping[str, Sequence[Sequence[str]]], queries: Sequence[Query]) -> tuple[Fates, ...]:
    if PRODUCT not in ranked or UNEXPANDED not in ranked:
        return ()
    found: list[Fates] = []
    for kind in _types(queries):
        for k in CUTOFFS:
            counted = Counter(
                fate
                for query, ours, theirs in zip(queries, ranked[PRODUCT], ranked[UNEXPANDED], strict=True)
                if kind in ("all", query.type)
                for fate in fates(ours, theirs, query.accepted(), k)
            )
            found.append(Fates(type=kind, k=k, **counted))
    return tuple(found)


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
