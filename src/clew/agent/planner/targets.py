"""Targets: which entity set or operation an action means, by its words, its verb, and the process it is part of."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal

import msgspec

from clew.agent.planner.actions import NAMED, Action
from clew.agent.planner.catalogue import Bound, Catalogue, OperationCard, SetCard
from clew.agent.planner.matching import Wanted, Wording, match, wording_of
from clew.agent.planner.vocabulary import Terms, Verb
from clew.domain.records import Record

_ENTITY, _ACTIVITY, _PROCESS = 0.55, 0.35, 0.1
_UNBOUND, _NEIGHBOUR, _RANKED = 0.75, 0.08, 0.06
_PART, _OTHER_SYSTEM, _AGAIN = 0.85, 0.75, 0.9
_STRONG, _SAID, _EXACT = 0.5, 0.5, 0.95
_HEADLESS, _EXTRA_PARAMETER = 0.75, 0.02
_SURE, _BY_ACTIVITY = 0.8, 0.7
_NEAR_VERB, _LATER_VERB = 0.8, 0.6
DRAFT_VERBS = frozenset({"activate", "release", "publish"})


class Target(Record, frozen=True, kw_only=True):
    """What an action may mean; `method` is the HTTP method, `score` 0-1."""

    id: str
    service: str
    method: str
    score: float
    entity_set: str = ""
    operation: str = ""
    activity: str = ""
    bound_set: str = ""
    via: str = ""
    values: tuple[tuple[str, str], ...] = ()
    reason: str = ""


class Focus(Record, frozen=True, kw_only=True):
    """An object that was named or made before: which set it is of, and the step that made it (-1: it was there)."""

    service: str
    entity_set: str
    type: str
    step: int = -1


class Field(Record, frozen=True, kw_only=True):
    """Where to look: services with a prior from the retriever (0-1), the process, and what came before."""

    services: Mapping[str, float]
    bound: tuple[Bound, ...] = ()
    focus: tuple[Focus, ...] = ()
    preferred: frozenset[str] = frozenset()
    """Services of the system that the request names, or of the steps before; empty where any is as good."""


class TargetFinder:
    """Scores the targets of actions."""

    def __init__(self, catalogue: Catalogue) -> None:
        """Takes the services and processes to look in."""
        self.catalogue = catalogue
        self.vocabulary = catalogue.vocabulary

    def find(self, action: Action, field: Field) -> list[Target]:
        """Gives the targets of an action, best first; an empty list is an answer."""
        found: dict[tuple[str, str], Target] = {}
        for target in self._candidates(action, field):
            place = (target.id, target.method)
            known = found.get(place)
            if known is None:
                found[place] = target
            elif known.score < target.score:
                steps = known if known.activity and not target.activity else target
                found[place] = msgspec.structs.replace(steps, score=target.score)
        return sorted(found.values(), key=lambda target: (-target.score, target.id))

    def _candidates(self, action: Action, field: Field) -> Iterator[Target]:
        verb = action.verb or self.vocabulary.verbs["create"]
        for bound in field.bound:
            yield from self._bound(action, verb, bound, field)
        for service in field.services:
            if verb.method in {"CALL", "PATCH"}:
                yield from self._operations(action, verb, service, field)
            yield from self._sets(action, verb, service, field)

    # --- steps of the process

    def _bound(self, action: Action, verb: Verb, bound: Bound, field: Field) -> Iterator[Target]:
        service, _, name = bound.target.partition(":")[2].replace("#", "/", 1).partition("/")
        if service not in self.catalogue.services:
            return
        activity = self.activity_score(action, verb, bound)
        card = self.catalogue.sets(service).get(name)
        if card is not None:
            if (method := _set_method(verb, bound.method)) is None or (method == "POST" and not card.insertable):
                return
            said = self._says_same(verb, bound)
            entity = self.set_score(action, card, field) * self._creates(action, card, method, said=said)
            entity = self._with_change(action, card, entity) if method == "PATCH" else entity
        else:
            operation = next((card for card in self.catalogue.operations(service) if card.id == bound.target), None)
            if operation is None or (verb.method == "GET") != (operation.method == "GET"):
                return
            entity, method = self.operation_score(action, verb, operation, field), operation.method
            entity *= self._means_set(action, service, bound)
        score = _ENTITY * entity + _ACTIVITY * activity + _PROCESS
        if activity >= _SURE and self._says_same(verb, bound):
            score = max(score, _BY_ACTIVITY * activity)
        if card is None:
            score = max(score, _UNBOUND * entity + _PROCESS)
        yield self._target(bound.target, service, method, score * self._system(service, field), bound=bound)

    def _means_set(self, action: Action, service: str, bound: Bound) -> float:
        """Gives less where the action names another thing than the step's operation is called on."""
        sets = self.catalogue.sets(service)
        said = {term: weight for term, weight in action.objects if weight >= NAMED}
        if bound.bound_to not in sets or not said or action.pronoun:
            return 1.0
        named = [card for card in sets.values() if match(Wanted(terms=said), card.wording, self.vocabulary) >= _EXACT]
        return 0.5 if named and all(card.name != bound.bound_to for card in named) else 1.0

    def activity_score(self, action: Action, verb: Verb, bound: Bound) -> float:
        """Gives how well the words of an activity are meant by an action: its verb, and what it is about."""
        words = list(bound.terms)
        verbs = self._verbs_of(bound)
        same_verb = 1.0 if verb.name in verbs else _NEAR_VERB if verbs & set(verb.near) else 0.0
        if not same_verb and any(self.vocabulary.verbs[name].method == verb.method for name in verbs):
            same_verb = 0.4
        nouns: Terms = tuple(term for term in words if not self._is_verb(term, bound))
        nouns = (*nouns, *(t for name in verbs for t in self.vocabulary.verbs[name].noun if t not in nouns)) or tuple(
            words
        )
        wanted = self._wanted(action)
        even = Wanted(terms=dict.fromkeys(wanted.terms, 1.0), context=wanted.context)
        about = max(match(seen, Wording(name=nouns), self.vocabulary) for seen in (wanted, even))
        return 0.35 * same_verb + 0.65 * about

    def _verbs_of(self, bound: Bound) -> set[str]:
        """Gives the verbs of an activity's name: it begins with one, or in German ends with one."""
        words = bound.name.split()
        said = [found.name for word in words if (found := self.vocabulary.verb_form(word))]
        opening = self.vocabulary.verb_at(words) if words else None
        return {*said[:1], *said[-1:], *([opening[0].name] if opening else [])}

    def _says_same(self, verb: Verb, bound: Bound) -> bool:
        return verb.name in self._verbs_of(bound)

    def _is_verb(self, term: str, bound: Bound) -> bool:
        words = bound.name.split()
        ends = (words[0], words[-1]) if words else ()
        return any(
            term in self.vocabulary.terms(word) and self.vocabulary.verb_form(word) for word in ends[:1] or ()
        ) or any(
            term in self.vocabulary.terms(word) and word.islower() and self.vocabulary.verb_form(word)
            for word in ends[1:]
        )

    def _creates(self, action: Action, card: SetCard, method: str, *, said: bool) -> float:
        """Gives how far a verb that calls an operation may stand for creating: `post the difference`.

        Where the entities have such an operation of their own, `post the invoice` calls it, and only `post an invoice`
        makes one.
        """
        verb = action.verb
        if verb is None or verb.method != "CALL" or method != "POST" or said:
            return 1.0
        may = "create" in verb.near and (action.indefinite or not self._has_operation(card, verb))
        return 0.9 if may else 0.5

    def _has_operation(self, card: SetCard, verb: Verb) -> bool:
        own = (op for op in self.catalogue.operations(card.service) if card.name in op.sets)
        return any(self._says_verb(term, verb) for operation in own for term in operation.terms)

    # --- entity sets

    def _sets(self, action: Action, verb: Verb, service: str, field: Field) -> Iterator[Target]:
        for card in self.catalogue.sets(service).values():
            method = _set_method(verb, "POST")
            if method is None or not _allows(card, method):
                continue
            entity = self.set_score(action, card, field)
            if entity < _STRONG:
                continue
            entity *= self._creates(action, card, method, said=False)
            entity = self._with_change(action, card, entity) if method == "PATCH" else entity
            near = _NEIGHBOUR * (any(focus.service == service for focus in field.focus))
            score = _UNBOUND * entity + near + _RANKED * field.services[service]
            yield self._target(card.id, service, method, score * self._system(service, field))

    def set_score(self, action: Action, card: SetCard, field: Field) -> float:
        """Gives how well an entity set is meant by what an action is about."""
        parents = [focus for focus in field.focus if focus.service == card.service and focus.entity_set != card.name]
        own = frozenset[str]()
        for focus in parents:
            terms = self.catalogue.sets(focus.service)[focus.entity_set].wording.name
            if set(terms) < set(card.wording.name):
                own |= frozenset(terms)
        wanted = self._wanted(action)
        score = match(wanted, Wording(name=card.wording.name, label=card.wording.label, own=own), self.vocabulary)
        if not self._says_head(wanted, card):
            score *= _HEADLESS
        made = any(focus.step > 0 and focus.entity_set == card.name for focus in field.focus[:1])
        return score * (_PART if card.parts and not own else 1.0) * (_AGAIN if made and action.follows else 1.0)

    def _says_head(self, wanted: Wanted, card: SetCard) -> bool:
        """Whether the words say what a set is a set of: an order for a customer is no customer."""
        heads = [terms[-1] for terms in (card.wording.name, card.wording.label) if terms]
        light = [term for terms in (card.wording.name, card.wording.label) for term in terms[:-1]]
        heads += light if heads and all(self.vocabulary.weight(head) < 1 for head in heads) else []
        said = [term for term, weight in wanted.terms.items() if weight >= _SAID]
        return any(self.vocabulary.similarity(term, head) for term in said for head in heads)

    def _with_change(self, action: Action, card: SetCard, entity: float) -> float:
        """Weighs in whether the set has a property that the words would change: a block for delivery."""
        wanted = Wanted(terms={term: 1.0 for term, weight in action.objects if weight < NAMED})
        if not wanted.terms:
            return entity
        view = self.catalogue.view(card.service)
        own = frozenset(card.wording.name)
        wordings = (
            wording_of(p.name, p.texts, own, self.vocabulary)
            for p in view.properties(card.type).values()
            if p.updatable
        )
        return 0.75 * entity + 0.25 * max(
            (match(wanted, wording, self.vocabulary) for wording in wordings), default=0.0
        )

    def _wanted(self, action: Action) -> Wanted:
        terms = dict(action.objects)
        if action.pronoun or not any(weight >= _STRONG for weight in terms.values()):
            for term, weight in action.facts:
                terms[term] = max(terms.get(term, 0.0), weight if not terms else min(weight, 0.5))
        verb = action.verb
        said = frozenset(terms) | frozenset(term for term, _ in action.facts)
        implied = {more for term in said for more in self.vocabulary.implied.get(term, ())}
        return Wanted(terms=terms, context=said, implied=frozenset(implied | set(verb.implies if verb else ())))

    # --- operations

    def _operations(self, action: Action, verb: Verb, service: str, field: Field) -> Iterator[Target]:
        for card in self.catalogue.operations(service):
            if card.method == "GET":
                continue
            score = self.operation_score(action, verb, card, field)
            if score >= _STRONG:
                near = _NEIGHBOUR * (self._acts_on(card, field))
                total = (_UNBOUND * score + near) * self._system(service, field)
                yield self._target(card.id, service, card.method, total)

    def operation_score(self, action: Action, verb: Verb, card: OperationCard, field: Field) -> float:
        """Gives how well an operation is meant: its verb must be said, or one that is near; then what it is about."""
        said = self._verb_of(action, verb, card)
        if not said:
            return 0.0
        acts_on = self._acts_on(card, field)
        own = self._own_of(card)
        rest = tuple(t for t in card.terms if not self._says_verb(t, verb) and t not in _FILLERS and t not in own)
        acts_on_last = 0.8 if not acts_on else 1.0 if self.takes(card, field.focus[0]) else 0.85
        wanted = {t: weight for t, weight in action.objects if (weight > _BESIDE or not acts_on) and t not in own}
        about = match(
            Wanted(terms=wanted, context=frozenset(t for t, _ in action.objects)), Wording(name=rest), self.vocabulary
        )
        if not rest or acts_on:
            about = max(about, 0.5 if rest else 0.75 if wanted else 0.9)
        if any(term == "draft" for term, _ in action.objects) and "DraftUUID" in card.parameters:
            about = max(about, 0.9 if said == 1.0 or verb.name in DRAFT_VERBS else 0.0)
        key = self.catalogue.sets(card.service)[card.sets[0]].key if card.sets else card.parameters[:1]
        extra = min(8, len(set(card.parameters) - set(key)))
        return (0.55 * said + 0.45 * about) * acts_on_last - _EXTRA_PARAMETER * extra

    def _own_of(self, card: OperationCard) -> frozenset[str]:
        """Gives the terms of the objects that an operation is called on, which its name may repeat."""
        sets = self.catalogue.sets(card.service)
        return frozenset(term for name in card.sets for term in sets[name].wording.name)

    def _verb_of(self, action: Action, verb: Verb, card: OperationCard) -> float:
        said = {term for word in action.words.split() for term in self.vocabulary.terms(word)}
        verbs = [term for term in card.terms if self.vocabulary.verb_of_stem(term)]
        if any(self._says_verb(term, verb) for term in verbs):
            if not self._says_verb(verbs[0], verb):
                return _LATER_VERB  # to confirm a picking is not to pick
            # A changing verb changes the object itself, unless the operation is called as the request says it.
            return 1.0 if verb.method != "PATCH" or said & set(card.terms) else 0.0
        near = (self.vocabulary.verbs[name] for name in verb.near if name in self.vocabulary.verbs)
        return _NEAR_VERB if any(self._says_verb(term, other) for term in card.terms for other in near) else 0.0

    def _says_verb(self, term: str, verb: Verb) -> bool:
        found = self.vocabulary.verb_of_stem(term)
        return found is not None and found.name == verb.name

    def _acts_on(self, card: OperationCard, field: Field) -> bool:
        """Whether the operation is called on an object that was named before, by its bound type or its key."""
        return any(self.takes(card, focus) for focus in field.focus)

    def takes(self, card: OperationCard, focus: Focus) -> bool:
        """Whether an operation is called on an object of a set."""
        if focus.service != card.service:
            return False
        if card.bound_to:
            return self.catalogue.view(focus.service).is_derived(focus.type, card.bound_to)
        key = self.catalogue.sets(focus.service)[focus.entity_set].key
        return bool(key) and set(key) <= set(card.parameters)

    # --- both

    def _system(self, service: str, field: Field) -> float:
        return _OTHER_SYSTEM if field.preferred and service not in field.preferred else 1.0

    def _target(self, node: str, service: str, method: str, score: float, *, bound: Bound | None = None) -> Target:
        card = next((card for card in self.catalogue.sets(service).values() if card.id == node), None)
        operation = next((card for card in self.catalogue.operations(service) if card.id == node), None)
        return Target(
            id=node,
            service=service,
            method=method,
            score=round(min(1.0, score), 3),
            entity_set=card.name if card else "",
            operation=operation.name if operation else "",
            activity=bound.activity if bound else "",
            bound_set=bound.bound_to if bound else "",
            via=bound.via if bound else "",
            values=bound.values if bound else (),
            reason=f"step {bound.name!r} of process {bound.process}" if bound else "words of its name",
        )


_BESIDE = 0.3
_FILLERS = frozenset({"item", "request"})


def _set_method(verb: Verb, bound_method: str) -> Literal["POST", "PATCH", "DELETE", "GET"] | None:
    """Gives the method by which a verb acts on an entity set that a process step, or nobody, binds by a method."""
    match verb.method:
        case "PATCH" | "DELETE" | "GET":
            return verb.method
        case _:
            return "POST" if bound_method == "POST" else None


def _allows(card: SetCard, method: str) -> bool:
    return {"POST": card.insertable, "PATCH": card.updatable, "DELETE": card.deletable}.get(method, True)


def services_of(bound: Iterable[Bound]) -> list[str]:
    """Gives the services that the steps of a process call, in order."""
    return list(dict.fromkeys(step.target.partition(":")[2].replace("#", "/", 1).partition("/")[0] for step in bound))


def choose(targets: Sequence[Target], *, least: float, margin: float) -> tuple[Target | None, list[Target]]:
    """Gives the one target that is meant, or none and those between which nobody can tell."""
    if not targets or targets[0].score < least:
        return None, [target for target in targets[:3] if target.score >= least * 0.8]
    rivals = [target for target in targets if targets[0].score - target.score < margin]
    return (targets[0], []) if len(rivals) == 1 else (None, rivals)
