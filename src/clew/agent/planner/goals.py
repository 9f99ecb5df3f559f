"""Goals: a request that tells what is to be the case in the end means all the steps that lead there."""

from collections.abc import Iterable, Sequence

import msgspec

from clew.agent.planner.actions import Action
from clew.agent.planner.catalogue import Bound, Catalogue
from clew.agent.planner.targets import Target
from clew.flow import ProcessFlow


def steps_to(catalogue: Catalogue, process: str, goals: Iterable[str], done: Iterable[str]) -> list[Bound]:
    """Gives the bound steps that change something and that must come before, or are, the goals, in process order.

    `goals` are ids of activities; what must come before the steps of `done` counts as done itself.
    """
    flow = ProcessFlow(catalogue.process(process))
    behind = {before for activity in done for before in (activity, *flow.preconditions(activity))}
    needed = {before for goal in goals for before in (goal, *flow.preconditions(goal))} - behind
    steps = [step for step in catalogue.bound(process) if step.activity in needed and step.method != "GET"]
    return sorted(steps, key=lambda step: flow.positions.get(step.activity, step.order))


def action_for(step: Bound, goals: Sequence[Action]) -> Action:
    """Gives the action by which a step is taken that only the goals ask for."""
    last = goals[-1]
    return msgspec.structs.replace(
        last,
        words=step.name,
        own=(),
        given=goals[0].given,
        objects=(),
        verb=None,
        follows=True,
        builds=True,
        goal=True,
    )


def target_of(catalogue: Catalogue, step: Bound) -> Target | None:
    """Gives the target of a bound step, `None` where its service is not at hand."""
    service = step.target.partition(":")[2].replace("#", "/", 1).partition("/")[0]
    if service not in catalogue.services:
        return None
    card = next((card for card in catalogue.sets(service).values() if card.id == step.target), None)
    operation = next((card for card in catalogue.operations(service) if card.id == step.target), None)
    return Target(
        id=step.target,
        service=service,
        method=step.method,
        score=1.0,
        entity_set=card.name if card else "",
        operation=operation.name if operation else "",
        activity=step.activity,
        bound_set=step.bound_to,
        via=step.via,
        values=step.values,
        reason=f"step {step.name!r} leads to what is asked for",
    )
