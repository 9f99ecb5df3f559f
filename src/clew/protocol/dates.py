"""Dates, times and durations as text, checked against the calendar, compared exactly in picoseconds.

No `datetime` object: OData allows twelve fractional digits and years that Python's own types do not hold, and a value
that was only read and compared is to come out as it went in.
"""

import re

from clew.domain.errors import MalformedText

__all__ = [
    "check_date",
    "check_date_time",
    "check_date_time_offset",
    "check_duration",
    "check_time",
    "check_time_of_day",
    "duration_ps",
    "format_duration",
    "format_v2_date",
    "fraction_digits",
    "instant_ps",
    "parse_v2_date",
    "time_of_day_ps",
]

SECOND_PS = 10**12
DAY_PS = 86_400 * SECOND_PS
MILLISECOND_PS = 10**9

_DATE = r"(?P<year>-?(?:0[0-9]{3}|[1-9][0-9]{3,5}))-(?P<month>[0-9]{2})-(?P<day>[0-9]{2})"
_TIME = r"(?P<hour>[0-9]{2}):(?P<minute>[0-9]{2})(?::(?P<second>[0-9]{2})(?:\.(?P<fraction>[0-9]{1,12}))?)?"
_OFFSET = r"(?P<offset>[Zz]|[+-][0-9]{2}:[0-9]{2})"
_DATE_RE = re.compile(_DATE)
_TIME_RE = re.compile(_TIME)
_DATE_TIME_RE = re.compile(f"{_DATE}[Tt]{_TIME}(?:{_OFFSET})?")
_DURATION_RE = re.compile(
    r"(?P<sign>[+-]?)P(?:(?P<days>[0-9]{1,9})D)?"
    r"(?:T(?:(?P<hours>[0-9]{1,9})H)?(?:(?P<minutes>[0-9]{1,9})M)?(?:(?P<seconds>[0-9]{1,9})(?:\.(?P<fraction>[0-9]{1,12}))?S)?)?"
)
_V2_DATE_RE = re.compile(r"/Date\((?P<ms>-?[0-9]{1,18})(?P<offset>[+-][0-9]{1,4})?\)/")


def check_date(text: str) -> str:
    """Gives an `Edm.Date` as it is: `2025-03-01`.

    Raises:
        MalformedText: `DATE_SYNTAX`, `DATE_INVALID` (no such day in the Gregorian calendar).
    """
    match = _DATE_RE.fullmatch(text)
    if match is None:
        raise MalformedText("DATE_SYNTAX", f"{text!r} is no date; write YYYY-MM-DD such as 2025-03-01")
    _day_number(match)
    return text


def check_date_time(text: str) -> str:
    """Gives an `Edm.DateTime` of V2 and V3, which has no offset, with its seconds written out.

    Raises:
        MalformedText: `DATE_SYNTAX`, `DATE_INVALID`, `TIME_INVALID`.
    """
    match = _DATE_TIME_RE.fullmatch(text)
    if match is None or match["offset"]:
        message = f"{text!r} is no Edm.DateTime; write YYYY-MM-DDThh:mm:ss without an offset"
        raise MalformedText("DATE_SYNTAX", message)
    _day_number(match)
    _seconds_of_day_ps(match)
    return text if match["second"] else text + ":00"


def check_date_time_offset(text: str) -> str:
    """Gives an `Edm.DateTimeOffset` with its seconds written out: `2025-03-01T08:00:00Z`.

    Raises:
        MalformedText: `DATE_SYNTAX`, `OFFSET_REQUIRED`, `DATE_INVALID`, `TIME_INVALID`.
    """
    match = _DATE_TIME_RE.fullmatch(text)
    if match is None:
        message = f"{text!r} is no Edm.DateTimeOffset; write YYYY-MM-DDThh:mm:ssZ or with an offset such as +01:00"
        raise MalformedText("DATE_SYNTAX", message)
    if not match["offset"]:
        raise MalformedText("OFFSET_REQUIRED", f"{text!r} needs Z or an offset such as +01:00 at its end", len(text))
    _instant(match)
    return text if match["second"] else f"{text[: match.start('offset')]}:00{match['offset']}"


def check_time_of_day(text: str) -> str:
    """Gives an `Edm.TimeOfDay` with its seconds written out: `12:30:00`.

    Raises:
        MalformedText: `TIME_OF_DAY`, `TIME_INVALID`.
    """
    match = _TIME_RE.fullmatch(text)
    if match is None:
        raise MalformedText("TIME_OF_DAY", f"{text!r} is no time of day; write hh:mm:ss such as 12:30:00")
    _seconds_of_day_ps(match)
    return text if match["second"] else text + ":00"


def check_time(text: str) -> str:
    """Gives an `Edm.Time` of V2 and V3 as it is, a duration from midnight: `PT12H30M00S`.

    Raises:
        MalformedText: `TIME_SYNTAX`, `TIME_INVALID` (negative, or a day and more).
    """
    match = _DURATION_RE.fullmatch(text)
    if match is None or text.endswith(("P", "T")):
        raise MalformedText("TIME_SYNTAX", f"{text!r} is no Edm.Time; write PT12H30M00S")
    if not 0 <= _duration(match) < DAY_PS:
        raise MalformedText("TIME_INVALID", f"{text!r} is no time of day: it lies outside of one day")
    return text


def check_duration(text: str) -> str:
    """Gives an `Edm.Duration` as it is: days, hours, minutes, seconds, `P1DT2H3M4.5S`.

    Raises:
        MalformedText: `DURATION_SYNTAX`.
    """
    duration_ps(text)
    return text


def duration_ps(text: str) -> int:
    """Gives a duration in picoseconds (for `Edm.Time` those since midnight).

    Raises:
        MalformedText: `DURATION_SYNTAX`.
    """
    match = _DURATION_RE.fullmatch(text)
    if match is None or text.endswith(("P", "T")):
        message = f"{text!r} is no duration of days and time; write P1DT2H3M4.5S"
        raise MalformedText("DURATION_SYNTAX", message)
    return _duration(match)


def format_duration(amount_ps: int) -> str:
    """Writes a duration of picoseconds canonically: `P1DT2H3M4.5S`, `PT0S`, `-PT1M`."""
    days, rest = divmod(abs(amount_ps), DAY_PS)
    hours, rest = divmod(rest, 3600 * SECOND_PS)
    minutes, rest = divmod(rest, 60 * SECOND_PS)
    seconds, fraction = divmod(rest, SECOND_PS)
    written = str(seconds) + (f".{fraction:012d}".rstrip("0") if fraction else "")
    parts = [
        f"{hours}H" if hours else "",
        f"{minutes}M" if minutes else "",
        f"{written}S" if seconds or fraction else "",
    ]
    time = "".join(parts)
    day = f"{days}D" if days else ""
    return ("-" if amount_ps < 0 else "") + f"P{day}" + (f"T{time}" if time else "" if day else "T0S")


def instant_ps(text: str) -> int:
    """Gives picoseconds since 1970-01-01T00:00:00Z of a date, a date-time, or a date-time with offset.

    A text without an offset is reckoned as UTC, so that texts of one type compare rightly with each other.

    Raises:
        MalformedText: `DATE_SYNTAX`, `DATE_INVALID`, `TIME_INVALID`.
    """
    if match := _DATE_RE.fullmatch(text):
        return _day_number(match) * DAY_PS
    match = _DATE_TIME_RE.fullmatch(text)
    if match is None:
        raise MalformedText("DATE_SYNTAX", f"{text!r} is neither a date nor a date with a time")
    return _instant(match)


def time_of_day_ps(text: str) -> int:
    """Gives picoseconds since midnight of `12:30:00` or `PT12H30M`.

    Raises:
        MalformedText: `TIME_OF_DAY`, `TIME_INVALID`, `DURATION_SYNTAX`.
    """
    if text.startswith(("P", "-P", "+P")):
        return duration_ps(text)
    match = _TIME_RE.fullmatch(text)
    if match is None:
        raise MalformedText("TIME_OF_DAY", f"{text!r} is no time of day; write hh:mm:ss such as 12:30:00")
    return _seconds_of_day_ps(match)


def fraction_digits(text: str) -> int:
    """Gives how many digits of a second's fraction a temporal text holds, zeros at its end left out."""
    match = re.search(r"\.([0-9]+)", text)
    return len(match[1].rstrip("0")) if match else 0


def parse_v2_date(text: str) -> str:
    """Reads `/Date(ms)/` as an ISO text without offset, and `/Date(ms+minutes)/` as one with it (OData V2 JSON).

    The milliseconds are those of UTC; the offset, in minutes, only says where the instant is to be shown.

    >>> parse_v2_date("/Date(-86400000)/"), parse_v2_date("/Date(1735689600000+0060)/")
    ('1969-12-31T00:00:00', '2025-01-01T01:00:00+01:00')

    Raises:
        MalformedText: `V2_DATE_SYNTAX`, `DATE_RANGE` (outside of the years 0001 to 9999).
    """
    match = _V2_DATE_RE.fullmatch(text)
    if match is None:
        message = f"{text!r} is no date of OData V2 JSON; write /Date(1735689600000)/, milliseconds since 1970"
        raise MalformedText("V2_DATE_SYNTAX", message)
    offset_minutes = int(match["offset"] or 0)
    days, rest_ms = divmod(int(match["ms"]) + offset_minutes * 60_000, 86_400_000)
    year, month, day = _civil(days)
    if not 1 <= year <= 9999:
        raise MalformedText("DATE_RANGE", f"{text!r} lies outside of the years 0001 to 9999")
    seconds, ms = divmod(rest_ms, 1000)
    written = f"{year:04d}-{month:02d}-{day:02d}T{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"
    written += f".{ms:03d}".rstrip("0") if ms else ""
    return written + (_format_offset(offset_minutes) if match["offset"] else "")


def format_v2_date(text: str) -> str:
    """Writes an ISO date, date-time or date-time with offset as `/Date(ms)/`, with an offset as `/Date(ms+minutes)/`.

    Raises:
        MalformedText: as `instant_ps`; `DATE_PRECISION` where there is more than a millisecond to write.
    """
    ms, rest_ps = divmod(instant_ps(text), MILLISECOND_PS)
    if rest_ps:
        raise MalformedText("DATE_PRECISION", f"{text!r} is finer than the milliseconds that /Date()/ can write")
    match = _DATE_TIME_RE.fullmatch(text)
    offset = f"{_offset_minutes(match['offset']):+05d}" if match and match["offset"] else ""
    return f"/Date({ms}{offset})/"


def _instant(match: re.Match[str]) -> int:
    offset_ps = _offset_minutes(match["offset"] or "Z") * 60 * SECOND_PS
    return _day_number(match) * DAY_PS + _seconds_of_day_ps(match) - offset_ps


def _seconds_of_day_ps(match: re.Match[str]) -> int:
    hour, minute, second = int(match["hour"]), int(match["minute"]), int(match["second"] or 0)
    if hour > 23 or minute > 59 or second > 59:
        raise MalformedText("TIME_INVALID", f"{match[0]!r} names no time of a day (00:00:00 to 23:59:59)")
    return (hour * 3600 + minute * 60 + second) * SECOND_PS + int((match["fraction"] or "").ljust(12, "0"))


def _offset_minutes(text: str) -> int:
    if text in "Zz":
        return 0
    hours, minutes = int(text[1:3]), int(text[4:6])
    if hours > 14 or minutes > 59:
        raise MalformedText("TIME_INVALID", f"{text!r} is no offset from UTC (at most 14:00)")
    return (-1 if text[0] == "-" else 1) * (hours * 60 + minutes)


def _format_offset(minutes: int) -> str:
    if not minutes:
        return "Z"
    return f"{'-' if minutes < 0 else '+'}{abs(minutes) // 60:02d}:{abs(minutes) % 60:02d}"


def _duration(match: re.Match[str]) -> int:
    seconds = int(match["days"] or 0) * 86_400 + int(match["hours"] or 0) * 3600
    seconds += int(match["minutes"] or 0) * 60 + int(match["seconds"] or 0)
    amount = seconds * SECOND_PS + int((match["fraction"] or "").ljust(12, "0"))
    return -amount if match["sign"] == "-" else amount


def _day_number(match: re.Match[str]) -> int:
    """Gives the days since 1970-01-01 of a date of the (proleptic) Gregorian calendar."""
    year, month, day = int(match["year"]), int(match["month"]), int(match["day"])
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    if (
        not 1 <= month <= 12
        or not 1 <= day <= (31, 29 if leap else 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)[month - 1]
    ):
        date = f"{match['year']}-{match['month']}-{match['day']}"
        raise MalformedText("DATE_INVALID", f"{date} does not exist in the calendar")
    return _days(year, month, day)


def _days(year: int, month: int, day: int) -> int:
    # March is the first month, so that the leap day is the last of its year.
    shifted = year - (month <= 2)
    era, year_of_era = divmod(shifted, 400)
    day_of_year = (153 * ((month + 9) % 12) + 2) // 5 + day - 1
    return era * 146_097 + year_of_era * 365 + year_of_era // 4 - year_of_era // 100 + day_of_year - 719_468


def _civil(days: int) -> tuple[int, int, int]:
    era, day_of_era = divmod(days + 719_468, 146_097)
    year_of_era = (day_of_era - day_of_era // 1460 + day_of_era // 36_524 - day_of_era // 146_096) // 365
    day_of_year = day_of_era - (365 * year_of_era + year_of_era // 4 - year_of_era // 100)
    shifted = (5 * day_of_year + 2) // 153
    month = (shifted + 2) % 12 + 1
    return year_of_era + era * 400 + (month <= 2), month, day_of_year - (153 * shifted + 2) // 5 + 1
