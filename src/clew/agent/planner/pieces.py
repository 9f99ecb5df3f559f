"""Pieces: the text as words, mentions, names of systems, and punctuation, in order."""

import re
from collections.abc import Sequence
from typing import Literal

from clew.agent.planner.mentions import find_systems
from clew.agent.planner.vocabulary import Vocabulary
from clew.domain.proposals import Mention
from clew.domain.records import Record

_TOKEN = re.compile(r"[^\W_]+(?:[-/'’&][^\W_]+)*|\n+|[^\w\s]")
_OPENING, _CLOSING = "([{", ")]}"


class Piece(Record, frozen=True, kw_only=True):
    """One piece; `mention` is its position in the list of mentions, `depth` how many brackets are open around it."""

    kind: Literal["word", "mention", "system", "mark"]
    text: str
    start: int
    end: int
    depth: int = 0
    mention: int = -1

    @property
    def low(self) -> str:
        """The text in lower case."""
        return self.text.casefold()


def read_pieces(text: str, mentions: Sequence[Mention], vocabulary: Vocabulary) -> list[Piece]:
    """Cuts a text into pieces; a mention is one piece whatever it holds."""
    spans: dict[int, tuple[int, Literal["mention", "system"], int]] = {
        match.start(): (match.end(), "system", -1) for match in find_systems(text, vocabulary)
    }
    spans.update({mention.start: (mention.end, "mention", index) for index, mention in enumerate(mentions)})
    pieces: list[Piece] = []
    depth = at = 0
    while at < len(text):
        if at in spans:
            end, kind, index = spans[at]
            pieces.append(Piece(kind=kind, text=text[at:end], start=at, end=end, depth=depth, mention=index))
            at = end
            continue
        limit = min((start for start in spans if start > at), default=len(text))
        match = _TOKEN.search(text, at, limit)
        if match is None:
            at = limit
            continue
        token = match[0]
        depth = max(0, depth - (token in _CLOSING))
        kind = "word" if token[0].isalnum() else "mark"
        pieces.append(Piece(kind=kind, text=token, start=match.start(), end=match.end(), depth=depth))
        depth += token in _OPENING
        at = match.end()
    return pieces
