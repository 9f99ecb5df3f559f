"""The questions of `clew.flow` as functions: over a prepared process, or over a view, which is prepared each time."""

from collections.abc import Mapping, Sequence

from clew.domain.issues import Issue
from clew.domain.records import JsonValue
from clew.flow.order import Neighbour
from clew.flow.process_flow import Enabled, ProcessFlow
from clew.graph.process_view import ProcessView


def prepared(process: ProcessView | ProcessFlow) -> ProcessFlow:
    """Gives the process prepared; keep it where more than one question follows."""
    return process if isinstance(process, ProcessFlow) else ProcessFlow(process)


def preconditions(process: ProcessView | ProcessFlow, activity: str) -> frozenset[str]:
    """Gives the ids of the activities that every execution that starts `activity` has completed.

    Only what is certain is given: where the bounds leave an activity undecided, `ProcessFlow.undecided` names it and
    `soundness` says so.
    """
    return prepared(process).preconditions(activity)


def enabled(
    process: ProcessView | ProcessFlow,
    completed: Sequence[str],
    *,
    values: Sequence[Mapping[str, JsonValue]] = (),
) -> Enabled:
    """Gives which activities may start once those of `completed` have been completed in this order.

    `values` tells what was known at each of the steps, for conditions of flows; what is not known leaves a choice.
    """
    return prepared(process).enabled(completed, values=values)


def next_bound(process: ProcessView | ProcessFlow, completed: Sequence[str]) -> Enabled:
    """Gives the bound activities that can be reached without passing another bound one; others happen unseen."""
    flow = prepared(process)
    return flow.enabled(completed, visible=flow.bound)


def soundness(process: ProcessView | ProcessFlow) -> tuple[Issue, ...]:
    """Gives what is wrong with a model: deadlocks, branches that meet without a join, activities that never start.

    What could not be found out within the bounds is among them (`flow-bounds`, `flow-unbounded`).
    """
    return prepared(process).issues


def positions(process: ProcessView | ProcessFlow) -> dict[str, int]:
    """Gives the place of each activity in process order, from 0; loops are broken where they lead back."""
    return dict(prepared(process).positions)


def neighbourhood(process: ProcessView | ProcessFlow, activity: str, hops: int) -> list[Neighbour]:
    """Gives the activities within `hops` before and after one, nearest first, through gateways and subprocesses."""
    return prepared(process).neighbourhood(activity, hops)
