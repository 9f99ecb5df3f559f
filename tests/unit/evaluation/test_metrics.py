"""Measures against values reckoned by hand, and what holds of them whatever is ranked."""

from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from clew.evaluation.metrics import fates, gain_at, mean_reciprocal_rank, recall_at, reciprocal_rank

FILE = Path(__file__).parents[2] / "fixtures" / "evaluation" / "metrics.yaml"
CASES = yaml.safe_load(FILE.read_text(encoding="utf-8"))

ids = st.sampled_from("abcdefgh")
rankings = st.lists(ids, unique=True, max_size=8)
wanted_things = st.lists(st.frozensets(ids, min_size=1, max_size=3), min_size=1, max_size=4)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_measures_are_what_a_person_reckons(case: dict) -> None:
    ranked, wanted = case["ranked"], case["wanted"]
    assert {k: recall_at(ranked, wanted, k) for k in case["recall"]} == pytest.approx(case["recall"], abs=1e-5)
    assert {k: gain_at(ranked, wanted, k) for k in case["gain"]} == pytest.approx(case["gain"], abs=1e-5)
    assert reciprocal_rank(ranked, wanted) == pytest.approx(case["reciprocal_rank"], abs=1e-5)


def test_the_mean_over_no_query_is_nothing() -> None:
    assert mean_reciprocal_rank([]) == 0.0


@given(rankings, wanted_things, st.integers(1, 8))
def test_looking_further_never_finds_less(ranked: list[str], wanted: list[frozenset[str]], k: int) -> None:
    assert 0 <= recall_at(ranked, wanted, k) <= recall_at(ranked, wanted, k + 1) <= 1
    assert 0 <= gain_at(ranked, wanted, k) <= 1 + 1e-9
    assert (reciprocal_rank(ranked, wanted) > 0) == (recall_at(ranked, wanted, 8) > 0)


@given(rankings, rankings, wanted_things, st.integers(1, 8))
def test_fates_account_for_the_recall_with_and_without_expansion(
    ranked: list[str], without: list[str], wanted: list[frozenset[str]], k: int
) -> None:
    found = fates(ranked, without, wanted, k)
    kept = found.count("seed")
    assert (kept + found.count("expanded")) / len(wanted) == pytest.approx(recall_at(ranked, wanted, k))
    assert (kept + found.count("displaced")) / len(wanted) == pytest.approx(recall_at(without, wanted, k))
