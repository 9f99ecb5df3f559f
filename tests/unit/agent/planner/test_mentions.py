"""What is found in the words of a request: values, with the places where they stand."""

from datetime import date, timedelta
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.unit.agent.planner.harbour import WEDNESDAY, cases, words

from clew.agent.planner.reading import read_request
from clew.domain.proposals import Mention
from clew.domain.records import JsonValue

CASES = cases("mentions.yaml")
TODAY = WEDNESDAY.date()
MONTHS = {
    "en": [
        "January",
        "February",
        "March",
        "April",
        "May",
        "June",
        "July",
        "August",
        "September",
        "October",
        "November",
        "December",
    ],
    "de": [
        "Januar",
        "Februar",
        "März",
        "April",
        "Mai",
        "Juni",
        "Juli",
        "August",
        "September",
        "Oktober",
        "November",
        "Dezember",
    ],
}
ENGLISH_DAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
DATES = st.dates(date(1990, 1, 1), date(2099, 12, 31))


def mentions(text: str) -> tuple[Mention, ...]:
    return read_request(text, TODAY, words()).mentions


def only_date(text: str) -> JsonValue:
    (found,) = [mention for mention in mentions(text) if mention.kind == "date"]
    return found.value


@pytest.mark.parametrize("case", CASES, ids=[case["text"][:50] for case in CASES])
def test_the_values_of_a_text_are_found_and_nothing_else(case: dict[str, Any]) -> None:
    found = [(m.text, m.kind, m.value, m.unit) for m in mentions(case["text"])]
    wanted = [(m["text"], m["kind"], _exact(m["value"]), m.get("unit", "")) for m in case["mentions"]]
    assert found == wanted


def _exact(value: Any) -> Any:
    return Decimal(str(value)) if isinstance(value, float) else value


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=80) | st.text("0123456789.,/-'\"€$ AbPC\n", max_size=40))
@example("„“ ‘’ '' \"\"")
@example("1/2/3/4 --- ...,,, 1.2.3.4")
@example("ﬁ İ ß 12. 13. 9999-99-99")
def test_spans_lie_inside_the_text_and_do_not_overlap(text: str) -> None:
    end = 0
    for mention in mentions(text):
        assert end <= mention.start < mention.end <= len(text)
        assert text[mention.start : mention.end] == mention.text
        end = mention.end


@given(DATES)
def test_a_date_is_found_however_it_is_written(day: date) -> None:
    english, german = MONTHS["en"][day.month - 1], MONTHS["de"][day.month - 1]
    assert only_date(f"order it for {day.isoformat()}, please") == day.isoformat()
    assert only_date(f"order it for {day.day} {english} {day.year}, please") == day.isoformat()
    assert only_date(f"order it for {english} {day.day}, {day.year}") == day.isoformat()
    assert only_date(f"bestelle es zum {day.day}. {german} {day.year}") == day.isoformat()
    assert only_date(f"bestelle es zum {day.day:02}.{day.month:02}.{day.year}") == day.isoformat()


@given(st.integers(1, 7))
def test_a_day_of_the_week_is_the_next_one(ahead: int) -> None:
    day = TODAY + timedelta(days=ahead)
    assert only_date(f"order it by {ENGLISH_DAYS[day.weekday()]}") == day.isoformat()


@given(st.decimals(min_value=Decimal("0.01"), max_value=Decimal("999999.99"), places=2))
def test_an_amount_is_found_with_its_currency_in_both_ways_of_writing(amount: Decimal) -> None:
    english, german = f"{amount:,}", f"{amount:,}".translate(str.maketrans(",.", ".,"))
    for text in (f"please pay {english} EUR to them", f"bitte zahle {german} EUR an den Lieferanten"):
        (found,) = [mention for mention in mentions(text) if mention.kind == "amount"]
        assert (found.value, found.unit) == (amount, "EUR")


@given(st.integers(1, 99999), st.sampled_from(["PC", "KG", "H", "hours", "pieces"]))
def test_a_quantity_is_found_with_its_unit(number: int, unit: str) -> None:
    (found,) = mentions(f"order {number} {unit}, please")
    assert (found.kind, found.value, found.unit) == ("quantity", number, unit)
