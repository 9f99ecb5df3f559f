import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.index.words import fold, split_identifier, telling_words, tokens


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("A_PurchaseOrderItem", "A Purchase Order Item"),
        ("C_SuplrQuotationEnhWD", "C Suplr Quotation Enh WD"),
        ("InventoryTransferRequests", "Inventory Transfer Requests"),
        ("to_Item", "to Item"),
        ("HTTPRequest", "HTTP Request"),
        ("ÜbertragungÄndern", "Übertragung Ändern"),
        ("", ""),
    ],
)
def test_identifiers_are_split_where_their_words_meet(name: str, words: str) -> None:
    assert split_identifier(name) == words


def test_parts_that_say_how_a_thing_is_built_are_left_out() -> None:
    assert telling_words("C_RequestForQuotationEnhWD") == "Request For Quotation"


def test_a_name_of_technical_parts_alone_is_kept() -> None:
    assert telling_words("SRV_API") == "SRV API"


def test_forms_of_a_word_share_a_term_and_numbers_stay_whole() -> None:
    assert tokens("Deliveries delivery DELIVERED")[0] == tokens("delivery")[0] == tokens("Delivered")[0]
    assert "4500001234" in tokens("order 4500001234")
    assert tokens("Aufträge") == tokens("AUFTRAGE")


@given(st.lists(st.sampled_from(["Purchase", "Order", "Item", "Plant", "Unit"]), min_size=1, max_size=6))
def test_what_was_joined_is_split_again(words: list[str]) -> None:
    assert split_identifier("".join(words)) == " ".join(words)
    assert split_identifier("_".join(words)) == " ".join(words)


@given(st.text())
def test_splitting_never_loses_a_letter_and_never_fails(name: str) -> None:
    kept = [letter for letter in split_identifier(name) if letter != " "]
    assert [letter for letter in name if letter.isalnum()] == kept or set(kept) <= set(name)
    assert all(term == fold(term) for term in tokens(name))


@given(st.text(alphabet=string.ascii_letters + "_", max_size=40))
def test_telling_words_are_words_of_the_identifier(name: str) -> None:
    assert set(telling_words(name).split()) <= set(split_identifier(name).split())
