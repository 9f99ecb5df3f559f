"""What speaks for a card by itself: meaning, words, the system that is named, the steps that it performs, its role."""

from collections.abc import Iterable
from functools import cached_property

import numpy as np

from clew.domain.hits import Why
from clew.domain.ids import local_part
from clew.domain.ports import Embedder
from clew.domain.records import Record
from clew.index import CardKind, SearchIndex
from clew.index.arrays import Floats
from clew.index.spelling import Speller
from clew.index.structure import Role
from clew.index.terms import TermReader
from clew.index.thesaurus import Thesaurus
from clew.index.words import telling_words, tokens
from clew.retrieval.asking import Asked
from clew.retrieval.choosing import top
from clew.retrieval.cues import SystemCues
from clew.retrieval.intent import Intent, IntentReader

_WORDS_OF_SERVICES = 0.05
"""A factor of BM25F scores where services are looked for: a word in common says much among so few words."""
_NAMED = 20
"""How many of the likest sets are looked at for their names."""


class Weights(Record, frozen=True, kw_only=True):
    """What each kind of evidence is worth beside a cosine of meaning, which counts 1.

    `words` is a factor of BM25F scores; `system` is what being in the system that is named is worth; `service` a factor
    of the words that request and service share; `work` a factor of the likeness of the steps that a card performs;
    `naming` what being named in full is worth where the name is the whole request, less by the square of its share.
    The others are taken off (or, negative ones, added) by the role of an entity set.
    """

    words: float = 0.014
    system: float = 0.4
    service: float = 0.01
    work: float = 0.6
    naming: float = 0.4
    root: float = -0.05
    part: float = 0.05
    values: float = 0.25
    view: float = 0.05
    machinery: float = 0.25


SEEDED = (CardKind.ENTITY_SET, CardKind.OPERATION)
"""Kinds of cards that have evidence of every kind."""
PLAIN_WEIGHTS = Weights(work=0.0)
"""For baselines that know nothing of processes."""


class Ground:
    """What all retrievers of one index share: how requests are read, and who asks again asks cheaply."""

    def __init__(self, index: SearchIndex, embedder: Embedder) -> None:
        """Takes the embedder that the index was built with."""
        self.index = index
        self.embedder = embedder
        self.reader = TermReader(Thesaurus.load())
        self._speller = Speller(index.words.vocabulary)
        self.cues = SystemCues(index.services)
        self._names: dict[int, frozenset[str]] = {}

    @cached_property
    def intents(self) -> IntentReader:
        """What tells goals from questions; it is learned with the first request."""
        return IntentReader(self.embedder)

    def name_of(self, entity_set: int) -> frozenset[str]:
        """Gives the terms of an entity set's name; they are kept, since the same sets come up again and again."""
        name = self._names.get(entity_set)
        if name is None:
            name = frozenset(tokens(telling_words(local_part(self.index.sets.ids[entity_set]))))
            self._names[entity_set] = name
        return name

    def ask(self, request: str) -> Asked:
        """Reads a request."""
        return Asked(request, self.embedder, self.reader, self._speller)


class Evidence:
    """The evidence for cards of one request; each kind of it is reckoned once."""

    def __init__(self, ground: Ground, asked: Asked, weights: Weights) -> None:
        """Reckons nothing yet."""
        self.ground = ground
        self.asked = asked
        self.weights = weights
        self.index = ground.index
        self.named_shares: dict[int, float] = {}
        """Sets that the request names in full, with the share of the request that the name is; known after `of`."""
        self._dense: dict[CardKind, Floats] = {}
        self._words: dict[CardKind, Floats] = {}

    @cached_property
    def intent(self) -> Intent:
        """What the request wants."""
        return self.ground.intents.read(self.asked.vector)

    @cached_property
    def _named(self) -> tuple[Floats, tuple[str, ...]]:
        return self.ground.cues.named(self.asked.text)

    @cached_property
    def services(self) -> Floats:
        """What speaks for each service: that it is named, and words that it shares with the request."""
        return self.weights.system * self._named[0] + self.weights.service * self.words(CardKind.SERVICE)

    @property
    def named(self) -> Floats:
        """1 for each service whose system or own name the request says, else 0, shape `(services,)`."""
        return self._named[0]

    @cached_property
    def whole(self) -> Floats:
        """How like the whole request each activity is, shape `(activities,)`, -1 to 1."""
        return self.index.activities.dense.scores(self.asked.vector)

    @cached_property
    def steps(self) -> Floats:
        """How like the request, or a clause of it, each activity is, shape `(activities,)`, -1 to 1."""
        return np.maximum(self.whole, self.clauses.max(axis=1))

    @cached_property
    def clauses(self) -> Floats:
        """How like each clause of the request each activity is, shape `(activities, clauses)`."""
        return self.index.activities.dense.table(self.asked.clause_vectors)

    def dense(self, kind: CardKind) -> Floats:
        """Gives the likeness of meaning of each card of a kind; it can exceed 1, since it is a sum."""
        found = self._dense.get(kind)
        if found is None:
            found = self._dense[kind] = self.index.layers[kind].dense.scores(self.asked.vector)
        return found

    def words(self, kind: CardKind) -> Floats:
        """Gives the BM25F score of each card of a kind."""
        found = self._words.get(kind)
        if found is None:
            found = self._words[kind] = self.index.layers[kind].lexical.scores(self.asked.terms)
        return found

    def of(self, kind: CardKind) -> Floats:
        """Gives all evidence for each entity set or operation."""
        layer = self.index.layers[kind]
        found = self.dense(kind) + self.weights.words * self.words(kind)
        if len(self.index.services):
            found += self.services[layer.owners]
        if self.weights.work:
            found += self.weights.work * self._work(kind)
        if kind is CardKind.ENTITY_SET:
            found -= self._roles()
            for number, share in self._named_among(top(found, _NAMED)).items():
                found[number] += self.weights.naming * share * share
        return found

    def of_services(self) -> Floats:
        """Gives all evidence for each service."""
        dense, words = self.dense(CardKind.SERVICE), self.words(CardKind.SERVICE)
        return dense + _WORDS_OF_SERVICES * words + self.weights.system * self.named

    def _named_among(self, sets: Iterable[int]) -> dict[int, float]:
        """Gives the sets that the request names in full, and the share (0-1) of the request that each name is."""
        words = {term for term in self.asked.terms if term.isalnum()}
        for number in sets:
            name = self.ground.name_of(number)
            if name and name <= words:
                self.named_shares[number] = len(name) / len(words)
        return self.named_shares

    def _work(self, kind: CardKind) -> Floats:
        """Gives how like the request the likest step is that a card performs, 0 where it performs none."""
        performed = self.index.steps.sets if kind is CardKind.ENTITY_SET else self.index.steps.operations
        found = np.zeros(len(self.index.layers[kind]), dtype=np.float32)
        # The whole request is compared: a clause of a request for one thing is likely to be like some step or other.
        np.maximum.at(found, performed.targets, self.whole[performed.sources])
        return found

    def _roles(self) -> Floats:
        weights, intent = self.weights, self.intent
        by_role = np.zeros(len(Role), dtype=np.float32)
        by_role[Role.ROOT] = weights.root
        by_role[Role.PART] = weights.part * (1 - intent.parts)
        by_role[Role.VALUES] = weights.values * (1 - 2 * intent.codes)
        by_role[Role.VIEW] = weights.view * (1 - intent.codes)
        by_role[Role.MACHINERY] = weights.machinery
        return by_role[self.index.structure.roles]

    def why(self, kind: CardKind, number: int) -> tuple[Why, ...]:
        """Says what speaks for a card."""
        dense, words = float(self.dense(kind)[number]), float(self.words(kind)[number])
        reasons = [Why(channel="dense", score=dense, note="the meaning of its name, label and service")]
        if words > 0:
            reasons.append(Why(channel="lexical", score=words, note="words in common"))
        marks, names = self._named
        owner = int(self.index.layers[kind].owners[number])
        if names and owner >= 0 and marks[owner]:
            note = f"the request names {', '.join(names)}"
            reasons.append(Why(channel="graph", score=self.weights.system, note=note))
        return tuple(reasons)
