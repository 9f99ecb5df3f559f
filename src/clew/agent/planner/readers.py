"""Readers: each knows one way in which the words around a mention say what it is (`5 of A00001`, `1710/10/00`)."""

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from clew.agent.planner.clauses import Clause
from clew.agent.planner.evidence import (
    AMOUNT,
    CUE,
    DIRECTION,
    ITEM,
    JOINED,
    MATERIAL,
    NAME,
    NEAR,
    PARTNER,
    PERCENT,
    PLACE,
    PRICE,
    QUANTITY,
    TEXT,
    UNIT,
    Evidence,
    Reading,
    Surroundings,
    replaced,
)  # fmt: skip
from clew.agent.planner.left import Left
from clew.agent.planner.pieces import Piece
from clew.agent.planner.vocabulary import Terms, Vocabulary, stem
from clew.domain.proposals import Mention, MentionKind

_KEYS = frozenset({"identifier", "number", "name", "code"})
_CLAIMS: tuple[MentionKind, ...] = ("date", "amount", "quantity")

Reader: TypeAlias = Callable[[Surroundings, int, Mention, Left], Evidence | None]


def read_evidence(
    text: str, pieces: Sequence[Piece], mentions: Sequence[Mention], clauses: Sequence[Clause], vocabulary: Vocabulary
) -> list[Evidence]:
    """Gives the evidence of every mention, in the order of the mentions."""
    around = Surroundings(text, pieces, mentions, clauses, vocabulary)
    for at, piece in enumerate(pieces):
        if piece.kind == "mention":
            left = around.walker.left(at, counts=mentions[piece.mention].kind == "quantity")
            readers = (reader(around, at, mentions[piece.mention], left) for reader in READERS)
            around.found[at] = next(evidence for evidence in readers if evidence is not None)
    return [around.found[at] for at in sorted(around.found)]


def _part(around: Surroundings, at: int, mention: Mention, left: Left) -> Evidence | None:
    """Reads `1710/10/00`: the label names the fields of all parts; else the second of two is an item of the first."""
    before = around.before(at, "/")
    if before is None:
        if around.slash_after(at) and (fields := _compound(around, left)):
            return around.make(at, left, [dict.fromkeys(fields[0], NEAR)], role="part")
        return None
    count, first = 1, before
    while (earlier := around.before(first.piece, "/")) is not None:
        count, first = count + 1, earlier
    known = around.walker.known[first.piece]
    if fields := _compound(around, known):
        terms = dict.fromkeys(fields[count], NEAR) if count < len(fields) else {}
    elif count == 1 and not around.slash_after(at) and first.readings:
        terms = dict(first.readings[0].terms) | {ITEM: NEAR}
    else:
        terms = {}
    return around.make(at, known, [terms], role="part")


def _compound(around: Surroundings, left: Left) -> list[Terms]:
    words = [stem(around.pieces[at].text) for at in left.near]
    for start in range(len(words)):
        if fields := around.vocabulary.compounds.get(tuple(words[start:])):
            return fields
    return []


def _range_end(around: Surroundings, at: int, mention: Mention, left: Left) -> Evidence | None:
    """Reads the second date of `2025-07-01 to 2026-06-30`, and makes the first one a start."""
    if mention.kind != "date" or left.near:
        return None
    for joint in ("to", "-", "–", "until", "till", "bis", "through", "and", "und"):
        first = around.before(at, joint)
        if first is None or first.kind != "date":
            continue
        between = around.walker.known[first.piece].preposition in {"between", "zwischen"}
        if joint in {"and", "und"} and not between:
            return None
        base = {term: weight for term, weight in first.readings[0].terms if term != "from"} if first.readings else {}
        around.found[first.piece] = replaced(first, {"readings": (_reading(base | {"from": NEAR}),)})
        known = around.walker.known[first.piece]
        return around.make(at, known, [base | {"to": NEAR}])
    return None


def _counted(around: Surroundings, at: int, mention: Mention, left: Left) -> Evidence | None:
    """Reads a number that counts what follows it: `5 of A00001`, `20 A00006`, `500 M8 bolts`, `10 x TG11`."""
    if mention.kind != "number" or left.near or mention.text.startswith("0") or left.preposition in {"from", "to"}:
        return None
    following = around.pieces[at + 1 : at + 3]
    if following and following[0].low in {"of", "x", "×"}:
        following = following[1:]
    if not following or following[0].kind != "mention":
        return None
    counted = around.mentions[following[0].mention]
    if counted.kind not in {"identifier", "name"} or not mention.text.isdigit():
        return None
    evidence = _quantity(around, at, mention, left)
    return replaced(evidence, {"kind": "quantity"}) if evidence else None


def _quantity(around: Surroundings, at: int, mention: Mention, left: Left) -> Evidence | None:
    """Reads a quantity; the verb or the words before it say which (`counted 118 pieces`)."""
    if mention.kind not in {"quantity", "number"}:
        return None
    if mention.kind == "number":
        kind = {QUANTITY: NEAR}
    else:
        percent = mention.unit in {"%", "percent", "prozent", "Prozent"}
        kind = {PERCENT: NEAR} if percent else {QUANTITY: NEAR}
    told = around.terms(left.cue, CUE) | around.terms(left.near, CUE)
    return around.make(at, left, [kind | told], group=around.pieces[at].mention)


def _only_quantity(around: Surroundings, at: int, mention: Mention, left: Left) -> Evidence | None:
    return _quantity(around, at, mention, left) if mention.kind == "quantity" else None


def _object(around: Surroundings, at: int, mention: Mention, left: Left) -> Evidence | None:
    """Reads what is counted: `40 PC of TG11`, `2 PC of pump MZ-TG-Y120`, `12 MON of 'Garden care'`."""
    if mention.kind not in {"identifier", "name", "quoted", "number", "code"}:
        return None
    position = at - 1 - len(left.near)
    while position >= 0 and around.pieces[position].low in {"of", "x", "×", "pieces"}:
        position -= 1
    quantity = around.found.get(position)
    between = set(range(position + 1, at)) - set(left.near)
    if (
        quantity is None
        or quantity.kind != "quantity"
        or any(around.pieces[p].low not in {"of", "x", "×"} for p in between)
    ):
        return None
    if mention.kind == "number" and around.word_after(position) not in {"of", "x"}:
        return None
    readings = [{TEXT: NEAR}] if mention.kind == "quoted" else [{MATERIAL: NEAR}]
    return around.make(at, left, readings, role="object", group=quantity.group)


def _price(around: Surroundings, at: int, mention: Mention, left: Left) -> Evidence | None:
    """Reads the price of what was counted: `12 pieces of A00006 at 310.00`."""
    if left.preposition not in {"at", "à", "zu", "je", "for", "für"} or left.near:
        return None
    if mention.kind != "amount" and not (mention.kind == "number" and left.preposition != "for"):
        return None
    counted = around.found.get(at - 2)
    if counted is None or counted.group < 0:
        return None
    evidence = around.make(at, left, [{PRICE: NEAR, UNIT: CUE}], group=counted.group)
    return replaced(evidence, {"kind": "amount"})


def _joined(around: Surroundings, at: int, mention: Mention, left: Left) -> Evidence | None:
    """Reads the second of `17300080 and 17300081`: what holds for the first holds for it."""
    if left.near or mention.kind not in _KEYS:
        return None
    for joint in ("and", "und", ",", "&", "sowie"):
        first = around.before(at, joint)
        if first is not None and first.kind == mention.kind and first.role != "part" and _alike(first, mention, around):
            return replaced(
                around.make(at, left, []), {"readings": first.readings, "like": first.mention, "role": first.role}
            )
    return None


def _alike(first: Evidence, mention: Mention, around: Surroundings) -> bool:
    text = around.mentions[first.mention].text
    return mention.kind == "name" or (len(text) == len(mention.text) and text.isdigit() == mention.text.isdigit())


def _apposed(around: Surroundings, at: int, mention: Mention, left: Left) -> Evidence | None:
    """Reads a mention right after another, or after one in brackets: `a work package 'Foundation' INV-300.1`."""
    if left.near or left.preposition or mention.kind in _CLAIMS:
        return None
    first = around.before(at) or (around.before(at, "(") if mention.kind != "quoted" else None)
    if first is None or first.kind in _CLAIMS or not first.readings:
        return None
    terms = {term: weight for term, weight in first.readings[0].terms if term != NAME}
    if mention.kind == "quoted":
        terms[NAME] = 0.8
    return around.make(at, around.walker.known[first.piece], [terms])


def _party(around: Surroundings, at: int, mention: Mention, left: Left) -> Evidence | None:
    """Reads who acts, or who is acted upon: `17100003 returns …`, `send C23900 an offer`, `Filiale 02 braucht …`."""
    if mention.kind not in _KEYS:
        return None
    partners = around.vocabulary.group("partners", "subject")
    needy, recipients = around.vocabulary.group("partners", "needy"), around.vocabulary.group("partners", "recipient")
    after = around.word_after(at)
    if left.near:
        terms = around.terms(left.near, NEAR)
        return around.make(at, left, [terms | {"to": DIRECTION}]) if after in needy else None
    if after in partners or after in needy:
        return around.make(at, left, [{PARTNER: NEAR}], role="party")
    if not left.preposition and left.cue and around.pieces[left.cue[-1]].low in recipients:
        return around.make(at, left, [{PARTNER: NEAR}], role="party")
    return None


def _new_value(around: Surroundings, at: int, mention: Mention, left: Left) -> Evidence | None:
    """Reads the new value in `set the billing block of order 4712 to 02`: it is one of what is set."""
    if left.near or left.preposition not in _TO:
        return None
    clause = next((clause for clause in around.clauses if clause.holds(at)), None)
    if clause is None or clause.verb is None or clause.verb.method != "PATCH":
        return None
    words: list[int] = []
    for position in range(clause.verb_at + clause.verb_length, at):
        if around.pieces[position].kind != "word" or around.walker.is_preposition(position):
            break
        words.append(position)
    terms = around.terms(words, NEAR)
    return around.make(at, left, [terms]) if terms else None


_TO = frozenset({"to", "on", "auf", "zu", "by", "um"})


def _unlabelled_key(around: Surroundings, at: int, mention: Mention, left: Left) -> Evidence | None:
    """Reads a key with nothing but a preposition: `from C20000`, `from 01 to 02`."""
    if left.near or mention.kind not in _KEYS or left.preposition not in _WHO:
        return None
    place_only = len(mention.text) < _SHORTEST_PARTNER
    direction = around.direction(left.preposition)
    place = {PLACE: NEAR} | ({direction: DIRECTION} if direction else {})
    readings = [place] if place_only else [{PARTNER: 0.9}, place]
    return around.make(at, left, readings, role="" if place_only else "party")


_SHORTEST_PARTNER = 4
_WHO = frozenset({"of", "from", "for", "to", "with", "at", "by", "von", "für", "an", "bei", "mit"})


def _plain(around: Surroundings, at: int, mention: Mention, left: Left) -> Evidence | None:
    """Reads a mention by its own label, its cue, and what its kind says."""
    near = around.terms(left.near, NEAR)
    cue = around.cue(left)
    terms = cue | around.owner(left) | _neighbour(around, left) | near
    if direction := around.direction(left.preposition):
        terms.setdefault(direction, NEAR if mention.kind == "date" and not near else DIRECTION)
    if mention.kind == "amount" and not near:
        terms = {AMOUNT: NEAR} | terms | {t: w for t, w in _after(around, at).items() if t not in terms}
    readings = [terms]
    if mention.kind == "date":
        others = [dict.fromkeys(other, NEAR) for other in _alternatives(around, left)]
        readings = [*others, terms, cue]
    if mention.kind in {"quoted", "name"} and near and not _NAMING & set(near):
        readings = [near | {NAME: 0.8}, near]
    return around.make(at, left, readings)


_NAMING = frozenset({TEXT, NAME, stem("description"), stem("comment")})


def _neighbour(around: Surroundings, left: Left) -> dict[str, float]:
    """Gives what the mention right before the label is: `PO 4500001234 item 10` is an item of that order."""
    if not left.near or left.preposition:
        return {}
    before = around.found.get(left.near[0] - 1)
    if before is None or not before.readings or before.kind in _CLAIMS:
        return {}
    return {term: CUE for term, weight in before.readings[0].terms if weight >= JOINED}


def _after(around: Surroundings, at: int) -> dict[str, float]:
    """Reads the words after an amount that has no label: `1190.00 arrived by bank transfer`."""
    words: list[int] = []
    for position in range(at + 1, min(at + 6, len(around.pieces))):
        if around.pieces[position].kind != "word":
            break
        if not around.walker.is_preposition(position):
            words.append(position)
    return around.terms(words, CUE)


def _alternatives(around: Surroundings, left: Left) -> Sequence[Terms]:
    words = [around.pieces[at].text for at in (*left.cue, *left.near)] + (
        [left.preposition] if left.preposition else []
    )
    for length in (2, 1):
        if terms := around.vocabulary.alternatives.get(tuple(stem(word) for word in words[-length:])):
            return terms
    return ()


READERS: tuple[Reader, ...] = (
    _part, _range_end, _counted, _only_quantity, _object, _price, _joined, _apposed, _party, _new_value,
    _unlabelled_key, _plain,
)  # fmt: skip
"""The order in which a mention is explained; the first that knows it is believed."""


def _reading(terms: Mapping[str, float]) -> Reading:
    return Reading(terms=tuple(terms.items()))
