"""Where a URL leads: each segment of a path resolved against a service's description, name by name.

Only names are resolved here. Key predicates and parameters are read afterwards by their own rules, from the steps.
"""

from dataclasses import dataclass, field
from enum import StrEnum

from clew.domain.issues import Suggestion
from clew.domain.services import EntitySet, NavigationProperty, Operation, Property
from clew.graph.service_view import PRIMITIVE, ServiceView
from clew.grounding.faults import Fault, Repair
from clew.grounding.suggestions import closest, safe_spelling
from clew.grounding.wording import simple
from clew.protocol.urls import ResourcePath, Segment, SegmentKind


class Place(StrEnum):
    """What a path, or a part of it from its beginning, addresses."""

    SERVICE = "service"
    METADATA = "metadata"
    BATCH = "batch"
    COLLECTION = "collection"
    ENTITY = "entity"
    VALUE = "value"
    """A structural property, or the raw value or count of something."""
    LINK = "link"
    OPERATION = "operation"
    OTHER = "other"
    """A segment that is accepted as its grammar has it: `$all`, `$entity`, `$crossjoin`, `$filter`, `$each`."""


@dataclass(slots=True)
class Step:
    """One segment with what it leads to."""

    segment: Segment
    place: Place
    type: str = ""
    """Qualified name of the type that is reached; primitive for a value."""
    entity_set: EntitySet | None = None
    navigation: NavigationProperty | None = None
    prop: Property | None = None
    operation: Operation | None = None
    overloads: tuple[Operation, ...] = ()
    """The operations of that name which fit the binding; which of them is meant, the parameters tell."""
    source_set: EntitySet | None = None
    """The set from which `path` leads here; restrictions of navigation are stated there."""
    path: str = ""
    """Navigation path from `source_set`, without keys and casts."""


@dataclass(slots=True)
class Target:
    """What a whole path addresses."""

    steps: list[Step] = field(default_factory=list[Step])

    @property
    def last(self) -> Step:
        """The last step that says what is addressed."""
        return self.steps[-1]

    @property
    def node_id(self) -> str:
        """Id of the operation or set that is addressed, or of the nearest set above it."""
        for step in reversed(self.steps):
            if step.operation is not None:
                return step.operation.id
            if step.entity_set is not None:
                return step.entity_set.id
        return ""


def resolve_path(path: ResourcePath, view: ServiceView) -> Target | Fault:
    """Gives the target of a path, or the fault of the first segment that leads nowhere."""
    if not path.segments:
        return Target([Step(Segment(name=""), Place.SERVICE)])
    target = Target()
    resolver = _Resolver(view)
    for segment in path.segments:
        found = resolver.next(target.last, segment) if target.steps else resolver.first(segment)
        if isinstance(found, Fault):
            return found
        target.steps.append(found)
    return target


_ROOTS = {
    SegmentKind.METADATA: Place.METADATA,
    SegmentKind.BATCH: Place.BATCH,
    SegmentKind.ALL: Place.OTHER,
    SegmentKind.ENTITY: Place.OTHER,
    SegmentKind.CROSSJOIN: Place.OTHER,
}
_LINKS = {SegmentKind.REF, SegmentKind.LINKS}
_KEEPING = {SegmentKind.FILTER, SegmentKind.EACH, SegmentKind.QUERY}


class _Resolver:
    def __init__(self, view: ServiceView) -> None:
        self.view = view

    def first(self, segment: Segment) -> Step | Fault:
        if segment.kind in _ROOTS:
            return Step(segment, _ROOTS[segment.kind])
        node = self.view.sets.get(segment.name) or self._of_container(segment)
        if node is not None:
            is_one = node.singleton or segment.key is not None
            place = Place.ENTITY if is_one else Place.COLLECTION
            return Step(segment, place, type=node.type, entity_set=node, source_set=node)
        overloads = self._unbound(segment)
        if overloads:
            return self._operation(segment, overloads, None)
        return self._unknown_root(segment)

    def next(self, step: Step, segment: Segment) -> Step | Fault:
        if segment.kind is SegmentKind.NAME:
            return self._member(step, segment)
        if segment.kind is SegmentKind.QUALIFIED:
            return self._qualified(step, segment)
        if segment.kind in _KEEPING:
            return Step(segment, step.place, type=step.type, entity_set=step.entity_set, source_set=step.source_set)
        return self._special(step, segment)

    def _of_container(self, segment: Segment) -> EntitySet | None:
        """A set that is named with its container (`Container.Set`, V2 and V3)."""
        if segment.kind is not SegmentKind.QUALIFIED or self.view.is_v4:
            return None
        return self.view.sets.get(simple(segment.name))

    def _unbound(self, segment: Segment) -> tuple[Operation, ...]:
        found = self.view.operations.get(simple(segment.name), [])
        if self.view.service.version in {"V1", "V2"}:
            return tuple(found)
        return tuple(node for node in found if not node.bound_to)

    def _special(self, step: Step, segment: Segment) -> Step | Fault:
        if segment.kind is SegmentKind.COUNT and step.place in {Place.COLLECTION, Place.OPERATION, Place.VALUE}:
            if step.entity_set is not None and not step.entity_set.capabilities.countable:
                message = f"{step.entity_set.name} is not counted; leave /$count out"
                return Fault("NOT_COUNTABLE", message, _at(segment))
            return Step(segment, Place.VALUE, type="Edm.Int64", entity_set=step.entity_set)
        if segment.kind is SegmentKind.VALUE and step.place in {Place.VALUE, Place.ENTITY, Place.OPERATION}:
            return Step(segment, Place.VALUE, type=step.type, entity_set=step.entity_set, prop=step.prop)
        if segment.kind in _LINKS and step.place in {Place.ENTITY, Place.COLLECTION}:
            wanted = SegmentKind.REF if self.view.is_v4 else SegmentKind.LINKS
            if segment.kind is not wanted:
                message = f"{self.view.service.version} addresses links by {wanted.value}, not by {segment.kind.value}"
                return Fault("URL_SEGMENT", message, _at(segment))
            return Step(segment, Place.LINK, type=step.type, entity_set=step.entity_set, navigation=step.navigation)
        message = f"{segment.kind.value} cannot follow {step.segment.name} here"
        return Fault("URL_SEGMENT", message, _at(segment))

    def _member(self, step: Step, segment: Segment) -> Step | Fault:
        name = segment.name
        if step.place is Place.LINK and not self.view.is_v4:
            return self._link_target(step, segment)
        if step.place is Place.COLLECTION:
            operation = self._bound(step, segment)
            if operation:
                return self._operation(segment, operation, step)
            return self._keyless(step, segment)
        navigation = self.view.navigations(step.type).get(name)
        if navigation is not None:
            return self._navigate(step, segment, navigation)
        prop = self.view.properties(step.type).get(name)
        if prop is not None:
            place = Place.COLLECTION if prop.collection and prop.type in self.view.types else Place.VALUE
            path = f"{step.path}/{name}".lstrip("/")
            return Step(
                segment,
                place,
                type=prop.type,
                entity_set=step.entity_set,
                prop=prop,
                source_set=step.source_set,
                path=path,
            )
        operation = self._bound(step, segment)
        if operation:
            return self._operation(segment, operation, step)
        found = self.view.types.get(step.type)
        if found is not None and found.open:
            return Step(segment, Place.VALUE, type="Edm.Untyped", entity_set=step.entity_set)
        return self._unknown_member(step, segment)

    def _link_target(self, step: Step, segment: Segment) -> Step | Fault:
        navigation = self.view.navigations(step.type).get(segment.name)
        if navigation is None:
            return self._unknown_member(step, segment)
        target = self.view.target_set(step.entity_set.name, segment.name) if step.entity_set else None
        return Step(segment, Place.LINK, type=navigation.target, entity_set=target, navigation=navigation)

    def _navigate(self, step: Step, segment: Segment, navigation: NavigationProperty) -> Step:
        path = f"{step.path}/{navigation.name}".lstrip("/")
        target = self._target_set(step, navigation, path)
        is_many = navigation.multiplicity == "*" and segment.key is None
        place = Place.COLLECTION if is_many else Place.ENTITY
        return Step(
            segment,
            place,
            type=navigation.target,
            entity_set=target,
            navigation=navigation,
            source_set=step.source_set,
            path=path,
        )

    def _target_set(self, step: Step, navigation: NavigationProperty, path: str) -> EntitySet | None:
        if navigation.contains:
            return None
        if step.source_set is not None:
            for binding in step.source_set.bindings:
                if binding.path == path:
                    return self.view.sets.get(binding.target.rpartition("/")[2])
        return self.view.target_set(step.entity_set.name, navigation.name) if step.entity_set else None

    def _qualified(self, step: Step, segment: Segment) -> Step | Fault:
        name = self.view.qualified(segment.name)
        if name in self.view.types:
            if not (self.view.is_derived(name, step.type) or self.view.is_derived(step.type, name)):
                message = f"{name} is not derived from {step.type}"
                return Fault("CAST_TYPE", message, _at(segment))
            is_one = segment.key is not None or step.place is Place.ENTITY
            place = Place.ENTITY if is_one else step.place
            return Step(
                segment, place, type=name, entity_set=step.entity_set, source_set=step.source_set, path=step.path
            )
        operation = self._bound(step, segment)
        if operation:
            return self._operation(segment, operation, step)
        return self._unknown_operation(step, segment)

    def _bound(self, step: Step, segment: Segment) -> tuple[Operation, ...]:
        if self.view.service.version in {"V1", "V2"}:
            return ()  # function imports are called at the root, also those that act on an entity
        qualified = self.view.qualified(segment.name)
        is_many = step.place is Place.COLLECTION
        return tuple(
            node
            for node in self.view.operations.get(simple(segment.name), [])
            if node.bound_to
            and (self.view.is_derived(step.type, node.bound_to) or node.bound_to == step.type)
            and node.bound_to_collection == is_many
            and (segment.kind is SegmentKind.NAME or node.name in {qualified, segment.name} or not self.view.is_v4)
        )

    def _operation(self, segment: Segment, overloads: tuple[Operation, ...], step: Step | None) -> Step:
        node = overloads[0]
        result = self.view.sets.get(node.entity_set)
        source = step.source_set if step else None
        found = Step(segment, Place.OPERATION, operation=node, overloads=overloads, source_set=source)
        found.type = node.returns
        found.entity_set = result
        return found

    def _unknown_root(self, segment: Segment) -> Fault:
        name = segment.name
        labels = {node.name: node.texts.label or self._type_label(node) for node in self.view.sets.values()}
        operations = dict.fromkeys(self.view.operations, "")
        suggestions = closest(name, labels | operations)
        right = safe_spelling(name, [*labels, *operations])
        repair = Repair("segment", text=right, path=(segment.position,)) if right else None
        message = f"{self.view.id} has no entity set or operation {name!r}"
        if contained := self._contained(name):
            message += f"; its entities are reached through {contained}"
        elif self.view.operations.get(simple(name)):
            message = f"{name} is called on an entity or a collection, not at the service root"
        expected = f"one of its {len(labels)} entity sets, such as {next(iter(labels), '')}"
        return Fault("UNKNOWN_SET", message, _at(segment), expected, suggestions=suggestions, repair=repair)

    def _type_label(self, node: EntitySet) -> str:
        found = self.view.types.get(node.type)
        return found.texts.label if found else ""

    def _contained(self, name: str) -> str:
        """Gives the way to entities that have no set of their own, where `name` is like the name of their type."""
        folded = name.casefold().rstrip("s")
        for type_name in self.view.types:
            for navigation in self.view.navigations(type_name).values():
                if navigation.contains and simple(navigation.target).casefold() == folded:
                    owner = next((node.name for node in self.view.sets_of_type.get(type_name, [])), simple(type_name))
                    return f"{owner}(key)/{navigation.name}"
        return ""

    def _keyless(self, step: Step, segment: Segment) -> Fault:
        known = segment.name in self.view.navigations(step.type) or segment.name in self.view.properties(step.type)
        if not known:
            return self._unknown_member(step, segment)
        message = f"{step.segment.name} is a collection; name one entity by its key before /{segment.name}"
        return Fault("KEY_MISSING", message, _at(segment), f"{step.segment.name}(key)/{segment.name}")

    def _unknown_member(self, step: Step, segment: Segment) -> Fault:
        members = members_of(self.view, step.type)
        right = safe_spelling(segment.name, members)
        message = f"{simple(step.type) or step.segment.name} has no property or navigation {segment.name!r}"
        if self.view.operations.get(simple(segment.name)):
            right = None
            message += "; it is an operation, called at the service root with its parameters"
        repair = Repair("segment", text=right, path=(segment.position,)) if right else None
        suggestions = closest(segment.name, members)
        return Fault("UNKNOWN_SEGMENT", message, _at(segment), suggestions=suggestions, repair=repair)

    def _unknown_operation(self, step: Step, segment: Segment) -> Fault:
        bound = {
            node.name: node.texts.label
            for group in self.view.operations.values()
            for node in group
            if node.bound_to and self.view.is_derived(step.type, node.bound_to)
        }
        suggestions: tuple[Suggestion, ...] = closest(segment.name, bound)
        right = safe_spelling(segment.name, bound)
        repair = Repair("segment", text=right, path=(segment.position,)) if right else None
        where = "collection" if step.place is Place.COLLECTION else "entity"
        message = f"{segment.name} is no operation on this {where} of {simple(step.type)} and no type derived from it"
        return Fault("UNKNOWN_OPERATION", message, _at(segment), suggestions=suggestions, repair=repair)


def members_of(view: ServiceView, type_name: str) -> dict[str, str]:
    """Gives the properties and navigation properties of a type with their labels."""
    properties = {name: prop.texts.label for name, prop in view.properties(type_name).items()}
    return properties | {name: way.texts.label for name, way in view.navigations(type_name).items()}


def is_primitive(type_name: str) -> bool:
    """Whether a type is one of `Edm`."""
    return type_name.startswith(PRIMITIVE)


def _at(segment: Segment) -> str:
    return f"url:{segment.position}"
