"""Overlays: what an annotation document or a code list states about a service's records, applied to them.

What is stated here is stronger than the metadata's own word; of two overlays the one whose document comes first wins.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import TypeVar, cast

import msgspec

from clew.domain.facts import Node, Overlay
from clew.domain.records import Record
from clew.domain.services import (
    Annotation,
    Capabilities,
    ComplexType,
    EntitySet,
    EntityType,
    EnumType,
    Operation,
    Service,
)
from clew.graph.merging import Contradiction, is_empty, show, state_capabilities
from clew.graph.targets import Targets

R = TypeVar("R", bound=Record)
N = TypeVar("N", bound=Node)

_MEMBER_LISTS = ("properties", "navigations", "parameters", "members")

# A list of one's own beside the list that the metadata locates is the point of stating it, and no disagreement.
_NO_DISAGREEMENT = frozenset({"value_help"})


class Application:
    """Applies overlays to the records of one service, in the order of the documents."""

    def __init__(self, service: Service, records: dict[str, Node], documents: Mapping[str, str]) -> None:
        """Works on `records` by id, in place; `documents` tells who asserts each one."""
        self._service = service
        self._records = records
        self._documents = documents
        self._targets = Targets(service, records)
        self._stated: dict[tuple[str, str], tuple[str, object]] = {}
        self._document = ""
        self._place = ("", "")
        self.contradictions: list[Contradiction] = []
        self.changed: set[str] = set()

    def apply(self, document: str, overlay: Overlay) -> bool:
        """Applies one overlay; gives whether its target is here."""
        self._document = document
        applied = False
        for node_id, path in self._targets.resolve(overlay.target):
            record = self._records[node_id]
            self._place = (node_id, "")
            changed = self._on_record(record, overlay) if not path else self._on_member(record, path, overlay)
            if changed is None:
                continue
            applied = True
            if changed is not record:
                self._records[node_id] = changed
                self.changed.add(node_id)
        return applied

    def _on_record(self, record: N, overlay: Overlay) -> N:
        changed = self._state(record, overlay)
        if isinstance(changed, EntitySet):
            changed = self._on_set(changed, overlay)
        else:
            changed = _keep(changed, _leftovers(overlay, with_help=True))
        return cast("N", changed)

    def _on_set(self, record: EntitySet, overlay: Overlay) -> EntitySet:
        changes: dict[str, object] = {}
        if overlay.capabilities is not None:
            changes["capabilities"] = self._capabilities(record.capabilities, overlay.capabilities, "capabilities")
        if overlay.navigation_capabilities:
            known = dict(record.navigation_capabilities)
            for navigation, stated in overlay.navigation_capabilities:
                known[navigation] = self._navigation(known, navigation, stated)
            changes["navigation_capabilities"] = tuple(known.items())
        if overlay.draft is not None and self._may_state("draft", record.draft, overlay.draft):
            changes["draft"] = overlay.draft
        changed = msgspec.structs.replace(record, **changes) if changes else record
        left = [item for item in _leftovers(overlay, with_help=True) if item.term == "value_help"]
        return _keep(changed, left)

    def _navigation(self, known: dict[str, Capabilities], navigation: str, stated: Capabilities) -> Capabilities:
        before = known.get(navigation, Capabilities())
        return self._capabilities(before, stated, f"navigation_capabilities[{navigation}]")

    def _capabilities(self, known: Capabilities, stating: Capabilities, path: str) -> Capabilities:
        names = [
            name
            for name in stating.stated
            if name in Capabilities.__struct_fields__
            and self._may_state(
                f"{path}.{name}", getattr(known, name) if name in known.stated else None, getattr(stating, name)
            )
        ]
        return state_capabilities(known, stating, names)

    def _on_member(self, record: N, path: str, overlay: Overlay) -> N | None:
        name, _, deeper = path.partition("/")
        if isinstance(record, EntitySet):
            return cast("N", self._on_path_of_set(record, path, overlay))
        found = _position(record, name)
        if found is None or deeper:
            known = found is not None or name.startswith(("$", "@")) or _is_kept_by(record, name)
            return _keep(record, _everything(overlay, path)) if known else None
        field, position = found
        members = list(cast("tuple[Record, ...]", getattr(record, field)))
        self._place = (record.id, f"{field}[{name}].")
        member = self._on_value_help(record, self._state(members[position], overlay), name, overlay)
        members[position] = _keep(member, _leftovers(overlay, with_help=not hasattr(member, "value_help")))
        return msgspec.structs.replace(record, **{field: tuple(members)})

    def _on_path_of_set(self, record: EntitySet, path: str, overlay: Overlay) -> EntitySet:
        if overlay.capabilities is None:
            return _keep(record, _everything(overlay, path))
        known = dict(record.navigation_capabilities)
        known[path] = self._navigation(known, path, overlay.capabilities)
        changed = msgspec.structs.replace(record, navigation_capabilities=tuple(known.items()))
        return _keep(changed, _everything(overlay, path, but="capabilities"))

    def _on_value_help(self, record: Node, member: R, name: str, overlay: Overlay) -> R:
        stated = overlay.value_help
        if stated is None or not hasattr(member, "value_help"):
            return member
        help_id = "codes:" + record.id.partition(":")[2] + "/" + name
        if not self._may_state("value_help", None, help_id):
            return member
        self._records[help_id] = msgspec.structs.replace(stated, id=help_id, service=self._service.service)
        self.changed.add(help_id)
        return msgspec.structs.replace(member, value_help=help_id)

    def _state(self, record: R, overlay: Overlay) -> R:
        """Gives the record with the attributes and texts that the overlay states and the record has."""
        changes: dict[str, object] = {}
        unknown: list[Annotation] = []
        converters = _converters(type(record))
        for name, value in overlay.attributes:
            try:
                converted = converters[name](value)
            except (KeyError, msgspec.ValidationError):
                unknown.append(_annotation(name, value))
                continue
            if self._may_state(name, _said(record, name), converted):
                changes[name] = converted
        if overlay.texts:
            changes.update(self._texts(record, overlay.texts, unknown))
        changed = msgspec.structs.replace(record, **changes) if changes else record
        return _keep(changed, (*unknown, *overlay.opaque))

    def _texts(self, record: Record, stated: Sequence[tuple[str, str]], unknown: list[Annotation]) -> dict[str, object]:
        texts = getattr(record, "texts", None)
        if texts is None:
            unknown.extend(_annotation(name, text) for name, text in stated)
            return {}
        said = {
            name: text
            for name, text in stated
            if hasattr(texts, name) and self._may_state(f"texts.{name}", getattr(texts, name), text)
        }
        return {"texts": msgspec.structs.replace(texts, **said)} if said else {}

    def _may_state(self, field: str, own: object, value: object) -> bool:
        """Whether the value is to be used; disagreement with what the record or an earlier overlay says is kept."""
        node_id, prefix = self._place
        path = prefix + field
        earlier = self._stated.get((node_id, path))
        if earlier is not None:
            if earlier[1] != value:
                self._contradict(path, kept=earlier[1], kept_by=earlier[0], other=value, other_by=self._document)
            return False
        self._stated[node_id, path] = (self._document, value)
        if own is not None and not is_empty(own) and own != value and field not in _NO_DISAGREEMENT:
            said_by = self._documents.get(node_id, "")
            self._contradict(path, kept=value, kept_by=self._document, other=own, other_by=said_by)
        return True

    def _contradict(self, field: str, *, kept: object, kept_by: str, other: object, other_by: str) -> None:
        self.contradictions.append(
            Contradiction(
                node=self._place[0],
                field=field,
                kept=show(kept),
                kept_by=kept_by,
                other=show(other),
                other_by=other_by,
            )
        )


@cache
def _converters(kind: type[Record]) -> Mapping[str, Callable[[object], object]]:
    """Gives for each field of a record what turns a stored value into the field's type."""

    def converter(annotation: object) -> Callable[[object], object]:
        return lambda value: msgspec.convert(value, annotation)

    fields = msgspec.structs.fields(kind)
    return {field.name: converter(field.type) for field in fields if field.name not in {"id", "service", "name"}}


def _said(record: Record, name: str) -> object:
    """Gives what a record says itself: a field at its default says nothing."""
    value = getattr(record, name)
    return None if value == _defaults(type(record)).get(name, msgspec.NODEFAULT) else value


@cache
def _defaults(kind: type[Record]) -> Mapping[str, object]:
    return {field.name: field.default for field in msgspec.structs.fields(kind)}


def _position(record: Record, name: str) -> tuple[str, int] | None:
    for field in _MEMBER_LISTS:
        for position, member in enumerate(cast("tuple[Record, ...]", getattr(record, field, ()))):
            if getattr(member, "name", "") == name:
                return field, position
    return None


def _is_kept_by(record: Node, name: str) -> bool:
    """Whether the record keeps what is said of `name` though it has no member of it."""
    if isinstance(record, Operation):
        return name == record.binding_parameter
    return isinstance(record, Service) or not isinstance(record, EntityType | ComplexType | EnumType)


def _keep(record: R, stated: Sequence[Annotation]) -> R:
    """Gives the record with opaque annotations that it does not have yet."""
    known = cast("tuple[Annotation, ...] | None", getattr(record, "opaque", None))
    if known is None or not stated:
        return record
    joined = tuple(dict.fromkeys((*known, *stated)))
    return msgspec.structs.replace(record, opaque=joined) if len(joined) > len(known) else record


def _leftovers(overlay: Overlay, *, with_help: bool) -> list[Annotation]:
    """Gives what only entity sets have a field for, and the value list where there is none either."""
    names = ["capabilities", "navigation_capabilities", "draft", *(["value_help"] if with_help else [])]
    stated = [(name, getattr(overlay, name)) for name in names]
    return [_annotation(name, msgspec.to_builtins(value)) for name, value in stated if value]


def _everything(overlay: Overlay, path: str, *, but: str = "") -> list[Annotation]:
    """Gives all that an overlay states as opaque annotations of what is at `path` below the record."""
    stated = [_annotation(name, value) for name, value in (*overlay.attributes, *overlay.texts)]
    stated += [item for item in _leftovers(overlay, with_help=True) if item.term != but]
    return [msgspec.structs.replace(item, term=f"{path}@{item.term}") for item in (*stated, *overlay.opaque)]


def _annotation(name: str, value: object) -> Annotation:
    return Annotation(term=name, value=msgspec.json.encode(value, order="sorted").decode())
