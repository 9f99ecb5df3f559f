"""A verdict is bounded: what is shown, and the work for it."""

from clew.domain.issues import Severity
from clew.domain.requests import Request
from clew.domain.services import EntitySet, EntityType, Property, Service
from clew.graph.service_view import ServiceView
from clew.grounding import Grounding
from clew.grounding.check import MOST_PROBLEMS

VIEW = ServiceView.of(
    [
        Service(id="odata:S", service="S", name="S"),
        EntitySet(id="odata:S/Orders", service="S", name="Orders", type="N.Order"),
        EntityType(
            id="odata:S#N.Order",
            service="S",
            name="N.Order",
            key=("Id",),
            properties=(Property(name="Id"), Property(name="Code", uppercase=True)),
        ),
    ]
)


def body(members: list[str]) -> str:
    return "{" + ",".join(members) + "}"


def test_a_verdict_names_a_hundred_problems_and_says_that_there_are_more() -> None:
    wrong = body([f'"Wrong{number}": 1' for number in range(5_000)])
    verdict = Grounding(VIEW).validate(Request(method="POST", service="S", path="Orders", body=wrong))
    assert not verdict.allowed
    assert len(verdict.problems) == MOST_PROBLEMS + 1
    assert verdict.problems[-1].code == "MORE_PROBLEMS"
    assert all(problem.severity is Severity.ERROR for problem in verdict.problems)


def test_few_problems_are_all_named() -> None:
    wrong = body([f'"Wrong{number}": 1' for number in range(50)])
    verdict = Grounding(VIEW).validate(Request(method="POST", service="S", path="Orders", body=wrong))
    codes = [problem.code for problem in verdict.problems]
    assert codes.count("UNKNOWN_PROPERTY") == 50
    assert "MORE_PROBLEMS" not in codes
