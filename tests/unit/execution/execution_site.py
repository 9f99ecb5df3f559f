"""Two services behind a transport that can be cut, a store, and a runner over them."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

import msgspec

from clew.domain.decisions import Decision
from clew.domain.errors import UnknownReference
from clew.domain.facts import Refused
from clew.domain.plans import Plan, Receipt
from clew.domain.ports import Gate, Response
from clew.domain.requests import Call, CheckedRequest, Request
from clew.execution import Runner, RunStore, Surroundings, WritePermissions, make_plan
from clew.execution.permissions import Permission
from clew.graph.service_view import ServiceView
from clew.grounding import Grounding, PlanChecker
from clew.mock import MockLandscape, MockService
from clew.sources.odata.csdl import read_csdl
from clew.storage import SqliteDatabase

FIXTURES = Path(__file__).parents[2] / "fixtures" / "grounding"


@cache
def view_of(service: str) -> ServiceView:
    file = {"depot": "depot_v2.csdl.xml", "workshop": "workshop_v4.csdl.xml"}[service]
    facts = read_csdl((FIXTURES / file).read_bytes(), document=file, naming=lambda _name: service)
    assert not isinstance(facts, Refused), facts
    return ServiceView.of(facts.nodes, version="1")


class Killed(BaseException):
    """The process ends here."""


class Line:
    """A transport to the mock services that can be cut before or after a request arrives."""

    def __init__(self, landscape: MockLandscape) -> None:
        self.landscape = landscape
        self.sent: list[str] = []
        self.fault: Callable[[int, Request], Response | None] = lambda _count, _request: None
        self.after: Callable[[int], None] = lambda _count: None

    def send(self, request: Request) -> Response:
        self.sent.append(f"{request.method} {request.path}")
        answer = self.fault(len(self.sent), request)
        if answer is not None:
            return answer
        response = self.landscape.send(request)
        self.after(len(self.sent))
        return response


class Ledger:
    """A witness that remembers; it can end the process."""

    def __init__(self) -> None:
        self.seen: list[tuple[int, str]] = []
        self.kill_at = 0

    def saw(self, request: CheckedRequest, receipt: Receipt, *, principal: str, case: str = "") -> None:
        del case
        self.seen.append((receipt.position, f"{principal}: {request.request.method} {request.target}"))
        if receipt.position == self.kill_at:
            raise Killed


class Site:
    """Everything around a runner; the process may end and a new one begin on the same database and services."""

    def __init__(self) -> None:
        self.versions = {"depot": "1", "workshop": "1"}
        landscape = MockLandscape([MockService(view_of("depot")), MockService(view_of("workshop"))])
        self.line = Line(landscape)
        self.database = SqliteDatabase(":memory:")
        self.ledger = Ledger()
        self.gates: list[Gate] = [WritePermissions([Permission(service="*")])]
        self._count = 0

    def view(self, service: str) -> ServiceView:
        if service not in self.versions:
            raise UnknownReference("service", service)
        view = view_of(service)
        return ServiceView.of(
            [view.service, *view.sets.values(), *view.types.values(), *view.enums.values(), *self._operations(view)],
            version=self.versions[service],
        )

    def _operations(self, view: ServiceView) -> Sequence[msgspec.Struct]:
        return list({node.id: node for group in view.operations.values() for node in group}.values())

    def checker(self) -> PlanChecker:
        return PlanChecker(lambda service: Grounding(self.view(service)))

    def runner(self) -> Runner:
        return Runner(
            Surroundings(
                store=self.store(),
                checker=self.checker(),
                gates=self.gates,
                transport=self.line,
                views=self.view,
                clock=lambda: datetime(2026, 12, 1, 8, 30, tzinfo=UTC),
                new_id=self._new_id,
                witnesses=[self.ledger],
            )
        )

    def store(self) -> RunStore:
        return RunStore(self.database)

    def _new_id(self) -> str:
        self._count += 1
        return f"run-{self._count}"

    def plan(self, calls: Sequence[Call], principal: str = "buyer") -> Plan:
        lock = [(call.service, self.versions[call.service]) for call in calls]
        return make_plan(calls, principal=principal, schema_lock=lock)

    def stored(self, service: str, entity_set: str) -> int:
        response = self.line.landscape.send(Request(method="GET", service=service, path=f"{entity_set}/$count"))
        return int(response.body)


class Asking:
    """A gate that wants a person's consent to everything."""

    name = "asking"

    def __init__(self, decision: Decision) -> None:
        self._decision = decision

    def decide(self, request: CheckedRequest, *, principal: str, case: str = "") -> Decision:
        del request, principal, case
        return self._decision


REQUISITION = Call(
    method="POST",
    service="depot",
    entity_set="Requisitions",
    payload={
        "Plant": "1010",
        "Requester": "Store",
        "NeededOn": "2026-12-31",
        "to_Item": [{"ItemNo": "10", "Material": "BOLT-M8", "Quantity": 500, "Unit": "PC"}],
    },
)
APPROVAL = Call(method="POST", service="depot", operation="Approve", payload={"Requisition": "$1.Requisition"})
CUSTOMER = Call(method="POST", service="workshop", entity_set="Customers", payload={"CustomerID": "C1", "Name": "Mill"})
JOB = Call(
    method="POST",
    service="workshop",
    entity_set="Jobs",
    payload={
        "Title": "$1.to_Item[0].Material",
        "DueOn": "2026-12-31",
        "CustomerID": "$3.CustomerID",
        "Remark": "for $1 a piece",
    },
)
