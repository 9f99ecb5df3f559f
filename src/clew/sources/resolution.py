"""Names in bindings and code lists resolved against what has been read: edges, exact targets, and issues with the
names that come close."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Protocol

from clew.domain.facts import Edge
from clew.domain.issues import Issue, Suggestion
from clew.domain.kinds import EdgeKind
from clew.domain.landscape import BindingRow, Bindings, CodeListUse
from clew.domain.processes import Activity
from clew.domain.records import Record
from clew.domain.services import ComplexType, EntitySet, EntityType, Operation
from clew.sources.yaml_fields import Notes, closest, shown

__all__ = ["Lookup", "PropertyTarget", "resolve_bindings", "resolve_uses"]


class ServiceNames(Protocol):
    """A service by its names, as `clew.graph.service_view.ServiceView` offers it."""

    @property
    def sets(self) -> Mapping[str, EntitySet]:
        """Entity sets and singletons by simple name."""
        ...

    @property
    def types(self) -> Mapping[str, EntityType | ComplexType]:
        """Structured types by qualified name."""
        ...

    @property
    def operations(self) -> Mapping[str, Sequence[Operation]]:
        """Operations by simple name, with all overloads."""
        ...

    def is_derived(self, type_name: str, base: str) -> bool:
        """Whether a type is `base` or extends it; both names are qualified."""
        ...


class ProcessNames(Protocol):
    """A process by its activities, as `clew.graph.process_view.ProcessView` offers it."""

    @property
    def activities(self) -> Sequence[Activity]:
        """The activities, those in subprocesses too."""
        ...


class Lookup(Protocol):
    """What has been read so far."""

    def service_names(self) -> Collection[str]:
        """Owner names of the services."""
        ...

    def process_names(self) -> Collection[str]:
        """Owner names of the processes."""
        ...

    def service(self, name: str, /) -> ServiceNames:
        """Gives a service by one of `service_names`."""
        ...

    def process(self, name: str, /) -> ProcessNames:
        """Gives a process by one of `process_names`."""
        ...


class PropertyTarget(Record, frozen=True, kw_only=True):
    """A property or parameter of one service: `path` is `Ns.Type/Property` or `Ns.Operation(Types)/parameter`."""

    service: str
    path: str
    line: int = 0


def resolve_bindings(bindings: Bindings, lookup: Lookup) -> tuple[tuple[Edge, ...], tuple[Issue, ...]]:
    """Gives the `PERFORMED_BY` edge of each bound row, and what could not be found; such a row gives no edge."""
    notes = Notes(bindings.document)
    processes: dict[str, dict[str, Activity]] = {}
    edges: list[Edge] = []
    for row in bindings.rows:
        activity = _activity_of(row, lookup, processes, notes)
        target = "" if row.unbound else _target_of(row, lookup, notes)
        if activity and target:
            edges.append(_edge(row, activity, target))
    return tuple(edges), notes.in_order


def _edge(row: BindingRow, activity: Activity, target: str) -> Edge:
    return Edge(
        kind=EdgeKind.PERFORMED_BY,
        source=activity.id,
        target=target,
        method=row.method,
        via=row.via,
        bound_to=row.bound_to,
        values=row.values,
        note=row.note,
        line=row.line,
    )


def _activity_of(
    row: BindingRow, lookup: Lookup, processes: dict[str, dict[str, Activity]], notes: Notes
) -> Activity | None:
    if row.process not in processes:
        names = lookup.process_names()
        if row.process not in names:
            _unknown("process", row.process, "", names, row.line, notes)
            return None
        listed = lookup.process(row.process).activities
        processes[row.process] = {_element(activity): activity for activity in listed}
    known = processes[row.process]
    found = known.get(row.activity)
    if found is None:
        _note_unknown_activity(row, known, notes)
    elif row.activity_name and _words(row.activity_name) != _words(found.name):
        message = (
            f"Activity {row.activity!r} of process {row.process!r} is called {shown(found.name)} in the model,"
            f" not {shown(row.activity_name)}."
        )
        notes.warn("activity-name", message, row.line)
    return found


def _note_unknown_activity(row: BindingRow, known: Mapping[str, Activity], notes: Notes) -> None:
    named = [element for element, activity in known.items() if _words(activity.name) == _words(row.activity_name)]
    suggestions = (
        (Suggestion(value=named[0], reason="label"),) if row.activity_name and len(named) == 1 else ()
    ) or closest(row.activity, known)
    message = f"There is no activity {row.activity!r} in process {row.process!r}."
    notes.error("unknown-activity", message, row.line, suggestions)


def _element(activity: Activity) -> str:
    return activity.id.partition("/")[2]


def _words(name: str) -> str:
    return " ".join(name.split()).casefold()


def _target_of(row: BindingRow, lookup: Lookup, notes: Notes) -> str:
    names = lookup.service_names()
    if row.service not in names:
        _unknown("service", row.service, "", names, row.line, notes)
        return ""
    service = lookup.service(row.service)
    if row.entity_set:
        found = service.sets.get(row.entity_set)
        if found is None:
            _unknown("entity set", row.entity_set, row.service, service.sets, row.line, notes)
        return found.id if found else ""
    return _operation_of(row, service, notes)


def _operation_of(row: BindingRow, service: ServiceNames, notes: Notes) -> str:
    overloads = service.operations.get(row.operation, ())
    if not overloads:
        _unknown("operation", row.operation, row.service, service.operations, row.line, notes)
        return ""
    bound_set = service.sets.get(row.bound_to) if row.bound_to else None
    if row.bound_to and bound_set is None:
        _unknown("entity set", row.bound_to, row.service, service.sets, row.line, notes)
        return ""
    if bound_set is not None:
        fitting = _bound_to(bound_set, overloads, service)
        if not fitting:
            _note_not_bound(row, overloads, service, notes)
            return ""
        return fitting[0].id
    if len(overloads) > 1:
        sets = tuple(Suggestion(value=name, reason="rule") for name in _sets_of(overloads, service)[:3])
        message = (
            f"{row.operation!r} of service {row.service!r} exists {len(overloads)} times; say 'bound_to' which set."
        )
        notes.error("ambiguous-operation", message, row.line, sets)
        return ""
    return overloads[0].id


def _bound_to(entity_set: EntitySet, overloads: Sequence[Operation], service: ServiceNames) -> list[Operation]:
    # The overload of the type itself comes before one that it inherits.
    exact = [operation for operation in overloads if operation.bound_to == entity_set.type]
    inherited = [
        operation
        for operation in overloads
        if operation.bound_to and operation not in exact and service.is_derived(entity_set.type, operation.bound_to)
    ]
    return [*exact, *inherited]


def _sets_of(overloads: Sequence[Operation], service: ServiceNames) -> list[str]:
    types = {operation.bound_to for operation in overloads}
    return sorted(name for name, entity_set in service.sets.items() if entity_set.type in types)


def _note_not_bound(row: BindingRow, overloads: Sequence[Operation], service: ServiceNames, notes: Notes) -> None:
    sets = _sets_of(overloads, service)
    message = f"{row.operation!r} of service {row.service!r} is not bound to entity set {row.bound_to!r}."
    suggestions = closest(row.bound_to, sets) or tuple(Suggestion(value=name, reason="rule") for name in sets[:3])
    notes.error("not-bound", message, row.line, suggestions)


def _unknown(what: str, name: str, service: str, known: Iterable[str], line: int, notes: Notes) -> None:
    where = f" in service {service!r}" if service else ""
    code = "unknown-" + what.replace(" ", "-")
    notes.error(code, f"There is no {what} {name!r}{where}.", line, closest(name, known))


def resolve_uses(
    uses: Sequence[CodeListUse], lookup: Lookup, *, document: str
) -> tuple[tuple[PropertyTarget, ...], tuple[Issue, ...]]:
    """Gives every property and parameter that a code list applies to, and what could not be found.

    `document` is the one that holds the uses. Without a service, a name that no service has is an error too.
    """
    notes = Notes(document)
    found: dict[tuple[str, str], PropertyTarget] = {}
    for use in uses:
        names = lookup.service_names()
        if use.service and use.service not in names:
            _unknown("service", use.service, "", names, use.line, notes)
            continue
        services = [use.service] if use.service else sorted(names)
        targets = [target for name in services for target in _targets_in(use, name, lookup.service(name))]
        if not targets:
            _note_no_property(use, [lookup.service(name) for name in services], notes)
        for target in targets:
            found.setdefault((target.service, target.path), target)
    return tuple(found.values()), notes.in_order


def _targets_in(use: CodeListUse, name: str, service: ServiceNames) -> list[PropertyTarget]:
    paths = [f"{owner}/{use.property}" for owner, members in _owners(use.type, service) if use.property in members]
    return [PropertyTarget(service=name, path=path, line=use.line) for path in paths]


def _owners(wanted: str, service: ServiceNames) -> list[tuple[str, list[str]]]:
    types = [
        (node.name, [prop.name for prop in node.properties])
        for node in service.types.values()
        if _is_meant(wanted, node.name, service)
    ]
    operations = {node.id: node for group in service.operations.values() for node in group}
    parameters = [
        # The id tells overloads apart: `odata:SVC#Ns.Operation(Types)`.
        (node.id.partition("#")[2], [parameter.name for parameter in node.parameters])
        for node in operations.values()
        if wanted in ("", node.name, node.name.rpartition(".")[2], *node.imports)
    ]
    return types + parameters


def _is_meant(wanted: str, type_name: str, service: ServiceNames) -> bool:
    if not wanted or wanted in (type_name, type_name.rpartition(".")[2]):
        return True
    entity_set = service.sets.get(wanted)
    return entity_set is not None and service.is_derived(entity_set.type, type_name)


def _note_no_property(use: CodeListUse, services: Sequence[ServiceNames], notes: Notes) -> None:
    known = [member for service in services for _, members in _owners(use.type, service) for member in members]
    where = f" in {use.type!r}" if use.type else ""
    where += f" of service {use.service!r}" if use.service else " of any service" if not use.type else ""
    notes.error(
        "unknown-property", f"There is no property {use.property!r}{where}.", use.line, closest(use.property, known)
    )
