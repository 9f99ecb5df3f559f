"""Tests and intervals against known values, and that they see what is there and nothing else."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.evaluation.statistics import cluster_interval, holm, mcnemar_p, permutation_p, wilson


def test_ten_differences_of_one_sign_are_as_rare_as_two_in_a_thousand() -> None:
    # All signs alike: 2 of 2 ** 10 arrangements are as far apart.
    p = permutation_p([1.0] * 10, [0.0] * 10)
    assert p == pytest.approx(2 / 2**10, abs=0.001)


def test_no_difference_is_no_evidence() -> None:
    assert permutation_p([0.5, 0.25], [0.5, 0.25]) == 1.0
    assert permutation_p([], []) == 1.0
    assert permutation_p([1.0, 0.0], [0.0, 1.0]) == 1.0


def test_the_same_seed_gives_the_same_p() -> None:
    first, second = [0.1, 0.9, 0.4, 0.8], [0.2, 0.5, 0.3, 0.1]
    assert permutation_p(first, second, seed=3) == permutation_p(first, second, seed=3)


def test_values_that_are_not_paired_are_refused() -> None:
    with pytest.raises(ValueError, match="paired"):
        permutation_p([1.0], [1.0, 2.0])
    with pytest.raises(ValueError, match="cluster"):
        cluster_interval([], [])
    with pytest.raises(ValueError, match="cluster"):
        cluster_interval([1.0], [])


def test_values_that_hang_together_make_the_interval_wider() -> None:
    values = [0.0] * 10 + [1.0] * 10
    alone = cluster_interval(values, [str(place) for place in range(20)])
    together = cluster_interval(values, ["a"] * 10 + ["b"] * 10)
    assert alone.value == together.value == 0.5
    assert together.high - together.low > alone.high - alone.low
    assert (together.low, together.high) == (0.0, 1.0)


def test_one_value_everywhere_has_an_interval_of_no_width() -> None:
    found = cluster_interval([0.25, 0.25, 0.25], ["a", "b", "c"])
    assert (found.low, found.value, found.high) == (0.25, 0.25, 0.25)


def test_holm_multiplies_the_least_p_the_most_and_never_falls() -> None:
    corrected = holm({"a": 0.01, "b": 0.02, "c": 0.5})
    assert corrected == pytest.approx({"a": 0.03, "b": 0.04, "c": 0.5})
    assert holm({"a": 0.9, "b": 0.9}) == {"a": 1.0, "b": 1.0}


@pytest.mark.parametrize(
    ("successes", "trials", "low", "high"),
    # From the closed form, checked against the table of Newcombe (1998), method 3.
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (29, 29, 0.8830, 1.0)],
)
def test_wilson_intervals_are_those_of_the_literature(successes: int, trials: int, low: float, high: float) -> None:
    found = wilson(successes, trials)
    assert (found.low, found.high) == pytest.approx((low, high), abs=6e-5)


def test_nothing_tried_tells_nothing() -> None:
    assert (wilson(0, 0).low, wilson(0, 0).high) == (0.0, 1.0)
    assert mcnemar_p(0, 0) == 1.0


@given(st.integers(0, 40), st.integers(0, 40))
def test_mcnemar_does_not_mind_which_comes_first(one: int, other: int) -> None:
    assert mcnemar_p(one, other) == mcnemar_p(other, one)
    assert 0 < mcnemar_p(one, other) <= 1
