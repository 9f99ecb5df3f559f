"""Keys: the objects that a request names as there already (`order 4711`), and the key of what a step acts on."""

from collections.abc import Sequence

from clew.agent.planner.catalogue import Bound, Catalogue, SetCard
from clew.agent.planner.drafts import Draft
from clew.agent.planner.filling import Filler
from clew.agent.planner.matching import Wanted, Wording, match
from clew.agent.planner.slots import Slot
from clew.agent.planner.targets import Focus
from clew.agent.planner.values import suits, written
from clew.domain.plans import Question
from clew.domain.services import Property

_NAMED, _KEY, _SAID = 0.75, 0.6, 0.8
_STEP, _KIN = 0.25, 0.25
_NUMBERS = frozenset({"entry", "number", "id", "item", "from", "to"})
_KEYS = frozenset({"identifier", "number", "code"})
_DRAFT_KEYS = frozenset({"DraftUUID", "IsActiveEntity"})


class KeyFinder:
    """Finds objects and keys among the mentions of one request."""

    def __init__(self, catalogue: Catalogue, filler: Filler, preferred: frozenset[str] = frozenset()) -> None:
        """Takes the filler of the request, and the services to prefer."""
        self.catalogue = catalogue
        self.preferred = preferred
        self.filler = filler
        self.vocabulary = catalogue.vocabulary

    def object_of(self, mention: int, services: Sequence[str], bound: Sequence[Bound]) -> Focus | None:
        """Gives the set of whose objects a mention names one by its key, sets of the process before others."""
        evidence = self.filler.evidence(mention)
        if evidence.kind not in _KEYS or not evidence.label or evidence.group >= 0:
            return None
        said = self.vocabulary.terms(evidence.label)
        if said and said[-1] in self.vocabulary.heads and said[-1] != "item":
            return None  # an order's type names no order
        wanted = Wanted(terms=self._thing(mention))
        steps = {step.target for step in bound}
        found: list[tuple[float, str, SetCard]] = []
        for service in services:
            for card in self.catalogue.sets(service).values():
                score = self._says(wanted, card)
                if score >= _NAMED and not card.parts and self._says_head(wanted, card):
                    near = _STEP * (card.id in steps) + _KIN * (service in self.preferred)
                    found.append((score + near, card.id, card))
        if not found:
            return None
        card = max(found, key=lambda item: (item[0], item[1]))[2]
        return Focus(service=card.service, entity_set=card.name, type=card.type)

    def _thing(self, mention: int) -> dict[str, float]:
        """Gives what a mention is a key of: the terms of its label and cue, without partners and without `number`."""
        readings = self.filler.evidence(mention).readings
        terms = {term: weight for term, weight in readings[0].terms if weight >= _SAID} if readings else {}
        no_thing = self.vocabulary.roles | self.vocabulary.heads | _NUMBERS
        return {term: weight for term, weight in terms.items() if term not in no_thing}

    def _says_head(self, wanted: Wanted, card: SetCard) -> bool:
        return bool(card.wording.name) and any(
            self.vocabulary.similarity(term, card.wording.name[-1]) for term in wanted.terms
        )

    def _says(self, wanted: Wanted, card: SetCard) -> float:
        wording = Wording(name=card.wording.name, label=card.wording.label)
        return match(wanted, wording, self.vocabulary) if wanted.terms else 0.0

    def focus_of_operation(self, draft: Draft) -> Focus | None:
        """Gives the object that an operation acts on where only the operation tells: by its type or key parameters."""
        card = draft.operation
        if card is None:
            return None
        sets = self.catalogue.sets(card.service)
        named = [sets[draft.target.bound_set]] if draft.target.bound_set in sets else []
        named += [sets[name] for name in card.sets]
        named += [other for other in sets.values() if other.key and set(other.key) <= set(card.parameters)]
        return Focus(service=card.service, entity_set=named[0].name, type=named[0].type) if named else None

    def name_object(self, draft: Draft, focus: Sequence[Focus]) -> None:
        """Fills the key of what a draft acts on from its mentions; what is missing is asked for."""
        card = self._card(draft, focus)
        if card is None:
            return
        if draft.operation is not None:
            draft.parent_set = card.name
        view = self.catalogue.view(card.service)
        by_parameters = draft.operation is not None and view.service.version in {"V1", "V2"}
        properties = view.properties(card.type)
        for name in card.key:
            if by_parameters and draft.operation and name not in draft.operation.parameters:
                continue
            if name in properties:
                self._name_key(draft, card, properties[name])

    def _card(self, draft: Draft, focus: Sequence[Focus]) -> SetCard | None:
        sets = self.catalogue.sets(draft.target.service)
        if draft.card is not None:
            return draft.card
        if (meant := self._meant(draft)) is not None:
            return meant
        if draft.target.bound_set in sets:
            return sets[draft.target.bound_set]
        acted = draft.focus or next((f for f in focus if f.service == draft.target.service), None)
        return sets.get(acted.entity_set) if acted else None

    def _meant(self, draft: Draft) -> SetCard | None:
        """Gives the set, of those that the operation is called on, that the words name: `close order 512`."""
        sets = self.catalogue.sets(draft.target.service)
        candidates = [sets[name] for name in draft.operation.sets] if draft.operation else []
        said = Wanted(terms={term: 1.0 for term, weight in draft.action.objects if weight >= _SAID})
        scored = [(self._says(said, card), card.name, card) for card in candidates]
        best = max(scored, default=(0.0, "", None))
        return best[2] if best[0] >= _NAMED else None

    def _name_key(self, draft: Draft, card: SetCard, prop: Property) -> None:
        slot = self._slot(card, prop)
        best = max(((self._key_score(draft, m, slot, card), m) for m in self._mentions(draft)), default=(0.0, -1))
        if best[0] >= _KEY:
            mention = self.filler.reading.mentions[best[1]]
            draft.fill_key(
                prop.name, written(mention, slot, None), self.filler.evidence(best[1]).words, "mention", best[0]
            )
            self.filler.used.add(best[1])
            return
        place = f"{draft.number}:key/{prop.name}"
        if (answer := self.filler.answers.get(place)) is not None:
            draft.fill_key(
                prop.name, int(answer) if answer.isdigit() and prop.type.startswith("Edm.Int") else answer, "", "answer"
            )
        elif prop.name == "IsActiveEntity":
            draft.fill_key(prop.name, value=True, words="an object that was there before", rule="default")
        else:
            label = prop.texts.label or prop.name
            question = f"Which {label} is meant by {draft.action.words!r}?"
            self.filler.questions.append(Question(slot=place, question=question, type=prop.type))

    def _mentions(self, draft: Draft) -> list[int]:
        """Gives the mentions of the draft, then those that were said before it and are free."""
        before = [m for m, mention in enumerate(self.filler.reading.mentions) if mention.start < draft.action.start]
        return [m for m in dict.fromkeys((*draft.mentions, *reversed(before))) if m not in self.filler.used]

    def _key_score(self, draft: Draft, mention: int, slot: Slot, card: SetCard) -> float:
        evidence = self.filler.evidence(mention)
        if evidence.kind not in _KEYS or evidence.group >= 0 or not evidence.label:
            return 0.0
        if not suits(self.filler.reading.mentions[mention], evidence.kind, slot, None):
            return 0.0
        wanted = Wanted(terms=dict.fromkeys(self.vocabulary.terms(evidence.label), 1.0))
        if not wanted.terms:
            return 0.0
        by_key = match(wanted, slot.wording, self.vocabulary)
        lone = len([name for name in card.key if name not in _DRAFT_KEYS]) == 1
        own = 0.05 * (mention in draft.action.own)
        return max(by_key, self._says(wanted, card) if lone else 0.0) + own

    def _slot(self, card: SetCard, prop: Property) -> Slot:
        wording = Wording(
            name=self.vocabulary.name_terms(prop.name),
            label=self.vocabulary.terms(prop.texts.label),
            own=frozenset(card.wording.name),
        )
        return Slot(path=(prop.name,), name=prop.name, type=prop.type, facets=prop, wording=wording, is_key=True)
