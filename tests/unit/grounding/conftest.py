"""Services described in files of their own, made into views by the reader."""

from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from clew.domain.facts import Refused
from clew.graph.service_view import ServiceView
from clew.grounding import Grounding
from clew.sources.odata.csdl import read_csdl

FIXTURES = Path(__file__).parents[2] / "fixtures" / "grounding"


@cache
def view_of(file: str) -> ServiceView:
    facts = read_csdl((FIXTURES / file).read_bytes(), document=file, naming=lambda _name: file.partition("_")[0])
    assert not isinstance(facts, Refused), facts
    return ServiceView.of(facts.nodes, version="1")


@cache
def grounding_of(file: str) -> Grounding:
    return Grounding(view_of(file))


@pytest.fixture(scope="session")
def view() -> Callable[[str], ServiceView]:
    return view_of


@pytest.fixture(scope="session")
def grounding() -> Callable[[str], Grounding]:
    return grounding_of


@pytest.fixture(scope="session")
def workshop() -> ServiceView:
    return view_of("workshop_v4.csdl.xml")


@pytest.fixture(scope="session")
def depot() -> ServiceView:
    return view_of("depot_v2.csdl.xml")
