"""`describe`: what is known of a node, most important first, within a hard budget of tokens; what was cut is said."""

import re
from collections.abc import Sequence
from typing import TypeAlias

import msgspec

from clew.domain.errors import UnknownReference
from clew.domain.ids import local_part
from clew.domain.kinds import NodeKind
from clew.domain.ports import SpecSource
from clew.domain.services import (
    ComplexType,
    EntitySet,
    EntityType,
    EnumType,
    Operation,
    Property,
    Service,
    ValueHelp,
)
from clew.domain.specifications import Cut, Detail, Section, Specification
from clew.graph.service_view import ServiceView
from clew.grounding.node_sections import (
    code_sections,
    enum_sections,
    operation_sections,
    property_sections,
    service_sections,
    type_sections,
)
from clew.grounding.rendering import (
    TOKEN_BYTES,
    count_tokens,
    cut_lines,
    heading,
    quoted,
    render,
    sanitise,
    text_lines,
)
from clew.grounding.sections import set_sections
from clew.grounding.suggestions import closest

Described: TypeAlias = Service | EntitySet | EntityType | ComplexType | EnumType | Operation | ValueHelp | Property

SOURCE_LINE_LIMIT = 400
_PART = re.compile(r"\?section=([\w-]+)(?:&after=(\d+))?$")


def describe(
    view: ServiceView, node_id: str, detail: Detail = Detail.STANDARD, *, sources: Sequence[SpecSource] = ()
) -> Specification:
    """Gives the specification of a node: an entity set, operation, type, property, enumeration, code list or service.

    Own sections come first, then those of `sources` (order, policy, atoms), whose lines are made harmless here. An id
    may end in `?section=create&after=40`, which asks for one section from a line on: the call that a cut names.
    The rendered text keeps within `detail.budget_tokens`, the notes of cuts included.

    Raises:
        UnknownReference: the service has no such node.
    """
    part = _PART.search(node_id)
    plain = node_id[: part.start()] if part else node_id
    node = find_node(view, plain)
    sections = [*_own_sections(view, node, detail), *(s for source in sources for s in _foreign(source, plain))]
    after = int(part[2] or 0) if part is not None else 0
    if part is not None:
        sections = [_rest(section, after) for section in sections if section.name == part[1]]
    title = _title(view, node, plain)
    kept, cuts = _fit([_Share(section, after) for section in sections if section.lines], title, plain, detail)
    shown = Specification(id=plain, kind=_kind(node), title=title, detail=detail, sections=kept, cuts=cuts)
    return msgspec.structs.replace(shown, tokens=count_tokens(render(shown)))


def find_node(view: ServiceView, node_id: str) -> Described:
    """Gives the node of this service that has the id.

    Raises:
        UnknownReference: there is none; names that come close are suggested.
    """
    nodes: list[Described] = [view.service, *view.sets.values(), *view.types.values(), *view.enums.values()]
    nodes += [operation for group in view.operations.values() for operation in group]
    nodes += view.value_helps.values()
    for node in nodes:
        if not isinstance(node, Property) and node.id == node_id:
            return node
    for found in view.types.values():
        if node_id.startswith(found.id + "/"):
            prop = view.properties(found.name).get(node_id[len(found.id) + 1 :])
            if prop is not None:
                return prop
    labels = {node.id: "" for node in nodes if not isinstance(node, Property)}
    raise UnknownReference("node", node_id, closest(node_id, labels))


def _own_sections(view: ServiceView, node: Described, detail: Detail) -> list[Section]:
    match node:
        case EntitySet():
            return set_sections(view, node, detail)
        case Operation():
            return operation_sections(view, node)
        case EntityType() | ComplexType():
            return type_sections(view, node)
        case EnumType():
            return enum_sections(node)
        case ValueHelp():
            return code_sections(node)
        case Property():
            return property_sections(view, node)
        case Service():
            return service_sections(view)


def _foreign(source: SpecSource, node_id: str) -> list[Section]:
    sections: list[Section] = []
    for section in source.sections(node_id):
        lines = tuple(sanitise(line, SOURCE_LINE_LIMIT) for line in section.lines)
        sections.append(msgspec.structs.replace(section, lines=lines, title=sanitise(section.title, 80)))
    return sections


def _rest(section: Section, after: int) -> Section:
    return msgspec.structs.replace(section, lines=section.lines[after:])


def _kind(node: Described) -> str:
    return NodeKind.PROPERTY.value if isinstance(node, Property) else type(node).__name__


def _title(view: ServiceView, node: Described, node_id: str) -> str:
    name = local_part(node_id) or node_id
    label = "" if isinstance(node, ValueHelp) else quoted(node.texts.label or node.texts.description)
    service = f"{view.id} (OData {view.service.version})"
    return f"{sanitise(name, 120)} · {_kind(node)} of {service}{' · ' + label if label else ''}"


_TURNS = {"create": 3}
"""How many lines a section is dealt in its turn: what a create holds is what most callers ask for."""

_NEXT = {Detail.BRIEF: Detail.STANDARD, Detail.STANDARD: Detail.FULL}


def _call(node_id: str, section: str, shown: int, detail: Detail) -> str:
    """Gives the call for what was cut: the next level of detail, or beyond the last one the rest of the section."""
    if detail in _NEXT:
        return f'describe_entity(id="{node_id}", detail="{_NEXT[detail]}")'
    return f'describe_entity(id="{node_id}?section={section}&after={shown}", detail="full")'


class _Share:
    """One section while lines are dealt out: how many it shows; `after` lines of it came in an earlier answer."""

    def __init__(self, section: Section, after: int) -> None:
        self.section = section
        self.after = after
        self.total = len(section.lines)
        self.shown = 0

    def next_bytes(self) -> int:
        """What the next line costs; the first one brings the heading."""
        heading_bytes = 0 if self.shown else _size(heading(self.section))
        return heading_bytes + _size(self.section.lines[self.shown])


def _size(line: str) -> int:
    return len(line.encode("utf-8", "surrogatepass")) + 1


def _fit(
    shares: Sequence[_Share], title: str, node_id: str, detail: Detail
) -> tuple[tuple[Section, ...], tuple[Cut, ...]]:
    """Deals lines out to the sections in turn, first lines first, until the budget is spent.

    Where not everything fits, the notes of cuts are reckoned with at their longest first, so that they always do.
    """
    given = [share.section for share in shares]
    budget = detail.budget_tokens * TOKEN_BYTES
    if sum(map(_size, text_lines(title, given, ()))) <= budget:
        return tuple(given), ()
    left = budget - _size(title)
    left -= sum(map(_size, cut_lines([_cut(share, node_id, detail, longest=True) for share in shares])))
    open_shares = list(shares)
    while open_shares:
        for share in list(open_shares):
            for _ in range(_TURNS.get(share.section.name, 1)):
                if share.shown == share.total or share.next_bytes() > left:
                    open_shares.remove(share)
                    break
                left -= share.next_bytes()
                share.shown += 1
    kept = tuple(msgspec.structs.replace(share.section, lines=share.section.lines[: share.shown]) for share in shares)
    return kept, tuple(_cut(share, node_id, detail) for share in shares if share.shown < share.total)


def _cut(share: _Share, node_id: str, detail: Detail, *, longest: bool = False) -> Cut:
    call = _call(node_id, share.section.name, share.after + (share.total if longest else share.shown), detail)
    return Cut(section=share.section.name, lines=share.total if longest else share.total - share.shown, call=call)
