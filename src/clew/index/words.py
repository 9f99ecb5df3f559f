"""Words of identifiers and texts, for matching: split, folded, cut to a stem that serves several languages."""

import re
import unicodedata
from functools import cache, lru_cache
from importlib.resources import files

_SEPARATORS = re.compile(r"[\W_]+")
_LOWER_UPPER = re.compile(r"(?<=[a-z0-9ß-öø-ÿ])(?=[A-ZÀ-ÖØ-Þ])")
_ACRONYM = re.compile(r"(?<=[A-ZÀ-ÖØ-Þ])(?=[A-ZÀ-ÖØ-Þ][a-zß-öø-ÿ])(?![A-Z]s\b)")
_ACRONYMS = re.compile(r"\b([A-ZÀ-ÖØ-Þ]{2,})s\b")
_LETTERS_DIGITS = re.compile(r"(?<=[a-zß-öø-ÿ])(?=[0-9])")
_TOKEN = re.compile(r"[^\W_]+")

PREFIXES = frozenset({"A", "C", "I", "P", "R", "D", "to"})
"""First parts of vendors' names: API view, consumption view, interface view and the like, navigation."""
SUFFIXES = frozenset({"TP", "WD", "Enh", "Set", "Type", "Collection", "SRV", "API", "SDK"})
"""Last parts of vendors' names: transactional, with draft, enhanced and the like."""
TECHNICAL = PREFIXES | SUFFIXES | {"VH", "Std"}
"""Parts of vendors' names that say how a thing is built and not what it is."""

_SUFFIX_RULES = (
    *(("sses", "ss"), ("ies", "y"), ("ungen", ""), ("ung", ""), ("ings", ""), ("ing", ""), ("ed", "")),
    *(("ern", "er"), ("eln", "el"), ("en", ""), ("es", ""), ("s", ""), ("em", ""), ("e", ""), ("n", "")),
)
_KEPT_ENDINGS = ("ss", "us", "is", "as")
_SHORTEST_STEM = 4


def split_identifier(name: str) -> str:
    """Gives the words of an identifier, parted by blanks.

    >>> split_identifier("A_PurchaseOrderItem")
    'A Purchase Order Item'
    >>> split_identifier("SAPB1OrderLines"), split_identifier("RFQs")
    ('SAPB1 Order Lines', 'RFQs')
    """
    text = _SEPARATORS.sub(" ", name)
    text = _ACRONYM.sub(" ", _LOWER_UPPER.sub(" ", text))
    return " ".join(text.split())


def telling_words(name: str) -> str:
    """Gives the words of an identifier without those that only say how it is built, unless nothing is left.

    >>> telling_words("C_RequestForQuotationEnhWD"), telling_words("BidderTypeCollection")
    ('Request For Quotation', 'Bidder')
    """
    parts = split_identifier(name).split()
    words = list(parts)
    while words and words[0] in PREFIXES:
        words.pop(0)
    while words and (words[-1] in SUFFIXES or words[-1].isdigit()):
        words.pop()
    return " ".join(words or parts)


def fold(text: str) -> str:
    """Gives `text` in the form in which texts are compared: NFKC, lower case, without accents."""
    if text.isascii():
        return text.lower()
    folded = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", text).casefold())
    return "".join(letter for letter in folded if not unicodedata.combining(letter))


@cache
def stop_words() -> frozenset[str]:
    """Gives the folded words that every text has, of several languages."""
    text = files("clew.index").joinpath("stop_words.txt").read_text(encoding="utf-8")
    return frozenset(fold(word) for line in text.splitlines() if not line.startswith("#") for word in line.split())


@lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    """Gives the stem of a folded word: plural, participle and the commonest endings of German verbs and nouns cut off.

    It need not be a word: it only has to be the same for the forms of one word.

    >>> [stem(word) for word in ("deliveries", "delivered", "delivery", "lieferungen", "liefern", "status")]
    ['deliver', 'deliver', 'deliver', 'liefer', 'liefer', 'status']
    """
    if len(word) <= _SHORTEST_STEM or not word.isalpha():
        return word
    for ending, instead in _SUFFIX_RULES:
        if word.endswith(ending) and not word.endswith(_KEPT_ENDINGS):
            shorter = word[: -len(ending)] + instead
            if len(shorter) >= _SHORTEST_STEM and (ending != "n" or shorter[-1] in "rl"):
                word = shorter
                break
    if len(word) > _SHORTEST_STEM and word[-1] == "y" and word[-2] == "r":
        return word[:-1]
    return word


def words(text: str) -> list[str]:
    """Gives the stems of all words of a text or identifier in order; numbers are whole.

    >>> words("Deliveries to A_Plant 1010")
    ['deliver', 'to', 'a', 'plant', '1010']
    """
    return [stem(word) for word in _folded_words(text)]


def tokens(text: str) -> list[str]:
    """Gives the terms of a text: its words without those that every text has.

    >>> tokens("Deliveries to the Plant 1010")
    ['deliver', 'plant', '1010']
    """
    without = stop_words()
    return [stem(word) for word in _folded_words(text) if word not in without]


def words_and_tokens(text: str) -> tuple[list[str], list[str]]:
    """Gives what `words` and `tokens` give, for the price of one of them."""
    found, without = _folded_words(text), stop_words()
    stems = [stem(word) for word in found]
    return stems, [stemmed for stemmed, word in zip(stems, found, strict=True) if word not in without]


def _folded_words(text: str) -> list[str]:
    spaced = _LETTERS_DIGITS.sub(" ", split_identifier(text))
    return _TOKEN.findall(fold(_ACRONYMS.sub(r"\1", spaced)))
