"""What holds for all values, paths and filters: what is written is read again as it was."""

import json
import re
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.domain.errors import MalformedText
from clew.domain.records import JsonObject, JsonValue
from clew.protocol import dates
from clew.protocol.expand import ExpandItem, format_expand, parse_expand
from clew.protocol.facets import digits_of
from clew.protocol.filter_tree import (
    Alias,
    Binary,
    Constant,
    Expression,
    FunctionCall,
    Lambda,
    Listing,
    Logical,
    Negated,
    Not,
    Path,
    constant,
    format_filter,
)
from clew.protocol.filters import parse_filter
from clew.protocol.json import JsonLimits, parse_json, write_json
from clew.protocol.keys import format_key, read_key
from clew.protocol.literals import format_literal, parse_literal
from clew.protocol.urls import format_path, format_query, format_url, parse_path, split_query, split_url
from clew.protocol.values import comparable, read_value, write_value

VERSIONS = st.sampled_from(["V2", "V3", "V4"])
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
NAMES = st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,8}", fullmatch=True).filter(
    lambda name: name not in ("not", "any", "all", "null", "true", "false", "INF", "NaN", "case")
)
DECIMALS = st.decimals(allow_nan=False, allow_infinity=False, places=4, min_value=-(10**12), max_value=10**12)
DATES = st.dates().map(lambda day: day.isoformat())
FRACTIONS = st.one_of(st.just(""), st.from_regex(r"\.[0-9]{1,7}", fullmatch=True))
CLOCKS = st.builds(lambda t, f: t.isoformat(timespec="seconds") + f, st.times(), FRACTIONS)
MOMENTS = st.builds(lambda d, t: f"{d}T{t}", DATES, CLOCKS)
OFFSETS = st.sampled_from(["Z", "+01:00", "-05:30", "+14:00"])
GUIDS = st.uuids().map(str)
DURATIONS = st.integers(-(10**18), 10**18).map(dates.format_duration)
TIMES = st.integers(0, 86_399_999).map(lambda ms: dates.format_duration(ms * dates.MILLISECOND_PS))
BINARIES = st.from_regex(r"(?:[A-Za-z0-9_-]{4}){0,4}", fullmatch=True)


def of_type(type: str, values: st.SearchStrategy[JsonValue]) -> st.SearchStrategy[tuple[str, JsonValue]]:
    return values.map(lambda value: (type, value))


SHARED = [
    of_type("Edm.String", TEXTS),
    of_type("Edm.Boolean", st.booleans()),
    of_type("Edm.Byte", st.integers(0, 255)),
    of_type("Edm.SByte", st.integers(-128, 127)),
    of_type("Edm.Int16", st.integers(-(2**15), 2**15 - 1)),
    of_type("Edm.Int32", st.integers(-(2**31), 2**31 - 1)),
    of_type("Edm.Int64", st.integers(-(2**63), 2**63 - 1)),
    of_type("Edm.Decimal", DECIMALS),
    of_type("Edm.Double", DECIMALS),
    of_type("Edm.Guid", GUIDS),
    of_type("Edm.Binary", BINARIES),
    of_type("Edm.DateTimeOffset", st.builds(str.__add__, MOMENTS, OFFSETS)),
]
V2_VALUES = st.one_of(*SHARED, of_type("Edm.DateTime", MOMENTS), of_type("Edm.Time", TIMES))
V4_VALUES = st.one_of(
    *SHARED, of_type("Edm.Date", DATES), of_type("Edm.TimeOfDay", CLOCKS), of_type("Edm.Duration", DURATIONS)
)
TYPED = st.one_of(st.tuples(st.sampled_from(["V2", "V3"]), V2_VALUES), st.tuples(st.just("V4"), V4_VALUES)).map(
    lambda drawn: (drawn[0], *drawn[1])
)

JSON_VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), DECIMALS, TEXTS),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(TEXTS, inner, max_size=4)),
    max_leaves=20,
)


@given(JSON_VALUES)
def test_json_is_read_as_it_was_written(value: JsonValue) -> None:
    again = parse_json(write_json(value))
    assert again == value
    assert write_json(again) == write_json(value)


@given(st.text(alphabet='{}[]":,0123e+-.tru\\nul "', max_size=30))
def test_json_is_accepted_where_the_standard_library_accepts_it(text: str) -> None:
    try:
        expected: JsonValue = json.loads(text, parse_float=Decimal)
    except ValueError:
        with pytest.raises(MalformedText):
            parse_json(text)
        return
    try:
        assert parse_json(text) == expected
    except MalformedText as error:
        assert error.code in ("JSON_DUPLICATE_NAME", "JSON_NUMBER_SIZE")  # noqa: PT017


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("[" * 1000 + "]" * 1000, "JSON_DEPTH"),
        ('{"a":' * 1000 + "1" + "}" * 1000, "JSON_DEPTH"),
        ('"' + '\\"' * 500_000, "JSON_SYNTAX"),
        ("9" * 5000, "JSON_NUMBER_SIZE"),
        ('["' + "x" * 2_000_000 + '"]', "JSON_STRING_SIZE"),
        ('["' + "x" * 6_000_000 + '"]', "JSON_SIZE"),
    ],
    ids=["arrays", "objects", "quotes", "digits", "string", "size"],
)
def test_json_beyond_its_bounds_is_refused(text: str, code: str) -> None:
    with pytest.raises(MalformedText) as caught:
        parse_json(text)
    assert caught.value.code == code


def test_nesting_up_to_the_bound_is_read_even_beside_many_short_arrays() -> None:
    text = "[" * 64 + "]" * 64
    assert write_json(parse_json(text)) == text
    wide = "[" + ",".join(["[]"] * 1000) + "]"
    assert write_json(parse_json(wide, JsonLimits(depth=2))) == wide


@given(TYPED)
def test_literals_are_read_as_they_were_written(case: tuple[str, str, JsonValue]) -> None:
    version, type, value = case
    text = format_literal(value, type, version)
    literal = parse_literal(text, version, type=type)
    assert literal.value == value
    assert format_literal(literal.value, type, version) == text


@given(VERSIONS, st.text(max_size=40))
def test_any_text_is_a_literal_or_malformed(version: str, text: str) -> None:
    try:
        literal = parse_literal(text, version)
    except MalformedText as error:
        assert 0 <= error.position <= len(text)  # noqa: PT017
        return
    assert literal.text == text


def keys() -> st.SearchStrategy[tuple[str, dict[str, str], JsonObject]]:
    def build(version: str, entries: dict[str, tuple[str, JsonValue]]) -> tuple[str, dict[str, str], JsonObject]:
        return (
            version,
            {name: type for name, (type, _) in entries.items()},
            {name: value for name, (_, value) in entries.items()},
        )

    v2 = st.builds(build, st.sampled_from(["V2", "V3"]), st.dictionaries(NAMES, V2_VALUES, min_size=1, max_size=3))
    v4 = st.builds(build, st.just("V4"), st.dictionaries(NAMES, V4_VALUES, min_size=1, max_size=3))
    return st.one_of(v2, v4)


@given(keys(), NAMES)
def test_keys_survive_the_way_through_a_url(case: tuple[str, dict[str, str], JsonObject], name: str) -> None:
    version, types, values = case
    url = format_url(name + format_key(values, types, version) + "/to_Item", ())
    path, query = split_url(url)
    segments = parse_path(path).segments
    assert [segment.name for segment in segments] == [name, "to_Item"]
    assert query == ()
    assert segments[0].key is not None
    assert read_key(segments[0].key, types, version) == values


@given(st.lists(st.tuples(NAMES, st.none() | TEXTS), min_size=1, max_size=4))
def test_paths_are_read_as_they_were_written(drawn: list[tuple[str, str | None]]) -> None:
    text = "/".join(
        name + (format_key({"K": key}, {"K": "Edm.String"}, "V4") if key is not None else "") for name, key in drawn
    )
    assert format_path(parse_path(text)) == text


@given(st.lists(st.tuples(st.sampled_from(["$filter", "sap-client", "@p", "x y"]), TEXTS), max_size=4))
def test_queries_are_read_as_they_were_written(drawn: list[tuple[str, str]]) -> None:
    text = format_query(tuple(drawn))
    assert split_query(text) == tuple(drawn)
    assert re.fullmatch(r"[\x21-\x7e]*", text)
    assert "+" not in text


PATHS = st.lists(NAMES, min_size=1, max_size=3).map(lambda names: Path(names=tuple(names)))
CONSTANTS = V4_VALUES.map(lambda typed: constant(typed[1], typed[0], "V4"))


def combined(inner: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
    operators = st.sampled_from(["eq", "ne", "gt", "ge", "lt", "le", "add", "sub", "mul", "div", "divby", "mod"])
    functions = st.sampled_from(["contains", "concat", "indexof"])
    operands = st.lists(inner, min_size=2, max_size=4).map(tuple)
    return st.one_of(
        st.builds(Binary, operator=operators, left=inner, right=inner),
        st.builds(Logical, operator=st.sampled_from(["and", "or"]), operands=operands),
        st.builds(Not, operand=inner),
        st.builds(Negated, operand=inner),
        st.builds(Binary, operator=st.just("in"), left=PATHS, right=st.builds(Listing, items=operands)),
        st.builds(FunctionCall, name=functions, arguments=st.tuples(inner, inner)),
        st.builds(Lambda, path=PATHS, quantifier=st.sampled_from(["any", "all"]), variable=NAMES, predicate=inner),
        st.builds(Lambda, path=PATHS, quantifier=st.just("any")),
    )


EXPRESSIONS = st.recursive(
    st.one_of(PATHS, CONSTANTS, NAMES.map(lambda name: Alias(name="@" + name))), combined, max_leaves=12
)


def shape(node: object) -> object:
    """The tree without positions."""
    if isinstance(node, tuple):
        return tuple(shape(part) for part in node)
    if isinstance(node, Constant):
        return ("literal", node.literal.text)
    if hasattr(node, "__struct_fields__"):
        fields = [field for field in node.__struct_fields__ if field != "position"]
        return (type(node).__name__, *(shape(getattr(node, field)) for field in fields))
    return node


@given(EXPRESSIONS)
def test_filters_are_read_as_they_were_written(expression: Expression) -> None:
    text = format_filter(expression)
    again = parse_filter(text, "V4")
    assert shape(again) == shape(expression)
    assert format_filter(again) == text


@given(VERSIONS, st.text(alphabet="abeqnd or()'/,:@$ 15-.", max_size=40))
def test_any_text_is_a_filter_or_malformed(version: str, text: str) -> None:
    try:
        expression = parse_filter(text, version)
    except MalformedText as error:
        assert 0 <= error.position <= len(text)  # noqa: PT017
        return
    assert shape(parse_filter(format_filter(expression), version)) == shape(expression)


def test_a_thousand_conditions_are_no_deep_tree_and_a_thousand_brackets_are_refused() -> None:
    text = " or ".join(f"Id eq {number}" for number in range(1000))
    assert format_filter(parse_filter(text, "V4")) == text
    for deep in ("(" * 1000 + "a" + ")" * 1000, "not " * 1000 + "a", "a" + " add 1" * 1000):
        with pytest.raises(MalformedText) as caught:
            parse_filter(deep, "V4")
        assert caught.value.code == "FILTER_DEPTH"


@given(st.lists(st.tuples(st.lists(NAMES, min_size=1, max_size=3), st.none() | EXPRESSIONS), min_size=1, max_size=3))
def test_expansions_are_read_as_they_were_written(drawn: list[tuple[list[str], Expression | None]]) -> None:
    items = tuple(
        ExpandItem(path=tuple(path), options=(("$filter", format_filter(inner)), ("$top", "2")) if inner else ())
        for path, inner in drawn
    )
    again = parse_expand(format_expand(items), "V4")
    assert shape(again) == shape(items)


V2_JSON_MOMENTS = st.builds(
    lambda ms, minutes: (ms, minutes),
    st.integers(-62_135_596_800_000 + 86_400_000, 253_402_300_799_999 - 86_400_000),
    st.sampled_from([None, 0, 60, -330]),
)


@given(V2_JSON_MOMENTS)
def test_v2_dates_are_read_as_they_were_written(case: tuple[int, int | None]) -> None:
    ms, minutes = case
    text = f"/Date({ms}{'' if minutes is None else f'{minutes:+05d}'})/"
    iso = dates.parse_v2_date(text)
    assert dates.format_v2_date(iso) == text
    assert dates.instant_ps(iso) == ms * dates.MILLISECOND_PS


@given(TYPED)
def test_json_values_survive_the_way_through_a_body(case: tuple[str, str, JsonValue]) -> None:
    version, type, value = case
    if version == "V2" and type.startswith("Edm.DateTime") and dates.fraction_digits(str(value)) > 3:
        with pytest.raises(MalformedText):
            write_value(value, type, version)
        return
    body = write_json(write_value(value, type, version))
    again = read_value(parse_json(body), type, version)
    assert comparable(again, type) == comparable(value, type)


@given(st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**20), max_value=10**20))
def test_the_digits_of_a_decimal_are_those_of_its_plain_spelling(value: Decimal) -> None:
    whole, _, fraction = f"{value:f}".lstrip("-").partition(".")
    left, right, significant = digits_of(value)
    assert left == len(whole.lstrip("0"))
    assert right == len(fraction.rstrip("0"))
    assert significant == len((whole + fraction).strip("0"))


@given(st.integers(-(10**20), 10**20))
def test_durations_are_read_as_they_were_written(amount_ps: int) -> None:
    assert dates.duration_ps(dates.format_duration(amount_ps)) == amount_ps


@given(st.text(max_size=12), TYPED)
def test_what_is_no_value_of_its_type_is_compared_as_text(text: str, case: tuple[str, str, JsonValue]) -> None:
    compared = comparable(text, case[1])
    assert compared in (text, text.lower()) or not isinstance(compared, str)
