"""What may come next, for people and agents: in a case, or in a process after steps that somebody names."""

from collections.abc import Sequence

from clew.domain.cases import Case, NextStep
from clew.flow import ProcessFlow
from clew.process.links import Links
from clew.process.standing import Standing, stand
from clew.process.wording import missing_steps, read_of


def steps_of_case(
    case: Case, flow: ProcessFlow, links: Links, *, stated: frozenset[str] = frozenset()
) -> tuple[NextStep, ...]:
    """Gives the bound steps that may come next in a case, then those that may come later with what they wait for."""
    if case.state == "closed":
        return ()
    return _steps(flow, stand(flow, case.evidence, None, links, stated=stated))


def steps_of_process(flow: ProcessFlow, done: Sequence[str] = ()) -> tuple[NextStep, ...]:
    """Gives the same for a process after `done` (ids of activities, in order), whatever their order in the model is."""
    visible = flow.bound | frozenset(done)
    order = flow.arrange((), done, visible=visible)
    steps = tuple(done[position] for position in order or ())
    fits = len(steps) == len(done)
    enabled = flow.enabled(steps, visible=visible)
    standing = Standing(enabled=enabled, completed=tuple(done), fits=fits, elsewhere={}, visible=flow.bound)
    return _steps(flow, standing)


def _steps(flow: ProcessFlow, standing: Standing) -> tuple[NextStep, ...]:
    opened = [_step(flow, activity, standing, ()) for activity in standing.enabled.activities]
    possible = flow.still_possible(standing.completed, visible=standing.visible) if standing.fits else standing.visible
    later: list[NextStep] = []
    for activity in sorted(possible, key=lambda name: (flow.positions.get(name, 0), name)):
        if activity in standing.enabled.activities or activity in standing.completed:
            continue
        if missing := missing_steps(flow, standing, activity):
            later.append(_step(flow, activity, standing, tuple(missing)))
    return (*opened, *later)


def _step(flow: ProcessFlow, activity: str, standing: Standing, missing: tuple[str, ...]) -> NextStep:
    node = flow.view.elements.get(activity)
    edges = flow.view.bindings.get(activity, [])
    return NextStep(
        activity=activity,
        name=node.name if node else "",
        target=edges[0].target if edges else "",
        method=edges[0].method if edges else "",
        open=not missing,
        missing=missing,
        read=read_of(flow, missing[0]) if missing else "",
        alternative_to=standing.enabled.alternatives.get(activity, ()),
    )
