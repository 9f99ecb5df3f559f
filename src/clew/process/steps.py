"""What may come next in a case or a process, and what each other step waits for."""

from collections.abc import Collection, Sequence

from clew.domain.cases import Case, NextStep
from clew.domain.facts import Edge
from clew.domain.ids import local_part, owner_of
from clew.flow import Enabled, ProcessFlow
from clew.process.links import Links
from clew.process.standing import stand


def steps_of_process(flow: ProcessFlow, completed: Sequence[str] = ()) -> tuple[NextStep, ...]:
    """Gives what may come next after activities in their order, then what waits; `completed` are ids.

    Activities without binding are done outside the systems; here, where nothing but order counts, they are steps too,
    unless `completed` leaves them out where they must have been: then they are taken to have happened unseen.
    """
    enabled = flow.enabled(completed)
    if enabled.fits:
        return _steps(flow, enabled, completed, visible=flow.observable)
    visible = flow.bound | frozenset(completed)
    return _steps(flow, flow.enabled(completed, visible=visible), completed, visible=visible)


def steps_of_case(
    flow: ProcessFlow, case: Case, links: Links, *, stated: frozenset[str] = frozenset()
) -> tuple[NextStep, ...]:
    """Gives what may come next in a case by its evidence, then what waits and which read would show it done."""
    if case.state == "closed":
        return ()
    standing = stand(flow, case.evidence, None, links, stated=stated)
    return _steps(flow, standing.enabled, standing.completed, visible=standing.visible, shown=standing.shown)


def missing_before(
    flow: ProcessFlow, activity: str, completed: Collection[str], *, visible: Collection[str]
) -> tuple[str, ...]:
    """Gives the visible preconditions of an activity that are not completed, in process order."""
    missing = [step for step in flow.preconditions(activity) if step in visible and step not in completed]
    return tuple(sorted(missing, key=lambda step: (flow.positions.get(step, 0), step)))


def name_of(flow: ProcessFlow, activity: str) -> str:
    """Gives the name of an activity, its id where it has none."""
    element = flow.view.elements.get(activity)
    return (element.name if element else "") or activity


def read_of(flow: ProcessFlow, activity: str) -> str:
    """Gives the read that shows an activity done, empty where none does.

    What creates objects is shown by reading one of them, a step that is a read by making it. What an operation or a
    change has done cannot be read off the object in general.
    """
    for binding in flow.view.bindings.get(activity, ()):
        method, is_set = binding.method.upper(), "#" not in binding.target
        if method == "GET" or (method == "POST" and is_set):
            return f"GET {owner_of(binding.target)}/{_simple(binding)}"
    return ""


def remedy_for(flow: ProcessFlow, activity: str) -> str:
    """Says how a step can be done, or shown to have been done."""
    binding = next(iter(flow.view.bindings.get(activity, ())), None)
    if binding is None:
        return "Let a person state that it has been done"
    call = f"{binding.method.upper()} {owner_of(binding.target)}/{_simple(binding)}"
    read = read_of(flow, activity)
    if read == call:
        return f"Do it: {call}"
    return f"Do it: {call}; or " + (f"show it done: {read}" if read else "let a person state that it has been done")


def _simple(binding: Edge) -> str:
    local = local_part(binding.target)
    return local.partition("(")[0].rpartition(".")[2] if "#" in binding.target else local


def _steps(
    flow: ProcessFlow,
    enabled: Enabled,
    completed: Sequence[str],
    *,
    visible: Collection[str],
    shown: Collection[str] = (),
) -> tuple[NextStep, ...]:
    done = {*completed, *shown}
    open_now = [activity for activity in enabled.activities if activity in flow.observable]
    possible = flow.still_possible(completed, visible=visible) if enabled.fits else flow.observable
    others = [
        activity
        for activity in sorted(flow.positions, key=lambda step: (flow.positions[step], step))
        if activity in possible and activity not in open_now and activity not in done
    ]
    waiting = [
        _step(flow, activity, missing=missing)
        for activity in others
        if (missing := missing_before(flow, activity, done, visible=visible))
    ]
    return (*(_step(flow, activity, enabled=enabled) for activity in open_now), *waiting)


def _step(
    flow: ProcessFlow, activity: str, *, enabled: Enabled | None = None, missing: tuple[str, ...] = ()
) -> NextStep:
    binding: Edge | None = next(iter(flow.view.bindings.get(activity, ())), None)
    nearest = tuple(one for one in missing if not any(one in flow.preconditions(other) for other in missing))
    return NextStep(
        activity=activity,
        name=name_of(flow, activity),
        target=binding.target if binding else "",
        method=binding.method if binding else "",
        open=not missing,
        missing=nearest,
        read=read_of(flow, nearest[0]) if nearest else "",
        alternative_to=enabled.alternatives.get(activity, ()) if enabled else (),
    )
