"""`process`, the product's retriever: seeds in both layers, the process and the position in it, its sets brought in.

A request speaks the language of the work, as activities and processes do, while entity sets speak the vendor's. So the
request is matched against activities and processes as well as against entity sets, and an entity set's score is

    standing(set) + (1 - goal) · drawn(set) + goal · strength · max over its steps of chance(process) · place(step)

- `standing` is what speaks for the set by itself (`evidence`), from 0 for the twentieth to 1 for the best of all sets.
- `goal` says how likely the request wants something brought to an end. A question about one thing wants none of what
  comes before and after, and gets none: there expansion is off by itself.
- `drawn`: a part of a document is reached through the document, so a set whose part stands high is drawn up behind
  it, and with the document come its parts.
- `chance` is how likely a process is the one that is meant; `place` is how near a step is to those that the request's
  clauses are like, along the sequence flow in both directions, through gateways and subprocesses, within bounds.
"""

from functools import cached_property

import numpy as np

from clew.domain.hits import Hit, Scope, Why
from clew.domain.ports import Embedder
from clew.domain.records import Record
from clew.index import CardKind, SearchIndex
from clew.index.arrays import Adjacency, Floats
from clew.retrieval.choosing import choose, top
from clew.retrieval.evidence import SEEDED, Evidence, Ground, Weights
from clew.retrieval.navigation import draw
from clew.retrieval.positions import Positions
from clew.retrieval.processes import Members, ProcessEvidence, ProcessWeights


class ProcessOptions(Record, frozen=True, kw_only=True):
    """How far a process counts, and how far it is followed.

    `strength` is what the step that fits best is worth in a process that is meant for sure, where 1 is the standing of
    the best set by itself. A step that is only near one that fits keeps `nearby` of that, times `decay` for each
    activity on the way, `hops` of them at most. `lift` is what an owner gets of its best part's standing, `kin` what a
    part gets of its owner's.
    """

    weights: Weights = Weights()
    processes: ProcessWeights = ProcessWeights()
    strength: float = 3.0
    nearby: float = 0.7
    decay: float = 0.9
    hops: int = 8
    lift: float = 0.6
    kin: float = 0.2


_NO_GOAL = 0.01
"""A request whose goal is less likely than this is not expanded at all."""
_STANDING = 20
"""The set at this rank has the standing 0."""


class ProcessRetriever:
    """Ranks entity sets by themselves and by the steps and the process that they take part in."""

    name = "process"

    def __init__(self, index: SearchIndex, embedder: Embedder, options: ProcessOptions = ProcessOptions()) -> None:
        """Lays out the steps of all processes."""
        self._ground = Ground(index, embedder)
        self._index = index
        self._options = options
        self._members = Members(index)

    def search(self, query: str, k: int, *, scope: Scope = Scope()) -> list[Hit]:
        """Gives at most `k` hits; each that takes part in a process names it and the activity."""
        asked = self._ground.ask(query)
        if asked.is_empty or self._index.is_empty:
            return []
        evidence = Evidence(self._ground, asked, self._options.weights)
        ranking = Ranking(self._ground, evidence, self._members, self._options)
        return choose(
            self._index, ranking.scores(scope.kinds), k, scope=scope, reasons=ranking.why, place=ranking.place
        )

    def standings(self, query: str) -> list[tuple[str, float]]:
        """Gives (id, chance 0-1) of the processes, the one that the request most likely means first."""
        asked = self._ground.ask(query)
        if asked.is_empty:
            return []
        evidence = Evidence(self._ground, asked, self._options.weights)
        chances = ProcessEvidence(evidence, self._members, self._options.processes).chances
        return [(self._index.processes.ids[number], float(chances[number])) for number in top(chances, len(chances))]


class Ranking:
    """Scores of all cards for one request, and the reasons for them."""

    def __init__(self, ground: Ground, evidence: Evidence, members: Members, options: ProcessOptions) -> None:
        """Reckons standings, lifts and steps."""
        self._index = ground.index
        self._evidence = evidence
        self._options = options
        self._members = members
        self._processes = ProcessEvidence(evidence, members, options.processes)
        self._own = evidence.of(CardKind.ENTITY_SET)
        self._floor, self._span = _standing_of(self._own)
        self._standing = self._stand(self._own)
        self._positions = Positions(evidence, members.activities)
        self.goal = self._goal()
        asks = 1 - self.goal
        structure = self._index.structure
        self._drawn = draw(self._standing, structure, lift=asks * options.lift, kin=asks * options.kin)
        self._steps = self._step_scores()
        self._scores = {CardKind.ENTITY_SET: self._sets()}

    def scores(self, kinds: tuple[str, ...]) -> dict[CardKind, Floats]:
        """Gives the scores of entity sets, and of the cards of other `kinds` that are asked for."""
        found = self._scores
        if CardKind.OPERATION.value in kinds:
            own = self._stand(self._evidence.of(CardKind.OPERATION))
            found[CardKind.OPERATION] = own + self._brought(CardKind.OPERATION)
        if CardKind.ACTIVITY.value in kinds:
            found[CardKind.ACTIVITY] = self._steps + self._evidence.steps
        if CardKind.PROCESS.value in kinds:
            found[CardKind.PROCESS] = self._processes.scores
        if CardKind.SERVICE.value in kinds:
            found[CardKind.SERVICE] = self._evidence.of_services()
        return found

    def _sets(self) -> Floats:
        return self._standing + self._drawn.gain + self._brought(CardKind.ENTITY_SET)

    def _stand(self, own: Floats) -> Floats:
        return np.asarray(np.clip((own - self._floor) / self._span, 0, 1))

    def _goal(self) -> float:
        """Gives how far the request is about a goal: less the more of it is nothing but the name of a set."""
        share = max(self._evidence.named_shares.values(), default=0.0)
        return self._evidence.intent.goal * min(1.0, 2 * (1 - share))

    def _step_scores(self) -> Floats:
        """Gives what each activity brings to what performs it, shape `(activities,)`."""
        options, steps = self._options, self._index.steps
        if not steps.process.size or self.goal < _NO_GOAL:
            return np.zeros(len(steps.process), dtype=np.float32)
        place = options.nearby * self._positions.reach(options.decay, options.hops)
        place += (1 - options.nearby) * self._positions.fit
        return self.goal * options.strength * self._processes.chances[steps.process] * place

    def _brought(self, kind: CardKind) -> Floats:
        """Gives what steps bring to each card of a kind."""
        performed = self._performed(kind)
        gains = np.zeros(len(self._index.layers[kind]), dtype=np.float32)
        np.maximum.at(gains, performed.targets, self._steps[performed.sources])
        return gains

    @cached_property
    def _performing(self) -> dict[CardKind, dict[int, int]]:
        """The activity that brings the most to each set and operation that performs one."""
        found: dict[CardKind, dict[int, int]] = {}
        for kind in SEEDED:
            performed = self._performed(kind)
            # Where steps bring nothing, a card is placed at the step that the request is like best.
            brought = self._steps + 1e-6 * self._evidence.whole
            order = np.argsort(brought[performed.sources], kind="stable")
            targets, sources = performed.targets[order].tolist(), performed.sources[order].tolist()
            found[kind] = dict(zip(targets, sources, strict=True))
        return found

    def _performed(self, kind: CardKind) -> Adjacency:
        return self._index.steps.sets if kind is CardKind.ENTITY_SET else self._index.steps.operations

    def why(self, kind: CardKind, number: int) -> tuple[Why, ...]:
        """Says what speaks for a card by itself, what its parts add, and what the process adds."""
        if kind not in SEEDED:
            return (Why(channel="process", score=float(self._scores[kind][number])),)
        reasons = list(self._evidence.why(kind, number))
        ids = self._index.layers[kind].ids
        origin = self._drawn.origin.get(number) if kind is CardKind.ENTITY_SET else None
        if origin is not None:
            gain, path = float(self._drawn.gain[number]), (ids[origin], ids[number])
            reasons.append(Why(channel="navigation", score=gain, seed=ids[origin], path=path))
        activity = self._performing[kind].get(number)
        if activity is not None and self._steps[activity] > 0:
            reasons.append(self._why_step(activity, ids[number]))
        return tuple(reasons)

    def _why_step(self, activity: int, node: str) -> Why:
        index, steps = self._index, self._index.steps
        name, process = index.activities.ids[activity], int(steps.process[activity])
        seed = self._positions.seed_of(activity)
        path = (index.processes.ids[process], *dict.fromkeys((index.activities.ids[seed], name)), node)
        chance = float(self._processes.chances[process])
        note = f"performs a step of the process that is meant with a chance of {chance:.0%}"
        return Why(channel="process", score=float(self._steps[activity]), seed=path[1], path=path, note=note)

    def place(self, kind: CardKind, number: int) -> tuple[str, str]:
        """Gives the process and the activity that a card takes part in, empty where there is none."""
        processes, activities = self._index.processes.ids, self._index.activities.ids
        if kind is CardKind.PROCESS:
            return processes[number], ""
        if kind is CardKind.SERVICE:
            return "", ""
        activity = number if kind is CardKind.ACTIVITY else self._performing[kind].get(number)
        return (
            ("", "")
            if activity is None
            else (processes[int(self._index.steps.process[activity])], activities[activity])
        )


def _standing_of(own: Floats) -> tuple[float, float]:
    """Gives the score of the set that has the standing 0, and how far the best one is above it."""
    if not own.size:
        return 0.0, 1.0
    best = np.sort(own)[::-1][: _STANDING + 1]
    return float(best[-1]), max(float(best[0] - best[-1]), 1e-6)
