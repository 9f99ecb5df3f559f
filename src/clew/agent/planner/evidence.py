"""Evidence: what the words around a mention say it is, in canonical terms with weights."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, TypeAlias

import msgspec

from clew.agent.planner.clauses import Clause
from clew.agent.planner.left import Left, LeftWalker
from clew.agent.planner.pieces import Piece
from clew.agent.planner.vocabulary import Terms, Vocabulary, stem
from clew.domain.proposals import Mention, MentionKind
from clew.domain.records import Record

PRICE, UNIT, NAME, PLACE, MATERIAL, TEXT = (
    stem(word) for word in ("price", "unit", "name", "place", "material", "text")
)
QUANTITY, PERCENT, PARTNER, AMOUNT, ITEM = (stem(word) for word in ("quantity", "percent", "partner", "amount", "item"))

Role: TypeAlias = Literal["", "object", "party", "part"]

NEAR, JOINED, CUE, DIRECTION = 1.0, 0.8, 0.5, 0.3


class Reading(Record, frozen=True, kw_only=True):
    """One way to understand a mention: canonical terms with weights, and how sure the reading is (0-1)."""

    terms: tuple[tuple[str, float], ...]
    strength: float = 1.0


class Evidence(Record, frozen=True, kw_only=True):
    """What is known of one mention before any service is looked at.

    `words` are the words that it rests on, `label` those that name it. `group` is the quantity (its position among the
    mentions) whose item the mention is part of, -1 where there is none. `like` is the mention that this one is joined
    to by "and". `kind` is the mention's, corrected by its surroundings (`5 of A00001` is a quantity).
    """

    mention: int
    piece: int
    kind: MentionKind
    readings: tuple[Reading, ...] = ()
    words: str = ""
    label: str = ""
    role: Role = ""
    group: int = -1
    like: int = -1
    keyed: Terms = ()
    """What the key was looked up of: it goes only where a property is about such a thing."""


class Surroundings:
    """What a reader of evidence may look at."""

    def __init__(
        self, text: str, pieces: Sequence[Piece], mentions: Sequence[Mention], clauses: Sequence[Clause],
        vocabulary: Vocabulary,
    ) -> None:  # fmt: skip
        """Takes what was read of the text so far."""
        self.text = text
        self.pieces = pieces
        self.mentions = mentions
        self.vocabulary = vocabulary
        self.clauses = clauses
        self.walker = LeftWalker(pieces, clauses, vocabulary)
        self.found: dict[int, Evidence] = {}
        """By position of the piece."""

    def mention_at(self, at: int) -> Mention:
        """Gives the mention of a piece that is one."""
        return self.mentions[self.pieces[at].mention]

    def before(self, at: int, *between: str) -> Evidence | None:
        """Gives the evidence of the mention left of `at` with nothing but the pieces `between` the two."""
        position = at - 1
        for text in reversed(between):
            if position < 0 or self.pieces[position].low != text:
                return None
            position -= 1
        return self.found.get(position)

    def slash_after(self, at: int) -> bool:
        """Whether a slash follows a piece."""
        return at + 1 < len(self.pieces) and self.pieces[at + 1].text == "/"

    def word_after(self, at: int) -> str:
        """Gives the word right after a piece, in lower case; empty where there is none."""
        after = self.pieces[at + 1] if at + 1 < len(self.pieces) else None
        return after.low if after and after.kind == "word" else ""

    def terms(self, positions: Sequence[int], weight: float) -> dict[str, float]:
        """Gives the canonical terms of some words, each with the weight."""
        words = [part for at in positions for part in _parts(self.pieces[at].text)]
        verbs = [verb for word in words if weight == CUE and (verb := self.vocabulary.verb_form(word))]
        return dict.fromkeys((*self.vocabulary.canonical(words), *(t for verb in verbs for t in verb.noun)), weight)

    def cue(self, left: Left) -> dict[str, float]:
        """Gives the terms of the cue; what is joined to it by "with" belongs to it, and weighs more."""
        if left.preposition not in self.vocabulary.listed("joining"):
            return self.terms(left.cue, CUE)
        roles = self.vocabulary.roles
        return {term: CUE if term in roles else JOINED for term in self.terms(left.cue, JOINED)}

    def owner(self, left: Left) -> dict[str, float]:
        """Gives the partner whose something is, by `their` and the like: the last one that was named."""
        before = left.start - 1 if not left.preposition or not left.near else left.near[0] - 1
        if before < 0 or self.pieces[before].low not in self.vocabulary.listed("possessives"):
            return {}
        for evidence in reversed(self.found.values()):
            terms = [
                term for reading in evidence.readings for term, _ in reading.terms if term in self.vocabulary.roles
            ]
            if terms:
                return {terms[0]: CUE}
        return {}

    def direction(self, preposition: str) -> str:
        """Gives `from` or `to` for a preposition that says so, else the empty text."""
        return next((way for way in ("from", "to") if preposition in self.vocabulary.group("directions", way)), "")

    def make(self, at: int, left: Left, readings: Sequence[Mapping[str, float]], **more: object) -> Evidence:
        """Makes evidence; readings that come later are less sure."""
        first = min((left.start, *left.cue, at))
        made = Evidence(
            mention=self.pieces[at].mention,
            piece=at,
            kind=self.mention_at(at).kind,
            readings=tuple(
                Reading(terms=tuple(terms.items()), strength=round(1 - 0.05 * rank, 2))
                for rank, terms in enumerate(terms for terms in readings if terms)
            ),
            words=self.text[self.pieces[first].start : self.pieces[at].end],
            label=" ".join(self.pieces[position].text for position in left.near),
        )
        return replaced(made, more)


def replaced(evidence: Evidence, changes: Mapping[str, object]) -> Evidence:
    """Gives evidence with some of its fields changed."""
    return msgspec.structs.replace(evidence, **changes)


def _parts(word: str) -> Iterator[str]:
    if "/" in word and len(word) <= len("a/r"):
        yield word
    else:
        yield from word.replace("/", "-").split("-")
