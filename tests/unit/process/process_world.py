"""An order process over three entity sets and an operation, and calls of it, as short as they can be written."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from itertools import count

from tests.unit.flow.flow_models import model

from clew.domain.cases import Case
from clew.domain.errors import UnknownReference
from clew.domain.facts import Edge
from clew.domain.kinds import EdgeKind
from clew.domain.plans import Receipt
from clew.domain.records import JsonObject
from clew.domain.requests import Call, CheckedRequest, Request
from clew.domain.services import EntitySet, EntityType, NavigationProperty, Operation, Parameter, Property, Service
from clew.flow import ProcessFlow
from clew.graph.process_view import ProcessView
from clew.graph.service_view import ServiceView
from clew.process import CaseBook, CaseWitness, MetadataLinks, OrderGate, OrderSettings
from clew.storage import SqliteDatabase

ORDER_PROCESS = """
    start s; task order; task call; task approve; task deliver; task bill; end e
    s -> order -> call -> approve -> deliver -> bill -> e
"""
BOUND: dict[str, tuple[str, str]] = {
    "order": ("POST", "Orders"),
    "approve": ("POST", "#S.Approve()"),
    "deliver": ("POST", "Deliveries"),
    "bill": ("POST", "Invoices"),
}


def target(name: str) -> str:
    return f"odata:S{name}" if name.startswith("#") else f"odata:S/{name}"


def entity(name: str, key: str, *others: str, items: str = "") -> list[EntitySet | EntityType]:
    navigations = (NavigationProperty(name="Items", target=f"S.{items}"),) if items else ()
    return [
        EntitySet(id=target(name), service="S", name=name, type=f"S.{name}Type"),
        EntityType(
            id=f"odata:S#S.{name}Type",
            service="S",
            name=f"S.{name}Type",
            key=(key,),
            properties=tuple(Property(name=each) for each in (key, *others)),
            navigations=navigations,
        ),
    ]


def service() -> ServiceView:
    item = EntityType(
        id="odata:S#S.Item",
        service="S",
        name="S.Item",
        key=("DeliveryId", "Position"),
        properties=(Property(name="DeliveryId"), Property(name="Position"), Property(name="OrderId")),
    )
    approve = Operation(
        id=target("#S.Approve()"), service="S", name="S.Approve", parameters=(Parameter(name="OrderId"),)
    )
    nodes = [
        Service(id="odata:S", service="S", name="S", version="V2"),
        *entity("Orders", "OrderId", "Amount"),
        *entity("Deliveries", "DeliveryId", items="Item"),
        *entity("Invoices", "InvoiceId", "DeliveryId"),
        item,
        approve,
    ]
    return ServiceView.of(nodes)


def order_process(text: str = ORDER_PROCESS, bound: dict[str, tuple[str, str]] = BOUND) -> ProcessView:
    view = model(text)
    for name, (method, bound_to) in bound.items():
        source = f"bpmn:p/{name}"
        edge = Edge(kind=EdgeKind.PERFORMED_BY, source=source, target=target(bound_to), method=method)
        view.bindings[source] = [edge]
    return view


class World:
    """Cases, gate and witness over one process, with a clock that ticks and handles that count."""

    def __init__(
        self,
        text: str = ORDER_PROCESS,
        *,
        bound: dict[str, tuple[str, str]] = BOUND,
        stated: Sequence[str] = (),
        defects: tuple[str, ...] = (),
    ) -> None:
        view = order_process(text, bound)
        if defects:
            view.process = type(view.process)(id="bpmn:p", process="p", defects=defects)
        self._flow = ProcessFlow(view)
        self.database = SqliteDatabase(":memory:")
        handles, ticks = count(1), count()
        self.book = CaseBook(
            self.database,
            clock=lambda: datetime(2026, 3, 1, tzinfo=UTC) + timedelta(seconds=next(ticks)),
            new_handle=lambda: f"case-{next(handles)}",
        )
        self.links = MetadataLinks(lambda name: service() if name == "S" else None)
        settings = OrderSettings(stated=frozenset(f"bpmn:p/{name}" for name in stated))
        self.gate = OrderGate(self.book, self, self.links, settings)
        self.witness = CaseWitness(self.book, self, self.links)
        self._positions = count(1)

    def flow(self, process: str) -> ProcessFlow:
        if process != "p":
            raise UnknownReference("process", process)
        return self._flow

    def open(self, mode: str = "enforce", principal: str = "ann") -> Case:
        return self.book.open("p", principal=principal, mode=mode)

    def do(self, case: Case, request: CheckedRequest, result: object = None, *, status: int = 201) -> None:
        """Carries a call out, without asking the gate."""
        receipt = Receipt(
            run_id="run", position=next(self._positions), request=request.request, status=status, result=result
        )
        self.witness.saw(request, receipt, principal=case.principal, case=case.handle)

    def codes(self, case: Case, request: CheckedRequest) -> tuple[str, list[str]]:
        decision = self.gate.decide(request, principal=case.principal, case=case.handle)
        return decision.effect.name, [reason.code for reason in decision.reasons]


def post(entity_set: str, payload: JsonObject | None = None, *, activity: str = "") -> CheckedRequest:
    call = Call(method="POST", service="S", entity_set=entity_set, payload=payload or {}, activity=activity)
    return checked(call, target(entity_set), entity_set)


def approve(order: str) -> CheckedRequest:
    call = Call(method="POST", service="S", operation="Approve", query={"OrderId": f"'{order}'"})
    return checked(call, target("#S.Approve()"), "Approve")


def get(entity_set: str, key: JsonObject | None = None) -> CheckedRequest:
    call = Call(method="GET", service="S", entity_set=entity_set, key=key or {})
    return checked(call, target(entity_set), entity_set)


def checked(call: Call, node: str, path: str) -> CheckedRequest:
    request = Request(method=call.method, service="S", path=path)
    return CheckedRequest(request=request, target=node, writes=call.method != "GET", schema_version="1", call=call)
