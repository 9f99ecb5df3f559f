"""Which steps of a process a call performs, and which object it is about."""

from clew.domain.facts import Edge
from clew.domain.ids import entity_set_id, local_part, owner_of
from clew.domain.records import JsonObject, Record
from clew.domain.requests import CheckedRequest
from clew.flow import ProcessFlow
from clew.process.links import Links
from clew.process.values import gather, said_by, shares_value, values_of

_CHANGES = frozenset({"PATCH", "PUT", "MERGE"})


class Subject(Record, frozen=True, kw_only=True):
    """What a call is about: entity sets or operations, and what it says by property name."""

    targets: tuple[str, ...]
    values: JsonObject


def steps_performed(flow: ProcessFlow, request: CheckedRequest) -> list[Edge]:
    """Gives the bindings by which a call performs activities, in process order; the activity that it names leads."""
    named = request.call.activity if request.call else ""
    said = gather(*said_by(request))
    found = [
        edge
        for activity, edges in flow.view.bindings.items()
        for edge in edges
        if (not named or activity == named) and _performs(edge, request, said)
    ]
    return sorted(found, key=lambda edge: (flow.positions.get(edge.source, 0), edge.source))


def _performs(edge: Edge, request: CheckedRequest, said: JsonObject) -> bool:
    if edge.target != request.target or not _same_method(edge, request.request.method):
        return False
    entity_set = request.call.entity_set if request.call else ""
    if edge.bound_to and entity_set and edge.bound_to != entity_set:
        return False
    return all(shares_value([value], values_of(said, path.rpartition("/")[2])) for path, value in edge.values)


def _same_method(edge: Edge, method: str) -> bool:
    bound, used = edge.method.upper(), method.upper()
    if bound == used or (bound in _CHANGES and used in _CHANGES):
        return True
    return edge.via == "upsert" and {bound, used} <= _CHANGES | {"POST"}


def object_target(edge: Edge, links: Links) -> str:
    """Gives the entity set that a binding's object belongs to; the operation itself where none is known."""
    if edge.bound_to:
        return entity_set_id(owner_of(edge.target), edge.bound_to)
    return links.object_of(edge.target) or edge.target


def subject_of(request: CheckedRequest, links: Links) -> Subject:
    """Gives what a call is about."""
    targets = [request.target]
    if request.call and request.call.entity_set:
        targets.append(entity_set_id(request.call.service, request.call.entity_set))
    elif acted_on := links.object_of(request.target):
        targets.append(acted_on)
    return Subject(targets=tuple(dict.fromkeys(targets)), values=gather(*said_by(request)))


def names_of_interest(flow: ProcessFlow, links: Links) -> frozenset[str]:
    """Gives the property names that evidence has to keep: keys, links between the steps' objects, conditions."""
    edges = [edge for edges in flow.view.bindings.values() for edge in edges]
    targets = list(dict.fromkeys(target for edge in edges for target in (edge.target, object_target(edge, links))))
    found = set(flow.value_names)
    for source in targets:
        found.update(links.key_of(source))
        for target in targets:
            for link in links.between(source, target):
                found |= {link.name, link.referenced}
    return frozenset(found)


def object_name(target: str, key: tuple[str, ...], values: JsonObject) -> str:
    """Gives set and key of an object as people write them, empty where the key is not known.

    >>> object_name("odata:S/Orders", ("DocEntry",), {"DocEntry": [12]})
    "Orders(DocEntry='12')"
    """
    parts = [f"{name}='{found[0]}'" for name in key if (found := values_of(values, name))]
    return f"{local_part(target)}({','.join(parts)})" if parts and len(parts) == len(key) else ""
