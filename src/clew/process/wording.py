"""How steps, and the reads that show them done, are named to people and agents."""

from collections.abc import Iterable

from clew.domain.facts import Edge
from clew.domain.ids import local_part, owner_of
from clew.flow import ProcessFlow
from clew.process.standing import Standing


def named(flow: ProcessFlow, activity: str) -> str:
    """Gives a step's name, with its id within the process."""
    node = flow.view.elements.get(activity)
    name = node.name if node is not None else ""
    local = local_part(activity) or activity
    return f"{name!r} ({local})" if name else repr(local)


def listed(flow: ProcessFlow, activities: Iterable[str]) -> str:
    """Gives several steps' names as one reads them."""
    names = [named(flow, activity) for activity in activities]
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1] if names else ""]))


def missing_steps(flow: ProcessFlow, standing: Standing, activity: str) -> list[str]:
    """Gives, in process order, the steps that must certainly be done before an activity and have not been."""
    needed = flow.preconditions(activity) & standing.visible
    missing = needed.difference(standing.completed)
    return sorted(missing, key=lambda name: (flow.positions.get(name, 0), name))


def read_of(flow: ProcessFlow, activity: str) -> str:
    """Gives the read that shows a step done, empty where none does.

    A step that creates objects is shown by reading one of them; a step that is a read, by making it. What an operation
    or a change has done cannot be read off the object in general.
    """
    for edge in flow.view.bindings.get(activity, []):
        if edge.method.upper() in ("GET", "POST") and _is_set(edge):
            return f"GET {owner_of(edge.target)}/{local_part(edge.target)}"
        if edge.method.upper() == "GET":
            return f"GET {owner_of(edge.target)}/{_simple(edge)}"
    return ""


def remedy_for(flow: ProcessFlow, activities: Iterable[str]) -> str:
    """Says how the first of the steps can be done, or shown to have been done."""
    first = next(iter(activities), "")
    edges = flow.view.bindings.get(first, [])
    if not edges:
        return f"Let a person state that {named(flow, first)} has been done" if first else ""
    call = f"{edges[0].method} {owner_of(edges[0].target)}/{_simple(edges[0])}"
    read = read_of(flow, first)
    shown = f"show it done by {read}" if read and read != call else "let a person state that it has been done"
    return f"Do it by {call}, or {shown}"


def _is_set(edge: Edge) -> bool:
    return "#" not in edge.target.partition("/")[0] and bool(local_part(edge.target))


def _simple(edge: Edge) -> str:
    local = local_part(edge.target)
    return local if _is_set(edge) else local.partition("(")[0].rpartition(".")[2]
