"""Requests in files that a domain expert can edit, and what the validator says of them."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from clew.domain.issues import Severity
from clew.domain.requests import Request
from clew.domain.verdicts import Problem
from clew.grounding import Grounding
from clew.protocol.json import parse_json
from clew.protocol.urls import format_url

FIXTURES = Path(__file__).parents[2] / "fixtures" / "grounding"


def _cases() -> Iterator[Any]:
    for file in sorted(FIXTURES.glob("*.yaml")):
        content = yaml.safe_load(file.read_text(encoding="utf-8"))
        for case in content["cases"]:
            yield pytest.param(content["service"], case, id=f"{file.stem}: {case['name']}")


@pytest.mark.parametrize(("service", "case"), list(_cases()))
def test_a_request_gets_the_verdict_its_case_states(
    service: str, case: dict[str, Any], grounding: Callable[[str], Grounding]
) -> None:
    verdict = grounding(service).validate_text(case["request"])
    said = [problem for problem in verdict.problems if problem.severity is not Severity.NOTE]
    assert verdict.allowed is not case.get("refused", False), [f"{p.pointer} {p.message}" for p in said]
    assert [(problem.code, problem.pointer) for problem in said] == [
        (wanted["code"], wanted["at"]) for wanted in case.get("says", [])
    ]
    for problem, wanted in zip(said, case.get("says", []), strict=True):
        _check_wording(problem, wanted)
    if verdict.allowed:
        assert verdict.checked is not None
        assert verdict.repaired is None
    if "repaired" in case:
        _check_repair(verdict.repaired, case["repaired"], grounding(service))


def _check_wording(problem: Problem, wanted: dict[str, str]) -> None:
    assert problem.message
    assert "\n" not in problem.message
    if "suggests" in wanted:
        assert [suggestion.value for suggestion in problem.suggestions][:1] == [wanted["suggests"]]
    if "word" in wanted:
        assert wanted["word"] in problem.message + problem.expected


def _check_repair(repaired: Request | None, wanted: str | None, grounding: Grounding) -> None:
    if wanted is None:
        assert repaired is None
        return
    assert repaired is not None
    line, _, body = wanted.partition("\n\n")
    method, _, url = line.strip().partition(" ")
    path, _, query = url.partition("?")
    assert (repaired.method, repaired.path) == (method, path)
    assert "&".join(f"{name}={value}" for name, value in repaired.query) == query
    if body.strip():
        assert parse_json(repaired.body or "") == parse_json(body)
    assert grounding.validate(repaired).allowed, format_url(repaired.path, repaired.query)
