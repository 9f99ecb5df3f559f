"""From a `ProcessView` to a `Net`: flows, links, boundary events, starts, handlers; called processes are laid in."""

from collections.abc import Callable
from typing import TypeAlias

from clew.domain.issues import Severity
from clew.domain.processes import Activity, Event, Gateway
from clew.flow.conditions import parse_condition
from clew.flow.net import Kind, Net, NetNode, NetPlace, NetScope
from clew.graph.process_view import FlowElement, ProcessView

Callee: TypeAlias = Callable[[Activity], ProcessView | None]
"""Gives the process that a call activity calls, `None` where it is not there."""

_MOST_NODES = 5_000
_DEEPEST_CALL = 8


def compile_net(view: ProcessView, callee: Callee | None = None) -> Net:
    """Compiles a process; `callee` gives the processes that its call activities call."""
    net = Net()
    _Compiler(net, callee).lay(view, -1, (view.process.id,))
    return net


class _Compiler:
    def __init__(self, net: Net, callee: Callee | None) -> None:
        self._net = net
        self._callee = callee

    def lay(self, view: ProcessView, holder: int, chain: tuple[str, ...]) -> int:
        """Lays a process into the net as a scope of its own; gives the scope."""
        parents: dict[str, list[FlowElement]] = {}
        for element in view.elements.values():
            known = element.parent if element.parent in view.elements else ""
            parents.setdefault(known, []).append(element)
        nodes: dict[str, NetNode] = {}
        scope = self._lay_scope(parents, "", holder, nodes)
        self._lay_flows(view, nodes)
        self._lay_links(nodes)
        self._lay_boundaries(view, nodes)
        for element_id, node in nodes.items():
            if isinstance(node.element, Activity) and node.inner >= 0:
                self._lay_starts(parents.get(element_id, []), nodes, node.inner, node)
        self._lay_starts(parents.get("", []), nodes, scope, None)
        self._lay_handlers(nodes)
        for node in list(nodes.values()):
            if node.kind is Kind.TASK and isinstance(node.element, Activity) and node.element.type == "callActivity":
                self._lay_call(node, node.element, chain)
        return scope

    def _lay_scope(
        self, parents: dict[str, list[FlowElement]], parent: str, holder: int, nodes: dict[str, NetNode]
    ) -> int:
        net = self._net
        index = len(net.scopes)
        scope = NetScope(holder)
        net.scopes.append(scope)
        for element in parents.get(parent, []):
            inner = bool(parents.get(element.id)) and isinstance(element, Activity)
            node = NetNode(len(net.nodes), element, Kind.SCOPE if inner else kind_of(element), index)
            net.nodes.append(node)
            net.by_id.setdefault(element.id, []).append(node.index)
            scope.nodes.append(node.index)
            nodes[element.id] = node
            if inner:
                node.inner = self._lay_scope(parents, element.id, node.index, nodes)
        return index

    def _place(self, source: int, target: NetNode, key: str) -> int:
        place = NetPlace(source, target.index, key)
        self._net.places.append(place)
        return len(self._net.places) - 1

    def _lay_flows(self, view: ProcessView, nodes: dict[str, NetNode]) -> None:
        for edges in view.outgoing.values():
            for edge in edges:
                source, target = nodes.get(edge.source), nodes.get(edge.target)
                if source is None or target is None or source.scope != target.scope:
                    continue
                index = self._place(source.index, target, edge.key)
                place = self._net.places[index]
                place.conditional = edge.conditional or bool(edge.condition)
                place.condition = parse_condition(edge.condition) if edge.condition else None
                source.outgoing.append(index)
                target.incoming.append(index)
                element = source.element
                named = element.default_flow if isinstance(element, Activity | Gateway) else ""
                if edge.default or (named and named == edge.key):
                    source.default = index

    def _lay_links(self, nodes: dict[str, NetNode]) -> None:
        """Connects throwing link events with the catching one of the same name on their level (clause 10.5.5)."""
        catching: dict[tuple[int, str], NetNode] = {}
        for node in nodes.values():
            if _is_link(node) and node.element.type == "intermediateCatchEvent":
                catching.setdefault((node.scope, _reference(node)), node)
        for node in nodes.values():
            target = catching.get((node.scope, _reference(node))) if _is_link(node) else None
            if target is not None and target is not node:
                index = self._place(node.index, target, f"link:{_reference(node)}")
                node.kind = Kind.PASS
                node.outgoing.append(index)
                target.incoming.append(index)

    def _lay_boundaries(self, view: ProcessView, nodes: dict[str, NetNode]) -> None:
        for element in view.elements.values():
            if isinstance(element, Event) and element.position == "boundary" and element.attached_to in nodes:
                nodes[element.attached_to].boundaries.append(nodes[element.id].index)

    def _lay_starts(
        self, elements: list[FlowElement], nodes: dict[str, NetNode], scope_index: int, holder: NetNode | None
    ) -> None:
        scope = self._net.scopes[scope_index]
        inside = [nodes[element.id] for element in elements]
        for node in inside:
            if isinstance(node.element, Activity) and node.element.triggered_by_event and node.kind is Kind.SCOPE:
                self._lay_event_start(node, scope, nodes)
        heads = [node for node in inside if not node.incoming and _may_begin(node)]
        if holder is not None and holder.element.type == "adHocSubProcess":
            scope.ad_hoc = [node.index for node in heads if node.kind in (Kind.TASK, Kind.SCOPE)]
            scope.starts = [()]
            return
        triggers = [node for node in heads if _is_trigger(node)]
        if triggers:
            scope.starts = [(self._place(-1, node, ""),) for node in _plain_first(triggers, holder)]
        else:
            scope.starts = [tuple(self._place(-1, node, "") for node in heads)]

    def _lay_event_start(self, node: NetNode, scope: NetScope, nodes: dict[str, NetNode]) -> None:
        begun = [
            inner
            for inner in nodes.values()
            if inner.scope == node.inner and isinstance(inner.element, Event) and inner.element.position == "start"
        ]
        for start in begun:
            element = start.element
            assert isinstance(element, Event)  # noqa: S101 - filtered above
            definition = element.definitions[0] if element.definitions else ""
            place = self._place(-1, start, "")
            interrupts = element.interrupting or definition == "error"
            scope.event_starts.append((node.index, place, interrupts, definition, element.reference))

    def _lay_handlers(self, nodes: dict[str, NetNode]) -> None:
        """Tells compensation throws which activities they may start (clause 13.5.5)."""
        pairs: list[tuple[NetNode, NetNode]] = []
        for node in nodes.values():
            element = node.element
            if isinstance(element, Event) and element.handler in nodes and element.attached_to in nodes:
                pairs.append((nodes[element.attached_to], nodes[element.handler]))
        for node in nodes.values():
            if node.kind not in (Kind.COMPENSATION, Kind.CANCEL):
                continue
            wanted = node.element.compensates if isinstance(node.element, Event) else ""
            for host, handler in pairs:
                if self._is_within(host, node.scope) and (not wanted or self._is_part(host, wanted)):
                    node.handlers.append(handler.index)

    def _is_within(self, node: NetNode, scope: int) -> bool:
        here = node.scope
        while here != scope:
            holder = self._net.scopes[here].holder
            if holder < 0:
                return False
            here = self._net.nodes[holder].scope
        return True

    def _is_part(self, node: NetNode, wanted: str) -> bool:
        here: NetNode | None = node
        while here is not None:
            if here.id == wanted:
                return True
            holder = self._net.scopes[here.scope].holder
            here = self._net.nodes[holder] if holder >= 0 else None
        return False

    def _lay_call(self, node: NetNode, element: Activity, chain: tuple[str, ...]) -> None:
        called = self._callee(element) if self._callee and element.calls else None
        if called is None:
            if element.calls:
                message = f"{_shown(element)} calls {element.calls!r}, which is not here; it counts as one step."
                self._net.note("flow-call-unresolved", message, node.id, Severity.NOTE)
            return
        too_large = len(chain) >= _DEEPEST_CALL or len(self._net.nodes) + len(called.elements) > _MOST_NODES
        if called.process.id in chain or too_large or not called.elements:
            what = "calls itself" if called.process.id in chain else "calls too much to be followed"
            if called.elements:
                message = f"{_shown(element)} {what}; it counts as one step."
                self._net.note("flow-call-opaque", message, node.id, Severity.NOTE)
            return
        node.kind = Kind.SCOPE
        node.inner = self.lay(called, node.index, (*chain, called.process.id))


def kind_of(element: FlowElement) -> Kind:
    """Gives what a node without content does with a token."""
    if isinstance(element, Activity):
        return Kind.TASK
    if isinstance(element, Gateway):
        return _kind_of_gateway(element)
    return _kind_of_event(element)


def _kind_of_gateway(gateway: Gateway) -> Kind:
    if gateway.type == "parallelGateway" or (gateway.type == "eventBasedGateway" and gateway.all_events):
        return Kind.PARALLEL
    if gateway.type in ("inclusiveGateway", "complexGateway"):
        return Kind.INCLUSIVE
    return Kind.CHOICE


_THROWN = {
    "error": Kind.ERROR,
    "escalation": Kind.ESCALATION,
    "cancel": Kind.CANCEL,
    "compensate": Kind.COMPENSATION,
}


def _kind_of_event(event: Event) -> Kind:
    if event.position == "boundary":
        return Kind.BOUNDARY
    if event.position in ("start", "intermediate_catch"):
        return Kind.PASS
    if event.position == "end" and "terminate" in event.definitions:
        return Kind.TERMINATE
    for definition in event.definitions:
        if definition in _THROWN and (event.position == "end" or definition in ("escalation", "compensate")):
            return _THROWN[definition]
    return Kind.END if event.position == "end" else Kind.PASS


def _is_link(node: NetNode) -> bool:
    return isinstance(node.element, Event) and "link" in node.element.definitions


def _reference(node: NetNode) -> str:
    return node.element.reference if isinstance(node.element, Event) else ""


def _may_begin(node: NetNode) -> bool:
    element = node.element
    if isinstance(element, Activity):
        return not element.for_compensation and not element.triggered_by_event
    if isinstance(element, Event):
        return element.position not in ("boundary",) and not (_is_link(node) and "Catch" in element.type)
    return True


def _is_trigger(node: NetNode) -> bool:
    """Whether a node starts an instance by itself: a start event, or an instantiating gateway or receive task."""
    element = node.element
    if isinstance(element, Event):
        return element.position == "start"
    return element.instantiate


def _plain_first(triggers: list[NetNode], holder: NetNode | None) -> list[NetNode]:
    """A subprocess or a called process is entered by its plain start event where it has one."""
    if holder is None:
        return triggers
    plain = [node for node in triggers if isinstance(node.element, Event) and not node.element.definitions]
    return plain or triggers


def _shown(element: FlowElement) -> str:
    return f"{element.name!r} ({element.id})" if element.name else element.id
