"""`OrderDesk`: process order in a workspace: cases, what comes next, the gate and the witness of executions."""

import secrets
from collections.abc import Callable, Iterator, Sequence

from clew.domain.cases import Case, NextStep
from clew.domain.clocks import Clock
from clew.domain.errors import UnknownReference
from clew.domain.ids import owner_of, scheme_of
from clew.domain.issues import Suggestion
from clew.domain.kinds import EdgeKind
from clew.domain.ports import Database
from clew.domain.specifications import Section
from clew.flow import ProcessFlow
from clew.graph.service_view import ServiceView
from clew.graph.snapshot import Snapshot
from clew.process import (
    CaseBook,
    CaseWitness,
    MetadataLinks,
    OrderGate,
    steps_of_case,
    steps_of_process,
)


class OrderDesk:
    """Keeps cases and answers what may come next, always for one principal."""

    def __init__(
        self,
        database: Database,
        snapshot: Callable[[], Snapshot],
        *,
        principal: str,
        tenant: str,
        clock: Clock,
    ) -> None:
        """Takes where the graph of the moment is to be had."""
        self._snapshot = snapshot
        self._principal = principal
        self._flows: dict[str, ProcessFlow] = {}
        self.book = CaseBook(database, clock=clock, new_handle=lambda: secrets.token_urlsafe(18), tenant=tenant)
        self.links = MetadataLinks(self._service)
        self.gate = OrderGate(self.book, self, self.links)
        self.witness = CaseWitness(self.book, self, self.links)

    def refresh(self) -> None:
        """Forgets what was prepared from an earlier state of the graph."""
        self._flows.clear()
        self.links.refresh()

    def flow(self, process: str) -> ProcessFlow:
        """Gives a process prepared for questions about its order.

        Raises:
            UnknownReference: there is no such process.
        """
        if process not in self._flows:
            self._flows[process] = ProcessFlow(self._snapshot().process(process))
        return self._flows[process]

    def open(self, process: str, mode: str) -> Case:
        """Opens a case of a process.

        Raises:
            UnknownReference: there is no such process.
        """
        name = self._process(process)
        self.flow(name)
        return self.book.open(name, principal=self._principal, mode=mode)

    def show(self, handle: str) -> Case:
        """Gives a case of this principal.

        Raises:
            UnknownReference: this principal has no such case.
        """
        return self.book.show(handle, principal=self._principal)

    def cases(self) -> tuple[Case, ...]:
        """Gives this principal's cases."""
        return self.book.list(principal=self._principal)

    def close(self, handle: str) -> Case:
        """Closes a case.

        Raises:
            UnknownReference: this principal has no such case.
        """
        return self.book.close(handle, principal=self._principal)

    def next_of_case(self, handle: str) -> tuple[NextStep, ...]:
        """Gives what may come next in a case, and what waits for something.

        Raises:
            UnknownReference: this principal has no such case.
        """
        case = self.show(handle)
        return steps_of_case(self.flow(case.process), case, self.links)

    def next_of_process(self, process: str, done: Sequence[str]) -> tuple[NextStep, ...]:
        """Gives what may come next in a process after the activities `done` (ids or names), in their order.

        Raises:
            UnknownReference: there is no such process or activity.
        """
        flow = self.flow(self._process(process))
        return steps_of_process(flow, [self._activity(flow, name) for name in done])

    def spec_sources(self) -> tuple["OrderSource", ...]:
        """Gives what process order contributes to specifications."""
        return (OrderSource(self._snapshot(), self.flow),)

    def _process(self, name: str) -> str:
        return owner_of(name) if scheme_of(name) == "bpmn" else name

    def _activity(self, flow: ProcessFlow, name: str) -> str:
        activities = flow.view.activities
        for activity in activities:
            if name in (activity.id, activity.name, activity.id.rpartition("/")[2]):
                return activity.id
        known = tuple(Suggestion(value=activity.name or activity.id) for activity in activities)
        raise UnknownReference("activity", name, known)

    def _service(self, name: str) -> ServiceView | None:
        snapshot = self._snapshot()
        return snapshot.service(name) if name in snapshot.service_names() else None


class OrderSource:
    """Says of an entity set or operation in which processes it takes part: what comes before, after and instead."""

    def __init__(self, snapshot: Snapshot, flow: Callable[[str], ProcessFlow]) -> None:
        """Reads nothing yet."""
        self._snapshot = snapshot
        self._flow = flow

    def sections(self, node: str) -> Iterator[Section]:
        """Gives one section, none where no process binds the node."""
        lines: list[str] = []
        for edge in self._snapshot.edges(target=node, kind=EdgeKind.PERFORMED_BY):
            lines += self._lines(edge.source)
        if lines:
            yield Section(name="order", title="Process order", lines=tuple(lines), untrusted=True)

    def _lines(self, activity: str) -> Iterator[str]:
        flow = self._flow(owner_of(activity))
        names = {step.id: step.name or step.id for step in flow.view.activities}
        method = next((edge.method for edge in flow.view.bindings.get(activity, ())), "")
        yield f"{flow.view.process.name}: {names[activity]}" + (f" ({method})" if method else "")
        before = [names[step] for step in flow.preconditions(activity) if step in names]
        if before:
            yield f"  must come before: {', '.join(sorted(before))}"
        near = flow.neighbourhood(activity, 1)
        after = [names[step.activity] for step in near if step.direction == "after" and step.activity in names]
        if after:
            yield f"  may come next: {', '.join(dict.fromkeys(after))}"
