"""Slots: the places of a call that a value may go to, with the words by which they are meant."""

from collections.abc import Iterator, Mapping
from typing import TypeAlias

import msgspec

from clew.agent.planner.catalogue import Catalogue
from clew.agent.planner.matching import Wording, wording_of
from clew.agent.planner.targets import Target
from clew.domain.records import Record
from clew.domain.services import Capabilities, Parameter, Property
from clew.graph.service_view import ServiceView
from clew.grounding.requirements import is_settable

Path: TypeAlias = tuple[str | int, ...]

_CONTROL = ("_ac", "_fc", "_mc", "_oc", "_Text", "_cba")
_ITEM = "item"
_DRAFT = frozenset({"DraftUUID", "IsActiveEntity"})


class Slot(Record, frozen=True, kw_only=True):
    """A property or parameter of a call. `path` goes from the payload down (`("to_Item", 0, "Material")`).

    `collection` names the navigation or collection that a value goes into, `main` tells whether that holds the items.
    """

    path: Path
    name: str
    type: str
    facets: Property
    wording: Wording
    collection: str = ""
    main: bool = False
    inner: frozenset[str] = frozenset()
    """The terms that tell the collection from the whole; who means it says one of them, unless it holds the items."""
    is_inherited: bool = False
    """A property of an item that bears the name of its document's key: the document gives it."""
    is_key: bool = False
    single_key: bool = False
    parameter: bool = False
    is_open: bool = True
    """Whether a caller may give it; what is meant for a closed slot goes nowhere else."""

    @property
    def pointer(self) -> str:
        """The path as a JSON pointer."""
        return "".join(f"/{part}" for part in self.path)

    def at(self, index: int) -> "Slot":
        """Gives the same slot in another item."""
        if not self.collection or len(self.path) < len(("to_Item", 0, "Material")) or self.path[1] == index:
            return self
        return msgspec.structs.replace(self, path=(self.path[0], index, *self.path[2:]))


class Collection(Record, frozen=True, kw_only=True):
    """A navigation or a property that holds several things: its name, their type, and the terms of its own."""

    name: str
    type: str
    terms: frozenset[str]
    many: bool = True
    main: bool = False


class SlotReader:
    """Reads the slots of the sets and operations of a catalogue."""

    def __init__(self, catalogue: Catalogue) -> None:
        """Takes the services to read."""
        self.catalogue = catalogue
        self.vocabulary = catalogue.vocabulary

    def slots(self, target: Target) -> list[Slot]:
        """Gives the slots of a target: of a new or changed entity and what may be created inside it, or parameters."""
        view = self.catalogue.view(target.service)
        if target.operation:
            return list(self._parameters(view, target))
        node = view.sets[target.entity_set]
        own = self.own_terms(target.service, target.entity_set)
        found = list(self._properties(view, node.type, node.capabilities, own, creates=target.method == "POST"))
        if target.method == "POST":
            for collection in self.collections(target.service, target.entity_set):
                found.extend(self._nested(view, node.type, collection, own))
        return found

    def own_terms(self, service: str, entity_set: str) -> frozenset[str]:
        """Gives the terms of a set, its type and their labels, which who speaks of its properties leaves out."""
        wording = self.catalogue.sets(service)[entity_set].wording
        return frozenset((*wording.name, *wording.label, *wording.info)) - {"document"}

    def collections(self, service: str, entity_set: str) -> list[Collection]:
        """Gives what a new entity may hold inside; at most one is the main one, that of its items."""
        view = self.catalogue.view(service)
        node = view.sets[entity_set]
        own = self.own_terms(service, entity_set)
        barred = set(node.capabilities.non_insertable_navigations)
        found = [
            Collection(
                name=nav.name,
                type=nav.target,
                terms=self._inner_terms(nav.name, nav.target),
                many=nav.multiplicity == "*",
            )
            for nav in view.navigations(node.type).values()
            if nav.creatable and nav.name not in barred and nav.multiplicity == "*" and nav.target in view.types
        ]
        found += [
            Collection(
                name=prop.name, type=prop.type, terms=self._inner_terms(prop.name, prop.type), many=prop.collection
            )
            for prop in view.properties(node.type).values()
            if prop.type in view.types and is_settable(prop)
        ]
        main = self._main(view, found, own)
        return [self._marked(collection, main=collection.name == main) for collection in found]

    def _marked(self, collection: Collection, *, main: bool) -> Collection:
        return Collection(
            name=collection.name, type=collection.type, terms=collection.terms, many=collection.many, main=main
        )

    def _inner_terms(self, name: str, type_name: str) -> frozenset[str]:
        plain = name.removeprefix("to_").removeprefix("_")
        return frozenset((*self.catalogue.business_terms(plain), *self.catalogue.business_terms(type_name)))

    def _main(self, view: ServiceView, collections: list[Collection], own: frozenset[str]) -> str:
        """Gives the collection of the items: it says so, says least else, and counts something."""
        best, name = 99.0, ""
        for collection in collections:
            if not collection.many or _ITEM not in collection.terms:
                continue
            extra = sum(self.vocabulary.weight(term) for term in collection.terms - own - {_ITEM, "document"})
            counts = any("quantity" in self.vocabulary.name_terms(prop) for prop in view.properties(collection.type))
            rank = extra + (0.0 if counts else 2.0)
            if rank < best:
                best, name = rank, collection.name
        return name

    def _nested(self, view: ServiceView, outer: str, collection: Collection, own: frozenset[str]) -> Iterator[Slot]:
        inner = own | collection.terms
        place: Path = (collection.name, 0) if collection.many else (collection.name,)
        inherited = set(view.key(outer)) if collection.main else set[str]()
        for slot in self._properties(view, collection.type, Capabilities(), inner, creates=True, place=place):
            inside = collection.terms - own - {"document", "item", "header"}
            yield msgspec.structs.replace(
                slot,
                collection=collection.name,
                main=collection.main,
                inner=inside,
                is_inherited=slot.name in inherited,
            )

    def _properties(
        self,
        view: ServiceView,
        type_name: str,
        capabilities: Capabilities,
        own: frozenset[str],
        *,
        creates: bool,
        place: Path = (),
    ) -> Iterator[Slot]:  # fmt: skip
        key = tuple(name for name in view.key(type_name) if name not in _DRAFT)
        above = self._above(view, type_name) if creates and not place else frozenset[str]()
        barred = set(capabilities.non_insertable if creates else capabilities.non_updatable)
        for prop in view.properties(type_name).values():
            if prop.type in view.types or prop.collection or prop.name.endswith(_CONTROL):
                continue
            is_key = prop.name in key
            is_open = prop.name not in barred and _may_be_given(prop, is_key=is_key and len(key) > 1, creates=creates)
            is_open = is_open or (creates and prop.name in above)
            if not creates and is_key:
                continue
            yield Slot(
                path=(*place, prop.name),
                name=prop.name,
                type=view.underlying(prop.type),
                facets=prop,
                wording=wording_of(prop.name, prop.texts, own, self.vocabulary),
                is_key=is_key,
                single_key=len(key) == 1,
                is_open=is_open,
            )

    def _above(self, view: ServiceView, type_name: str) -> frozenset[str]:
        """Gives the key properties that name the entity of which this one is a part; they may always be given."""
        cards = [card for card in self.catalogue.sets(view.id).values() if card.type == type_name and card.parts]
        own = {name for card in cards for name in card.key}
        terms = {term for card in cards for term in card.wording.name}
        wholes = (c for c in self.catalogue.sets(view.id).values() if set(c.wording.name) < terms and not c.parts)
        return frozenset(name for card in wholes for name in card.key if name in own and name not in _DRAFT)

    def _parameters(self, view: ServiceView, target: Target) -> Iterator[Slot]:
        card = next(card for card in self.catalogue.operations(target.service) if card.id == target.id)
        own = frozenset(card.terms)
        for name in card.sets:
            own |= self.own_terms(target.service, name)
        known: Mapping[str, Property] = view.properties(card.bound_to) if card.bound_to else {}
        for node in view.operations.get(target.operation, ()):
            if node.id != target.id:
                continue
            for parameter in node.parameters:
                facets = _as_property(parameter, known.get(parameter.name))
                yield Slot(
                    path=(parameter.name,),
                    name=parameter.name,
                    type=view.underlying(parameter.type),
                    facets=facets,
                    wording=wording_of(parameter.name, facets.texts, own, self.vocabulary),
                    parameter=True,
                )


def _may_be_given(prop: Property, *, is_key: bool, creates: bool) -> bool:
    """Whether a caller may give a property; services that say they compute a part of the key take it all the same."""
    if not creates:
        return prop.updatable and not prop.computed and not prop.immutable
    return is_settable(prop) or (is_key and prop.computed and prop.creatable)


def _as_property(parameter: Parameter, known: Property | None) -> Property:
    """Gives a parameter as a property; texts and facets that it lacks are those of the property that bears its name."""
    return Property(
        name=parameter.name,
        type=parameter.type,
        nullable=parameter.nullable,
        max_length=parameter.max_length or (known.max_length if known else None),
        precision=parameter.precision,
        scale=parameter.scale,
        value_help=parameter.value_help or (known.value_help if known else ""),
        texts=parameter.texts if parameter.texts.label or known is None else known.texts,
    )
