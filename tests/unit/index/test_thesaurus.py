"""Words of several languages and styles meet in their concept, and only those."""

from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from clew.index.thesaurus import Thesaurus
from clew.index.words import words

CASES = yaml.safe_load((Path(__file__).parents[2] / "fixtures" / "index" / "concepts.yaml").read_text("utf-8"))
THESAURUS = Thesaurus.load()


def pairs(part: str) -> list[tuple[str, str]]:
    return [(concept, text) for concept, texts in CASES[part].items() for text in texts]


def concepts(text: str) -> dict[str, float]:
    return THESAURUS.concepts(words(text))


@pytest.mark.parametrize(("concept", "text"), pairs("share"))
def test_a_text_names_its_concept(concept: str, text: str) -> None:
    assert concepts(text).get(f"§{concept}", 0) > 0.4


@pytest.mark.parametrize(("concept", "text"), pairs("lack"))
def test_a_word_inside_a_longer_phrase_does_not_count_by_itself(concept: str, text: str) -> None:
    assert f"§{concept}" not in concepts(text)


def test_a_word_with_several_meanings_counts_less_for_each() -> None:
    found = Thesaurus({"river": ["bank", "shore"], "money": ["bank"]}).concepts(words("bank shore"))
    assert found["§money"] < found["§river"] == 1.0


def test_every_line_of_the_thesaurus_is_a_concept_with_words() -> None:
    text = (Path(__file__).parents[3] / "src" / "clew" / "index" / "thesaurus.txt").read_text("utf-8")
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    names = [line.partition(":")[0] for line in lines]
    assert all(line.partition(":")[2].strip(" ,") for line in lines)
    assert len(set(names)) == len(names)


@given(st.lists(st.text(max_size=20), max_size=12))
def test_weights_are_shares_whatever_the_text(listed: list[str]) -> None:
    assert all(0 < weight <= 1 for weight in THESAURUS.concepts(words(" ".join(listed))).values())
