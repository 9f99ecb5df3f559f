"""Questions: what a call must hold and the request did not give."""

from decimal import Decimal

from clew.agent.planner.catalogue import Catalogue
from clew.agent.planner.drafts import Draft
from clew.agent.planner.filling import Filler
from clew.agent.planner.ports import Defaults, Requirements
from clew.agent.planner.slots import Slot
from clew.agent.planner.values import NUMERIC
from clew.domain.plans import Question
from clew.domain.records import JsonValue
from clew.domain.references import is_reference

_MOST_CODES = 40
_HEADER = len(("Supplier",))


class Questioner:
    """Asks for what is missing, or takes the answer."""

    def __init__(self, catalogue: Catalogue, requirements: Requirements, defaults: Defaults, filler: Filler) -> None:
        """Takes the filler whose answers and questions these are."""
        self.catalogue = catalogue
        self.defaults = defaults
        self.requirements = requirements
        self.filler = filler

    def ask(self, draft: Draft) -> None:
        """Asks for every slot that the call must have and that is empty."""
        self._take_answers(draft)
        for slot in self.required(draft):
            if draft.is_free(slot) and slot.name not in draft.key:
                self._ask(draft, slot)
        if draft.creates and not draft.values and draft.whole is None:
            place = f"{draft.number}:/"
            question = f"What is it to hold: {draft.action.words!r}?"
            self.filler.questions.append(Question(slot=place, question=question, type="JSON object"))
        if draft.target.method == "PATCH" and not draft.values:
            place = f"{draft.number}:/"
            question = f"What is to be changed by {draft.action.words!r}?"
            self.filler.questions.append(Question(slot=place, question=question, type="JSON object"))

    def tell(self, draft: Draft) -> None:
        """Fills what the call must have, and nobody said, from master data."""
        self._take_answers(draft)
        for slot in self.required(draft):
            if draft.is_free(slot) and slot.name not in draft.key:
                self._tell(draft, slot)

    def _take_answers(self, draft: Draft) -> None:
        for slot in draft.open_slots:
            place = f"{draft.number}:{slot.pointer}"
            if place in self.filler.answers and draft.is_free(slot):
                draft.fill(slot, typed(self.filler.answers[place], slot), "", "answer")

    def required(self, draft: Draft) -> list[Slot]:
        """Gives the slots without which a call is refused, those of its items first."""
        if draft.operation is not None:
            return [slot for slot in draft.open_slots if slot.name in draft.operation.required]
        if not draft.creates:
            return []
        view = self.catalogue.view(draft.target.service)
        names = set(self.requirements.on_create(view, draft.target.entity_set))
        header = [slot for slot in draft.open_slots if not slot.collection and slot.name in names]
        return [*self._required_inside(draft), *header]

    def _required_inside(self, draft: Draft) -> list[Slot]:
        items = [slot for slot in draft.open_slots if slot.main]
        if not items or not (count := draft.items(items[0].collection)):
            return []
        view = self.catalogue.view(draft.target.service)
        names = set(self.requirements.on_create_inside(view, draft.target.entity_set, items[0].collection))
        return [slot.at(index) for index in range(count) for slot in items if slot.name in names]

    def _tell(self, draft: Draft, slot: Slot) -> None:
        """Fills a slot from master data that goes with what the call holds; a header looks at its first item, too."""
        inner = slot.path[:2] if slot.main else next((path[:2] for path in draft.values if len(path) > _HEADER), ())
        known = {
            str(path[-1]): value for path, value in draft.values.items() if len(path) == _HEADER or path[:2] == inner
        }
        told = self.defaults.value(slot.name, {name: v for name, v in known.items() if not is_reference(v)})
        if told is not None:
            draft.fill(slot, typed(str(told.value), slot), told.words, "lookup", 0.9)

    def _ask(self, draft: Draft, slot: Slot) -> None:
        codes = self.filler.codes(draft, slot)
        label = slot.facets.texts.label or slot.name
        allowed = tuple(code.code for code in codes.codes[:_MOST_CODES]) if codes and codes.closed else ()
        self.filler.questions.append(
            Question(
                slot=f"{draft.number}:{slot.pointer}",
                question=f"{label} ({slot.name}) for {draft.action.words!r}?",
                type=slot.type,
                allowed=allowed,
            )
        )


def typed(answer: str, slot: Slot) -> JsonValue:
    """Gives an answer in the JSON terms of its slot; what does not fit stays text, for the validator to find."""
    if slot.type == "Edm.Boolean" and answer.casefold() in {"true", "false"}:
        return answer.casefold() == "true"
    if slot.type in NUMERIC and answer.lstrip("-").isdigit():
        return int(answer)
    if slot.type in NUMERIC and answer.replace(".", "", 1).lstrip("-").isdigit():
        return Decimal(answer)
    return answer
