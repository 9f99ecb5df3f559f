"""What was meant: names and codes that come close, by spelling and by label. Asked for only after a failure."""

import re
from collections.abc import Iterable, Mapping

from rapidfuzz import fuzz, process
from rapidfuzz.distance import OSA

from clew.domain.issues import Suggestion

SPELLING_FLOOR = 60.0
LABEL_FLOOR = 75.0
SAFE_DISTANCE = 2
SHORT_NAME = 5
"""Up to this many letters only one slip is taken for a misspelling."""

_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+|[^\W\d_]+")


def closest(name: str, candidates: Mapping[str, str], *, limit: int = 3) -> tuple[Suggestion, ...]:
    """Gives what `name` was probably meant to be, best first; `candidates` maps names to their labels (or nothing)."""
    scores: dict[str, Suggestion] = {}
    folded = name.casefold()
    choices = {key: key.casefold() for key in candidates}
    for _, score, key in process.extract(folded, choices, scorer=fuzz.ratio, score_cutoff=SPELLING_FLOOR, limit=limit):
        scores[key] = Suggestion(value=key, reason="spelling", score=round(score / 100, 3))
    words = " ".join(split_words(name))
    labels = {key: f"{label} {' '.join(split_words(key))}".casefold() for key, label in candidates.items()}
    shared = process.extract(words, labels, scorer=fuzz.token_set_ratio, score_cutoff=LABEL_FLOOR, limit=4 * limit)
    for _, shared_words, key in shared:
        # The words may be those of several labels: the one with the fewest others first, never surer than a spelling.
        score = round(min(shared_words * 0.8 + fuzz.token_sort_ratio(words, labels[key]) * 0.2, 89.0) / 100, 3)
        if key not in scores or score > scores[key].score:
            scores[key] = Suggestion(value=key, reason="label", score=score)
    return tuple(sorted(scores.values(), key=lambda found: -found.score)[:limit])


def safe_spelling(name: str, candidates: Iterable[str]) -> str | None:
    """Gives the one candidate that `name` can only be a misspelling of; `None` where there is none, or two.

    Case alone is no difference between two names of one list that are told apart otherwise. Else at most two slips
    (one in a name of up to five letters), and no other candidate within one slip more.
    """
    folded = name.casefold()
    listed = list(candidates)
    same = [candidate for candidate in listed if candidate.casefold() == folded]
    if same:
        return same[0] if len(same) == 1 else None
    allowed = 1 if len(name) <= SHORT_NAME else SAFE_DISTANCE
    if len(name) < 3:
        return None
    near: list[tuple[int, str]] = []
    for candidate in listed:
        distance = OSA.distance(folded, candidate.casefold(), score_cutoff=allowed + 1)
        if distance <= allowed + 1:
            near.append((int(distance), candidate))
    near.sort()
    if not near or near[0][0] > allowed:
        return None
    if len(near) > 1 and near[1][0] <= near[0][0] + 1:
        return None
    return near[0][1]


def split_words(name: str) -> list[str]:
    """Splits an identifier into lower-case words.

    >>> split_words("SalesOrderType"), split_words("to_PricingElement")
    (['sales', 'order', 'type'], ['to', 'pricing', 'element'])
    """
    return [word.casefold() for word in _WORDS.findall(name)]
