"""Matching: how well the words about a value meet the words of a property, as a score from 0 to 1."""

from collections.abc import Iterable, Mapping

from clew.agent.planner.vocabulary import Terms, Vocabulary, split_name
from clew.domain.records import Record
from clew.domain.services import Texts

_OPTIONAL_UP_TO = 0.5
_RECALL, _PRECISION = 0.6, 0.4
_BONUS, _AGREEMENT = 0.06, 0.25
_NEARBY, _LEFT_OUT, _LEFT_OUT_AT_MOST = 0.3, 0.15, 0.3
_CONTRADICTED = 0.85
_HALF_SAID, _PARTLY, _CUE_ONLY = 0.7, 0.8, 0.95
_WRONG_HEAD, _WRONG_WAY = 0.6, 0.5
_QUICKINFO = 0.92
_PREPOSITIONS = frozenset({"By", "At", "Of", "For", "In"})
_OPPOSITE = {
    "from": "to",
    "to": "from",
    "start": "end",
    "end": "start",
    "earliest": "latest",
    "latest": "earliest",
    "gros": "net",
    "net": "gros",
}


class Wording(Record, frozen=True, kw_only=True):
    """The terms of a property (or parameter, or entity set): of its name, its label, and its longer texts.

    `own` are the terms of the thing that it belongs to; they may be left out by who speaks of it.
    """

    name: Terms
    label: Terms = ()
    info: Terms = ()
    head: Terms = ()
    """What the name is about, where a preposition tells (`NumAtCard` is about a number)."""
    own: frozenset[str] = frozenset()


class Wanted(Record, frozen=True, kw_only=True):
    """What is looked for: weighted terms, terms that stand nearby, and terms that the kind of value implies."""

    terms: Mapping[str, float]
    context: frozenset[str] = frozenset()
    implied: frozenset[str] = frozenset()


def wording_of(name: str, texts: Texts, own: frozenset[str], vocabulary: Vocabulary) -> Wording:
    """Gives the wording of a property from its name and texts."""
    return Wording(
        name=vocabulary.name_terms(name),
        label=vocabulary.terms(texts.label or texts.heading),
        info=vocabulary.terms(texts.quickinfo or texts.description),
        head=_head(name, vocabulary),
        own=own,
    )


def _head(name: str, vocabulary: Vocabulary) -> Terms:
    parts = split_name(name)
    at = next((at for at, part in enumerate(parts) if at and part in _PREPOSITIONS), 0)
    return vocabulary.canonical(parts[:at])


def match(wanted: Wanted, wording: Wording, vocabulary: Vocabulary) -> float:
    """Gives how well a wording is meant by what is wanted (0-1); the best of name, label and longer text decides."""
    by_name = _match_terms(wanted, wording.name, wording.own, vocabulary)
    by_label = _match_terms(wanted, wording.label, wording.own, vocabulary) if wording.label else 0.0
    by_info = _QUICKINFO * _match_terms(wanted, wording.info, wording.own, vocabulary) if wording.info else 0.0
    if wording.head and not any(_best(term, wording.head, vocabulary) for term in wanted.terms):
        by_name *= _WRONG_HEAD
    best = max(by_name, by_label, by_info)
    if not wording.label:
        return best
    if by_name and not by_label and _contradicts(wording, vocabulary):
        best *= _CONTRADICTED
    return (1 - _AGREEMENT) * best + _AGREEMENT * min(best, by_name)


def _contradicts(wording: Wording, vocabulary: Vocabulary) -> bool:
    """Whether a label says nothing of what the name says, so that one of them misleads."""
    heavy = [term for term in wording.label if vocabulary.weight(term) >= 1]
    return bool(heavy) and not any(_best(term, wording.name, vocabulary) for term in heavy)


def _match_terms(wanted: Wanted, terms: Terms, own: frozenset[str], vocabulary: Vocabulary) -> float:
    required = {term: weight for term, weight in wanted.terms.items() if weight > _OPTIONAL_UP_TO}
    optional = {term: weight for term, weight in wanted.terms.items() if weight <= _OPTIONAL_UP_TO}
    if required:
        # Cues that only name the whole say nothing of the part.
        optional = {term: weight for term, weight in optional.items() if term not in own}
        recall = _recall(required, terms, own, vocabulary)
    else:
        # Cues alone: any of them may be what tells.
        required, optional = optional, {}
        recall = _CUE_ONLY * max((_best(term, terms, vocabulary) for term in required), default=0.0)
    if not recall:
        return 0.0
    sought = [*required, *optional]
    score = _RECALL * recall + _PRECISION * _precision(wanted, sought, terms, own, vocabulary)
    if recall < _HALF_SAID:
        score *= _PARTLY
    score += _BONUS * sum(_best(term, terms, vocabulary) > 0 for term in optional)
    if _head_is_missed(wanted, sought, terms, own, vocabulary):
        score *= _WRONG_HEAD
    if any(_OPPOSITE.get(term) in terms for term in sought if not _best(term, terms, vocabulary)):
        score *= _WRONG_WAY
    return score


def _recall(required: Mapping[str, float], terms: Terms, own: frozenset[str], vocabulary: Vocabulary) -> float:
    """Gives the weighted share of what is wanted that is there; the owner's terms count, but not alone."""
    total = sum(weight * vocabulary.weight(term) for term, weight in required.items())
    found = 0.0
    by_terms = False
    for term, weight in required.items():
        here = _best(term, terms, vocabulary)
        by_terms = by_terms or here > 0
        found += weight * vocabulary.weight(term) * max(here, 0.9 * _best(term, tuple(own), vocabulary))
    return found / total if by_terms and total else 0.0


def _precision(
    wanted: Wanted, sought: Iterable[str], terms: Terms, own: frozenset[str], vocabulary: Vocabulary
) -> float:
    """Gives the weighted share of the property's terms that is wanted, a little counted where it stands nearby."""
    listed = tuple(sought)
    total = found = left_out = 0.0
    for term in terms:
        covered = _best(term, listed, vocabulary)
        weight = vocabulary.weight(term)
        if not covered and (term in wanted.implied or term in own or weight < 1):
            left_out += _LEFT_OUT
            continue
        total += weight
        found += weight * (covered or (_NEARBY if term in wanted.context else 0.0))
    total += min(left_out, _LEFT_OUT_AT_MOST)
    return found / total if total and found else float(not total)


def _head_is_missed(
    wanted: Wanted, sought: Iterable[str], terms: Terms, own: frozenset[str], vocabulary: Vocabulary
) -> bool:
    """Whether the property is about something else of what is wanted: its type, its date, its status."""
    heavy = [term for term in terms if vocabulary.weight(term) > _OPTIONAL_UP_TO or term in vocabulary.heads]
    head = heavy[-1] if heavy else ""
    # An item is another thing than the whole, even where the slot is one of the item.
    if head not in vocabulary.heads or (head in own and head != "item") or head in wanted.implied:
        return False
    return not _best(head, tuple(sought), vocabulary)


def _best(term: str, others: Terms, vocabulary: Vocabulary) -> float:
    if term in others:
        return 1.0
    near = vocabulary.related.get(term)
    return vocabulary.similarity(term, next((other for other in others if other in near), "")) if near else 0.0
