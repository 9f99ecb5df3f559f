"""Naming: codes that are named by their text or their member, and yes or no that is stated in words."""

import re
from collections.abc import Iterator, Sequence

from clew.agent.planner.drafts import Draft
from clew.agent.planner.filling import Filler
from clew.agent.planner.links import Linker
from clew.agent.planner.slots import Slot
from clew.agent.planner.values import NUMERIC
from clew.agent.planner.vocabulary import Terms, Vocabulary, split_name, stem
from clew.domain.records import JsonValue
from clew.domain.services import Code, ValueHelp

_YES = frozenset({"yes", "tyes", "y", "true"})
_NO = frozenset({"no", "tno", "n", "false"})
_CHUNK = re.compile(r"[,;:()\n.]| (?:as|als|and|und|with|mit|to|auf) | (?=(?:without|ohne) )")
_ROLES_LEAST, _PLAIN = 2, 2
_APPLIED = stem("applied")
_ROLE_HEADS = (("typ",), ("category",), ("rol",))


class Namer:
    """Fills codes and flags of drafts from words."""

    def __init__(self, filler: Filler, linker: Linker) -> None:
        """Takes the filler of the same request."""
        self.filler = filler
        self.linker = linker
        self.vocabulary = filler.vocabulary

    def name(self, draft: Draft) -> None:
        """Fills what the words of a draft's actions name."""
        for slot in draft.open_slots:
            if slot.collection and not slot.main:
                continue
            placed = slot.at(0)
            codes = self.filler.codes(draft, slot)
            if not draft.is_free(placed):
                continue
            if slot.type == "Edm.Boolean" or (codes and is_yes_no(codes)):
                self._flag(draft, placed, codes)
            elif codes and codes.closed and codes.codes:
                self._code(draft, placed, codes)

    # --- an amount that is applied

    def apply(self, draft: Draft) -> None:
        """Puts the amount of a payment into what it clears: `clear the invoice with it`."""
        if not any(action.verb and action.verb.applies for action in draft.actions):
            return
        amounts = [fill for fill in draft.fills if self._is_amount(fill.words) and fill.slot.count("/") == 1]
        slot = next((slot.at(0) for slot in draft.open_slots if self._is_applied(draft, slot)), None)
        if slot is not None and len(amounts) == 1:
            draft.fill(slot, amounts[0].value, draft.actions[-1].words, "same")

    def _is_applied(self, draft: Draft, slot: Slot) -> bool:
        """Whether a slot holds how much of an amount goes to one of the things that the draft names already."""
        if slot.main or not slot.collection or not draft.items(slot.collection) or slot.type not in NUMERIC:
            return False
        terms = [term for term in slot.wording.name if term not in slot.wording.own]
        return _APPLIED in terms and len(terms) <= _PLAIN and draft.is_free(slot.at(0))

    def _is_amount(self, words: str) -> bool:
        return any(
            self.filler.evidence(m).kind in {"amount"} and self.filler.evidence(m).words == words
            for m in self.filler.used
        )

    # --- yes and no

    def _flag(self, draft: Draft, slot: Slot, codes: ValueHelp | None) -> None:
        if slot.main and not draft.items(slot.collection):
            return
        about = self._about(slot)
        if not about:
            return
        for chunk in self._chunks(draft):
            negations = self.vocabulary.listed("negations")
            words = [word for word in chunk.split() if word.casefold() not in negations]
            terms = [t for t in self.vocabulary.terms(" ".join(words)) if self.vocabulary.weight(t) > 0.4]
            if terms and set(terms) == set(about):
                negated = len(words) < len(chunk.split())
                draft.fill(slot, _truth(negated=negated, codes=codes), chunk.strip(), "flag")
                return

    def _about(self, slot: Slot) -> Terms:
        terms = [t for t in slot.wording.name if self.vocabulary.weight(t) > 0.4]
        return tuple(terms)

    def _chunks(self, draft: Draft) -> Iterator[str]:
        """Gives the phrases of a draft's own words that stand by themselves; the first, with the verb, does not."""
        for action in draft.actions:
            yield from list(_CHUNK.split(action.words))[1:]

    # --- codes

    def _code(self, draft: Draft, slot: Slot, codes: ValueHelp) -> None:
        code = self._role(draft, slot, codes) or self._by_text(draft, slot, codes)
        if code is not None:
            draft.fill(slot, code[0].code, code[1], "code", 0.9)

    def _role(self, draft: Draft, slot: Slot, codes: ValueHelp) -> tuple[Code, str] | None:
        """Gives the code for the role of a partner (`rCustomer`), where exactly one role is said."""
        if slot.collection or slot.wording.name[-1:] not in _ROLE_HEADS or not self._has_partner(draft):
            return None
        members = {terms[0]: code for code in codes.codes if len(terms := self._code_terms(code, codes)) == 1}
        roles = [role for role in members if role in self.vocabulary.roles]
        said = [(role, words) for role in roles if (words := self._said_of(draft, role))]
        return (members[said[0][0]], said[0][1]) if len(roles) >= _ROLES_LEAST and len(said) == 1 else None

    def _has_partner(self, draft: Draft) -> bool:
        filled = [slot for slot in draft.open_slots if not slot.collection and not draft.is_free(slot)]
        return any({"partner", "customer", "supplier"} & set(slot.wording.name) for slot in filled)

    def _said_of(self, draft: Draft, role: str) -> str:
        """Gives the words of the request that name a role in a draft's clauses or in what they rest on."""
        told = [self.filler.evidence(mention).words for mention in draft.mentions]
        for words in (*(action.words for action in draft.actions), *told):
            for word in words.split():
                if role in self.vocabulary.terms(word.strip(",.;:()")):
                    return word.strip(",.;:()")
        return ""

    def _by_text(self, draft: Draft, slot: Slot, codes: ValueHelp) -> tuple[Code, str] | None:
        """Gives the code whose whole text is said: alone in a phrase, or with the words of its property."""
        found: list[tuple[int, Code, str]] = []
        about = set(slot.wording.name) | set(slot.wording.label)
        for chunk in self._phrases(draft):
            said = self.vocabulary.terms(chunk)
            for code in codes.codes:
                terms = self._code_terms(code, codes)
                if terms and _holds(said, terms) and (code.text or len(terms) > 1):
                    rest = set(said) - set(terms) - slot.wording.own
                    verbs = {t for word in chunk.split() for t in self._noun_of(word)}
                    if not rest or (about - slot.wording.own) & (rest | verbs):
                        found.append((len(terms), code, chunk.strip()))
        best = max((length for length, _, _ in found), default=0)
        codes_found = {code.code for length, code, _ in found if length == best}
        return (
            next(((code, chunk) for length, code, chunk in found if length == best), None)
            if len(codes_found) == 1
            else None
        )

    def _noun_of(self, word: str) -> Terms:
        """Gives what a verb is about: who says `paid by …` speaks of the payment."""
        verb = self.vocabulary.verb_form(word)
        return verb.noun if verb else ()

    def _phrases(self, draft: Draft) -> Iterator[str]:
        for action in draft.actions:
            yield from _CHUNK.split(action.words)

    def _code_terms(self, code: Code, codes: ValueHelp) -> Terms:
        if code.text:
            return self.vocabulary.terms(code.text)
        return member_terms(code.code, codes, self.vocabulary)

    # --- types of referenced documents

    def type_codes(self, draft: Draft, entries: Sequence[Slot]) -> None:
        """Says of which type the documents are that the filled `entries` refer to."""
        for entry in entries:
            kind = self.linker.type_of(draft, entry)
            if kind is None or not draft.is_free(kind.at(_index(entry))):
                continue
            placed = kind.at(_index(entry))
            value = self._type_value(draft, entry, kind)
            if value is not None:
                draft.fill(placed, value[0], value[1], "code")

    def _type_value(self, draft: Draft, entry: Slot, kind: Slot) -> tuple[JsonValue, str] | None:
        about = self._meant(draft, entry)
        for glossed in self.filler.reading.glossary:
            if "typ" in glossed.heading and set(glossed.terms) == set(about):
                mention = self.filler.reading.mentions[glossed.mention]
                self.filler.used.update(other.mention for other in self.filler.reading.glossary)
                return (int(mention.text) if kind.type.startswith("Edm.Int") else mention.text), mention.text
        codes = self.filler.codes(draft, kind)
        if codes is None or not about:
            return None
        members = [code for code in codes.codes if set(self._code_terms(code, codes)) == set(about)]
        return (members[0].code, self._said(draft, entry)) if len(members) == 1 else None

    def _said(self, draft: Draft, entry: Slot) -> str:
        """Gives the words by which an entry was filled."""
        place = f"{draft.number}:{entry.pointer}"
        return next((fill.words for fill in draft.fills if fill.slot == place), draft.action.words)

    def _meant(self, draft: Draft, entry: Slot) -> Terms:
        """Gives the terms of the document that an entry refers to: an earlier step's, or those of its mention."""
        value = draft.values.get(entry.path)
        if draft.follows is not None and draft.follows.card and isinstance(value, str) and value.startswith("$"):
            return draft.follows.card.wording.name
        if draft.base_terms and set(entry.wording.name) & self.linker.referring:
            return draft.base_terms
        terms = self.vocabulary.terms(self._said(draft, entry))
        kept = [
            t
            for t in terms
            if t not in {"entry", "number", "id"} and t not in self.vocabulary.roles and not t.isdigit()
        ]
        return tuple(kept)


def is_yes_no(codes: ValueHelp) -> bool:
    """Whether a list has just a yes and a no."""
    named = {code.code.casefold() for code in codes.codes}
    return len(named) == len(("yes", "no")) and bool(named & _YES) and bool(named & _NO)


def _truth(*, negated: bool, codes: ValueHelp | None) -> JsonValue:
    if codes is None:
        return not negated
    wanted = _NO if negated else _YES
    return next(code.code for code in codes.codes if code.code.casefold() in wanted)


def member_terms(member: str, codes: ValueHelp, vocabulary: Vocabulary) -> Terms:
    """Gives the terms of an enumeration's member without the prefix that all members share (`it_Invoice`)."""
    parts = [split_name(code.code) for code in codes.codes]
    shared = 0
    while len(parts) > 1 and all(len(p) > shared + 1 for p in parts) and len({p[shared] for p in parts}) == 1:
        shared += 1
    return vocabulary.canonical(split_name(member)[shared:])


def _holds(said: Terms, terms: Terms) -> bool:
    width = len(terms)
    return any(said[at : at + width] == terms for at in range(len(said) - width + 1))


def _index(slot: Slot) -> int:
    return slot.path[1] if len(slot.path) > 1 and isinstance(slot.path[1], int) else 0
