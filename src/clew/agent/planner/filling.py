"""Filling: the mentions of a step go where they fit best, each once; what fits two places is asked about."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

from clew.agent.planner.assignment import assign
from clew.agent.planner.catalogue import Catalogue
from clew.agent.planner.drafts import Draft
from clew.agent.planner.evidence import Evidence
from clew.agent.planner.fitting import Fitter, Setting
from clew.agent.planner.reading import RequestReading
from clew.agent.planner.slots import Path, Slot
from clew.agent.planner.values import DATES, written
from clew.agent.planner.vocabulary import stem
from clew.domain.plans import Question
from clew.domain.proposals import FillRule, Mention
from clew.domain.records import Record
from clew.domain.services import ValueHelp

LEAST, MARGIN = 0.58, 0.05
_REPEATED, _CLOSED = 0.25, 0.1
_CURRENCY = stem("currency")
_PLACES = frozenset({"warehous", "plant", "branch", "storag", "plac"})


class Fit(Record, frozen=True, kw_only=True):
    """A mention in a slot with its score."""

    mention: int
    slot: Slot
    score: float


class Doubt(Record, frozen=True, kw_only=True):
    """A mention that fits several slots about as well."""

    mention: int
    fits: tuple[Fit, ...]


class Filler:
    """Fills the slots of drafts from the mentions of one request."""

    def __init__(self, catalogue: Catalogue, reading: RequestReading, answers: Mapping[str, str]) -> None:
        """`answers` are by the slots of earlier questions."""
        self.catalogue = catalogue
        self.vocabulary = catalogue.vocabulary
        self.reading = reading
        self.answers = answers
        self.fitter = Fitter(catalogue.vocabulary)
        self.used: set[int] = set()
        self.rules: dict[int, FillRule] = {}
        """Mentions whose value was looked up."""
        self.questions: list[Question] = []
        self.doubted: set[int] = set()
        self.homeless: dict[int, str] = {}
        """Units and currencies, by mention, that found no slot though their number did."""

    def evidence(self, mention: int) -> Evidence:
        """Gives the evidence of a mention."""
        return self.reading.evidence[mention]

    def codes(self, draft: Draft, slot: Slot) -> ValueHelp | None:
        """Gives the code list of a slot."""
        return self.catalogue.view(draft.target.service).value_help_of(slot.facets)

    def fill(self, draft: Draft, mentions: Sequence[int], *, least: float = LEAST) -> None:
        """Puts as many of the mentions as fit into the draft, at least as well as `least`."""
        free = [m for m in dict.fromkeys(mentions) if m not in self.used]
        leading = [m for m in free if self.evidence(m).like not in free]
        scores = {m: options for m in leading if (options := self._options(draft, m, least))}
        chosen = assign({m: {path: fit.score for path, fit in options.items()} for m, options in scores.items()})
        taken = set(chosen.values())
        for mention, path in chosen.items():
            rivals = self._rivals(scores[mention], path, taken)
            if rivals:
                self._doubt(draft, Doubt(mention=mention, fits=(scores[mention][path], *rivals)))
                continue
            self._place(draft, scores[mention][path])
        if draft.operation is not None:
            self._lone_date(draft, [m for m in leading if m not in scores])
        self._spread(draft, leading)
        for mention in leading:
            self._repeat(draft, mention, scores.get(mention, {}))
        self._units(draft)

    # --- which slots

    def _options(self, draft: Draft, mention: int, least: float) -> dict[Path, Fit]:
        evidence = self.evidence(mention)
        setting = self.setting(draft)
        found: dict[Path, Fit] = {}
        closed = 0.0
        for slot in draft.slots:
            if not self._is_open(draft, evidence, slot):
                continue
            placed = slot.at(self._index(draft, evidence)) if slot.main else slot
            if not draft.is_free(placed):
                continue
            score = self.fitter.fit(self.reading.mentions[mention], evidence, slot, self.codes(draft, slot), setting)
            if not slot.is_open:
                closed = max(closed, score if evidence.label else 0.0)
            elif score >= least:
                found[placed.path] = Fit(mention=mention, slot=placed, score=score)
        # What plainly means a property that may not be given is not put into one that looks a little like it.
        return found if max((fit.score for fit in found.values()), default=0.0) > closed - _CLOSED else {}

    def _is_open(self, draft: Draft, evidence: Evidence, slot: Slot) -> bool:
        """Whether a mention of an item goes only where items are, if there is such a place."""
        if evidence.group < 0:
            return True
        return slot.main == draft.has_items

    def _index(self, draft: Draft, evidence: Evidence) -> int:
        """Gives the item that a mention belongs to, by the quantities that come before it."""
        groups = sorted({e.group for m in draft.mentions if (e := self.evidence(m)).group >= 0})
        if evidence.group in groups:
            return groups.index(evidence.group)
        place = self.reading.mentions[evidence.mention].start
        before = [at for at, group in enumerate(groups) if self.reading.mentions[group].start < place]
        return before[-1] if before else 0

    def setting(self, draft: Draft) -> Setting:
        """Gives what stands around the mentions of a draft."""
        context = {term for action in draft.actions for term, _ in (*action.objects, *action.facts)}
        for mention in draft.mentions:
            context |= set(self.vocabulary.terms(self.evidence(mention).label))
        verbs = {term for action in draft.actions for term in self.vocabulary.terms(action.words.split(" ")[0])}
        told = {term for action in draft.actions for term, _ in action.facts}
        changing = draft.target.method == "PATCH" and draft.action.verb
        return Setting(
            context=frozenset(context),
            follows=any(action.follows for action in draft.actions),
            verbs=frozenset(verbs | told),
            changed=changing.noun if changing else (),
        )

    def _rivals(self, options: Mapping[Path, Fit], path: Path, taken: set[Path]) -> list[Fit]:
        """Gives the free slots that a mention would fit about as well; the same name in header and item is one."""
        best = options[path]
        return [
            fit
            for other, fit in options.items()
            if other not in taken and best.score - fit.score < MARGIN and fit.slot.name != best.slot.name
            and not self._is_place(fit.slot)
        ]  # fmt: skip

    def _is_place(self, slot: Slot) -> bool:
        return bool(_PLACES & set(slot.wording.name)) and bool(slot.collection)

    # --- placing

    def _place(self, draft: Draft, fit: Fit) -> None:
        mention = self.reading.mentions[fit.mention]
        codes = self.codes(draft, fit.slot)
        self.used.add(fit.mention)
        if mention.value is None:
            self._ask_value(draft, fit.slot, mention)
            return
        rule: FillRule = self.rules.get(fit.mention, "code" if codes and codes.closed else "mention")
        draft.fill(fit.slot, written(mention, fit.slot, codes), self.evidence(fit.mention).words, rule, fit.score)

    def _spread(self, draft: Draft, mentions: Sequence[int]) -> None:
        """Gives every item what was said once behind the last of several: `… 3 pieces of A2, all in warehouse 01`."""
        main = next((slot.collection for slot in draft.slots if slot.main), "")
        count = draft.items(main)
        for slot in [slot for slot in draft.open_slots if slot.main] if count > 1 else ():
            held = [index for index in range(count) if not draft.is_free(slot.at(index))]
            said = [m for m in mentions if m in self.used and held and self._holds(draft, slot.at(held[0]), m)]
            if len(held) != 1 or len(said) != 1 or self.evidence(said[0]).group >= 0:
                continue
            for index in range(count):
                if draft.is_free(slot.at(index)):
                    draft.fill(
                        slot.at(index), draft.values[slot.at(held[0]).path], self.evidence(said[0]).words, "mention"
                    )

    def _holds(self, draft: Draft, slot: Slot, mention: int) -> bool:
        """Whether a slot was filled by a mention."""
        place, words = f"{draft.number}:{slot.pointer}", self.evidence(mention).words
        return any(fill.slot == place and fill.words == words for fill in draft.fills)

    def _lone_date(self, draft: Draft, mentions: Sequence[int]) -> None:
        """Gives an operation its date where it takes but one and the words name but one."""
        dates = [slot for slot in draft.open_slots if slot.type in DATES and slot.name not in draft.key]
        said = [m for m in mentions if self.evidence(m).kind == "date" and not self.evidence(m).label]
        if len(dates) == 1 and len(said) == 1 and draft.is_free(dates[0]):
            self._place(draft, Fit(mention=said[0], slot=dates[0], score=LEAST))

    def _ask_value(self, draft: Draft, slot: Slot, mention: Mention) -> None:
        place = f"{draft.number}:{slot.pointer}"
        if place in self.answers:
            draft.fill(slot, self.answers[place], mention.text, "answer")
            return
        self.questions.append(Question(slot=place, question=f"Which day is {mention.text!r}?", type=slot.type))

    def _doubt(self, draft: Draft, doubt: Doubt) -> None:
        mention = self.reading.mentions[doubt.mention]
        place = f"{draft.number}:@{mention.start}"
        answer = self.answers.get(place)
        chosen = next((fit for fit in doubt.fits if fit.slot.pointer == answer), None)
        if chosen is not None:
            self._place(draft, chosen)
            return
        self.doubted.add(doubt.mention)
        names = " or ".join(f"{fit.slot.facets.texts.label or fit.slot.name} ({fit.slot.name})" for fit in doubt.fits)
        self.questions.append(
            Question(
                slot=place,
                question=f"Is {mention.text!r} the {names}?",
                type="JSON pointer",
                allowed=tuple(fit.slot.pointer for fit in doubt.fits),
            )
        )

    def _repeat(self, draft: Draft, mention: int, options: Mapping[Path, Fit]) -> None:
        """Puts a place that stands in the header into the items too, which have a slot of their own for it."""
        value = self.reading.mentions[mention].value
        held = [fit for fit in options.values() if mention in self.used and draft.values.get(fit.slot.path) == value]
        placed = held[0] if held else None
        if placed is None or placed.slot.collection or not _PLACES & set(placed.slot.wording.name):
            return
        inner = [fit for fit in options.values() if fit.slot.main and placed.score - fit.score <= _REPEATED]
        best = max(inner, key=lambda fit: fit.score, default=None)
        if best is None or not _PLACES & set(best.slot.wording.name):
            return
        for index in range(max(1, draft.items(best.slot.collection))):
            slot = best.slot.at(index)
            if draft.is_free(slot):
                value = written(self.reading.mentions[mention], slot, self.codes(draft, slot))
                draft.fill(slot, value, self.evidence(mention).words, "mention", best.score)

    # --- units

    def _units(self, draft: Draft) -> None:
        for mention in list(self.used):
            evidence = self.evidence(mention)
            if evidence.kind not in {"quantity", "amount"} or mention not in draft.mentions:
                continue
            for slot in list(self._slots_of(draft, mention)):
                self._unit(draft, mention, slot)

    def _slots_of(self, draft: Draft, mention: int) -> Iterator[Slot]:
        value = self.reading.mentions[mention].value
        words = self.evidence(mention).words
        for fill in draft.fills:
            if fill.words == words and fill.value == value:
                index = next((int(part) for part in fill.slot.split("/") if part.isdigit()), 0)
                yield from (s for slot in draft.slots if f"{draft.number}:{(s := slot.at(index)).pointer}" == fill.slot)

    def _unit(self, draft: Draft, mention: int, slot: Slot) -> None:
        """Fills the unit or currency that belongs to an amount: by its name, else as the metadata pairs them."""
        names = (f"{slot.name}Unit", slot.facets.unit, slot.name.removesuffix("Quantity") + "QuantityUnit")
        siblings = {
            other.name: other.at(_index_of(slot))
            for other in draft.open_slots
            if other.path[:-1] == slot.at(0).path[:-1]
        }
        said = self.reading.mentions[mention].unit
        unit = next((siblings[name] for name in names if name in siblings), None)
        if unit is None and said in self.vocabulary.listed("currencies"):
            unit = self._currency(draft, siblings)
        if unit is None or not draft.is_free(unit):
            if said in self._coded and (unit is None or draft.values[unit.path] != said):
                self.homeless[mention] = said
            return
        codes = self.codes(draft, unit)
        if said in self._coded:
            draft.fill(unit, said, self.evidence(mention).words, "unit")
        elif codes is not None and said and (code := _code_by_text(said, codes)):
            draft.fill(unit, code, self.evidence(mention).words, "code")
        else:
            self._named_unit(draft, unit)

    @cached_property
    def _coded(self) -> frozenset[str]:
        return self.vocabulary.group("units", "codes") | self.vocabulary.listed("currencies")

    def _currency(self, draft: Draft, siblings: Mapping[str, Slot]) -> Slot | None:
        """Gives the one slot beside an amount, or in the header, that is called currency and nothing else."""
        header = (slot for slot in draft.open_slots if not slot.collection)
        for slots in (siblings.values(), header):
            named = [slot for slot in slots if self._heavy(slot) == [_CURRENCY]]
            if named:
                return named[0] if len(named) == 1 else None
        return None

    def _heavy(self, slot: Slot) -> list[str]:
        return [term for term in slot.wording.name if self.vocabulary.weight(term) >= 1]

    def _named_unit(self, draft: Draft, unit: Slot) -> None:
        """Takes the unit from a mention that says `unit H`."""
        for other in draft.mentions:
            terms = {term for reading in self.evidence(other).readings for term, _ in reading.terms}
            mention = self.reading.mentions[other]
            if other not in self.used and terms == {"unit"} and mention.kind == "code":
                draft.fill(unit, mention.text, self.evidence(other).words, "unit")
                self.used.add(other)
                return


def _index_of(slot: Slot) -> int:
    return slot.path[1] if len(slot.path) > 1 and isinstance(slot.path[1], int) else 0


def _code_by_text(text: str, codes: ValueHelp) -> str:
    said = text.casefold()
    found = [code.code for code in codes.codes if said in {code.text.casefold(), f"{code.text.casefold()}s"}]
    return found[0] if len(found) == 1 else ""
