"""`ProcessFlow`: one process prepared for questions about its order."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import TypeAlias

from clew.domain.issues import Issue, Place, Severity
from clew.domain.records import JsonObject, JsonValue, Record
from clew.flow.analysis import Analysis
from clew.flow.compilation import Callee, compile_net
from clew.flow.exploration import FlowLimits
from clew.flow.net import Kind
from clew.flow.order import Chart, Neighbour
from clew.flow.paths import Paths
from clew.flow.replay import Opening, Replay
from clew.graph.process_view import ProcessView


class Enabled(Record, frozen=True, kw_only=True):
    """What may come next after steps that have been observed."""

    activities: tuple[str, ...] = ()
    """In process order. Where the steps do not fit: what could have come at the first one that does not."""
    fits: bool = True
    """Whether the steps are the beginning of an execution."""
    stuck_at: int = -1
    """Position (from 0) of the first step that cannot come there."""
    may_end: bool = False
    """Whether the process may be over."""
    alternatives: dict[str, tuple[str, ...]] = {}
    """By activity the other ones that can come instead of it but not beside it."""
    needs: dict[str, tuple[str, ...]] = {}
    """By activity the names of values that decide whether its branch is taken, and that were not given."""
    issues: tuple[Issue, ...] = ()


Steps: TypeAlias = Sequence[str]
_Arranged: TypeAlias = tuple[int, int, tuple[int, ...]]


class ProcessFlow:
    """A process prepared once, to be asked many times; safe to share between readers that do not run in parallel."""

    def __init__(self, view: ProcessView, *, callee: Callee | None = None, limits: FlowLimits = FlowLimits()) -> None:
        """Compiles the process; `callee` gives the processes that its call activities call."""
        self.view = view
        self._limits = limits
        self._net = compile_net(view, callee)
        self._paths = Paths(self._net)
        self._replays: dict[frozenset[str], Replay] = {}

    @cached_property
    def observable(self) -> frozenset[str]:
        """The activities that hold no flow of their own, those of called processes included."""
        return frozenset(node.id for node in self._net.nodes if node.kind is Kind.TASK)

    @cached_property
    def bound(self) -> frozenset[str]:
        """The activities of the process that a binding joins to a service."""
        return frozenset(activity for activity, edges in self.view.bindings.items() if edges)

    @cached_property
    def value_names(self) -> frozenset[str]:
        """The names of the values that conditions of flows ask for."""
        conditions = (place.condition for place in self._net.places)
        return frozenset(name for condition in conditions if condition for name in condition.names)

    @cached_property
    def positions(self) -> dict[str, int]:
        """The place of each activity in process order, from 0; loops are broken."""
        return self._chart.positions()

    @cached_property
    def _chart(self) -> Chart:
        return Chart(self._net)

    @cached_property
    def _analysis(self) -> Analysis:
        return Analysis(self._net, Paths(self._net), self._limits)

    @property
    def issues(self) -> tuple[Issue, ...]:
        """What is wrong with the model, or could not be found out within the bounds."""
        return (*(_defect(self.view, code) for code in self.view.process.defects), *self._analysis.issues)

    @property
    def is_enforceable(self) -> bool:
        """Whether the model is whole, so that its order may be enforced."""
        return not self.view.process.defects

    def preconditions(self, activity: str) -> frozenset[str]:
        """Gives the activities that every execution that starts the activity has completed; only what is certain."""
        return self._analysis.preconditions(activity)

    def undecided(self, activity: str) -> frozenset[str]:
        """Gives the activities of which the bounds leave open whether they are preconditions."""
        return self._analysis.undecided(activity)

    def can_start(self, activity: str) -> bool | None:
        """Whether some execution starts the activity; `None` where that is not known."""
        return self._analysis.can_start(activity)

    def neighbourhood(self, activity: str, hops: int) -> list[Neighbour]:
        """Gives the activities within some hops, before and after, nearest first."""
        return self._chart.neighbours(activity, hops)

    def enabled(
        self,
        completed: Steps,
        *,
        visible: Iterable[str] | None = None,
        values: Sequence[Mapping[str, JsonValue]] = (),
        given: Mapping[str, JsonValue] = {},
    ) -> Enabled:
        """Gives what may come next.

        Args:
            completed: ids of activities that were completed and of events that occurred, in order.
            visible: the activities that cannot have happened without being in `completed`; by default all.
            values: what became known with each of the steps, for the conditions of flows after it.
            given: what was known from the beginning; what is known stays so until a step says otherwise.
        """
        shown = self.observable if visible is None else frozenset(visible)
        replay = self._replay(shown | frozenset(completed))
        known: JsonObject = {**given}
        truths = replay.truths(known)
        state = replay.start(truths)
        for position, step in enumerate(completed):
            if position < len(values):
                known = {**known, **values[position]}
                truths = replay.truths(known)
            after = replay.follow(state, self._net.by_id.get(step, ()), truths)
            if after is None:
                return self._enabled(replay.opening(state, truths), shown, fits=False, stuck_at=position)
            state = after
        return self._enabled(replay.opening(state, truths), shown)

    def arrange(
        self, firm: Steps, movable: Steps, *, visible: Iterable[str], wanted: Iterable[str] = ()
    ) -> list[int] | None:
        """Puts steps of which the time is not known among those of which it is, so that an execution begins with them.

        `firm` keeps its order and is used whole; `movable` may come anywhere or be left out. Gives positions in
        `[*firm, *movable]`: after them one of `wanted` may come next if that can be had, and as many of `movable` are
        used as then can be. Gives `None` where no execution has the firm steps, or none was found within the bounds.
        """
        aims = frozenset(wanted)
        replay = self._replay(frozenset(visible) | frozenset(firm) | frozenset(movable))
        start: _Arranged = (replay.start(()), 0, tuple(range(len(movable))))
        waiting: list[tuple[_Arranged, list[int]]] = [(start, [])]
        seen: set[_Arranged] = {start}
        best: tuple[tuple[bool, int], list[int]] | None = None
        while waiting and len(seen) < self._limits.possible:
            (state, position, rest), order = waiting.pop()
            if position == len(firm):
                opened = {self._net.nodes[node].id for node in replay.opening(state, ()).together}
                merit = (not aims.isdisjoint(opened), len(order))
                if best is None or merit > best[0]:
                    best = (merit, order)
                if not rest and (merit[0] or not aims):
                    break
            for step, there, left in self._ways(firm, movable, position, rest):
                name = firm[step] if step < len(firm) else movable[step - len(firm)]
                after = replay.follow(state, self._net.by_id.get(name, ()), ())
                if after is not None and (after, there, left) not in seen:
                    seen.add((after, there, left))
                    waiting.append(((after, there, left), [*order, step]))
        return best[1] if best else None

    def _ways(
        self, firm: Steps, movable: Steps, position: int, rest: tuple[int, ...]
    ) -> list[tuple[int, int, tuple[int, ...]]]:
        """Gives the steps that can be put next: the next firm one, and of those that are alike the first."""
        ways = [(position, position + 1, rest)] if position < len(firm) else []
        alike: set[str] = set()
        for one in rest:
            if movable[one] not in alike:
                alike.add(movable[one])
                ways.append((len(firm) + one, position, tuple(other for other in rest if other != one)))
        return ways

    def still_possible(self, completed: Steps, *, visible: Iterable[str], most: int = 500) -> frozenset[str]:
        """Gives what may still happen some time after the steps; all of `visible` where that is too much to look at."""
        shown = frozenset(visible)
        replay = self._replay(shown | frozenset(completed))
        state: int | None = replay.start(())
        for step in completed:
            state = replay.follow(state, self._net.by_id.get(step, ()), ()) if state is not None else None
        if state is None:
            return shown
        found: set[int] = set()
        reached = [state]
        for here in reached:
            for node in replay.opening(here, ()).together:
                found.add(node)
                after = replay.follow(here, (node,), ())
                if after is not None and after not in reached:
                    reached.append(after)
            if len(reached) > most:
                return shown
        return frozenset(self._net.nodes[node].id for node in found) & shown

    def _replay(self, visible: frozenset[str]) -> Replay:
        found = self._replays.get(visible)
        if found is None:
            nodes = frozenset(index for name in visible for index in self._net.by_id.get(name, ()))
            found = self._replays[visible] = Replay(self._net, self._paths, nodes, self._limits)
        return found

    def _enabled(self, opening: Opening, shown: frozenset[str], *, fits: bool = True, stuck_at: int = -1) -> Enabled:
        names = {node: self._net.nodes[node].id for node in opening.together}
        activities = sorted(
            {name for name in names.values() if name in shown}, key=lambda name: (self.positions.get(name, 0), name)
        )
        beside: dict[str, set[str]] = {name: set() for name in activities}
        for node, others in opening.together.items():
            if names[node] in beside:
                beside[names[node]].update(names[other] for other in others)
        return Enabled(
            activities=tuple(activities),
            fits=fits,
            stuck_at=stuck_at,
            may_end=opening.may_end,
            alternatives={
                name: others
                for name in activities
                if (others := tuple(other for other in activities if other != name and other not in beside[name]))
            },
            needs=self._needs(opening, names),
            issues=(_too_many(self._limits.possible),) if opening.cut_off else (),
        )

    def _needs(self, opening: Opening, names: dict[int, str]) -> dict[str, tuple[str, ...]]:
        found: dict[str, tuple[str, ...]] = {}
        for node, places in opening.assumed.items():
            gateways = dict.fromkeys(self._net.places[place].source for place in sorted(places))
            asked = [
                name
                for gateway in gateways
                for place in self._net.nodes[gateway].outgoing
                if (condition := self._net.places[place].condition) is not None
                for name in condition.names
            ]
            if names[node] not in found:
                found[names[node]] = tuple(dict.fromkeys(asked))
        return found


def _too_many(limit: int) -> Issue:
    message = f"More than {limit} states are possible after these steps; some that may come next may not be listed."
    return Issue(code="flow-bounds", message=message, severity=Severity.WARNING)


def _defect(view: ProcessView, code: str) -> Issue:
    message = f"The model of {view.process.name or view.id!r} is broken ({code}); its order is not enforced."
    return Issue(code=code, message=message, place=Place(pointer=view.process.id))
