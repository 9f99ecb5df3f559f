"""Mentions: the values that a request names, found in its text with their places."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import date
from decimal import Decimal, InvalidOperation
from typing import TypeAlias

from clew.agent.planner.dates import find_dates
from clew.agent.planner.vocabulary import Vocabulary
from clew.domain.proposals import Mention
from clew.domain.records import JsonValue, Record

_QUOTES = (("'", "'"), ('"', '"'), ("„", "“"), ("“", "”"), ("‚", "‘"), ("‘", "’"), ("«", "»"), ("»", "«"), ("`", "`"))
_ABSENCE = re.compile(r"(?<![\w-])(?:without|ohne) [^\W\d_]+", re.IGNORECASE)
_WORD_AFTER = re.compile(r" ([^\W\d_]+)(?![\w-])")
_GUID = re.compile(r"(?<![\w-])[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}(?![\w-])")
_GROUP = re.compile(r"(?<![\w/.-])[A-Z0-9]*\d[A-Z0-9]*(?:/[A-Z0-9]*\d[A-Z0-9]*)+(?![\w/])")
_NUMBER = r"(?:\d{1,3}(?:[.,' ]\d{3})+(?:[.,]\d{1,5})?|\d+(?:[.,]\d{1,5})?)"
_NUMBER_TOKEN = re.compile(
    rf"(?<![\w.,/-])(?:([€$£]|[A-Z]{{3}}(?= )) ?)?(-?{_NUMBER})(?![\w/]|[.,-]\w)"
    r"(?: ?(%|€|[^\W\d_]{1,12}\d?)(?![\w-]))?"
)
_GLUED = re.compile(r"(?<![\w.,/-])(\d+(?:[.,]\d+)?)(kg|g|km|mm|cm|m|l|h|min|pcs|pc|x)(?!\w)", re.IGNORECASE)
_CODE = re.compile(r"(?<![\w./-])(?=[\w./-]*\d)[^\W_][\w]*(?:[./-][\w]+)*(?!\w)")
_UPPER = re.compile(r"(?<![\w./-])[A-Z][A-Z0-9&]+(?![\w/-]|\.\w)")
_LETTER = re.compile(r"(?<=[a-zäöüß] )[A-Z](?=[,;.)]|$| and | und )")
_THING = re.compile(r"(?: of)?((?: [\w-]+){1,4})")
_BEFORE = re.compile(r"([^\W\d_]+)[ (]*$")
_MOST_DIGITS = 6
_INITIALLED = re.compile(r"(?<![\w.-])(?:[A-ZÄÖÜ]\. ?)+([A-ZÄÖÜ][\w'’-]+)(?!\w)")
_NAME = re.compile(r"(?<![\w-])[A-ZÄÖÜ](?:[\w'’&-]*|\.)(?: [A-ZÄÖÜ](?:[\w'’&-]+|\.))*(?!\w)")
_GERMAN_ARTICLE = re.compile(
    r"(?:^|\s)(?:d(?:er|ie|as|en|em|es)|ein(?:e[nmrs]?)?|zur|zum|im|am|beim|vom)\s+$", re.IGNORECASE
)
_THOUSANDS = 3
_CODE_LABELS = re.compile(
    r"(?:type|group|code|category|reason|unit|currency|class|art|gruppe|grund|key|org|area)\s*$", re.IGNORECASE
)


class Scan(Record, frozen=True, kw_only=True):
    """What the finders look at: the text, the day it is read on, its language, the vocabulary."""

    text: str
    today: date
    language: str
    vocabulary: Vocabulary


Finder: TypeAlias = Callable[[Scan, Sequence[Mention]], Iterator[Mention]]


def find_mentions(scan: Scan) -> list[Mention]:
    """Gives the mentions of a text in order, none overlapping; an earlier finder's word stands.

    Whatever the text is, every span lies inside it, and nothing is raised.
    """
    taken = bytearray(len(scan.text))
    for match in find_systems(scan.text, scan.vocabulary):
        taken[match.start() : match.end()] = b"\1" * (match.end() - match.start())
    found: list[Mention] = []
    for finder in FINDERS:
        for mention in finder(scan, tuple(found)):
            if not any(taken[mention.start : mention.end]):
                taken[mention.start : mention.end] = b"\1" * (mention.end - mention.start)
                found.append(mention)
    return sorted(found, key=lambda mention: mention.start)


def find_systems(text: str, vocabulary: Vocabulary) -> Iterator[re.Match[str]]:
    """Gives where the text names a vendor's system: `S/4` and `B1` are no identifiers."""
    yield from find_phrases(text, [name for names in vocabulary.source["systems"].values() for name in names])


def find_absences(text: str) -> Iterator[Mention]:
    """Gives what a text says is not to be there, with one word of what: `without skipper`."""
    for match in _ABSENCE.finditer(text):
        yield Mention(kind="flag", text=match[0], start=match.start(), end=match.end(), value=False)


def find_phrases(text: str, phrases: Iterable[str]) -> Iterator[re.Match[str]]:
    """Gives where any of the phrases stands as whole words, the longest first, without regard to case."""
    ordered = sorted(phrases, key=len, reverse=True)
    if ordered:
        pattern = "|".join(re.escape(phrase) for phrase in ordered)
        yield from re.finditer(rf"(?<![\w/])(?:{pattern})(?![\w/])", text, re.IGNORECASE)


def _mention(match: re.Match[str], kind: str, value: JsonValue, unit: str = "", *, group: int = 0) -> Mention:
    return Mention(kind=kind, text=match[group], start=match.start(group), end=match.end(group), value=value, unit=unit)  # pyright: ignore[reportArgumentType]


def _quoted(scan: Scan, found: Sequence[Mention]) -> Iterator[Mention]:
    for opening, closing in _QUOTES:
        pattern = rf"(?<!\w){re.escape(opening)}([^{re.escape(opening + closing)}\n]+?){re.escape(closing)}(?!\w)"
        for match in re.finditer(pattern, scan.text):
            yield _mention(match, "quoted", match[1])


def _guids(scan: Scan, found: Sequence[Mention]) -> Iterator[Mention]:
    for match in _GUID.finditer(scan.text):
        yield _mention(match, "identifier", match[0])


def _dates(scan: Scan, found: Sequence[Mention]) -> Iterator[Mention]:
    yield from find_dates(scan.text, scan.today, scan.vocabulary)


def _groups(scan: Scan, found: Sequence[Mention]) -> Iterator[Mention]:
    """Finds `1710/10/00`, several identifiers in one: a mention for each part."""
    for match in _GROUP.finditer(scan.text):
        at = match.start()
        for part in match[0].split("/"):
            yield Mention(kind="identifier", text=part, start=at, end=at + len(part), value=part)
            at += len(part) + 1


def _numbers(scan: Scan, found: Sequence[Mention]) -> Iterator[Mention]:
    for match in _NUMBER_TOKEN.finditer(scan.text):
        yield _read_number(scan, match)
    for match in _GLUED.finditer(scan.text):
        if (number := read_number(match[1], scan.language)) is not None:
            yield _mention(match, "quantity", number, match[2])


def _read_number(scan: Scan, match: re.Match[str]) -> Mention:
    number = read_number(match[2], scan.language)
    if currency := _currency(scan, match[1] or "", match[3] or ""):
        return _mention(match, "amount", number, currency)
    start, end = match.start(2), match.end(2)
    word = match[3] or ""
    if (
        word in scan.vocabulary.group("units", "codes")
        or word.casefold() in scan.vocabulary.group("units", "words")
        or word == "%"
    ):
        text = scan.text[start : match.end()]
        return Mention(kind="quantity", text=text, start=start, end=match.end(), value=number, unit=word)
    if isinstance(number, Decimal):
        return Mention(kind="amount", text=match[2], start=start, end=end, value=number)
    return Mention(kind="number", text=match[2], start=start, end=end, value=match[2])


def _currency(scan: Scan, before: str, after: str) -> str:
    """Gives the currency code of an amount that has one before or after it."""
    signs = scan.vocabulary.source["currency_signs"]
    for word in (before, after):
        if word in scan.vocabulary.listed("currencies"):
            return word
        if word.casefold() in signs:
            return str(signs[word.casefold()])
    return ""


def _things(scan: Scan, found: Sequence[Mention]) -> Iterator[Mention]:
    """Finds what is counted where it is said in words: `500 M8 bolts`, `8 hours of window cleaning`."""
    for number in found:
        match = _THING.match(scan.text, number.end)
        if match is None or not _is_count(scan, number):
            continue
        kept: list[re.Match[str]] = []
        for word in re.finditer(r"\S+", match[1]):
            if scan.vocabulary.knows(word[0]) or any(
                part.start <= match.start(1) + word.start() < part.end for part in found
            ):
                break
            kept.append(word)
        if kept and kept[-1][0].isalpha():
            start, end = match.start(1) + kept[0].start(), match.start(1) + kept[-1].end()
            yield Mention(kind="name", text=scan.text[start:end], start=start, end=end, value=scan.text[start:end])


def _is_count(scan: Scan, mention: Mention) -> bool:
    """Whether a number counts something: it has a unit, or no label before it and not the look of a key."""
    if mention.kind != "number":
        return mention.kind == "quantity"
    before = _BEFORE.search(scan.text[: mention.start])
    words = scan.vocabulary
    acts = words.group("partners", "subject") | words.group("partners", "needy")
    labelled = before is not None and not (
        words.is_stop(before[1]) or words.verb_form(before[1]) or before[1].casefold() in acts
    )
    return not labelled and not mention.text.startswith("0") and len(mention.text) <= _MOST_DIGITS


def _number_words(scan: Scan, found: Sequence[Mention]) -> Iterator[Mention]:
    numbers = scan.vocabulary.numbers("number_words")
    units = scan.vocabulary.group("units", "words")
    for match in find_phrases(scan.text, numbers):
        after = _WORD_AFTER.match(scan.text, match.end())
        unit = after[1] if after and after[1].casefold() in units else ""
        end = after.end() if after and unit else match.end()
        value = numbers[match[0].casefold()]
        text = scan.text[match.start() : end]
        yield Mention(kind="quantity", text=text, start=match.start(), end=end, value=value, unit=unit)


def _identifiers(scan: Scan, found: Sequence[Mention]) -> Iterator[Mention]:
    for match in _CODE.finditer(scan.text):
        yield _mention(match, "identifier", match[0])


def _initialled(scan: Scan, found: Sequence[Mention]) -> Iterator[Mention]:
    for match in _INITIALLED.finditer(scan.text):
        if not scan.vocabulary.knows(match[1]):
            yield _mention(match, "name", match[0])


def _codes(scan: Scan, found: Sequence[Mention]) -> Iterator[Mention]:
    for match in _UPPER.finditer(scan.text):
        labelled = _CODE_LABELS.search(scan.text[: match.start()]) is not None
        if labelled or not scan.vocabulary.knows(match[0]):
            yield _mention(match, "code", match[0])
    for match in _LETTER.finditer(scan.text):
        yield _mention(match, "code", match[0])


def _names(scan: Scan, found: Sequence[Mention]) -> Iterator[Mention]:
    """Finds capitalised words that the vocabulary does not know; a German noun is capitalised and no name for that.

    The first word of a sentence is a name only where the sentence goes on as after one: `Bigmart (…) wants …`.
    """
    for match in _NAME.finditer(scan.text):
        words = match[0].split()
        if _opens_sentence(scan.text, match.start()) and not _acts(scan, match.end()):
            words = words[1:]
        while words and scan.vocabulary.knows(words[0]):
            words = words[1:]
        kept = " ".join(words)
        start = match.end() - len(kept)
        if scan.language == "de" and _GERMAN_ARTICLE.search(scan.text[:start]):
            continue
        if (
            len(kept) > 1
            and not scan.vocabulary.knows(kept)
            and not kept.endswith(".")
            and scan.text[start : match.end()] == kept
        ):
            yield Mention(kind="name", text=kept, start=start, end=match.end(), value=kept)


def _opens_sentence(text: str, position: int) -> bool:
    before = text[:position].rstrip()
    return not before or before[-1] in ".!?:;"


def _acts(scan: Scan, position: int) -> bool:
    """Whether what follows a position is a bracket or a verb whose subject is a partner."""
    following = re.match(r" ?(\(|[^\W\d_]+)", scan.text[position:])
    partners = scan.vocabulary.group("partners", "subject") | scan.vocabulary.group("partners", "needy")
    return following is not None and (following[1] == "(" or following[1].casefold() in partners)


FINDERS: tuple[Finder, ...] = (
    _guids, _quoted, _dates, _groups, _numbers, _number_words, _things, _identifiers, _initialled, _codes, _names,
)  # fmt: skip
"""The order in which words are claimed."""


def read_number(text: str, language: str) -> int | Decimal | None:
    """Reads a number as it is written in a language; whole ones are `int`.

    >>> read_number("1.190,50", "de"), read_number("1,190", "en"), read_number("55", "en")
    (Decimal('1190.50'), 1190, 55)
    """
    plain = text.replace("'", "").replace(" ", "")
    comma, dot = plain.rfind(","), plain.rfind(".")
    if comma >= 0 and dot >= 0:
        plain = plain.replace(".", "").replace(",", ".") if comma > dot else plain.replace(",", "")
    elif comma >= 0:
        grouped = len(plain) - comma - 1 == _THOUSANDS and language != "de"
        plain = plain.replace(",", "" if grouped or plain.count(",") > 1 else ".")
    elif dot >= 0 and (plain.count(".") > 1 or (language == "de" and len(plain) - dot - 1 == _THOUSANDS)):
        plain = plain.replace(".", "")
    try:
        return int(plain) if plain.lstrip("-").isdigit() else Decimal(plain)
    except (InvalidOperation, ValueError):
        return None
