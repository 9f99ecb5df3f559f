"""Measures of ranked answers, with several right answers a query and several ways to be right for each."""

from collections.abc import Collection, Sequence

Accepted = Sequence[Collection[str]]
"""For each thing that is wanted, the ids that count as it."""


def recall_at(ranked: Sequence[str], wanted: Accepted, k: int) -> float:
    """Gives the share of what is wanted that is among the first `k`, 0 to 1; nothing wanted is all found.

    >>> recall_at(["a", "b", "c"], [{"a"}, {"d", "c"}], 2)
    0.5
    """
    first = set(ranked[:k])
    return sum(bool(first & set(ids)) for ids in wanted) / len(wanted) if wanted else 1.0


def mean_reciprocal_rank(rankings: Sequence[tuple[Sequence[str], Accepted]]) -> float:
    """Gives the mean over (ranking, wanted) pairs of 1 / rank of the first right answer, 0 where there is none.

    >>> mean_reciprocal_rank([(["a", "b"], [{"b"}]), (["a"], [{"z"}])])
    0.25
    """
    if not rankings:
        return 0.0
    total = 0.0
    for ranked, wanted in rankings:
        right = {node for ids in wanted for node in ids}
        total += next((1 / rank for rank, node in enumerate(ranked, 1) if node in right), 0.0)
    return total / len(rankings)
