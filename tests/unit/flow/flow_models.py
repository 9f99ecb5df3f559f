"""Small process models written as text, and the strategies that make them at random.

start s · task a · xor g · end e            nodes: kind and name
task t in sub                                inside a subprocess
boundary b on t / boundary b on t stays      an event on an activity; `stays`: it does not interrupt
s -> a -> g; g -> b if amount > 1; g -> c else
"""

import re
from collections.abc import Iterable
from itertools import pairwise, zip_longest

import msgspec
from hypothesis import strategies as st

from clew.domain.facts import Edge
from clew.domain.ids import element_id, process_id
from clew.domain.kinds import EdgeKind
from clew.domain.processes import Activity, Event, Gateway, Process
from clew.graph.process_view import FlowElement, ProcessView

GATEWAYS = {
    "xor": "exclusiveGateway",
    "and": "parallelGateway",
    "or": "inclusiveGateway",
    "events": "eventBasedGateway",
    "complex": "complexGateway",
}
ACTIVITIES = {
    "task": "userTask",
    "receive": "receiveTask",
    "sub": "subProcess",
    "adhoc": "adHocSubProcess",
    "transaction": "transaction",
    "eventsub": "subProcess",
    "call": "callActivity",
}
EVENTS = {
    "start": ("startEvent", "start"),
    "end": ("endEvent", "end"),
    "catch": ("intermediateCatchEvent", "intermediate_catch"),
    "throw": ("intermediateThrowEvent", "intermediate_throw"),
    "boundary": ("boundaryEvent", "boundary"),
}


def model(text: str, name: str = "p") -> ProcessView:
    """Makes a view of a model written as above."""
    nodes: list[FlowElement] = []
    edges: list[Edge] = []
    for line in filter(None, (part.strip() for part in re.split(r"[\n;]", text))):
        if "->" in line:
            edges += flows_of(line, name, len(edges))
        else:
            nodes.append(node_of(line.split(), name))
    defaults = {edge.source: edge.key for edge in edges if edge.default}
    process = Process(id=process_id(name), process=name, name=name)
    return ProcessView(process, [with_default(node, defaults) for node in nodes], edges)


def with_default(node: FlowElement, defaults: dict[str, str]) -> FlowElement:
    if node.id not in defaults or isinstance(node, Event):
        return node
    return msgspec.structs.replace(node, default_flow=defaults[node.id])


def node_of(words: list[str], process: str) -> FlowElement:
    kind, name, *rest = words
    options = dict(zip_longest(rest, rest[1:], fillvalue=""))
    parent = element_id(process, options["in"]) if "in" in options else ""
    shared = {"id": element_id(process, name), "process": process, "parent": parent, "name": name}
    if kind in GATEWAYS:
        return Gateway(**shared, type=GATEWAYS[kind], instantiate="instantiates" in rest, all_events="all" in rest)
    if kind in ACTIVITIES:
        return Activity(
            **shared,
            type=ACTIVITIES[kind],
            loop=options.get("loops", ""),
            loop_test_before="before" in rest,
            triggered_by_event=kind == "eventsub",
            for_compensation="compensates" in rest,
            instantiate="instantiates" in rest,
            calls=options.get("calls", ""),
        )
    type_name, position = EVENTS[kind]
    return Event(
        **shared,
        type=type_name,
        position=position,
        definitions=tuple(filter(None, [options.get("of", "")])),
        reference=options.get("called", ""),
        interrupting="stays" not in rest,
        attached_to=element_id(process, options["on"]) if "on" in options else "",
        handler=element_id(process, options["by"]) if "by" in options else "",
    )


def flows_of(line: str, process: str, count: int) -> list[Edge]:
    condition = re.search(r"\sif\s(.*)$", line)
    default = line.endswith(" else")
    names = re.sub(r"\s(if\s.*|else)$", "", line).split("->")
    return [
        Edge(
            kind=EdgeKind.HAS_NEXT,
            source=element_id(process, source.strip()),
            target=element_id(process, target.strip()),
            key=f"f{count + number}",
            condition=condition[1] if condition else "",
            conditional=condition is not None,
            default=default,
        )
        for number, (source, target) in enumerate(pairwise(names))
    ]


def ids(names: str | Iterable[str], process: str = "p") -> list[str]:
    """Gives node ids for names, written with blanks between them."""
    return [element_id(process, name) for name in (names.split() if isinstance(names, str) else names)]


def short(node_ids: Iterable[str]) -> set[str]:
    """Gives the names within the process."""
    return {node_id.partition("/")[2] for node_id in node_ids}


def bind(view: ProcessView, *names: str) -> ProcessView:
    """Binds activities to some operation."""
    for name in ids(names, view.id):
        view.bindings[name] = [Edge(kind=EdgeKind.PERFORMED_BY, source=name, target="odata:S/Set", method="POST")]
    return view


class Writer:
    """Writes a block-structured model as text, numbering the nodes."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.count = 0

    def node(self, kind: str, suffix: str = "") -> str:
        self.count += 1
        name = f"{kind[0]}{self.count}"
        self.lines.append(f"{kind} {name}{suffix}")
        return name

    def flow(self, source: str, target: str, condition: str = "") -> None:
        self.lines.append(f"{source} -> {target}{condition}")

    def write(self, block: object, parent: str) -> tuple[str, str]:
        """Writes one block; gives its first and last node."""
        kind, *parts = block
        inside = f" in {parent}" if parent else ""
        if kind == "task":
            name = self.node("task", inside)
            return name, name
        if kind == "seq":
            ends = [self.write(part, parent) for part in parts]
            for (_, last), (first, _) in pairwise(ends):
                self.flow(last, first)
            return ends[0][0], ends[-1][1]
        if kind == "sub":
            return self.write_sub(parts[0], parent, inside)
        if kind == "watched":
            return self.write_watched(parts, parent, inside)
        if kind == "loop":
            return self.write_loop(parts, parent, inside)
        split, join = self.node(kind, inside), self.node("xor" if kind == "events" else kind, inside)
        for part in parts:
            first, last = self.write(part, parent)
            if kind == "events":
                catch = self.node("catch", inside)
                self.flow(split, catch)
                self.flow(catch, first)
            else:
                self.flow(split, first)
            self.flow(last, join)
        return split, join

    def write_sub(self, part: object, parent: str, inside: str) -> tuple[str, str]:
        name = self.node("sub", inside)
        start, end = self.node("start", f" in {name}"), self.node("end", f" in {name}")
        first, last = self.write(part, name)
        self.flow(start, first)
        self.flow(last, end)
        return name, name

    def write_loop(self, parts: list[object], parent: str, inside: str) -> tuple[str, str]:
        merge, split = self.node("xor", inside), self.node("xor", inside)
        first, last = self.write(parts[0], parent)
        self.flow(merge, first)
        self.flow(last, split)
        back = self.write(parts[1], parent)
        self.flow(split, back[0])
        self.flow(back[1], merge)
        return merge, split

    def write_watched(self, parts: list[object], parent: str, inside: str) -> tuple[str, str]:
        """A task or subprocess with an event on its boundary, whose branch joins again or ends apart."""
        stays, host_block, other = parts
        host, _ = self.write(host_block, parent)
        event = self.node("boundary", f"{inside} on {host}{' stays' if stays else ''}")
        first, last = self.write(other, parent)
        self.flow(event, first)
        if stays:
            self.flow(last, self.node("end", inside))
            return host, host
        merge = self.node("xor", inside)
        self.flow(host, merge)
        self.flow(last, merge)
        return host, merge


def blocks(kinds: tuple[str, ...], most: int) -> st.SearchStrategy[object]:
    """Gives block-structured models of at most about `most` tasks."""
    task = st.just(("task",))

    def larger(inner: st.SearchStrategy[object]) -> st.SearchStrategy[object]:
        ways = [st.lists(inner, min_size=2, max_size=3).map(lambda parts: ("seq", *parts))]
        for kind in kinds:
            if kind in ("xor", "and", "or", "events"):
                ways.append(st.lists(inner, min_size=2, max_size=3).map(lambda parts, kind=kind: (kind, *parts)))
            elif kind == "sub":
                ways.append(inner.map(lambda part: ("sub", part)))
            elif kind == "loop":
                ways.append(st.tuples(inner, inner).map(lambda pair: ("loop", *pair)))
            elif kind in ("watched", "stays"):
                host = st.one_of(task, inner.map(lambda part: ("sub", part)))
                stays = kind == "stays"
                ways.append(st.tuples(host, inner).map(lambda pair, stays=stays: ("watched", stays, *pair)))
        return st.one_of(ways)

    return st.recursive(task, larger, max_leaves=most)


def text_of(block: object) -> str:
    """Writes a block-structured model with a start and an end."""
    writer = Writer()
    start, end = writer.node("start"), writer.node("end")
    first, last = writer.write(block, "")
    writer.flow(start, first)
    writer.flow(last, end)
    return "\n".join(writer.lines)


@st.composite
def graphs(draw: st.DrawFn, kinds: tuple[str, ...] = ("task", "xor", "and", "or")) -> str:
    """Gives unstructured models: nodes joined at random, unsound ones among them."""
    count = draw(st.integers(3, 7))
    names = [f"n{number}" for number in range(count)]
    lines = ["start s", "end e"]
    lines += [f"{draw(st.sampled_from(('task', *kinds)))} {name}" for name in names]
    lines.append(f"s -> {names[0]}")
    ends = st.tuples(st.sampled_from(names), st.sampled_from(names))
    pairs = draw(st.lists(ends, min_size=count - 1, max_size=count + 3, unique=True))
    lines += [f"{source} -> {target}" for source, target in pairs]
    lines += [f"{name} -> e" for name in names if draw(st.integers(0, 3)) == 0]
    return "\n".join(lines)
