"""Plans: made and hashed, checked as a whole, and rehearsed without sending anything."""

import hashlib
from collections.abc import Iterable, Sequence

import msgspec

from clew.domain.decisions import Decision, Effect, Reason
from clew.domain.errors import MalformedText
from clew.domain.issues import Issue, Place, Severity
from clew.domain.plans import DryRun, Earlier, Plan, StepCheck
from clew.domain.ports import Checker, Gate, RehearsingGate
from clew.domain.references import parse_reference, references_of
from clew.domain.requests import Call, CheckedRequest
from clew.domain.verdicts import Problem, Verdict

# One spelling for one content: keys in order, numbers as they are written, nothing that holds its default.
_CANONICAL = msgspec.json.Encoder(order="sorted", decimal_format="number")


def make_plan(
    calls: Iterable[Call],
    *,
    principal: str,
    schema_lock: Iterable[tuple[str, str]],
    case: str = "",
    process: str = "",
) -> Plan:
    """Makes a plan of calls in order.

    The hash is SHA-256 over the canonical JSON of the calls with their references, the schema lock, the principal and
    the case, so that nothing of what was confirmed can differ at execution but the values behind the references.
    `schema_lock` holds (service, version of its description) of every service that the calls use.
    """
    listed = tuple(calls)
    lock = tuple(sorted(set(schema_lock)))
    content = {"calls": listed, "case": case, "principal": principal, "schema_lock": lock}
    digest = hashlib.sha256(_CANONICAL.encode(content)).hexdigest()
    return Plan(calls=listed, principal=principal, schema_lock=lock, hash=digest, case=case, process=process)


def check_references(calls: Sequence[Call]) -> tuple[tuple[int, Issue], ...]:
    """Gives (1-based step, issue) for every reference that is malformed or names no earlier step."""
    found: list[tuple[int, Issue]] = []
    for position, call in enumerate(calls, 1):
        for place, text in references_of(call):
            if (issue := _reference_issue(text, place, position)) is not None:
                found.append((position, issue))
    return tuple(found)


def _reference_issue(text: str, place: str, position: int) -> Issue | None:
    where = Place(document=f"step {position}", pointer=place)
    try:
        reference = parse_reference(text)
    except MalformedText as error:
        return Issue(code=error.code, message=str(error), place=where)
    if reference.step < position:
        return None
    message = f"{text} refers to step {reference.step}, which does not come before step {position}"
    return Issue(code="REFERENCE_STEP", message=message, place=where)


def dry_run(plan: Plan, checker: Checker, gates: Sequence[Gate]) -> DryRun:
    """Rehearses a plan: each step is checked and decided as if those before it had succeeded; nothing is sent."""
    broken: dict[int, list[Issue]] = {}
    for position, issue in check_references(plan.calls):
        broken.setdefault(position, []).append(issue)
    steps: list[StepCheck] = []
    rehearsed: list[CheckedRequest] = []
    for position, call in enumerate(plan.calls, 1):
        if position in broken:
            verdict = _refusal(broken[position])
        else:
            verdict = checker.check(call, tuple(Earlier(call=step.call) for step in steps))
        decision = decide(verdict, gates, principal=plan.principal, case=plan.case, rehearsed=rehearsed)
        if verdict.checked is not None:
            rehearsed.append(verdict.checked)
        request = checker.compose(call)
        steps.append(StepCheck(position=position, call=call, request=request, verdict=verdict, decision=decision))
    executable = bool(steps) and all(step.verdict.allowed and step.decision.open for step in steps)
    return DryRun(plan=plan, steps=tuple(steps), executable=executable)


def decide(
    verdict: Verdict,
    gates: Sequence[Gate],
    *,
    principal: str,
    case: str,
    rehearsed: Sequence[CheckedRequest] | None = None,
) -> Decision:
    """Combines what all gates say of a verdict's request; a refused verdict is denied without asking them.

    `rehearsed` are the requests that are taken as carried out in a dry run; `None` where they really were.
    """
    if verdict.checked is None:
        return _denial(verdict)
    checked = verdict.checked
    decisions = [_as_rehearsed(gate, rehearsed).decide(checked, principal=principal, case=case) for gate in gates]
    if not decisions:
        reason = Reason(code="off", message="No gate is set up")
        return Decision(effect=Effect.PERMIT, source="gates", reasons=(reason,))
    return Decision.combine(decisions)


def _as_rehearsed(gate: Gate, rehearsed: Sequence[CheckedRequest] | None) -> Gate:
    return gate.rehearse(tuple(rehearsed)) if rehearsed is not None and isinstance(gate, RehearsingGate) else gate


def _denial(verdict: Verdict) -> Decision:
    errors = [problem for problem in verdict.problems if problem.severity is Severity.ERROR]
    reasons = tuple(Reason(code=p.code, message=p.message, subject=p.pointer, remedy=p.expected) for p in errors)
    return Decision(effect=Effect.DENY, source="validator", reasons=reasons)


def _refusal(issues: Iterable[Issue]) -> Verdict:
    problems = tuple(
        Problem(
            code=issue.code,
            pointer=issue.place.pointer,
            message=issue.message,
            expected="a reference to a step before this one, such as $1.Name",
        )
        for issue in issues
    )
    return Verdict(allowed=False, problems=problems)
