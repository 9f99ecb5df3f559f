"""BM25F over cards: what makes a card come first, and that the arrays say the same after they were stored."""

from math import log
from pathlib import Path

import numpy as np
import pytest

from clew.index.lexical import FIELDS, K1, LexicalIndex
from clew.index.terms import TermReader, name_term
from clew.index.thesaurus import Thesaurus

PLAIN = TermReader(Thesaurus({}))


def index(*cards: list[tuple[str, str]]) -> LexicalIndex:
    return LexicalIndex.build(cards, PLAIN)


def ranked(found: LexicalIndex, *terms: str) -> list[int]:
    return np.argsort(-found.scores(dict.fromkeys(terms, 1.0)), kind="stable").tolist()


def test_a_single_field_scores_as_bm25_says() -> None:
    cards = [[("other", "red red plum")], [("other", "green pear")], [("other", "pear plum quince")]]
    found = index(*cards)
    mean = (3 + 2 + 3) / 3
    weight = 2 / (1 - 0.75 + 0.75 * 3 / mean)
    rarity = log(1 + (3 - 1 + 0.5) / (1 + 0.5))
    assert found.scores({"red": 1.0})[0] == pytest.approx(rarity * weight * (K1 + 1) / (weight + K1), rel=1e-5)


def test_a_name_weighs_more_than_a_property() -> None:
    found = index([("name", "pear"), ("properties", "plum")], [("name", "plum"), ("properties", "pear")])
    assert ranked(found, "plum") == [1, 0]
    assert FIELDS["name"].weight > FIELDS["properties"].weight


def test_a_longer_field_weighs_its_words_less() -> None:
    found = index([("name", "plum tree in the garden of the house")], [("name", "plum tree")])
    assert ranked(found, "tree") == [1, 0]


def test_a_rare_term_weighs_more_than_one_that_most_cards_have() -> None:
    found = index([("name", "order line")], [("name", "order kestrel")], [("name", "order head")], [("name", "order")])
    assert found.scores({"kestrel": 1.0}).max() > found.scores({"order": 1.0}).max()


def test_a_whole_identifier_is_a_term_of_its_own() -> None:
    found = index([("identifier", "A_Order")], [("identifier", "A_OrderItem"), ("name", "Order")])
    assert ranked(found, name_term("a_order")) == [0, 1]


def test_terms_that_no_card_has_score_nothing() -> None:
    found = index([("name", "plum")])
    assert not found.scores({"pear": 1.0}).any()
    assert "plum" in found
    assert "pear" not in found


def test_an_index_of_nothing_answers_nothing() -> None:
    assert index().scores({"plum": 1.0}).shape == (0,)
    assert index([]).scores({"plum": 1.0}).tolist() == [0.0]


def test_it_says_the_same_after_it_was_stored(tmp_path: Path) -> None:
    for name, found in (("some", index([("name", "plum tree")], [("name", "pear")])), ("none", index())):
        found.save(tmp_path, name)
        opened = LexicalIndex.open(tmp_path, name)
        assert opened.scores({"plum": 1.0, "pear": 0.5}).tolist() == found.scores({"plum": 1.0, "pear": 0.5}).tolist()
