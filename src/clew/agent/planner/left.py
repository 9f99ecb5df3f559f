"""What stands left of a mention: its label, the preposition before the label, and the cue before that."""

from collections.abc import Mapping, Sequence

from clew.agent.planner.clauses import Clause
from clew.agent.planner.pieces import Piece
from clew.agent.planner.vocabulary import Vocabulary
from clew.domain.records import Record

_NEAR_WORDS, _CUE_WORDS = 5, 3


class Left(Record, frozen=True, kw_only=True):
    """Positions of pieces: of the label `near`, and of the `cue` before the `preposition`; all begins with `start`.

    In "1190.00 arrived by bank transfer on 2025-07-03" the date has no label, the preposition "on", and the cue
    "bank transfer". A cue never reaches into another mention's label.
    """

    near: tuple[int, ...] = ()
    preposition: str = ""
    cue: tuple[int, ...] = ()
    start: int = 0


class LeftWalker:
    """Walks leftwards from the mentions of one text, which must be asked for in order."""

    def __init__(self, pieces: Sequence[Piece], clauses: Sequence[Clause], vocabulary: Vocabulary) -> None:
        """Takes what was read of the text so far."""
        self.pieces = pieces
        self._verbs = {at for c in clauses for at in range(c.verb_at, c.verb_at + c.verb_length) if c.verb_at >= 0}
        self._firsts = {clause.first for clause in clauses}
        self._prepositions = vocabulary.listed("prepositions")
        self._stops = vocabulary.listed("determiners") | vocabulary.listed("pronouns") | vocabulary.listed("finite")
        self._stops |= vocabulary.group("partners", "subject") | vocabulary.group("partners", "needy")
        self._joining = vocabulary.listed("joining")
        self._known: dict[int, Left] = {}

    def left(self, at: int, *, counts: bool) -> Left:
        """Gives what stands left of the mention at piece `at`; a mention that counts something has no label."""
        near, position = self._walk(at - 1, _NEAR_WORDS)
        preposition, cue = "", ()
        start = near[0] if near else at
        if position >= 0 and position + 1 not in self._firsts and self.is_preposition(position):
            preposition, start = self.pieces[position].low, position
            before = self._before_mentions(position - 1)
            cue, _ = self._walk(before, _CUE_WORDS, verbs=preposition not in self._joining)
        elif position in self._verbs and not near:
            cue = (position,)
        found = Left(near=near, preposition=preposition, cue=cue, start=at if counts else start)
        self._known[at] = found
        return found

    @property
    def known(self) -> Mapping[int, Left]:
        """What was found so far, by the position of the piece."""
        return self._known

    def is_preposition(self, position: int) -> bool:
        """Whether the piece is a preposition or a conjunction."""
        piece = self.pieces[position]
        return piece.kind == "word" and piece.low in self._prepositions

    def _walk(self, position: int, most: int, *, verbs: bool = False) -> tuple[tuple[int, ...], int]:
        """Collects words leftwards up to a mark, a mention, or a word that begins a phrase."""
        words: list[int] = []
        while position >= 0 and len(words) < most and self._goes_on(position, verbs=verbs):
            words.append(position)
            if position in self._firsts:
                break
            position -= 1
        return tuple(reversed(words)), position

    def _goes_on(self, position: int, *, verbs: bool) -> bool:
        piece = self.pieces[position]
        if piece.kind != "word" or self.is_preposition(position):
            return False
        if verbs:
            return True
        return piece.low not in self._stops and position not in self._verbs

    def _before_mentions(self, position: int) -> int:
        """Passes over mentions with their labels, and a bracket that closes or opens right there."""
        while position >= 0 and position in self._known:
            position = self._known[position].start - 1
        return position
