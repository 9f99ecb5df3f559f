"""`PlanChecker`: implements `ports.Checker` over the groundings of a landscape, for plans and their execution."""

from collections.abc import Callable, Sequence

from clew.domain.issues import Issue
from clew.domain.plans import Earlier
from clew.domain.requests import Call, Request
from clew.domain.verdicts import Problem, Verdict
from clew.graph.service_view import ServiceView
from clew.grounding.check import Grounding, with_request
from clew.grounding.compose import compose
from clew.grounding.resolution import resolve


class PlanChecker:
    """Composes, resolves and validates the calls of plans."""

    def __init__(self, groundings: Callable[[str], Grounding]) -> None:
        """`groundings` gives the grounding of a service by name; it raises `UnknownReference` for one there is not."""
        self._groundings = groundings

    def compose(self, call: Call) -> Request:
        """Gives the call's request with its references left in, for people to read."""
        return compose(call, self._view(call.service))

    def check(self, call: Call, earlier: Sequence[Earlier]) -> Verdict:
        """Validates a call after its references were resolved; see `ports.Checker`.

        The verdict's request is what is to be sent, or, where references could only be stood in for, the request with
        the references themselves in it.
        """
        grounding = self._groundings(call.service)
        resolution = resolve(call, earlier, grounding.view, views=self._view, codes=grounding.valid_code)
        if resolution.issues:
            return Verdict(allowed=False, problems=tuple(_problem(issue) for issue in resolution.issues))
        request = compose(resolution.call, grounding.view)
        if not resolution.stood_in:
            return grounding.validate(request, call=resolution.call)
        verdict = grounding.validate(request, call=call, stood_in=resolution.stood_in)
        return with_request(verdict, self.compose(call))

    def _view(self, service: str) -> ServiceView:
        return self._groundings(service).view


def _problem(issue: Issue) -> Problem:
    return Problem(
        code=issue.code,
        pointer=issue.place.pointer,
        message=issue.message,
        severity=issue.severity,
        expected="a property of an earlier step's result, such as $1.Name",
        suggestions=issue.suggestions,
    )
