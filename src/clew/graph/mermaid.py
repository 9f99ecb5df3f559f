"""Drawings in Mermaid's notation: a process as a flowchart, a service as a class diagram."""

from collections.abc import Iterator

from clew.domain.processes import Activity, Event
from clew.domain.services import EntityType
from clew.graph.process_view import FlowElement, ProcessView
from clew.graph.service_view import ServiceView


def draw_process(view: ProcessView) -> Iterator[str]:
    """Gives a flowchart: activities with what performs them, gateways, events, subprocesses as boxes."""
    names = {node_id: f"n{number}" for number, node_id in enumerate(view.elements)}
    yield "flowchart LR"
    yield from _inside(view, "", names, "  ")
    for node in view.elements.values():
        for edge in view.outgoing.get(node.id, ()):
            if edge.target in names:
                label = edge.name or edge.condition or ("otherwise" if edge.default else "")
                arrow = f"-->|{_quoted(label)}|" if label else "-->"
                yield f"  {names[node.id]} {arrow} {names[edge.target]}"
        if isinstance(node, Event) and node.attached_to in names:
            yield f"  {names[node.attached_to]} -.- {names[node.id]}"
    for edge in view.messages:
        if edge.source in names and edge.target in names:
            yield f"  {names[edge.source]} -.->|{_quoted(edge.name or 'message')}| {names[edge.target]}"


def _inside(view: ProcessView, parent: str, names: dict[str, str], indent: str) -> Iterator[str]:
    for node in view.children(parent):
        name = names[node.id]
        if view.children(node.id):
            yield f"{indent}subgraph {name}[{_quoted(_title(view, node))}]"
            yield from _inside(view, node.id, names, indent + "  ")
            yield f"{indent}end"
        else:
            yield f"{indent}{name}{_shape(node, _title(view, node))}"


def _shape(node: FlowElement, title: str) -> str:
    if isinstance(node, Activity):
        return f"[{_quoted(title)}]"
    if isinstance(node, Event):
        return f"(({_quoted(title)}))"
    return "{" + _quoted(title) + "}"


def _title(view: ProcessView, node: FlowElement) -> str:
    calls = [f"{edge.method} {edge.target.partition(':')[2]}".strip() for edge in view.bindings.get(node.id, ())]
    return "\n".join([node.name or node.type, *calls])


def draw_service(view: ServiceView) -> Iterator[str]:
    """Gives a class diagram of the entity types: their keys, the sets of them, navigation with multiplicities."""
    types = {name: found for name, found in view.types.items() if isinstance(found, EntityType)}
    names = {name: f"t{number}" for number, name in enumerate(types)}
    yield "classDiagram"
    for name, found in types.items():
        yield f"  class {names[name]}[{_quoted(name.rpartition('.')[2])}] {{"
        known = view.properties(name)
        for path in found.key:
            kind = known[path].type.rpartition(".")[2] if path in known else ""
            yield f"    +{_word(kind or 'key')} {_word(path)}"
        for entity_set in view.sets_of_type.get(name, ()):
            yield f"    {_word(entity_set.name)}()"
        yield "  }"
        if found.base in names:
            yield f"  {names[found.base]} <|-- {names[name]}"
    for name, found in types.items():
        for navigation in found.navigations:
            if navigation.target in names:
                left = f"{names[name]} {_end(navigation.source_multiplicity)}"
                right = f"{_end(navigation.multiplicity)}{names[navigation.target]}"
                arrow = "*--" if navigation.contains else "-->"
                yield f"  {left}{arrow} {right} : {_word(navigation.name)}"


def _end(cardinality: str) -> str:
    return f'"{cardinality}" ' if cardinality else ""


def _word(name: str) -> str:
    return "".join(letter if letter.isalnum() or letter in "_-" else "_" for letter in name)


def _quoted(text: str) -> str:
    """Gives a text that Mermaid reads as text: its own marks become entities, line ends become breaks."""
    escaped = text.replace("#", "#35;").replace('"', "#quot;").replace("<", "#lt;").replace(">", "#gt;")
    return '"' + "<br/>".join(" ".join(line.split()) for line in escaped.split("\n")) + '"'
