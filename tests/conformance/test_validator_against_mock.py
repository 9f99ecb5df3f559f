"""Validator and mock judge the same requests, each by its own rules; where they differ, it is written down why."""

from pathlib import Path

import pytest
import yaml
from tests.conformance.random_requests import Maker, seed_of

from clew.domain.issues import Severity
from clew.domain.requests import Request
from clew.graph.service_view import ServiceView
from clew.grounding import Grounding
from clew.mock import MockOptions, MockService
from clew.protocol.faults import parse_fault
from clew.sources.odata import read_csdl

FIXTURES = Path(__file__).resolve().parents[1] / "fixtures" / "mock"
DOCUMENTS = ["trade.v2.edmx", "shop.v3.edmx", "garden.v4.edmx", "travel.v4.edmx"]

MOCK_ALONE = {
    "KEY_EXISTS": "what is stored already, the description does not tell",
    "NOT_FOUND": "what is stored, the description does not tell; and an open type of Business One has any name",
    "PARENT_MISSING": "what is stored, the description does not tell",
    "PARENT_DIFFERS": "a nested key that contradicts the entity around it is seen when both are stored",
    "KEY_MISSING": "whether a service numbers a key is a guess: the validator gives a note, the mock decides by rule",
    "REQUIRED": "a mandatory field (FieldControl) that is left out gives a warning; the mock refuses",
    "NO_DRAFT": "whether an entity is a draft is a matter of state",
    "NOT_ACTIVE": "whether an entity is active is a matter of state",
    "DRAFT_EXISTS": "whether an entity has a draft is a matter of state",
    "NOT_IMPLEMENTED": "right by the standard, and the mock does not have it",
    "NO_HANDLER": "the mock does not know what an operation gives",
    "NOT_UPDATABLE": "a replacement may hold what cannot be changed; the mock compares it with what is stored",
}
"""Codes of the mock for requests that the validator allows."""

VALIDATOR_ALONE = {
    "NOT_UPDATABLE": "the mock takes a value that cannot be changed and is the same as the stored one",
}
"""Codes of the validator for requests that the mock takes."""

OPEN = {
    "TYPE": "an abstract type needs the name of a derived one (@odata.type)",
    "FILTER_COLLECTION": "a comparison with a collection of values",
    "EXPAND": "an unknown navigation of an open type is expanded",
}
"""Codes of the mock for wrong requests that the validator lets pass: to be closed there, and struck out here."""


def difference(grounding: Grounding, service: MockService, request: Request) -> str:
    """Gives how the two differ on a request, empty where they agree or the difference is explained."""
    verdict = grounding.validate(request)
    response = service.send(request)
    taken = response.status < 400
    if verdict.allowed == taken:
        return ""
    fault = parse_fault(response.body)
    code = fault.code if fault is not None and not taken else ""
    codes = {problem.code for problem in verdict.problems if problem.severity is Severity.ERROR}
    if (verdict.allowed and code in {*MOCK_ALONE, *OPEN}) or (taken and codes <= set(VALIDATOR_ALONE)):
        return ""
    if taken and request.method == "PUT" and codes == {"REQUIRED"}:
        return ""  # open: a replacement is asked for the key that its URL gives
    said = fault.message if fault is not None and not taken else "taken"
    asked = f"{request.method} {request.path} {request.query} {request.body}"
    return f"{asked}\n  validator: {codes or 'allowed'}\n  mock: {code} {said}"


def differences(view: ServiceView, seed: int, count: int) -> list[str]:
    grounding = Grounding(view)
    service = MockService(view, seed=seed_of(view), options=MockOptions(etags="never"))
    maker = Maker(view, seed)
    found: list[str] = []
    tried = 0
    for number in range(count):
        if number % 200 == 0:
            service.reset()
        request = maker.request()
        if request is not None:
            tried += 1
            found.append(difference(grounding, service, request))
    assert tried > count // 2
    return [text for text in found if text]


@pytest.mark.parametrize("document", DOCUMENTS)
def test_they_agree_on_small_services(document: str) -> None:
    facts = read_csdl((FIXTURES / document).read_bytes(), document=document, naming=lambda name: name)
    view = ServiceView.of(facts.nodes)  # type: ignore[union-attr]
    found = differences(view, seed=1, count=600)
    assert found == [], "\n".join(found[:10])


def real_views(test_data: Path) -> list[ServiceView]:
    landscape = yaml.safe_load((test_data / "bench-real" / "landscape.yaml").read_text(encoding="utf-8"))
    found: list[ServiceView] = []
    for service in landscape["services"]:
        content = (test_data / "corpus" / service["file"]).read_bytes()
        facts = read_csdl(content, document=service["file"], naming=lambda _, name=service["id"]: name)
        found.append(ServiceView.of(facts.nodes))  # type: ignore[union-attr]
    return found


@pytest.mark.corpus
def test_they_agree_on_real_services(test_data: Path) -> None:
    found = [text for view in real_views(test_data) for text in differences(view, seed=2, count=200)]
    assert found == [], "\n".join(found[:10])


@pytest.mark.corpus
@pytest.mark.fuzz
@pytest.mark.parametrize("seed", range(10, 20))
def test_they_agree_for_minutes(test_data: Path, seed: int) -> None:
    found = [text for view in real_views(test_data) for text in differences(view, seed=seed, count=1000)]
    assert found == [], "\n".join(found[:10])
