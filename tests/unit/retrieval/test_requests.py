"""How a request is read: its clauses, its words without numbers, the system that it names, what it wants."""

from pathlib import Path

import numpy as np
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from tests.retrieval_landscape import SmallLandscape

from clew.index import build_index
from clew.llm import HashEmbedder
from clew.retrieval.asking import split_clauses, without_numbers
from clew.retrieval.cues import SystemCues, aliases
from clew.retrieval.intent import IntentReader, read_examples

CASES = yaml.safe_load((Path(__file__).parents[2] / "fixtures" / "retrieval" / "requests.yaml").read_text("utf-8"))


@pytest.mark.parametrize("case", CASES["clauses"], ids=lambda case: case["request"])
def test_requests_are_split_where_they_ask_for_something_else(case: dict) -> None:
    assert split_clauses(without_numbers(case["request"])) == case["clauses"]


@pytest.mark.parametrize(("request_text", "bare"), CASES["bare"].items())
def test_numbers_say_which_one_and_not_what(request_text: str, bare: str) -> None:
    assert without_numbers(request_text) == bare


@given(st.text(max_size=300))
def test_any_text_has_at_least_one_clause_and_few(text: str) -> None:
    assert 1 <= len(split_clauses(without_numbers(text))) <= 8


@pytest.mark.parametrize(("system", "known"), CASES["aliases"].items())
def test_people_know_a_system_by_several_names(system: str, known: list[str]) -> None:
    assert set(known) <= aliases(system) | {""}
    assert all(len(alias) > 1 for alias in aliases(system))


@pytest.mark.parametrize(("request_text", "services"), CASES["systems"].items())
def test_the_system_that_a_request_names_is_found(request_text: str, services: list[str]) -> None:
    words = build_index(SmallLandscape(), HashEmbedder()).services
    marks, names = SystemCues(words).named(request_text)
    assert [service.name for service, mark in zip(words, marks, strict=True) if mark] == services
    assert bool(names) == bool(services)


def test_examples_are_read_by_class() -> None:
    assert read_examples("# note\n[a]\none\n\n[b]\ntwo\nthree\n") == {"a": ["one"], "b": ["two", "three"]}


def test_what_a_request_wants_is_told_by_the_examples_that_it_is_like() -> None:
    embedder = HashEmbedder()
    reader = IntentReader(embedder)
    goal, lookup = np.asarray(
        embedder.embed(
            ["the exhibition is over, close the accounts and arrange the rest", "how many of the members joined"]
        )
    )
    assert reader.read(goal).goal > reader.read(lookup).goal
    intent = reader.read(goal)
    assert all(0 <= share <= 1 for share in (intent.goal, intent.parts, intent.codes))
