"""Fitting: how well a mention belongs into a slot, by label, kind and facets, from 0 to 1."""

from collections.abc import Mapping

from clew.agent.planner.evidence import Evidence, Reading
from clew.agent.planner.matching import Wanted, match
from clew.agent.planner.slots import Slot
from clew.agent.planner.values import DATES, suits
from clew.agent.planner.vocabulary import Terms, Vocabulary
from clew.domain.proposals import Mention
from clew.domain.records import Record
from clew.domain.services import ValueHelp

_HEADER, _INNER = 0.08, 0.9
_CUE = 0.5
_UNLABELLED_DATE = 0.45
_IMPLIED: Mapping[str, frozenset[str]] = {
    "date": frozenset({"dat", "time"}),
    "quantity": frozenset({"quantity", "request", "order", "schedul", "item"}),
    "amount": frozenset({"amount", "pric"}),
    "quoted": frozenset({"nam", "text", "description"}),
    "name": frozenset({"nam", "person"}),
}


class Setting(Record, frozen=True, kw_only=True):
    """What stands around the mentions of one step: terms nearby, and whether it builds on something before."""

    context: frozenset[str] = frozenset()
    follows: bool = False
    verbs: frozenset[str] = frozenset()
    changed: tuple[str, ...] = ()
    """What a changing verb is about (`block`): the property that it changes says so."""


class Fitter:
    """Scores mentions against slots."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        """Takes the words to compare by."""
        self.vocabulary = vocabulary

    def fit(self, mention: Mention, evidence: Evidence, slot: Slot, codes: ValueHelp | None, setting: Setting) -> float:
        """Gives how well a mention belongs into a slot (0-1)."""
        kind = evidence.kind
        suited = suits(mention, kind, slot, codes)
        if not suited or not self._may_be_placed(evidence, slot):
            return 0.0
        implied = _IMPLIED.get(kind, frozenset())
        context = setting.context
        if not evidence.readings:
            return suited * self._unlabelled(slot, setting) if slot.type in DATES else 0.0
        best = 0.0
        for reading in self._readings(evidence, mention):
            terms = dict.fromkeys(setting.changed, _CUE) | dict(reading.terms)
            wanted = Wanted(terms=terms, context=context, implied=implied)
            best = max(best, reading.strength * match(wanted, slot.wording, self.vocabulary))
        if not best:
            return 0.0
        if slot.collection and not slot.main:
            best *= _INNER
        return suited * best + (_HEADER if not slot.collection and evidence.group < 0 else 0.0)

    def _readings(self, evidence: Evidence, mention: Mention) -> list[Reading]:
        """Gives the readings, and one by the unit of a quantity (`8 hours` into `Hours`)."""
        readings = list(evidence.readings)
        if evidence.kind == "quantity" and mention.unit and (terms := self.vocabulary.terms(mention.unit)):
            readings.append(Reading(terms=tuple((term, 1.0) for term in terms), strength=0.9))
        return readings

    def _may_be_placed(self, evidence: Evidence, slot: Slot) -> bool:
        """Whether a slot is open to a mention: items are for items, a lone key for who names the thing itself."""
        terms = {term for reading in evidence.readings for term, _ in reading.terms}
        if slot.is_inherited or (evidence.keyed and not self._is_about(slot, evidence.keyed)):
            return False
        if slot.is_key and slot.single_key and not slot.parameter:
            about = set(slot.wording.name) - {"number", "id", "cod"}
            if not (about <= slot.wording.own and terms & slot.wording.own):
                return False
        if slot.collection and not slot.main:
            return bool(slot.inner & terms) and evidence.role != "party"
        # Who or what is meant by a name is looked up, or asked; it is no text to be written down.
        return not (evidence.kind == "name" and evidence.role in {"object", "party"})

    def _is_about(self, slot: Slot, kind: Terms) -> bool:
        """Whether a slot names a thing of some kind: the last word of its name, or of its label, says so."""
        for terms in (slot.wording.name, slot.wording.label):
            last = next((term for term in reversed(terms) if self.vocabulary.weight(term) >= 1), "")
            if last and any(last == term or self.vocabulary.similarity(last, term) for term in kind):
                return True
        return False

    def _unlabelled(self, slot: Slot, setting: Setting) -> float:
        """Scores a date that nothing names: the document's own date, or one that the verb is about."""
        rest = [t for t in slot.wording.name if t not in slot.wording.own and t not in _IMPLIED["date"]]
        rest = [term for term in rest if self.vocabulary.weight(term) > 0.4]
        near = sum(term in setting.verbs for term in rest)
        return _UNLABELLED_DATE + 0.4 * (near / len(rest) if rest else 1.0)
