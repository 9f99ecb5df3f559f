"""Bases: a document that was there already, and that a new one builds on (`offer 1044 … turn it into an order`)."""

from collections.abc import Iterator, Sequence

from clew.agent.planner.catalogue import SetCard
from clew.agent.planner.drafts import Draft
from clew.agent.planner.filling import Filler
from clew.agent.planner.keys import KeyFinder
from clew.agent.planner.links import Linker
from clew.agent.planner.prospect import Prospect
from clew.agent.planner.slots import Slot
from clew.agent.planner.values import WHOLE, suits, written

_KEY_TYPES = WHOLE | {"Edm.String", "Edm.Guid"}
_DRAFT = frozenset({"DraftUUID", "IsActiveEntity"})
_DETAILS = frozenset({"entry", "number", "id", "item", "internal"})


class ObjectBases:
    """Refers from new documents to those that a request names as there already."""

    def __init__(self, linker: Linker, keys: KeyFinder, filler: Filler, prospect: Prospect) -> None:
        """Takes what finds the objects and the slots that refer to them."""
        self.linker = linker
        self.keys = keys
        self.filler = filler
        self.prospect = prospect

    def refer(self, draft: Draft) -> None:
        """Fills the reference to a base document, its line and its type, where the words say that one is meant."""
        if not draft.creates or not any(action.builds for action in draft.actions):
            return
        for mention in draft.mentions:
            card = self._object(draft, mention)
            if card is not None and not self._has_own_place(draft, card):
                self._refer_to(draft, mention, card)
                return

    def go_on(self, draft: Draft, earlier: Sequence[Draft]) -> None:
        """Refers to the object that the last step acted on: `release order 4711 and bill it`."""
        follows = any(action.follows for action in draft.actions) and draft.creates and draft.whole is None
        if not follows or draft.follows is not None or draft.base_terms:
            return
        for other in reversed(earlier):
            if other.focus is None or not other.key or other.creates:
                continue
            card = self.keys.catalogue.sets(other.focus.service)[other.focus.entity_set]
            plain = [name for name in card.key if name in other.key and name not in _DRAFT]
            if len(plain) == 1 and card.name != draft.target.entity_set:
                kind = self.keys.catalogue.view(card.service).properties(card.type)[plain[0]].type
                own = set(card.wording.name) - {"document", "header"}
                slot, score = self.linker.entry(draft, plain[0], kind, own, by_line=False)
                if slot is not None:
                    draft.fill(slot, other.key[plain[0]], other.action.words, "same", score)
            return

    def _object(self, draft: Draft, mention: int) -> SetCard | None:
        if mention in self.filler.used:
            return None
        focus = self.keys.object_of(mention, list(self.prospect.services), self.prospect.bound)
        if focus is None or focus.entity_set == draft.target.entity_set:
            return None
        return self.keys.catalogue.sets(focus.service)[focus.entity_set]

    def _has_own_place(self, draft: Draft, card: SetCard) -> bool:
        """Whether the new document has a slot named for such objects; then they are filled like anything else."""
        own = set(card.wording.name) - {"document", "header"}
        plain = self.linker.referring | self.filler.vocabulary.roles | _DETAILS | {"cod", "document", "sd"}
        near = (slot for slot in draft.open_slots if (slot.main or not slot.collection) and slot.type in _KEY_TYPES)
        named = (slot for slot in near if own <= set(slot.wording.name) <= own | plain)
        return next(named, None) is not None or any(own & slot.inner for slot in draft.slots)

    def _refer_to(self, draft: Draft, mention: int, card: SetCard) -> None:
        details = list(self._details(mention))
        lines = [m for m in details if "item" in self._terms(m)]
        numbers = [m for m in details if m not in lines]
        key = next((name for name in card.key if name not in _DRAFT), "")
        view = self.keys.catalogue.view(card.service)
        kind = view.properties(card.type)[key].type if key else "Edm.String"
        by_line = bool(lines or self.filler.reading.lines)
        slot, score = self.linker.entry(draft, key, kind, set(card.wording.name), by_line=by_line)
        if slot is None:
            return
        said = next((m for m in numbers if "entry" in slot.wording.name), mention)
        self._fill(draft, slot, said, score)
        draft.base_terms = card.wording.name
        line = self.linker.line_of(draft, slot)
        if line is not None and lines:
            self._fill(draft, line, lines[0], score)
        self.filler.used.update({mention, *numbers})
        self._say_type(draft, slot)

    def _say_type(self, draft: Draft, entry: Slot) -> None:
        """Takes the type of the base document where the request gives it: `object type 17`."""
        kind = self.linker.type_of(draft, entry)
        for mention in draft.mentions:
            terms = self._terms(mention)
            if (
                kind is not None
                and mention not in self.filler.used
                and "typ" in terms
                and terms <= {"typ", "object", "document"}
            ):
                self._fill(draft, kind, mention, 1.0)
                return

    def _fill(self, draft: Draft, slot: Slot, mention: int, score: float) -> None:
        named = self.filler.reading.mentions[mention]
        evidence = self.filler.evidence(mention)
        if suits(named, evidence.kind, slot, None):
            draft.fill(slot, written(named, slot, None), evidence.words, "mention", score)
            self.filler.used.add(mention)

    def _details(self, mention: int) -> Iterator[int]:
        """Gives the mentions after one that tell its number or line: `offer 1044 (internal number 1044, line 0)`."""
        for other in range(mention + 1, len(self.filler.reading.mentions)):
            if self.filler.evidence(other).kind not in {"number", "identifier"}:
                return
            if self._terms(other) <= _DETAILS and self._terms(other):
                yield other

    def _terms(self, mention: int) -> set[str]:
        readings = self.filler.evidence(mention).readings
        return {term for term, weight in readings[0].terms if weight > 0.5} if readings else {"?"}
