"""Actions: what a request asks for, one by one: the verb, what it is about, and the mentions of its clause."""

from collections.abc import Iterator, Sequence

from clew.agent.planner.clauses import Clause
from clew.agent.planner.evidence import Evidence
from clew.agent.planner.mentions import find_phrases
from clew.agent.planner.pieces import Piece
from clew.agent.planner.vocabulary import Terms, Verb, Vocabulary
from clew.domain.records import Record

MAIN, NAMED, BESIDE, BRACKETED = 1.0, 0.9, 0.3, 0.15
_NAMING = frozenset({"text", "nam", "description"})
_KEYS = frozenset({"identifier", "number", "code"})
_INDEFINITE = frozenset({"a", "an", "another", "ein", "eine", "einen", "new", "neue", "neuen"})
_JOINTS = frozenset({",", ";", "and", "und", "then", "dann"})


class Action(Record, frozen=True, kw_only=True):
    """One thing that is asked for.

    `objects` are the canonical terms of what it is about, with weights: its object 1, a thing that is named by the way
    0.9, everything else less. `own` are the mentions of its clause, `given` those of facts that were told for it.
    """

    words: str
    verb: Verb | None = None
    objects: tuple[tuple[str, float], ...] = ()
    facts: tuple[tuple[str, float], ...] = ()
    own: tuple[int, ...] = ()
    given: tuple[int, ...] = ()
    pronoun: bool = False
    """Whether its object is `it`, `them`, or `its …`: something that was named before."""
    follows: bool = False
    """Whether words say that it builds on what was done before."""
    builds: bool = False
    """Whether they say so by more than a pronoun: `from it`, `turn it into`, `ship the order`."""
    same: bool = False
    goal: bool = False
    bare: bool = False
    definite: bool = False
    """Whether a bare clause speaks of something known: `the order 512`."""
    indefinite: bool = False
    """Whether its object is a new one by its article: `post an invoice`."""
    named: bool = False
    """Whether it gives a name to what it is about: `'New hall'`."""
    pointed: tuple[Terms, ...] = ()
    """What the words point at: `that responsible cost center`, `the return`."""
    start: int = 0
    end: int = 0


class ActionReader:
    """Reads the actions of one text from its clauses."""

    def __init__(
        self,
        text: str,
        pieces: Sequence[Piece],
        clauses: Sequence[Clause],
        evidence: Sequence[Evidence],
        vocabulary: Vocabulary,
    ) -> None:
        """Takes what was read of the text so far."""
        self.text = text
        self.pieces = pieces
        self.clauses = clauses
        self.evidence = evidence
        self.vocabulary = vocabulary
        self._last: dict[str, float] = {}
        self._prepositions = vocabulary.listed("prepositions")
        self._determiners = vocabulary.listed("determiners")

    def read(self) -> Iterator[Action]:
        """Gives the actions in order; facts go to the action that comes next, or to the last one."""
        asked = [clause for clause in self.clauses if clause.kind != "fact" and self._says_something(clause)]
        if not asked:
            asked = [
                clause for clause in self.clauses if self._says_something(clause) and self._begins_with_a_thing(clause)
            ][:1]
        told: list[Clause] = []
        for clause in self.clauses:
            if clause not in asked:
                told.append(clause)
                continue
            trailing = self.clauses if clause == asked[-1] else ()
            later = [other for other in trailing if other.first > clause.first]
            yield from self._actions(clause, told, later)
            told = []

    def _says_something(self, clause: Clause) -> bool:
        words = range(clause.first, clause.last)
        return (
            clause.kind in {"action", "goal"}
            or any(self.pieces[at].kind == "mention" for at in words)
            or any(self.pieces[at].kind == "word" and self.vocabulary.terms(self.pieces[at].text) for at in words)
        )

    def _builds(self, clause: Clause) -> bool:
        verb = clause.verb
        return self._has(clause, "follows") or (verb is not None and (verb.makes or verb.name == "turn"))

    def _begins_with_a_thing(self, clause: Clause) -> bool:
        """Whether a clause that asks for nothing names what is wanted: `Offer for C20000, prices rounded`."""
        first = next(iter(self._runs(clause.first, clause)), None)
        finite = self.vocabulary.listed("finite") | self.vocabulary.group("partners", "subject")
        words = (self.pieces[at] for at in range(clause.first, clause.last) if not self.pieces[at].depth)
        return first is not None and not first.joint and not any(word.low in finite for word in words)

    def _actions(self, clause: Clause, told: Sequence[Clause], later: Sequence[Clause]) -> Iterator[Action]:
        given = [mention for fact in (*told, *later) for mention in self._mentions(fact)]
        if clause.kind == "goal":
            yield from self._goals(clause, given, told)
            return
        words = self._text(clause)
        objects, pronoun = self._objects(clause)
        yield Action(
            words=words,
            verb=clause.verb or self._verb_before(clause),
            objects=tuple(objects.items()),
            facts=tuple(self._facts((*told, *later)).items()),
            own=tuple(self._mentions(clause)),
            given=tuple(given),
            pronoun=pronoun,
            follows=pronoun or self._builds(clause),
            builds=self._builds(clause),
            same=self._has(clause, "same"),
            bare=clause.kind != "action",
            definite=self._is_definite(clause),
            indefinite=self._is_indefinite(clause),
            named=any(self.evidence[m].kind in {"quoted", "name", "quantity"} for m in self._mentions(clause)),
            pointed=tuple(self._pointed(clause)),
            start=self.pieces[clause.first].start,
            end=self.pieces[clause.last - 1].end,
        )

    def _is_definite(self, clause: Clause) -> bool:
        words = [self.pieces[at].low for at in range(clause.first, min(clause.first + 2, clause.last))]
        return bool({"the", "der", "die", "das", "den", "dem"} & set(words))

    def _is_indefinite(self, clause: Clause) -> bool:
        after = clause.verb_at + clause.verb_length
        return clause.verb is not None and after < clause.last and self.pieces[after].low in _INDEFINITE

    def _verb_before(self, clause: Clause) -> Verb | None:
        """Gives the creating verb that a bare clause leaves out."""
        before = [other for other in self.clauses if other.first < clause.first and other.verb]
        creating = before[-1].verb if before else None
        return creating if creating and creating.name == "create" else self.vocabulary.verbs["create"]

    def _goals(self, clause: Clause, given: Sequence[int], told: Sequence[Clause]) -> Iterator[Action]:
        """Reads `they are ordered, received and the invoice settled`: one action for each participle."""
        since = clause.first
        for at in range(clause.first, clause.last):
            piece = self.pieces[at]
            verb = self.vocabulary.participle(piece.text) if piece.kind == "word" else None
            if verb is None or verb.method == "GET" or self._is_noun_of_next(at, clause):
                continue
            part = Clause(kind="action", first=since, last=at + 1, verb=verb, verb_at=at, verb_length=1)
            objects, pronoun = self._objects(part)
            yield Action(
                words=self._text(part),
                verb=verb,
                objects=tuple(objects.items()),
                facts=tuple(self._facts(told).items()),
                own=tuple(self._mentions(part)),
                given=tuple(given),
                pronoun=pronoun or not objects,
                follows=True,
                goal=True,
                start=self.pieces[part.first].start,
                end=piece.end,
            )
            since = at + 1

    def _is_noun_of_next(self, at: int, clause: Clause) -> bool:
        """Whether the word is the object of the participle after it: `the invoice settled`."""
        after = self.pieces[at + 1] if at + 1 < clause.last else None
        return after is not None and after.kind == "word" and self.vocabulary.verb_form(after.text) is not None

    def _mentions(self, clause: Clause) -> list[int]:
        return [piece.mention for piece in self.pieces[clause.first : clause.last] if piece.kind == "mention"]

    def _text(self, clause: Clause) -> str:
        first = clause.first
        while first < clause.last - 1 and self.pieces[first].low in _JOINTS:
            first += 1
        return self.text[self.pieces[first].start : self.pieces[clause.last - 1].end]

    def _has(self, clause: Clause, listed: str) -> bool:
        return next(find_phrases(self._text(clause), self.vocabulary.listed(listed)), None) is not None

    def _facts(self, told: Sequence[Clause]) -> dict[str, float]:
        """Gives what the facts before an action are about: their words, the nouns of their verbs, money."""
        found: dict[str, float] = {}
        for clause in told:
            for run in self._runs(clause.first, clause):
                verbs = [verb.noun for word in run.words if (verb := self.vocabulary.verb_form(word))]
                terms = (*self.vocabulary.canonical(run.words), *(term for noun in verbs for term in noun))
                found |= {term: 0.5 for term in terms if term not in found}
            if "amount" in {self.evidence[index].kind for index in self._mentions(clause)}:
                found["payment"] = MAIN
        return found

    def _objects(self, clause: Clause) -> tuple[dict[str, float], bool]:
        """Gives the terms of what a clause is about with their weights, and whether its object is a pronoun."""
        after_verb = clause.verb_at + clause.verb_length
        first = after_verb if clause.first <= clause.verb_at < clause.last - 1 else clause.first
        found: dict[str, float] = {}
        for rank, run in enumerate(self._runs(first, clause)):
            weight = self._run_weight(rank, run, clause)
            terms = self.vocabulary.canonical(run.words)
            kept = [term for term in terms if term not in self.vocabulary.heads] or list(terms)
            for term in kept if weight != NAMED or set(kept) - _NAMING else ():
                found[term] = max(found.get(term, 0.0), weight)
        verb = clause.verb
        if verb and verb.method == "PATCH":
            found = self._changed_thing(first, clause) or found
        if verb and verb.makes:
            # What is cleared is not what is made: a payment clears an invoice, a delivery ships an order.
            found = {term: min(weight, 0.5) for term, weight in found.items()}
        strong = any(weight >= MAIN for weight in found.values())
        is_pronoun = self._is_pronoun(first)
        if verb and verb.name == "create" and not strong and not is_pronoun:
            found |= self._last  # `create a new one for …`: what was spoken of before
        elif strong:
            self._last = {term: weight for term, weight in found.items() if weight >= MAIN}
        for term in verb.noun if verb else ():
            found[term] = max(found.get(term, 0.0), 0.5 if strong else MAIN)
        return dict(sorted(found.items(), key=lambda item: -item[1])), is_pronoun

    def _changed_thing(self, first: int, clause: Clause) -> dict[str, float]:
        """Gives what is changed, the thing that a key names, before what of it: `the billing block of order 4712`."""
        found: dict[str, float] = {}
        keyed = False
        for run in self._runs(first, clause):
            after = self.pieces[run.last + 1] if run.last + 1 < clause.last else None
            is_key = after is not None and after.kind == "mention" and self.evidence[after.mention].kind in _KEYS
            is_thing = (
                is_key and not keyed and run.joint in {"", "of", "in", "on", "for", "von", "vom", "der", "des", "im"}
            )
            keyed = keyed or is_thing
            terms = self.vocabulary.canonical(run.words)
            found |= {t: MAIN if is_thing else BESIDE for t in terms if is_thing or t not in found}
        return found if keyed else {}

    def _pointed(self, clause: Clause) -> Iterator[Terms]:
        """Gives the terms of what follows `that`, `this` or `the`, up to the next mention, mark or preposition."""
        pointers = self.vocabulary.listed("pointers")
        for at in range(clause.first, clause.last):
            if self.pieces[at].low not in pointers:
                continue
            words: list[str] = []
            for piece in self.pieces[at + 1 : at + 6]:
                if piece.kind != "word" or piece.low in self._prepositions or piece.low in pointers:
                    break
                words.append(piece.text)
            if terms := self.vocabulary.canonical(words):
                yield terms

    def _is_pronoun(self, at: int) -> bool:
        return at < len(self.pieces) and self.pieces[at].low in self.vocabulary.listed("pronouns")

    def _run_weight(self, rank: int, run: "Run", clause: Clause) -> float:
        after = self.pieces[run.last + 1] if run.last + 1 < clause.last else None
        if self.pieces[run.last].depth:
            return BRACKETED
        if run.joint in {"into", "as", "als"} or (after and after.kind == "mention" and after.text[:1] in "'\"„“‚‘«"):
            return NAMED
        return MAIN if rank == 0 and not run.joint else BESIDE

    def _runs(self, first: int, clause: Clause) -> Iterator["Run"]:
        """Gives the runs of words between prepositions, marks and mentions."""
        words: list[str] = []
        joint, last = "", first
        for at in range(first, clause.last):
            piece = self.pieces[at]
            if piece.kind == "word" and piece.low not in self._prepositions:
                if at != clause.verb_at and (not self.vocabulary.is_stop(piece.text) or self._says(piece.text)):
                    words.extend(piece.text.split("-") if "/" not in piece.text else [piece.text])
                    last = at
                elif piece.low in self._determiners and joint == "…":
                    joint = ""
                continue
            if words:
                yield Run(words=tuple(words), joint=joint, last=last)
                words = []
            joint = self._joint(piece, joint)
        if words:
            yield Run(words=tuple(words), joint=joint, last=last)

    def _says(self, word: str) -> bool:
        """Whether a small word says something all the same: `all`."""
        return bool(self.vocabulary.terms(word))

    def _joint(self, piece: Piece, before: str) -> str:
        """Gives what stands before the next run: a preposition, `,` for a mark, `…` for a mention."""
        if piece.kind == "system":
            return "" if before in {"in", "im"} else before
        if piece.low in {"then", "dann", "danach"}:
            return before
        return "…" if piece.kind == "mention" else "," if piece.kind == "mark" else piece.low


class Run(Record, frozen=True, kw_only=True):
    """Words in a row, what stands before them, and the piece with which they end."""

    words: tuple[str, ...]
    joint: str
    last: int
