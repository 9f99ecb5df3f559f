"""Statistics of paired measurements: the unit is a query or task, repeats are averaged before they come here.

All of it is deterministic given its seed, and none of it assumes a shape of the measurements.
"""

from collections.abc import Mapping, Sequence
from math import comb, sqrt

import numpy as np

from clew.domain.records import Record

_ROUNDS = 10_000
_Z_95 = 1.959963984540054


class Interval(Record, frozen=True, kw_only=True):
    """A value and the interval that holds it with a confidence of 95 %."""

    value: float
    low: float
    high: float


def permutation_p(first: Sequence[float], second: Sequence[float], *, seed: int = 0, rounds: int = _ROUNDS) -> float:
    """Gives the two-sided p of the paired permutation test: how often chance alone parts the means as far.

    The observed arrangement counts as one of the rounds, so p is never 0.

    Raises:
        ValueError: the sequences are not paired.
    """
    if len(first) != len(second):
        raise ValueError(f"paired values expected, {len(first)} and {len(second)} found")
    differences = np.asarray(first, dtype=np.float64) - np.asarray(second, dtype=np.float64)
    if not differences.size or not differences.any():
        return 1.0
    signs = np.random.default_rng(seed).choice((-1.0, 1.0), size=(rounds, len(differences)))
    permuted = np.abs(np.einsum("ij,j->i", signs, differences))
    # What equals the observed sum but for rounding counts as equal.
    reached = int((permuted >= abs(float(differences.sum())) - 1e-9).sum())
    return (reached + 1) / (rounds + 1)


def cluster_interval(
    values: Sequence[float], clusters: Sequence[str], *, seed: int = 0, rounds: int = _ROUNDS
) -> Interval:
    """Gives the mean with its bootstrap interval, whole clusters drawn: queries of one process are no independent ones.

    Raises:
        ValueError: there is no value, or not one cluster for each.
    """
    if not values or len(values) != len(clusters):
        raise ValueError(f"a cluster for each value expected, {len(values)} values and {len(clusters)} clusters found")
    grouped: dict[str, list[float]] = {}
    for value, cluster in zip(values, clusters, strict=True):
        grouped.setdefault(cluster, []).append(value)
    sums = np.array([sum(group) for group in grouped.values()])
    sizes = np.array([len(group) for group in grouped.values()])
    drawn = np.random.default_rng(seed).integers(0, len(sums), size=(rounds, len(sums)))
    means = sums[drawn].sum(axis=1) / sizes[drawn].sum(axis=1)
    low, high = np.quantile(means, (0.025, 0.975))
    return Interval(value=float(sums.sum() / sizes.sum()), low=float(low), high=float(high))


def holm(p_values: Mapping[str, float]) -> dict[str, float]:
    """Gives the p values of a declared family of tests, corrected by Holm's method, by name.

    >>> holm({"a": 0.01, "b": 0.04, "c": 0.03})
    {'a': 0.03, 'c': 0.06, 'b': 0.06}
    """
    corrected: dict[str, float] = {}
    least = 0.0
    ordered = sorted(p_values.items(), key=lambda entry: entry[1])
    for place, (name, p) in enumerate(ordered):
        least = max(least, min(1.0, (len(ordered) - place) * p))
        corrected[name] = least
    return corrected


def wilson(successes: int, trials: int) -> Interval:
    """Gives a rate with its Wilson interval; without a trial nothing is known: 0 to 1.

    >>> [round(bound, 3) for bound in (wilson(8, 10).low, wilson(8, 10).high)]
    [0.49, 0.943]
    """
    if trials == 0:
        return Interval(value=0.0, low=0.0, high=1.0)
    rate, z = successes / trials, _Z_95
    middle = (rate + z * z / (2 * trials)) / (1 + z * z / trials)
    reach = z * sqrt(rate * (1 - rate) / trials + z * z / (4 * trials * trials)) / (1 + z * z / trials)
    return Interval(value=rate, low=max(0.0, middle - reach), high=min(1.0, middle + reach))


def mcnemar_p(only_first: int, only_second: int) -> float:
    """Gives the exact two-sided p of McNemar's test from the pairs in which only one of two passed.

    >>> mcnemar_p(1, 9)
    0.021484375
    """
    trials = only_first + only_second
    if trials == 0:
        return 1.0
    tail = sum(comb(trials, hits) for hits in range(min(only_first, only_second) + 1)) / 2**trials
    return min(1.0, 2 * tail)
