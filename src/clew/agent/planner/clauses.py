"""Clauses: a request cut into what it tells and what it asks to be done, in order."""

from collections.abc import Iterator, Sequence
from typing import Literal, TypeAlias

from clew.agent.planner.pieces import Piece
from clew.agent.planner.vocabulary import Verb, Vocabulary
from clew.domain.records import Record

ClauseKind: TypeAlias = Literal["action", "goal", "fact", "bare"]

_STRONG = frozenset(".!?;\n…")
_WEAK = frozenset(",:–—-")
_CONJUNCTIONS = frozenset({"and", "then", "und", "dann", "danach", "sowie", "but", "aber"})
_ARTICLES = frozenset({"a", "an", "the", "another", "ein", "eine", "einen", "den", "die", "das"})
_LOOK_AHEAD = 14


class Clause(Record, frozen=True, kw_only=True):
    """Pieces `first` to `last` (exclusive); `verb_at` is the piece of the verb, -1 where there is none.

    An `action` is asked for by a verb, a `goal` by what is to be the case in the end, a `bare` clause by naming a thing
    ("then a project INV-300 …"); a `fact` tells something.
    """

    kind: ClauseKind
    first: int
    last: int
    verb: Verb | None = None
    verb_at: int = -1
    verb_length: int = 0

    def holds(self, position: int) -> bool:
        """Whether a piece belongs to the clause."""
        return self.first <= position < self.last


class ClauseReader:
    """Reads the clauses of one text."""

    def __init__(self, pieces: Sequence[Piece], vocabulary: Vocabulary) -> None:
        """Takes the pieces of the text and the words to read them by."""
        self.pieces = pieces
        self.vocabulary = vocabulary
        self._lead_ins = vocabulary.listed("lead_ins")
        self._determiners = vocabulary.listed("determiners")
        self._pronouns = vocabulary.listed("pronouns")
        self._finite = vocabulary.listed("finite") | vocabulary.listed("modals")
        self._subjects = vocabulary.group("partners", "subject") | vocabulary.group("partners", "needy")
        self._prepositions = vocabulary.listed("prepositions")
        self._nouns = vocabulary.listed("also_nouns")

    def read(self) -> list[Clause]:
        """Gives the clauses in order; every piece that is no punctuation between them belongs to one."""
        starts = list(self._starts())
        if not starts:
            return []
        clauses: list[Clause] = []
        for first, last in zip(starts, [*starts[1:], len(self.pieces)], strict=True):
            clauses.extend(self._clause(first, last))
        return clauses

    def _starts(self) -> Iterator[int]:
        in_goal = False
        for at, piece in enumerate(self.pieces):
            before = self.pieces[at - 1] if at else None
            if before and (piece.depth or before.depth or (piece.kind == "mark" and piece.text not in "([")):
                continue
            if before is None or before.text in _STRONG:
                in_goal = False
            elif in_goal or not self._is_joint(before) or not self._begins(at):
                continue
            in_goal = self.goal_at(self._skip(at)) > 0
            yield at

    def _is_joint(self, piece: Piece) -> bool:
        """Whether a new clause may follow the piece within a sentence."""
        return (piece.kind == "mark" and piece.text in _WEAK) or piece.low in _CONJUNCTIONS

    def _begins(self, at: int) -> bool:
        start = self._skip(at)
        if self._verb(start, sentence=self.pieces[at - 1].text == ":" or start > at) or self.goal_at(start):
            return True
        if self._is_told(start):
            return True
        if not self._is_conjunction(at - 1):
            return False
        joins = self.pieces[at - 1].low in {"and", "und", "sowie"}
        return (joins and self._names_a_thing(start)) or (at > 1 and self._is_infinitive(self.pieces[at - 2]))

    def _skip(self, at: int) -> int:
        """Passes over `please`, `then`, `we need to` and the like."""
        moved = True
        while moved:
            moved = False
            for length in (4, 3, 2, 1):
                words = [piece.low for piece in self.pieces[at : at + length]]
                if len(words) == length and " ".join(words) in self._lead_ins:
                    at, moved = at + length, True
                    break
            if at < len(self.pieces) and self.pieces[at].text == ",":
                at, moved = at + 1, True
        return at

    def goal_at(self, at: int) -> int:
        """Gives how many pieces of a goal's opening (`see that`) stand at `at`, 0 where there is none."""
        goals = self.vocabulary.listed("goals")
        for length in (6, 5, 4, 3, 2, 1):
            if " ".join(piece.low for piece in self.pieces[at : at + length]) in goals:
                return length
        return 0

    def _verb(self, at: int, *, sentence: bool) -> tuple[Verb, int] | None:
        """Gives the verb that a clause beginning at `at` asks for, and the number of its words."""
        words = [piece.text for piece in self._words_from(at)]
        if not words or self.pieces[at].kind != "word":
            return None
        found = self.vocabulary.verb_at(words)
        if found is None or not self._reads_as_verb(at, found[1], sentence=sentence):
            return None
        return found

    def _words_from(self, at: int) -> list[Piece]:
        found: list[Piece] = []
        for piece in self.pieces[at : at + _LOOK_AHEAD]:
            if piece.kind == "mark" and not piece.depth and piece.text not in "(":
                break
            if piece.kind == "word":
                found.append(piece)
        return found

    def _reads_as_verb(self, at: int, length: int, *, sentence: bool) -> bool:
        """Whether `order`, `return` … is a verb here and no noun."""
        following = self.pieces[at + length] if at + length < len(self.pieces) else None
        if following is None or following.kind == "mark":
            return length > 1 or self.pieces[at].low not in self._nouns
        if following.kind == "mention":
            return not self._finite_at(at + length + 1) and (sentence or self.pieces[at].low not in self._nouns)
        if self.pieces[at].low not in self._nouns or following.kind == "system" or length > 1:
            return following.low not in self._finite
        if following.low in self._determiners or following.low in self._pronouns:
            return True
        if following.low in self._prepositions or following.low in self._finite:
            beyond = self.pieces[at + length + 1] if at + length + 1 < len(self.pieces) else None
            return sentence and beyond is not None and beyond.kind == "system"
        opens = sentence or (self._is_conjunction(at - 1) and not self._mention_follows(at + length))
        return opens and not self._is_label(at + length)

    def _is_conjunction(self, at: int) -> bool:
        return at >= 0 and self.pieces[at].low in _CONJUNCTIONS

    def _is_label(self, at: int) -> bool:
        terms = self.vocabulary.terms(self.pieces[at].text)
        return bool(terms) and (terms[-1] in self.vocabulary.heads or self.vocabulary.weight(terms[-1]) < 1)

    def _mention_follows(self, at: int) -> bool:
        return at + 1 < len(self.pieces) and self.pieces[at + 1].kind == "mention"

    def _finite_at(self, at: int) -> bool:
        return at < len(self.pieces) and self.pieces[at].low in self._finite

    def _is_told(self, at: int) -> bool:
        """Whether a subject with its verb follows: `we lost it`, `the customer is over his limit`."""
        words = self._words_from(at)[:4]
        if not words or words[0].start != self.pieces[at].start:
            return False
        if words[0].low in {"we", "i", "he", "she", "they", "wir", "ich", "er", "sie"}:
            return True
        return words[0].low in self._determiners and any(word.low in self._finite for word in words[1:])

    def _names_a_thing(self, at: int) -> bool:
        """Whether an article and a noun follow that may be another thing to make: `and a work package 'Foundation'`."""
        if at >= len(self.pieces) or self.pieces[at].low not in _ARTICLES:
            return False
        nouns = 0
        for piece in self.pieces[at + 1 : at + 6]:
            if piece.kind != "word" or piece.low in self._prepositions:
                break
            if self._is_finite(piece.low):
                return False
            nouns += bool(self.vocabulary.terms(piece.text))
        return nouns > 0

    def _clause(self, first: int, last: int) -> Iterator[Clause]:
        while (
            last > first
            and (self.pieces[last - 1].text in _STRONG | _WEAK or self._is_joint(self.pieces[last - 1]))
            and not self.pieces[last - 1].depth
        ):
            last -= 1
        if first >= last:
            return
        start = self._skip(first)
        sentence = first == 0 or self.pieces[first - 1].text in _STRONG | {":"}
        if opening := self.goal_at(start):
            yield Clause(kind="goal", first=start + opening, last=last)
        elif found := self._verb(start, sentence=sentence or start > first):
            kind: ClauseKind = "fact" if found[0].method == "BASE" else "action"
            yield Clause(kind=kind, first=first, last=last, verb=found[0], verb_at=start, verb_length=found[1])
        else:
            yield self._other(first, last, asked=start > first)

    def _other(self, first: int, last: int, *, asked: bool) -> Clause:
        """Reads a clause that no imperative opens: a wish in the passive, a German infinitive, a fact, a thing."""
        words = [at for at in range(first, last) if self.pieces[at].kind == "word" and not self.pieces[at].depth]
        if (at := self._wish(words)) is not None or (at := self._infinitive(words, asked=asked)) is not None:
            verb = self.vocabulary.verb_form(self.pieces[at].text)
            return Clause(kind="action", first=first, last=last, verb=verb, verb_at=at, verb_length=1)
        told = any(self._is_finite(self.pieces[at].low) for at in words)
        return Clause(kind="fact" if told else "bare", first=first, last=last)

    def _wish(self, words: Sequence[int]) -> int | None:
        """Finds the participle of `must be blocked`, `soll gesperrt werden`."""
        lows = [self.pieces[at].low for at in words]
        modal = next(
            (
                at
                for at, low in enumerate(lows)
                if low in {"must", "should", "shall", "needs", "need", "soll", "sollen", "muss", "müssen"}
            ),
            None,
        )
        if modal is None or not {"be", "werden"} & set(lows[modal:]):
            return None
        return next((at for at in words[modal + 1 :] if self.vocabulary.verb_form(self.pieces[at].text)), None)

    def _infinitive(self, words: Sequence[int], *, asked: bool) -> int | None:
        """Finds the verb at the end of `Bitte Auftrag 4711 sperren`."""
        if not words:
            return None
        told = any(self._is_finite(self.pieces[at].low) for at in words)
        is_asked = self._is_infinitive(self.pieces[words[-1]]) and (asked or len(words) > 1) and not told
        return words[-1] if is_asked else None

    def _is_infinitive(self, piece: Piece) -> bool:
        known = self.vocabulary.verb_form(piece.text) is not None
        return piece.kind == "word" and piece.text.islower() and piece.text.endswith("en") and known

    def _is_finite(self, low: str) -> bool:
        if low in self._finite or low in self._subjects or low in {"we", "i", "wir", "ich"}:
            return True
        return low.endswith("ed") and len(low) > len("need")  # `arrived`, `counted`


def read_clauses(pieces: Sequence[Piece], vocabulary: Vocabulary) -> list[Clause]:
    """Cuts a text into its clauses."""
    return ClauseReader(pieces, vocabulary).read()
