"""Words of identifiers and texts, for matching: split, folded, cut to a stem that serves several languages."""

import re
import unicodedata

_SEPARATORS = re.compile(r"[\W_]+")
_LOWER_UPPER = re.compile(r"(?<=[a-z0-9ß-öø-ÿ])(?=[A-ZÀ-ÖØ-Þ])")
_ACRONYM = re.compile(r"(?<=[A-ZÀ-ÖØ-Þ])(?=[A-ZÀ-ÖØ-Þ][a-zß-öø-ÿ])")
_LETTERS_DIGITS = re.compile(r"(?<=[a-zß-öø-ÿ])(?=[0-9])")
_TOKEN = re.compile(r"[^\W_]+")

TECHNICAL = frozenset({"A", "C", "I", "P", "TP", "WD", "VH", "SRV", "API", "Enh", "Set", "Type", "to"})
"""Parts of vendors' names that say how a thing is built and not what it is."""
STEM_LENGTH = 6
SHORTEST = 2


def split_identifier(name: str) -> str:
    """Gives the words of an identifier, parted by blanks.

    >>> split_identifier("A_PurchaseOrderItem")
    'A Purchase Order Item'
    >>> split_identifier("SAPB1OrderLines")
    'SAPB1 Order Lines'
    """
    text = _SEPARATORS.sub(" ", name)
    text = _ACRONYM.sub(" ", _LOWER_UPPER.sub(" ", text))
    return " ".join(text.split())


def telling_words(name: str) -> str:
    """Gives the words of an identifier without those that only say how it is built, unless nothing is left.

    >>> telling_words("C_RequestForQuotationEnhWD")
    'Request For Quotation'
    """
    words = split_identifier(name).split()
    return " ".join([word for word in words if word not in TECHNICAL] or words)


def fold(text: str) -> str:
    """Gives `text` in the form in which texts are compared: NFKC, lower case, without accents."""
    folded = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", text).casefold())
    return "".join(letter for letter in folded if not unicodedata.combining(letter))


def tokens(text: str) -> list[str]:
    """Gives the terms of a text: folded words of two letters or more, long ones cut to a stem.

    Cutting at six letters joins *deliver, delivery, delivered* and *Lieferung, Lieferungen* without a word list of any
    language; numbers stay whole.

    >>> tokens("Deliveries to Plant 1010")
    ['delive', 'to', 'plant', '1010']
    """
    found = _TOKEN.findall(fold(_LETTERS_DIGITS.sub(" ", text)))
    return [word if word.isdigit() else word[:STEM_LENGTH] for word in found if len(word) >= SHORTEST]
