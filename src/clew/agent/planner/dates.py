"""Dates in words, English and German: absolute ones, and those that count from today."""

import re
from collections.abc import Callable, Iterator
from datetime import date, timedelta
from typing import TypeAlias

from clew.agent.planner.vocabulary import Vocabulary
from clew.domain.proposals import Mention

Finder: TypeAlias = Callable[[str, date, Vocabulary], Iterator[Mention]]

_ISO = re.compile(r"(?<![\w-])(\d{4})-(\d{2})-(\d{2})(?![\w-])")
_DOTTED = re.compile(r"(?<![\w.])(\d{1,2})\.(\d{1,2})\.(\d{4})(?![\w])")
_SLASHED = re.compile(r"(?<![\w/])(\d{1,2})/(\d{1,2})/(\d{4})(?![\w/])")
_DAY_MONTH = re.compile(r"(?<!\w)(\d{1,2})(?:st|nd|rd|th|\.)?(?: of)? ([^\W\d_]{3,9})\.?(?:,? (\d{4}))?(?!\w)")
_MONTH_DAY = re.compile(r"(?<!\w)([^\W\d_]{3,9})\.? (\d{1,2})(?:st|nd|rd|th)?(?:,? (\d{4}))?(?![\w/.-]\w)")
_ORDINAL_DAY = re.compile(r"(?<!\w)(?:the )(\d{1,2})(?:st|nd|rd|th)(?!\w)(?! [a-z]+ line)", re.IGNORECASE)
_WORDS = re.compile(r"(?<!\w)[^\W\d_]+(?!\w)")
_WEEK_DAYS = 7
_LAST_MONTH = 12


def find_dates(text: str, today: date, vocabulary: Vocabulary) -> Iterator[Mention]:
    """Gives the dates that a text names, as ISO text; overlapping readings are all given, the surest first.

    A slashed date that may be read two ways (`03/07/2025`) has no value: it must be asked for.
    """
    for finder in FINDERS:
        yield from finder(text, today, vocabulary)


def _iso(text: str, today: date, vocabulary: Vocabulary) -> Iterator[Mention]:
    for match in _ISO.finditer(text):
        yield from _mention(match, _day(int(match[1]), int(match[2]), int(match[3])))


def _dotted(text: str, today: date, vocabulary: Vocabulary) -> Iterator[Mention]:
    for match in _DOTTED.finditer(text):
        yield from _mention(match, _day(int(match[3]), int(match[2]), int(match[1])))


def _slashed(text: str, today: date, vocabulary: Vocabulary) -> Iterator[Mention]:
    for match in _SLASHED.finditer(text):
        first, second, year = int(match[1]), int(match[2]), int(match[3])
        readings = {day for day in (_day(year, first, second), _day(year, second, first)) if day}
        if len(readings) == 1:
            yield from _mention(match, readings.pop())
        elif readings:
            yield Mention(kind="date", text=match[0], start=match.start(), end=match.end())


def _day_month(text: str, today: date, vocabulary: Vocabulary) -> Iterator[Mention]:
    months = vocabulary.numbers("months")
    for match in _DAY_MONTH.finditer(text):
        if month := months.get(match[2].casefold()):
            yield from _mention(match, _with_year(match[3], month, int(match[1]), today))


def _month_day(text: str, today: date, vocabulary: Vocabulary) -> Iterator[Mention]:
    months = vocabulary.numbers("months")
    for match in _MONTH_DAY.finditer(text):
        # "may 5" in the middle of a sentence is a modal verb more often than a month.
        if (month := months.get(match[1].casefold())) and match[1][0].isupper():
            yield from _mention(match, _with_year(match[3], month, int(match[2]), today))


def _ordinal_day(text: str, today: date, vocabulary: Vocabulary) -> Iterator[Mention]:
    for match in _ORDINAL_DAY.finditer(text):
        number = int(match[1])
        candidates = (
            _day(today.year + (today.month + ahead - 1) // 12, (today.month + ahead - 1) % 12 + 1, number)
            for ahead in range(_LAST_MONTH)
        )
        yield from _mention(match, next((day for day in candidates if day and day > today), None))


def _relative(text: str, today: date, vocabulary: Vocabulary) -> Iterator[Mention]:
    weekdays, days = vocabulary.numbers("weekdays"), vocabulary.numbers("relative_days")
    for match in _WORDS.finditer(text):
        word = match[0].casefold()
        if (weekday := weekdays.get(word)) is not None:
            ahead = (weekday - today.weekday() - 1) % _WEEK_DAYS + 1
            yield from _mention(match, today + timedelta(days=ahead))
        elif (distance := days.get(word)) is not None:
            yield from _mention(match, today + timedelta(days=distance))


FINDERS: tuple[Finder, ...] = (_iso, _dotted, _slashed, _day_month, _month_day, _ordinal_day, _relative)


def _with_year(year: str | None, month: int, day: int, today: date) -> date | None:
    """Gives the day in the year that is written, else the next such day from today on."""
    if year:
        return _day(int(year), month, day)
    this_year = _day(today.year, month, day)
    return this_year if this_year and this_year >= today else _day(today.year + 1, month, day)


def _day(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def _mention(match: re.Match[str], day: date | None) -> Iterator[Mention]:
    if day:
        yield Mention(kind="date", text=match[0], start=match.start(), end=match.end(), value=day.isoformat())
