"""Steps of processes as an index keeps them: which sets and operations perform an activity, what is near it."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Self

import numpy as np

from clew.domain.facts import Edge
from clew.domain.ids import owner_of
from clew.domain.processes import Activity
from clew.domain.records import Record
from clew.domain.services import EntitySet, Operation
from clew.flow import ProcessFlow
from clew.graph.process_view import ProcessView
from clew.graph.service_view import ServiceView
from clew.index.arrays import Adjacency, Numbers, open_array

HOPS = 8
"""How far the neighbourhood of an activity is kept; retrieval bounds it further."""


class Step(Record, frozen=True, kw_only=True):
    """One activity: what performs it, and the activities around it with their distance, nearest first."""

    activity: Activity
    sets: tuple[str, ...] = ()
    operations: tuple[str, ...] = ()
    near: tuple[tuple[str, int], ...] = ()


def read_steps(view: ProcessView, services: Mapping[str, ServiceView]) -> list[Step]:
    """Gives the activities of a process in process order."""
    flow = ProcessFlow(view)
    ranks = flow.positions
    ordered = sorted(view.activities, key=lambda activity: ranks.get(activity.id, len(ranks)))
    return [_step(view, flow, activity, services) for activity in ordered]


def _step(view: ProcessView, flow: ProcessFlow, activity: Activity, services: Mapping[str, ServiceView]) -> Step:
    sets: dict[str, None] = {}
    operations: dict[str, None] = {}
    for edge in view.bindings.get(activity.id, ()):
        if "#" not in edge.target:
            sets[edge.target] = None
            continue
        operations[edge.target] = None
        if entity_set := _set_of_operation(edge, services.get(owner_of(edge.target))):
            sets[entity_set] = None
    near = tuple((near.activity, near.hops) for near in flow.neighbourhood(activity.id, HOPS))
    return Step(activity=activity, sets=tuple(sets), operations=tuple(operations), near=near)


def _set_of_operation(edge: Edge, view: ServiceView | None) -> str:
    """Gives the id of the set on whose entities an operation works, as the binding or the description says."""
    if view is None:
        return ""
    if edge.bound_to in view.sets:
        return view.sets[edge.bound_to].id
    if edge.bound_to:
        return edge.bound_to if "/" in edge.bound_to else ""
    operation = next((found for group in view.operations.values() for found in group if found.id == edge.target), None)
    if operation is None:
        return ""
    if operation.entity_set in view.sets:
        return view.sets[operation.entity_set].id
    candidates = view.sets_of_type.get(operation.bound_to or operation.returns, []) or _sets_named_by(operation, view)
    return candidates[0].id if len(candidates) == 1 else ""


def _sets_named_by(operation: Operation, view: ServiceView) -> list[EntitySet]:
    """Gives the sets whose keys the parameters of a function import give, those with the longest key."""
    given = {parameter.name for parameter in operation.parameters}
    keys = {entity_set.name: set(view.key(entity_set.type)) for entity_set in view.sets.values()}
    longest = max((len(key) for key in keys.values() if key and key <= given), default=0)
    return [view.sets[name] for name, key in keys.items() if len(key) == longest > 0 and key <= given]


class Steps:
    """Activities by number: their process, what performs them, what is near; numbers are positions in the layers."""

    def __init__(
        self, process: Numbers, sets: Adjacency, operations: Adjacency, near: Adjacency, hops: Numbers
    ) -> None:
        """Takes `process` of shape `(activities,)`; `hops` are the distances of the links of `near`."""
        self.process = process
        self.sets = sets
        self.operations = operations
        self.near = near
        self.hops = hops

    @classmethod
    def build(
        cls, steps: Sequence[tuple[int, Step]], *, sets: Mapping[str, int], operations: Mapping[str, int]
    ) -> Self:
        """Makes it from (process number, step) pairs; `sets` and `operations` number what may perform a step."""
        number = {step.activity.id: position for position, (_, step) in enumerate(steps)}
        near = [[(number[node], hops) for node, hops in step.near if node in number] for _, step in steps]
        return cls(
            np.array([process for process, _ in steps], dtype=np.int32),
            Adjacency.build([[sets[node] for node in step.sets if node in sets] for _, step in steps]),
            Adjacency.build(
                [[operations[node] for node in step.operations if node in operations] for _, step in steps]
            ),
            Adjacency.build([[node for node, _ in listed] for listed in near]),
            np.array([hops for listed in near for _, hops in listed], dtype=np.int32),
        )

    def save(self, folder: Path) -> None:
        """Writes its files into a folder."""
        np.save(folder / "step-process.npy", self.process)
        np.save(folder / "step-hops.npy", self.hops)
        self.sets.save(folder, "step-sets")
        self.operations.save(folder, "step-operations")
        self.near.save(folder, "step-near")

    @classmethod
    def open(cls, folder: Path) -> Self:
        """Opens what `save` wrote, memory-mapped."""
        return cls(
            open_array(folder / "step-process.npy", np.int32),
            Adjacency.open(folder, "step-sets"),
            Adjacency.open(folder, "step-operations"),
            Adjacency.open(folder, "step-near"),
            open_array(folder / "step-hops.npy", np.int32),
        )
