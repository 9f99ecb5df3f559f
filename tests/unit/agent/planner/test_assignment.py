"""Values and slots are paired so that the whole fits best, each used once."""

from itertools import permutations

from hypothesis import given
from hypothesis import strategies as st

from clew.agent.planner.assignment import assign

SCORES = st.integers(1, 1000).map(lambda score: score / 1000)
TABLES = st.dictionaries(
    st.integers(0, 4),
    st.dictionaries(st.sampled_from("abcde").map(lambda name: (name,)), SCORES, max_size=5),
    max_size=5,
)


def best_by_trying_all(scores: dict[int, dict[tuple[str, ...], float]]) -> float:
    rows = list(scores)
    places = [*{place for options in scores.values() for place in options}, *[None] * len(rows)]
    tried = permutations(places, len(rows))
    return max(
        sum(scores[row].get(place, -9.0) for row, place in zip(rows, places, strict=True) if place) for places in tried
    )


@given(TABLES)
def test_no_other_pairing_fits_better(scores: dict[int, dict[tuple[str, ...], float]]) -> None:
    chosen = assign(scores)
    assert len(set(chosen.values())) == len(chosen)
    assert all(place in scores[row] for row, place in chosen.items())
    assert abs(sum(scores[row][place] for row, place in chosen.items()) - best_by_trying_all(scores)) < 1e-9


def test_the_one_that_has_no_other_place_gets_it() -> None:
    assert assign({1: {("a",): 0.9, ("b",): 0.8}, 2: {("a",): 0.7}}) == {1: ("b",), 2: ("a",)}


def test_nothing_is_paired_with_nothing() -> None:
    assert assign({}) == {}
    assert assign({1: {}}) == {}
