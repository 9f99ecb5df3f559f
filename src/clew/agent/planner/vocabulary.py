"""The planner's vocabulary: words brought to one canonical form, so that a label and a property name can meet."""

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, cached_property
from importlib.resources import files
from typing import Any, TypeAlias, cast

import yaml

from clew.domain.records import Record

Terms: TypeAlias = tuple[str, ...]
Phrase: TypeAlias = tuple[str, ...]

_WORD = re.compile(r"[^\W\d_]+(?:[-/'’][^\W\d_]+)*|\d+")
_NAME_PART = re.compile(r"[A-ZÄÖÜ]+(?![a-zäöüß])|[A-ZÄÖÜ]?[a-zäöüß]+|\d+")
_LONG_COMPOUND = 9
_LONGEST_PHRASE = 5
_NEAR = 0.8
_PARTICLES = frozenset({"in", "out", "back", "up", "down", "off", "on", "over", "aside", "for", "to", "pass"})
_PARTICLE_WITHIN = 3


class Verb(Record, frozen=True, kw_only=True):
    """What a verb asks for: `method` is an HTTP method, or `CALL` for an operation; `noun` what it is about."""

    name: str
    method: str
    noun: Terms = ()
    near: tuple[str, ...] = ()
    implies: Terms = ()
    makes: bool = False
    """Whether its noun is what is made, and its object what that is made from (`ship the order`: a delivery)."""
    applies: bool = False
    """Whether it allots an amount to what it names (clear, settle)."""


class Vocabulary:
    """Words, phrases and verbs, read from `words.yaml`; every lookup is by stem."""

    def __init__(self, source: Mapping[str, Any]) -> None:
        """Reads the lists of `source` as `words.yaml` writes them."""
        self.stop: dict[str, frozenset[str]] = {lang: frozenset(words) for lang, words in source["stop"].items()}
        self._phrases: dict[Phrase, Terms] = {}
        canonical = cast("dict[str, list[str]]", source["synonyms"])
        for meaning, phrases in canonical.items():
            terms = tuple(stem(word) for word in meaning.split())
            for phrase in (meaning, *phrases):
                self._phrases.setdefault(_stems(phrase), terms)
        listed = (*canonical.values(), *source["in_names"].values())
        self._literal = frozenset(str(phrase).casefold() for phrases in listed for phrase in phrases)
        self._in_names = {
            _stems(phrase): tuple(stem(word) for word in meaning.split())
            for meaning, phrases in source["in_names"].items()
            for phrase in phrases
        }
        self._weights = self._weigh(source)
        self.heads = self._set(source["heads"])
        self.broader = {self._one(narrow): self._one(broad) for narrow, broad in source["broader"].items()}
        self._near = [self._set(group) for group in source["near"]]
        self.implied = {self._one(word): self.terms(" ".join(more)) for word, more in source["implies"].items()}
        self.compounds: dict[Phrase, list[Terms]] = {
            _stems(name): [self.terms(part) for part in parts] for name, parts in source["compounds"].items()
        }
        self.alternatives = {_stems(p): [self.terms(t) for t in ts] for p, ts in source["alternatives"].items()}
        self.roles = self._set(source["party_roles"])
        self.carried = frozenset(self.terms(phrase) for phrase in source["carried"])
        self.verbs = _read_verbs(source["verbs"], self)
        self._forms = _read_forms(source["verbs"])
        self._participles = {str(word): name for name, words in source["participles"].items() for word in words}
        self.source = source
        self._names: dict[str, Terms] = {}

    def _weigh(self, source: Mapping[str, Any]) -> dict[str, float]:
        weights = dict.fromkeys(self._set(source["light"]), 0.4)
        return weights | dict.fromkeys(self._set(source["generic"]), 0.15)

    def _set(self, words: Iterable[str]) -> frozenset[str]:
        return frozenset(term for word in words for term in self.terms(word))

    def _one(self, word: str) -> str:
        return self.terms(word)[0]

    def listed(self, name: str) -> frozenset[str]:
        """Gives one of the plain word lists, in lower case as written."""
        return frozenset(str(word) for word in self.source[name])

    def group(self, name: str, part: str) -> frozenset[str]:
        """Gives one part of a grouped word list (`directions`, `partners`, `units`)."""
        return frozenset(str(word) for word in self.source[name][part])

    def knows(self, word: str) -> bool:
        """Whether a word, or a phrase, is part of the vocabulary, alone or as a German compound."""
        stems = tuple(stem(part) for part in split_words(word))
        if self.is_stop(word) or stems in self._phrases or stems in self.compounds or word.casefold() in self._plain:
            return True
        return len(stems) == 1 and (stems[0] in self._stemmed or bool(self._compound(word)))

    @cached_property
    def _plain(self) -> frozenset[str]:
        return (
            frozenset(form[0] for form in self._forms)
            | self.listed("prepositions")
            | self.listed("finite")
            | self._calendar
        )

    @cached_property
    def _calendar(self) -> frozenset[str]:
        return frozenset(word for table in ("months", "weekdays", "relative_days") for word in self.numbers(table))

    def numbers(self, name: str) -> dict[str, int]:
        """Gives one of the tables from words to whole numbers (`months`, `weekdays`, `number_words` …)."""
        return {str(word): int(number) for word, number in self.source[name].items()}

    def weight(self, term: str) -> float:
        """Gives how much a term counts in a comparison (0.15-1)."""
        return 0.5 if term.isdigit() else self._weights.get(term, 1.0)

    def is_stop(self, word: str) -> bool:
        """Whether a word carries nothing in one of the languages."""
        low = word.casefold()
        return any(low in words for words in self.stop.values())

    def terms(self, text: str) -> Terms:
        """Gives the canonical terms of a text, in order, stop words left out.

        >>> read_vocabulary().terms("Requested Qty of the sold-to party")
        ('request', 'quantity', 'customer')
        """
        return self.canonical(split_words(text))

    def name_terms(self, name: str) -> Terms:
        """Gives the canonical terms of an identifier, split at its capitals, digits and underscores.

        >>> read_vocabulary().name_terms("PurchaseOrderByCustomer")
        ('purchas', 'order', 'customer')
        """
        if (known := self._names.get(name)) is None:
            known = self.canonical(split_name(name), directed=True)
            self._names[name] = known
        return known

    def canonical(self, words: Sequence[str], *, directed: bool = False) -> Terms:
        """Gives the canonical terms of a sequence of words; `directed` keeps `from` and `to`."""
        stems = [stem(word) for word in words]
        found: list[str] = []
        at = 0
        while at < len(stems):
            length, terms = self._longest(stems, at, directed=directed)
            if length > 1 or (length and not self._only_looks_like(words[at])):
                found.extend(terms)
            elif directed and words[at].casefold() in {"from", "to"}:
                found.append(words[at].casefold())
            elif not self.is_stop(words[at]):
                found.extend(self._compound(words[at]) or (stems[at],))
            at += max(length, 1)
        return tuple(found)

    def _only_looks_like(self, word: str) -> bool:
        """Whether a small word shares a stem with a synonym but is none: `not` is no note."""
        return self.is_stop(word) and word.casefold() not in self._literal

    def _longest(self, stems: Sequence[str], at: int, *, directed: bool) -> tuple[int, Terms]:
        for length in range(min(_LONGEST_PHRASE, len(stems) - at), 0, -1):
            phrase = tuple(stems[at : at + length])
            if terms := self._phrases.get(phrase) or (self._in_names.get(phrase) if directed else None):
                return length, terms
        return 0, ()

    def _compound(self, word: str) -> Terms:
        """Splits a German compound into two known words (`Umlagerungsantrag`), empty where it is none."""
        low = word.casefold()
        if len(low) < _LONG_COMPOUND:
            return ()
        for cut in range(len(low) - 3, 3, -1):
            left, right = low[:cut], low[cut:]
            tail = self._phrases.get((stem(right),)) or (self._compound(right) if len(right) >= _LONG_COMPOUND else ())
            if not tail:
                continue
            for head in (left, left.removesuffix("s"), left.removesuffix("en"), left.removesuffix("n")):
                if (terms := self._phrases.get((stem(head),))) is not None:
                    return (*terms, *tail)
        return ()

    def similarity(self, one: str, other: str) -> float:
        """Gives how well two terms meet: 1 the same, 0.8 a broader one or a near one, 0 not at all."""
        if one == other:
            return 1.0
        return _NEAR if other in self.related.get(one, ()) else 0.0

    @cached_property
    def related(self) -> dict[str, set[str]]:
        """Which terms meet a term though they are not the same: broader, narrower and near ones."""
        found: dict[str, set[str]] = {}
        for group in self._near:
            for term in group:
                found.setdefault(term, set()).update(group - {term})
        terms = {*self.broader, *self.broader.values()}
        for one in terms:
            for other in terms:
                if self._is_broader(one, other):
                    found.setdefault(one, set()).add(other)
                    found.setdefault(other, set()).add(one)
        return found

    def _is_broader(self, broad: str, narrow: str) -> bool:
        while narrow in self.broader:
            narrow = self.broader[narrow]
            if narrow == broad:
                return True
        return False

    def verb_at(self, words: Sequence[str]) -> tuple[Verb, int] | None:
        """Gives the verb that the words begin with and how many words it has; a German prefix may stand later."""
        low = [word.casefold() for word in words]
        for length in range(min(3, len(low)), 1, -1):
            if name := self._forms.get(tuple(low[:length])):
                return self.verbs[name], length
        for distance, later in enumerate(low[1:], 1):
            # An English particle stands near (`take them back`), a German prefix at the end.
            near = distance <= _PARTICLE_WITHIN or later not in _PARTICLES
            if near and (name := self._forms.get((low[0], later))):
                return self.verbs[name], 1
        name = self._forms.get((low[0],)) if low else None
        return (self.verbs[name], 1) if name else None

    def verb_of_stem(self, term: str) -> Verb | None:
        """Gives the verb of which a canonical term is the stem (`activ` of `Activation`)."""
        name = self._stemmed.get(term)
        return self.verbs[name] if name else None

    def verb_form(self, word: str) -> Verb | None:
        """Gives the verb of which a single word is some form, a participle too."""
        low = word.casefold()
        name = self._forms.get((low,)) or self._participles.get(low) or self._stemmed.get(stem(word))
        return self.verbs[name] if name else None

    def participle(self, word: str) -> Verb | None:
        """Gives the verb of which a single word is a form that is not the plain one: `ordered`, not `order`."""
        low = word.casefold()
        return self.verb_form(word) if low in self._participles or (low,) not in self._forms else None

    @cached_property
    def _stemmed(self) -> dict[str, str]:
        return {stem(form[0]): name for form, name in reversed(self._forms.items()) if len(form) == 1}


def _read_verbs(source: Mapping[str, Mapping[str, Any]], vocabulary: Vocabulary) -> dict[str, Verb]:
    return {
        name: Verb(
            name=name,
            method=str(entry["method"]),
            noun=vocabulary.terms(str(entry.get("noun", ""))),
            near=tuple(entry.get("near", ())),
            implies=vocabulary.terms(" ".join(entry.get("implies", ()))),
            makes="makes" in entry,
            applies="applies" in entry,
        )
        for name, entry in source.items()
    }


def _read_forms(source: Mapping[str, Mapping[str, Any]]) -> dict[Phrase, str]:
    forms: dict[Phrase, str] = {}
    for name, entry in source.items():
        for word in entry["words"]:
            forms.setdefault(tuple(str(word).casefold().split()), name)
    return forms


def split_words(text: str) -> list[str]:
    """Gives the words and numbers of a text; `sold-to` is two words, `A/R` one."""
    found: list[str] = []
    for word in _WORD.findall(text):
        found.extend([word] if "/" in word and len(word) <= len("a/r") else re.split(r"[-/]", word))
    return found


@cache
def split_name(name: str) -> tuple[str, ...]:
    """Gives the parts of an identifier.

    >>> split_name("A_SalesOrderItem2")
    ('A', 'Sales', 'Order', 'Item', '2')
    """
    return tuple(_NAME_PART.findall(name))


def _stems(phrase: str) -> Phrase:
    return tuple(stem(word) for word in split_words(phrase))


_ENDINGS = (("ization", "iz"), ("isation", "iz"), ("ation", ""), ("ition", "it"), ("sses", "ss"))
_SHORT = 4


@cache
def stem(word: str) -> str:
    """Gives a crude stem, the same for the forms of a word in most cases; nothing is lost where it fails.

    >>> [stem(word) for word in ("Shipping", "ships", "organisation", "deliveries", "Quantity")]
    ['ship', 'ship', 'organiz', 'delivery', 'quantity']
    """
    low = word.casefold().replace("’", "'").removesuffix("'s")
    if len(low) < _SHORT:
        return low
    low = _strip_plural(low)
    for ending, instead in _ENDINGS:
        if low.endswith(ending) and len(low) > len(ending) + 2:
            return low[: -len(ending)] + instead
    low = _strip_inflection(low)
    for ending in ("ate", "ise", "ize", "e"):
        if low.endswith(ending) and len(low) > len(ending) + 2:
            return low[: -len(ending)] + ("iz" if ending in {"ise", "ize"} else "")
    return low


def _strip_plural(low: str) -> str:
    if low.endswith("ies"):
        return low[:-3] + "y"
    return low[:-1] if low.endswith("s") and not low.endswith(("ss", "us", "is")) else low


def _strip_inflection(low: str) -> str:
    for ending, shortest in (("ing", 6), ("ed", 5), ("en", 7)):
        if low.endswith(ending) and len(low) >= shortest:
            low = low[: -len(ending)]
            doubled = len(low) > _SHORT - 1 and low[-1] == low[-2] and low[-1] not in "lsz"
            return low[:-1] if doubled else low
    return low


@cache
def read_vocabulary() -> Vocabulary:
    """Reads the vocabulary that comes with the package, once."""
    text = files("clew.agent.planner").joinpath("words.yaml").read_text(encoding="utf-8")
    # BaseLoader: `no` and `on` are words here, not truth values.
    return Vocabulary(yaml.load(text, Loader=yaml.BaseLoader))  # noqa: S506
