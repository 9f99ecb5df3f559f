"""Several documents that assert one node: the strongest first, gaps filled, members united, contradictions told.

The merge is generic over the fields of records, so that a new attribute takes part without a word here.
"""

from collections.abc import Mapping, Sequence
from typing import TypeVar, cast

import msgspec

from clew.domain.records import Record
from clew.domain.services import (
    Annotation,
    Capabilities,
    Code,
    EnumMember,
    NavigationBinding,
    NavigationProperty,
    Parameter,
    Property,
    ReferentialConstraint,
    ValueListParameter,
)

R = TypeVar("R", bound=Record)


class Contradiction(Record, frozen=True, kw_only=True):
    """Two documents disagree on a field of a node; `kept` is used, `other` is not."""

    node: str
    field: str
    """Path of the field: `properties[Price].nullable`."""
    kept: str
    kept_by: str
    other: str
    other_by: str


IDENTITIES: Mapping[type, tuple[str, ...]] = {
    Property: ("name",),
    NavigationProperty: ("name",),
    Parameter: ("name",),
    EnumMember: ("name",),
    NavigationBinding: ("path",),
    ReferentialConstraint: ("property",),
    Code: ("code", "inputs", "valid_from"),
    ValueListParameter: ("direction", "local", "remote", "constant"),
    Annotation: ("term", "qualifier", "value"),
}
"""The fields that tell the members of a list apart. Annotations of one term are all kept: nobody here knows what they
mean."""

UNITED = frozenset(
    {"namespaces", "aliases", "containers", "references", "type_definitions", "imports", "hints", "defects", "stated"}
)
"""Fields that hold a set of plain values; in others (a key, say) the order and the whole count."""

_PLACES = frozenset({"line"})


class Merge:
    """Merges the assertions of one node and keeps what they disagree on."""

    def __init__(self, node: str) -> None:
        """Begins with no disagreement."""
        self.node = node
        self.contradictions: list[Contradiction] = []
        self._filled_by: dict[str, str] = {}
        self._first = ""
        self._second = ""

    def of(self, assertions: Sequence[tuple[str, R]]) -> R:
        """Gives one record from (document, record) pairs, the strongest first; there must be at least one."""
        self._first, merged = assertions[0]
        for document, record in assertions[1:]:
            self._second = document
            if type(record) is type(merged):
                merged = self._records(merged, record, "")
            else:
                self._contradict("kind", type(merged).__name__, type(record).__name__)
        return merged

    def _records(self, mine: R, theirs: R, path: str) -> R:
        changes: dict[str, object] = {}
        for name in mine.__struct_fields__:
            own, other = getattr(mine, name), getattr(theirs, name)
            if own == other or name in _PLACES:
                continue
            merged = self._values(own, other, f"{path}.{name}" if path else name, name)
            if merged is not own:
                changes[name] = merged
        return msgspec.structs.replace(mine, **changes) if changes else mine

    def _values(self, own: object, other: object, path: str, name: str) -> object:
        if is_empty(other):
            return own
        if is_empty(own):
            self._filled_by[path] = self._second
            return other
        if isinstance(own, Capabilities) and isinstance(other, Capabilities):
            return self._capabilities(own, other, path)
        if isinstance(own, Record) and type(own) is type(other):
            return self._records(own, cast("Record", other), path)
        if isinstance(own, tuple) and isinstance(other, tuple):
            return self._lists(cast("tuple[object, ...]", own), cast("tuple[object, ...]", other), path, name)
        self._contradict(path, cast("object", own), other)
        return cast("object", own)

    def _lists(self, own: tuple[object, ...], other: tuple[object, ...], path: str, name: str) -> tuple[object, ...]:
        if name == "navigation_capabilities":
            return self._navigation_capabilities(own, other, path)
        if name in UNITED:
            return tuple(dict.fromkeys((*own, *other)))
        identity = IDENTITIES.get(type(own[0]))
        if identity is None or type(own[0]) is not type(other[0]):
            self._contradict(path, own, other)
            return own
        return self._members(cast("tuple[Record, ...]", own), cast("tuple[Record, ...]", other), path, identity)

    def _members(
        self, own: tuple[Record, ...], other: tuple[Record, ...], path: str, identity: tuple[str, ...]
    ) -> tuple[Record, ...]:
        merged = {_key(item, identity): item for item in own}
        for item in other:
            key = _key(item, identity)
            known = merged.get(key)
            merged[key] = item if known is None else self._records(known, item, f"{path}[{show(key[0])}]")
        listed = tuple(merged.values())
        return own if len(listed) == len(own) and all(a is b for a, b in zip(listed, own, strict=True)) else listed

    def _capabilities(self, own: Capabilities, other: Capabilities, path: str) -> Capabilities:
        for name in sorted(set(own.stated) & set(other.stated)):
            if getattr(own, name) != getattr(other, name):
                self._contradict(f"{path}.{name}", getattr(own, name), getattr(other, name))
        return state_capabilities(own, other, [name for name in other.stated if name not in own.stated])

    def _navigation_capabilities(
        self, own: tuple[object, ...], other: tuple[object, ...], path: str
    ) -> tuple[tuple[str, Capabilities], ...]:
        merged = dict(cast("tuple[tuple[str, Capabilities], ...]", own))
        for navigation, stated in cast("tuple[tuple[str, Capabilities], ...]", other):
            known = merged.get(navigation)
            merged[navigation] = self._capabilities(known, stated, f"{path}[{navigation}]") if known else stated
        return tuple(merged.items())

    def _contradict(self, path: str, own: object, other: object) -> None:
        self.contradictions.append(
            Contradiction(
                node=self.node,
                field=path,
                kept=show(own),
                kept_by=self._filled_by.get(path, self._first),
                other=show(other),
                other_by=self._second,
            )
        )


def _key(item: Record, identity: tuple[str, ...]) -> tuple[object, ...]:
    return tuple(getattr(item, name) for name in identity)


def state_capabilities(known: Capabilities, stating: Capabilities, names: Sequence[str]) -> Capabilities:
    """Gives `known` with the named fields as `stating` has them, and says that they are stated."""
    changes = {name: getattr(stating, name) for name in names if name in Capabilities.__struct_fields__}
    # A reader may draw conclusions that it does not list as stated: what cannot be read cannot be read by key.
    if changes.get("readable") is False and "readable_by_key" not in known.stated:
        changes.setdefault("readable_by_key", stating.readable_by_key)
    stated = tuple(sorted({*known.stated, *names}))
    return msgspec.structs.replace(known, **changes, stated=stated) if names else known


def is_empty(value: object) -> bool:
    """Whether a value says nothing: an empty text or list, nothing at all, a record of nothing but such."""
    if isinstance(value, Capabilities):
        return value == Capabilities()
    if isinstance(value, Record):
        return all(is_empty(getattr(value, name)) for name in value.__struct_fields__)
    return value is None or value in ("", ())


def show(value: object) -> str:
    """Gives a value in one short line, for people."""
    text = value if isinstance(value, str) else msgspec.json.encode(value, order="sorted").decode()
    return text if len(text) <= 60 else text[:59] + "…"
