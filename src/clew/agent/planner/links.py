"""Links: what a step takes from the steps before it: the object it acts on, its base document, what it points at."""

from collections.abc import Iterator, Mapping, Sequence

from clew.agent.planner.carrying import Carrier, own_item_key, same_family, way_to
from clew.agent.planner.catalogue import Catalogue
from clew.agent.planner.drafts import Draft
from clew.agent.planner.filling import Filler
from clew.agent.planner.matching import Wanted, match
from clew.agent.planner.slots import Collection, Slot, SlotReader
from clew.agent.planner.targets import Focus
from clew.agent.planner.vocabulary import Terms
from clew.domain.records import JsonValue
from clew.domain.references import is_reference

_POINTED = 0.8
_ACTIVE = "IsActiveEntity"
_ENTRY = frozenset({"entry", "number", "id", "cod", "order", "key"})
_FOREIGN = frozenset(
    {
        "external",
        "assignment",
        "accounting",
        "category",
        "typ",
        "customer",
        "supplier",
        "status",
        "dat",
        "amount",
        "quantity",
        "pric",
        "block",
    }
)


class Linker:
    """Links the drafts of one plan."""

    def __init__(self, catalogue: Catalogue, slots: SlotReader, filler: Filler) -> None:
        """Takes what the drafts are made from."""
        self.catalogue = catalogue
        self.carrier = Carrier(catalogue, slots)
        self.vocabulary = catalogue.vocabulary
        self.slots = slots
        self.filler = filler
        self.referring = frozenset(
            t for word in self.vocabulary.listed("referring") for t in self.vocabulary.terms(word)
        )

    # --- the object that is acted on

    def act_on(self, draft: Draft, earlier: Sequence[Draft]) -> bool:
        """Names the object that an operation is called on by the step that made it; false where no step did."""
        made = self._maker(draft, earlier)
        if made is None or made.focus is None:
            return self._same_object(draft, earlier)
        words = draft.action.words
        for name in self.catalogue.sets(made.focus.service)[made.focus.entity_set].key:
            if self._takes(draft, name):
                draft.fill_key(name, f"${made.number}.{name}", words, "reference")
        return True

    def _same_object(self, draft: Draft, earlier: Sequence[Draft]) -> bool:
        """Takes the key of the object that the step before acted on, where this one names none of its own."""
        names_one = any(self.filler.evidence(m).kind in {"identifier", "number"} for m in draft.action.own)
        for other in reversed(earlier):
            if other.focus is None or not other.key or names_one or not self.fits_type(draft, other.focus):
                continue
            for name, value in other.key.items():
                if self._takes(draft, name):
                    draft.fill_key(name, value, draft.action.words, "same")
            draft.parent_set = other.parent_set or other.target.entity_set
            return True
        return False

    def _takes(self, draft: Draft, name: str) -> bool:
        card = draft.operation
        if card is None or not self._by_parameters(draft):
            return True
        return name in card.parameters

    def _by_parameters(self, draft: Draft) -> bool:
        return self.catalogue.view(draft.target.service).service.version in {"V1", "V2"}

    def _maker(self, draft: Draft, earlier: Sequence[Draft]) -> Draft | None:
        """Gives the step whose result is acted on: the last that made such an object, or activated its draft."""
        for made in reversed(earlier):
            if made.focus is None or made.focus.service != draft.target.service:
                continue
            if not self.fits_type(draft, made.focus):
                continue
            if made.creates or self._activates(made):
                return made
        return None

    def _activates(self, draft: Draft) -> bool:
        """Whether an operation gives a new state of the object, with another key: a draft that becomes active."""
        card, focus = draft.operation, draft.focus
        if card is None or focus is None:
            return False
        key = self.catalogue.sets(focus.service)[focus.entity_set].key
        return _ACTIVE in key and card.returns.endswith(focus.type) and "activ" in card.terms

    def fits_type(self, draft: Draft, focus: Focus) -> bool:
        """Whether a draft acts on objects of a set."""
        view = self.catalogue.view(focus.service)
        if draft.operation is None:
            return draft.target.entity_set == focus.entity_set
        if draft.operation.bound_to:
            return view.is_derived(focus.type, draft.operation.bound_to)
        return set(self.catalogue.sets(focus.service)[focus.entity_set].key) <= set(draft.operation.parameters)

    # --- what is made inside something else

    def belong_to(self, draft: Draft, earlier: Sequence[Draft]) -> None:
        """Links a part to its whole: by the whole's key where the part may state it, else through its navigation."""
        for made in reversed(earlier):
            if (
                made.focus is None
                or not made.creates
                or made.focus.service != draft.target.service
                or draft.card is None
            ):
                continue
            key = [
                name for name in self.catalogue.sets(made.focus.service)[made.focus.entity_set].key if name != _ACTIVE
            ]
            plain = [name for name in key if name != "DraftUUID"]
            stated = [slot for slot in draft.slots if slot.name in plain and not slot.collection]
            if stated and self._is_part(draft, made.focus, key):
                for slot in stated:
                    self._refer(draft, slot, made, slot.name)
                return
            if not stated and (navigation := self._way_in(draft, made.focus)):
                draft.parent_set, draft.navigation = made.focus.entity_set, navigation
                for name in self.catalogue.sets(made.focus.service)[made.focus.entity_set].key:
                    draft.fill_key(name, f"${made.number}.{name}", draft.action.words, "reference")
                return

    def _is_part(self, draft: Draft, focus: Focus, key: Sequence[str]) -> bool:
        """Whether the draft's set holds parts of the other's objects, or points at them by a constraint."""
        card = draft.card
        assert card is not None  # noqa: S101
        whole = set(self.catalogue.sets(focus.service)[focus.entity_set].wording.name)
        if set(key) & set(card.key) and whole < set(card.wording.name):
            return True
        view = self.catalogue.view(focus.service)
        navigations = view.navigations(card.type).values()
        is_single = any(nav.target == focus.type and nav.multiplicity == "1" for nav in navigations)
        return is_single and set(key) <= set(view.properties(card.type))

    def _way_in(self, draft: Draft, focus: Focus) -> str:
        view = self.catalogue.view(focus.service)
        card = draft.card
        navigations = view.navigations(focus.type).values()
        return next(
            (nav.name for nav in navigations if card and nav.target == card.type and nav.multiplicity == "*"), ""
        )

    # --- what the words point at

    def point_at(self, draft: Draft, earlier: Sequence[Draft]) -> None:
        """Fills `that responsible cost center` with the key of the cost center that was made before."""
        for terms in (pointed for action in draft.actions for pointed in action.pointed):
            slot = self._meant(draft, terms)
            made = self._named(terms, earlier)
            if slot is None or made is None or not draft.is_free(slot):
                continue
            if (name := self._own_key(made)) and name in terms_of(slot, name):
                self._refer(draft, slot, made, name)

    def _meant(self, draft: Draft, terms: Terms) -> Slot | None:
        wanted = Wanted(terms=dict.fromkeys(terms, 1.0))
        scored = [
            (match(wanted, slot.wording, self.vocabulary), slot) for slot in draft.open_slots if not slot.collection
        ]
        best = max(scored, key=lambda pair: pair[0], default=(0.0, None))
        return best[1] if best[0] >= _POINTED and len(terms) > 1 else None

    def _named(self, terms: Terms, earlier: Sequence[Draft]) -> Draft | None:
        """Gives the earlier step whose object the terms name, the last one first."""
        for made in reversed(earlier):
            if made.creates and made.card and self._own(made) and self._own(made) <= set(terms):
                return made
        return None

    def _own(self, draft: Draft) -> set[str]:
        return set(draft.card.wording.name) - {"document", "header"} if draft.card else set()

    def _own_key(self, made: Draft) -> str:
        """Gives the key property that is called as the object itself, or its only one."""
        assert made.card is not None  # noqa: S101
        named = [name for name in made.card.key if set(self.vocabulary.name_terms(name)) <= self._own(made)]
        plain = [name for name in made.card.key if name not in {"DraftUUID", _ACTIVE}]
        return named[0] if named else plain[0] if len(plain) == 1 else ""

    # --- the document that a step is based on

    def follow(self, draft: Draft, earlier: Sequence[Draft]) -> None:
        """Refers to the base document, takes over who and what, where the words say that a step builds on another."""
        said = any(action.follows for action in draft.actions)
        if not draft.creates or draft.whole is not None or not (said or draft.comes_next):
            return
        base = self._base(draft, earlier)
        if base is None:
            return
        draft.follows = base
        if self._base_document(draft, base) or said:
            self.carrier.carry(draft, base)

    def _base(self, draft: Draft, earlier: Sequence[Draft]) -> Draft | None:
        makers = [made for made in earlier if made.creates and made.card]
        for terms in (pointed for action in draft.actions for pointed in action.pointed):
            for made in reversed(makers):
                if self._own(made) & set(terms) and made.target.id != draft.target.id:
                    return made
        return makers[-1] if makers else None

    def _base_document(self, draft: Draft, base: Draft) -> bool:
        """Refers to the base document; false where there is no place for that."""
        name = self._own_key(base)
        if not name:
            return False
        kind = self.catalogue.view(base.target.service).properties(base.card.type)[name].type if base.card else ""
        slot, score = self.entry(draft, name, kind, self._own(base), by_line=self._by_line(draft, base))
        if slot is None:
            return False
        if slot.collection:
            self._base_items(draft, base, slot, name)
        else:
            self._refer(draft, slot, base, name, score)
        return True

    def _by_line(self, draft: Draft, base: Draft) -> bool:
        """Whether the words refer line by line: they name a line, or the base itself was referred to so."""
        if self.filler.reading.lines or any("item" in terms for action in draft.actions for terms in action.pointed):
            return True
        inner = (str(path[2]) for path in base.values if len(path) == len(("to_Item", 0, "BaseEntry")))
        if any(self.vocabulary.name_terms(name)[:1] == ("bas",) for name in inner):
            return True
        # Entry, line and type together are how such a service refers, and it does so in the items.
        items = [slot for slot in draft.open_slots if slot.main and set(slot.wording.name) & self.referring]
        return any(self.line_of(draft, slot) and self.type_of(draft, slot) for slot in items)

    def entry(self, draft: Draft, name: str, kind: str, own: set[str], *, by_line: bool) -> tuple[Slot | None, float]:
        """Gives the free slot that refers to a document by its key `name`: in the header, or `by_line` in the items."""
        header = [slot for slot in draft.open_slots if not slot.collection]
        items = [slot for slot in draft.open_slots if slot.main]
        if any(slot.name == name and not draft.is_free(slot) for slot in header):
            return None, 0.0
        groups = (items, header) if by_line else (header, items)
        best: tuple[Slot | None, float] = (None, 0.0)
        for group in groups:
            scored = [(self._refers(slot, name, kind, own), slot) for slot in group if draft.is_free(slot)]
            score, slot = max(scored, key=lambda pair: pair[0], default=(0.0, None))
            # A slot that bears the key's very name is meant, wherever it is; else the nearer place counts.
            if slot is not None and score and (best[0] is None or score == 1.0 > best[1]):
                best = (slot, score)
        return best

    def _refers(self, slot: Slot, name: str, kind: str, own: set[str]) -> float:
        """Gives how likely a slot refers to the key `name` of an object with the terms `own` (0-1)."""
        if slot.is_inherited or (slot.is_key and slot.single_key):
            return 0.0
        terms = [term for term in slot.wording.name if term not in {"sd", "document", "header", "number", "id"}]
        if not same_family(slot.type, kind):
            return 0.0
        if slot.name == name:
            return 1.0
        if set(terms) & _FOREIGN:
            return 0.0
        rest = set(terms) - self.referring - _ENTRY
        if set(terms) & self.referring and not rest:
            return 0.0 if "item" in terms else 0.85 if "relat" in terms else 0.9
        return 0.8 if own and rest == own - self.referring and "item" not in terms else 0.0

    def _base_items(self, draft: Draft, base: Draft, slot: Slot, name: str) -> None:
        """Refers to the base from every item, to its item too, and says of which type it is."""
        source = next((c for c in self.slots.collections(base.target.service, base.target.entity_set) if c.main), None)
        count = max(draft.items(slot.collection), base.items(source.name) if source else 0, 1)
        for index in range(count):
            if draft.is_free(slot.at(index)):
                self._refer(draft, slot.at(index), base, name)
            self._base_line(draft, base, slot, source, index)

    def _base_line(self, draft: Draft, base: Draft, slot: Slot, source: Collection | None, index: int) -> None:
        line = self.line_of(draft, slot)
        if line is None or not draft.is_free(line.at(index)):
            return
        inherited = next(
            (v for path, v in base.values.items() if path[-1] == line.name and path[1:2] == (index,)), None
        )
        lines = self.filler.reading.lines
        if (
            source is not None
            and (key := own_item_key(self.catalogue, base, source))
            and (way := way_to(base, source, index))
        ):
            draft.fill(line.at(index), f"{way}.{key}", draft.action.words, "reference")
        elif inherited is not None and not is_reference(inherited):
            draft.fill(line.at(index), inherited, draft.action.words, "same")
        elif index < len(lines) and line.type.startswith("Edm.Int"):
            draft.fill(line.at(index), lines[index][0], lines[index][1], "mention")
        elif source is not None and (number := self._line_number(base, source)) and base.items(source.name) > index:
            draft.fill(
                line.at(index), f"${base.number}.{source.name}[{index}].{number}", draft.action.words, "reference"
            )

    def _line_number(self, base: Draft, source: Collection) -> str:
        """Gives the property by which complex values are numbered (`LineNum`)."""
        properties = self.catalogue.view(base.target.service).properties(source.type).values()
        numbers = [prop.name for prop in properties if self.vocabulary.name_terms(prop.name) == ("item", "number")]
        return numbers[0] if len(numbers) == 1 else ""

    def line_of(self, draft: Draft, entry: Slot) -> Slot | None:
        """Gives the slot for the item of the document that `entry` refers to: same words, and `item` or `line`."""
        stem = entry.name
        for ending in ("Entry", "Document", "ID", "Number"):
            stem = stem.removesuffix(ending)
        beside = [slot for slot in draft.open_slots if slot.path[:-1] == entry.path[:-1] and slot.name != entry.name]
        named = [slot for slot in beside if slot.name.startswith((entry.name, stem)) and "item" in slot.wording.name]
        exact = [slot for slot in named if not set(slot.wording.name) & {"category", "typ", "text", "status"}]
        return min(exact, key=lambda slot: len(slot.name), default=None)

    def type_of(self, draft: Draft, entry: Slot) -> Slot | None:
        """Gives the slot for the type of the document that `entry` refers to (`BaseType` beside `BaseEntry`)."""
        stem = entry.name
        for ending in ("Entry", "Document", "ID", "Number"):
            stem = stem.removesuffix(ending)
        beside = [slot for slot in draft.open_slots if slot.collection == entry.collection]
        named = next((slot for slot in beside if slot.name in {f"{stem}Type", f"{stem}DocumentType"}), None)
        if named is not None and entry.collection == named.collection and not entry.inner:
            return named
        return next(
            (slot for slot in beside if slot.wording.name[-1:] == ("typ",) and slot.inner & set(slot.wording.name)),
            None,
        )

    def _refer(self, draft: Draft, slot: Slot, base: Draft, name: str, score: float = 1.0) -> None:
        if draft.is_free(slot):
            draft.fill(slot, f"${base.number}.{name}", draft.action.words, "reference", score)


def terms_of(slot: Slot, name: str) -> set[str]:
    """Gives the names by which a slot may be called for the key property `name`."""
    return {name, slot.name}


def linked(values: Mapping[str, JsonValue]) -> Iterator[str]:
    """Gives the names whose values are references."""
    yield from (name for name, value in values.items() if isinstance(value, str) and value.startswith("$"))
