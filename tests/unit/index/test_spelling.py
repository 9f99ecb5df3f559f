"""Slips are mended to words that the landscape knows, and words are not mended to other words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.index.spelling import Speller, known_words

KNOWN = known_words(["A_CustomerReturn", "service entry sheets", "Umlagerung", "purchase order", "track", "Stückliste"])
SPELLER = Speller(KNOWN)


@pytest.mark.parametrize(
    ("written", "mended"),
    [
        ("cutsomer", "customer"),
        ("Sevice", "service"),
        ("purchasse", "purchase"),
        ("Umlageurng", "umlagerung"),
        ("Stücliste", "stuckliste"),
    ],
)
def test_a_slip_inside_a_word_is_mended(written: str, mended: str) -> None:
    assert SPELLER.mend(f"the {written}, please") == f"the {mended}, please"


@pytest.mark.parametrize(
    "word", ["customer", "truck", "serfice", "customers", "ustomer", "CUTSOMER", "GmbHService", "über", ""]
)
def test_other_words_and_names_stay_as_they_are(word: str) -> None:
    assert SPELLER.mend(word) == word


@given(st.text(max_size=200))
def test_what_is_no_word_is_never_touched(text: str) -> None:
    mended = Speller([]).mend(text)
    assert mended == text


@given(st.sampled_from(sorted(KNOWN)), st.integers(1, 20))
def test_a_letter_left_out_comes_back(word: str, place: int) -> None:
    if len(word) >= 7 and place < len(word) - 1:
        assert SPELLER.mend(word[:place] + word[place + 1 :]) == word
