"""Reading: what a request says, before anything is known of the services: mentions, evidence, and actions in order."""

import re
from collections.abc import Iterator, Sequence
from datetime import date
from itertools import pairwise

from clew.agent.planner.actions import Action, ActionReader
from clew.agent.planner.clauses import read_clauses
from clew.agent.planner.evidence import Evidence
from clew.agent.planner.mentions import Scan, find_mentions, find_phrases
from clew.agent.planner.pieces import Piece, read_pieces
from clew.agent.planner.readers import read_evidence
from clew.agent.planner.vocabulary import Terms, Vocabulary
from clew.domain.proposals import Mention
from clew.domain.records import Record

_QUOTED = re.compile(r"'[^'\n]*'|\"[^\"\n]*\"|„[^“\n]*“")


class Glossed(Record, frozen=True, kw_only=True):
    """One line of a key that the request gives for its own codes (`object types: 23 offer, 17 order`)."""

    heading: Terms
    terms: Terms
    mention: int


class RequestReading(Record, frozen=True, kw_only=True):
    """All that was read of a request."""

    text: str
    language: str
    mentions: tuple[Mention, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    actions: tuple[Action, ...] = ()
    glossary: tuple[Glossed, ...] = ()
    systems: tuple[str, ...] = ()
    lines: tuple[tuple[int, str], ...] = ()
    """Lines that are named by an ordinal (`first line`): their 0-based position, and the words."""


def read_request(text: str, today: date, vocabulary: Vocabulary) -> RequestReading:
    """Reads a request in English or German; other languages give a reading with an empty `language`."""
    language = find_language(text, vocabulary)
    mentions = find_mentions(Scan(text=text, today=today, language=language, vocabulary=vocabulary))
    pieces = read_pieces(text, mentions, vocabulary)
    clauses = read_clauses(pieces, vocabulary)
    evidence = read_evidence(text, pieces, mentions, clauses, vocabulary)
    return RequestReading(
        text=text,
        language=language,
        mentions=tuple(mentions),
        evidence=tuple(evidence),
        actions=tuple(ActionReader(text, pieces, clauses, evidence, vocabulary).read()),
        glossary=tuple(_glossary(pieces, mentions, vocabulary)),
        systems=tuple(_systems(text, vocabulary)),
        lines=tuple(_lines(pieces, vocabulary)),
    )


def find_language(text: str, vocabulary: Vocabulary) -> str:
    """Gives `en` or `de` by the small words of a text, or the empty text where too few are known."""
    words = [word.casefold() for word in re.findall(r"(?<![\w'’-])[^\W\d_]+(?![\w-])", _QUOTED.sub("", text))]
    only = {lang: words_of - _others(vocabulary, lang) for lang, words_of in vocabulary.stop.items()}
    counts = {lang: sum(word in known for word in words) for lang, known in only.items()}
    best = max(counts, key=lambda lang: counts[lang])
    known = sum(vocabulary.knows(word) for word in words)
    if not words or known < len(words) * 0.3:
        return ""
    return best if counts[best] else "en"


def _others(vocabulary: Vocabulary, language: str) -> frozenset[str]:
    return frozenset(word for lang, words in vocabulary.stop.items() if lang != language for word in words)


def _systems(text: str, vocabulary: Vocabulary) -> Iterator[str]:
    for system, names in vocabulary.source["systems"].items():
        if next(find_phrases(text, names), None) is not None:
            yield str(system)


def _lines(pieces: Sequence[Piece], vocabulary: Vocabulary) -> Iterator[tuple[int, str]]:
    ordinals = vocabulary.numbers("ordinals")
    for piece, following in pairwise(pieces):
        if piece.low in ordinals and vocabulary.terms(following.text) == ("item",):
            yield ordinals[piece.low], f"{piece.text} {following.text}"


def _glossary(pieces: Sequence[Piece], mentions: Sequence[Mention], vocabulary: Vocabulary) -> Iterator[Glossed]:
    """Finds a heading, a colon, and pairs of a code and what it stands for."""
    heading: Terms = ()
    for at, piece in enumerate(pieces):
        if piece.text == ":" and piece.depth:
            words = [before.text for before in pieces[max(0, at - 3) : at] if before.kind == "word"]
            heading = vocabulary.terms(" ".join(words))
        elif not piece.depth:
            heading = ()
        elif heading and piece.kind == "mention" and mentions[piece.mention].kind in {"number", "code", "identifier"}:
            words = [after.text for after in pieces[at + 1 : at + 4] if after.kind == "word"]
            if words and pieces[at + 1].kind == "word" and (terms := vocabulary.terms(" ".join(words))):
                yield Glossed(heading=heading, terms=terms, mention=piece.mention)
