"""The choice of the best within a scope, and the hits that are made of them."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from clew.domain.hits import Hit, Scope, Why
from clew.domain.ids import owner_of
from clew.index import CardKind, SearchIndex
from clew.index.arrays import Floats
from clew.index.search_index import Layer

Reasons: TypeAlias = Callable[[CardKind, int], tuple[Why, ...]]
"""Why a card of a kind, by its number, is a hit."""
Places: TypeAlias = Callable[[CardKind, int], tuple[str, str]]
"""The process and the activity that a card of a kind, by its number, takes part in."""
Scored: TypeAlias = Mapping[CardKind, Floats]
"""Scores of all cards of some kinds; comparable across kinds."""

DEFAULT_KINDS = (CardKind.ENTITY_SET,)
"""What a scope without kinds means: what a request can be answered from. Operations are given when asked for."""
NOT_AT_ALL = np.float32(-np.inf)


def wanted_kinds(scope: Scope) -> tuple[CardKind, ...]:
    """Gives the kinds of cards that a scope admits; names of other kinds of nodes admit nothing."""
    return tuple(kind for kind in CardKind if kind.value in scope.kinds) if scope.kinds else DEFAULT_KINDS


def _nowhere(kind: CardKind, number: int) -> tuple[str, str]:
    del kind, number
    return "", ""


def choose(
    index: SearchIndex, scored: Scored, k: int, *, scope: Scope, reasons: Reasons, place: Places = _nowhere
) -> list[Hit]:
    """Gives the `k` best cards within the scope as hits; scores of `NOT_AT_ALL` do not count.

    Equal scores keep the order of the cards, entity sets first.
    """
    best: list[tuple[float, CardKind, int]] = []
    for kind in wanted_kinds(scope):
        if kind in scored and len(index.layers[kind]):
            best += _best(index, kind, scored[kind], k, scope)
    best.sort(key=lambda entry: -entry[0])
    hits: list[Hit] = []
    for score, kind, number in best[: max(k, 0)]:
        process, activity = place(kind, number)
        node, why = index.layers[kind].ids[number], reasons(kind, number)
        hits.append(Hit(node=node, score=score, rank=len(hits) + 1, why=why, process=process, activity=activity))
    return hits


def _best(
    index: SearchIndex, kind: CardKind, scores: Floats, k: int, scope: Scope
) -> Iterable[tuple[float, CardKind, int]]:
    allowed = _allowed(index, index.layers[kind], scope)
    within = scores if allowed is None else np.where(allowed, scores, NOT_AT_ALL)
    return [(float(within[number]), kind, number) for number in top(within, k) if within[number] > NOT_AT_ALL]


def top(scores: Floats, k: int) -> list[int]:
    """Gives the positions of the `k` largest scores, largest first, equal ones in their order."""
    if k <= 0:
        return []
    if k < len(scores):
        # Everything that is as good as the k-th best, so that equal scores are told apart by position alone.
        least = scores[np.argpartition(-scores, k - 1)[k - 1]]
        found = np.flatnonzero(scores >= least)
    else:
        found = np.arange(len(scores))
    return found[np.argsort(-scores[found], kind="stable")][:k].tolist()


def _allowed(index: SearchIndex, layer: Layer, scope: Scope) -> NDArray[np.bool_] | None:
    """Gives which cards of a layer a scope admits, `None` for all."""
    allowed: NDArray[np.bool_] | None = None
    if scope.services:
        if layer.kind in (CardKind.ACTIVITY, CardKind.PROCESS):
            return np.zeros(len(layer), dtype=np.bool_)
        named = _owners(scope.services)
        numbers = [number for number, service in enumerate(index.services) if service.name in named]
        allowed = np.isin(layer.owners, numbers)
    if scope.processes:
        taking_part = _taking_part(index, layer, _owners(scope.processes))
        allowed = taking_part if allowed is None else allowed & taking_part
    return allowed


def _owners(names: Sequence[str]) -> set[str]:
    """Gives the names of services or processes that were named, or given by their ids."""
    return {*names, *(owner_of(name) for name in names if name.startswith(("odata:", "openapi:", "bpmn:")))}


def _taking_part(index: SearchIndex, layer: Layer, processes: set[str]) -> NDArray[np.bool_]:
    """Gives which cards of a layer take part in one of the processes."""
    chosen = [number for number, node in enumerate(index.processes.ids) if owner_of(node) in processes]
    marks = np.zeros(len(layer), dtype=np.bool_)
    if layer.kind is CardKind.PROCESS:
        marks[chosen] = True
    elif layer.kind is CardKind.ACTIVITY:
        marks = np.isin(index.steps.process, chosen)
    elif layer.kind is not CardKind.SERVICE:
        performed = index.steps.sets if layer.kind is CardKind.ENTITY_SET else index.steps.operations
        marks[performed.targets[np.isin(index.steps.process[performed.sources], chosen)]] = True
    return marks
