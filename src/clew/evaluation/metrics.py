"""Measures of ranked answers, with several right answers a query and several ways to be right for each."""

from collections.abc import Collection, Sequence
from math import log2
from typing import Literal, TypeAlias

Accepted = Sequence[Collection[str]]
"""For each thing that is wanted, the ids that count as it."""

Fate: TypeAlias = Literal["seed", "expanded", "displaced", "missed"]
"""What became of a thing that is wanted: found with and without expansion, only with, only without, not at all."""


def recall_at(ranked: Sequence[str], wanted: Accepted, k: int) -> float:
    """Gives the share of what is wanted that is among the first `k`, 0 to 1; nothing wanted is all found.

    >>> recall_at(["a", "b", "c"], [{"a"}, {"d", "c"}], 2)
    0.5
    """
    first = set(ranked[:k])
    return sum(bool(first & set(ids)) for ids in wanted) / len(wanted) if wanted else 1.0


def reciprocal_rank(ranked: Sequence[str], wanted: Accepted) -> float:
    """Gives 1 / rank of the first right answer, 0 where there is none.

    >>> reciprocal_rank(["a", "b"], [{"b"}])
    0.5
    """
    right = {node for ids in wanted for node in ids}
    return next((1 / rank for rank, node in enumerate(ranked, 1) if node in right), 0.0)


def mean_reciprocal_rank(rankings: Sequence[tuple[Sequence[str], Accepted]]) -> float:
    """Gives the mean over (ranking, wanted) pairs of 1 / rank of the first right answer, 0 where there is none.

    >>> mean_reciprocal_rank([(["a", "b"], [{"b"}]), (["a"], [{"z"}])])
    0.25
    """
    return sum(reciprocal_rank(ranked, wanted) for ranked, wanted in rankings) / len(rankings) if rankings else 0.0


def gain_at(ranked: Sequence[str], wanted: Accepted, k: int) -> float:
    """Gives nDCG@k with gains of 0 and 1, 0 to 1; of several ways to be right for one thing the first counts alone.

    >>> round(gain_at(["x", "a"], [{"a", "b"}], 5), 4)
    0.6309
    """
    if not wanted:
        return 1.0
    left = [set(ids) for ids in wanted]
    gained = 0.0
    for rank, node in enumerate(ranked[:k], 1):
        found = next((ids for ids in left if node in ids), None)
        if found is not None:
            left.remove(found)
            gained += 1 / log2(rank + 1)
    return gained / sum(1 / log2(rank + 1) for rank in range(1, min(k, len(wanted)) + 1))


def fates(ranked: Sequence[str], without: Sequence[str], wanted: Accepted, k: int) -> list[Fate]:
    """Says for each thing that is wanted whether expansion brought it among the first `k`, or drove it out.

    `ranked` is the answer with expansion, `without` the one without.

    >>> fates(["a", "b"], ["a", "c"], [{"a"}, {"b"}, {"c"}, {"d"}], 2)
    ['seed', 'expanded', 'displaced', 'missed']
    """
    table: dict[tuple[bool, bool], Fate] = {
        (True, True): "seed",
        (True, False): "expanded",
        (False, True): "displaced",
        (False, False): "missed",
    }
    first, before = set(ranked[:k]), set(without[:k])
    return [table[bool(first & set(ids)), bool(before & set(ids))] for ids in wanted]
