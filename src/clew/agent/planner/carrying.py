"""Carrying: what a step takes over from the steps that it follows: who, what, where, and the keys that it must name."""

from collections.abc import Iterator, Sequence

from clew.agent.planner.catalogue import Catalogue
from clew.agent.planner.drafts import Draft
from clew.agent.planner.slots import Collection, Path, Slot, SlotReader
from clew.agent.planner.values import NUMERIC
from clew.agent.planner.vocabulary import Terms

_DRAFT = frozenset({"DraftUUID", "IsActiveEntity"})
_SURE, _LIKELY, _ONLY_PARTY = 1.0, 0.9, 0.6


class Carrier:
    """Takes values of earlier drafts over into later ones."""

    def __init__(self, catalogue: Catalogue, slots: SlotReader) -> None:
        """Takes what the drafts are made from."""
        self.catalogue = catalogue
        self.vocabulary = catalogue.vocabulary
        self.slots = slots

    def carry(self, draft: Draft, base: Draft) -> None:
        """Takes over who, what and where of the base document: what has the same name in both."""
        theirs = {path[-1]: path for path in base.values if len(path) == 1}
        for slot in draft.open_slots:
            if not slot.collection and slot.name in theirs and draft.is_free(slot) and self._class_of(slot):
                self._take_over(draft, slot, base, theirs[slot.name])
        source = self.main_items(base)
        if source is None:
            return
        for index in range(base.items(source.name)):
            items = {path[2]: path for path in base.values if len(path) > 2 and path[:2] == (source.name, index)}
            for slot in draft.open_slots:
                placed = slot.at(index)
                if slot.main and slot.name in items and draft.is_free(placed) and self._class_of(slot):
                    self._take_over(draft, placed, base, items[slot.name])

    def _take_over(self, draft: Draft, slot: Slot, base: Draft, path: Path, score: float = _SURE) -> None:
        draft.fill(slot, base.values[path], base.words_of(path), "same", score)

    def complete(self, draft: Draft, required: Sequence[Slot]) -> None:
        """Fills what a step must hold and what the steps before it tell: their keys, and who, what, where, how much."""
        chain = list(_chain(draft))
        for slot in required:
            if not draft.is_free(slot):
                continue
            if (found := self._key_in(chain, slot)) is not None:
                draft.fill(slot, found, draft.action.words, "reference")
            elif self._is_only_one(slot, required) and (told := self._told(chain, slot)) is not None:
                base, path, score = told
                self._take_over(draft, slot, base, path, score)

    def _key_in(self, chain: Sequence[Draft], slot: Slot) -> str | None:
        """Gives the reference to the key of an earlier document, or of its item, that bears the slot's name."""
        for base in chain:
            if base.card is None:
                continue
            properties = self.catalogue.view(base.target.service).properties(base.card.type)
            if slot.name in base.card.key and same_family(properties[slot.name].type, slot.type):
                return f"${base.number}.{slot.name}"
            source = self.main_items(base)
            if source is not None and slot.collection and own_item_key(self.catalogue, base, source) == slot.name:
                return f"{way}.{slot.name}" if (way := way_to(base, source, _index(slot.path))) else None
        return None

    def _is_only_one(self, slot: Slot, required: Sequence[Slot]) -> bool:
        """Whether no other required slot beside this one is about the same, like the quantity."""
        beside = [other for other in required if other.path[:-1] == slot.path[:-1]]
        if kind := self._class_of(slot):
            return sum(self._class_of(other) == kind for other in beside) == 1
        return sum(self._party_of(other) for other in beside) == 1

    def _told(self, chain: Sequence[Draft], slot: Slot) -> tuple[Draft, Path, float] | None:
        """Gives where the nearest earlier step that tells it says it, if it says one thing, and how sure that is."""
        wanted = self._class_of(slot)
        for base in chain if wanted else ():
            paths = list(self._places(base, slot, wanted))
            if paths:
                values = [base.values[path] for path in paths]
                return (base, paths[0], _LIKELY) if all(value == values[0] for value in values) else None
        parties = [(base, path) for base in chain for path in self._parties(base)] if self._party_of(slot) else []
        named = [base.values[path] for base, path in parties]
        return (*parties[0], _ONLY_PARTY) if named and all(party == named[0] for party in named) else None

    def _places(self, base: Draft, slot: Slot, wanted: Terms) -> Iterator[Path]:
        """Gives where a draft tells something of a class, in the item of the same number for an item."""
        for other in base.open_slots:
            placed = other.at(_index(slot.path))
            if not base.is_free(placed) and self._class_of(other) == wanted and _are_alike(other.type, slot.type):
                yield placed.path

    def _parties(self, base: Draft) -> Iterator[Path]:
        yield from (slot.path for slot in base.open_slots if not base.is_free(slot) and self._party_of(slot))

    def _party_of(self, slot: Slot) -> bool:
        """Whether a slot names a business partner in some role."""
        terms = slot.wording.head or slot.wording.name
        last = next((term for term in reversed(terms) if self.vocabulary.weight(term) >= 1), "")
        return not slot.collection and (last == "partner" or self.vocabulary.similarity(last, "partner") > 0)

    def _class_of(self, slot: Slot) -> Terms:
        """Gives what kind of who, where or what a property tells, which a following document has too; empty if none."""
        named = slot.wording.head or slot.wording.name
        terms = tuple(term for term in named if self.vocabulary.weight(term) > 0.15)
        found = (carried for carried in self.vocabulary.carried if terms[-len(carried) :] == carried)
        return max(found, key=len, default=())

    def main_items(self, draft: Draft) -> Collection | None:
        """Gives the collection that holds the items of what a draft makes."""
        if not draft.creates:
            return None
        collections = self.slots.collections(draft.target.service, draft.target.entity_set)
        return next((collection for collection in collections if collection.main), None)


def _chain(draft: Draft) -> Iterator[Draft]:
    """Gives the steps that a step follows, the nearest first."""
    base = draft.follows
    while base is not None:
        yield base
        base = base.follows


def _index(path: Path) -> int:
    return next((part for part in path if isinstance(part, int)), 0)


def way_to(base: Draft, source: Collection, index: int) -> str:
    """Gives the reference to an item of an earlier step, made inside it or by a step of its own; empty if none."""
    if index < len(base.parts):
        return f"${base.parts[index].number}"
    return f"${base.number}.{source.name}[{index}]" if base.items(source.name) > index else ""


def own_item_key(catalogue: Catalogue, base: Draft, source: Collection) -> str:
    """Gives the key property of an item that is its own; complex values have none."""
    above = base.card.key if base.card else ()
    key = catalogue.view(base.target.service).key(source.type)
    own = [name for name in key if name not in {*above, *_DRAFT}]
    return own[0] if len(own) == 1 else ""


def _are_alike(one: str, other: str) -> bool:
    return same_family(one, other) or {one, other} <= NUMERIC


def same_family(one: str, other: str) -> bool:
    """Whether values of two types may stand for each other: the same, or whole numbers both."""
    return one == other or (one.startswith("Edm.Int") and other.startswith("Edm.Int"))
