"""The compact description of services, read: dictionary, sets with fields and relations, operations."""

import re
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from .reading import read_typed

_FIELD = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)([!~*^&-]*)(?:=([^#\s]+))?(?:#(\w+))?")
_RELATION = re.compile(r"(\w+) ([*1?])(?: back (\w+))?(?: via (.+?))?( contained)?")
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")

DRAFT_FIELDS = ("IsActiveEntity", "HasDraftEntity", "HasActiveEntity")


class Mistake(Exception):
    """The description contradicts itself; says where."""


@dataclass(frozen=True)
class FieldType:
    """`word` is the type's first word in the dictionary, `size` its number, `name` that of an enum."""

    word: str
    size: int = 0
    name: str = ""


@dataclass(frozen=True)
class Field:
    name: str
    type: FieldType
    label: str
    hint: str = ""
    key: bool = False
    computed: bool = False
    required: bool = False
    immutable: bool = False
    server_default: bool = False
    filterable: bool = True
    default: str | None = None
    fixed_list: str = ""
    """Set of the same service that lists the allowed values."""
    list_of: tuple[str, str, str] | None = None
    """(service, set, property) that the values come from."""
    allowed: tuple[tuple[str, str], ...] = ()
    unit: str = ""


@dataclass(frozen=True)
class Relation:
    name: str
    source: str
    target: str
    many: str
    """`*`, `1` or `?`."""
    back: str = ""
    pairs: tuple[tuple[str, str], ...] = ()
    """(property of the source, property of the target) that are equal."""
    contained: bool = False


@dataclass(frozen=True)
class EntitySet:
    name: str
    label: str
    hint: str
    may: frozenset[str]
    fields: tuple[Field, ...]
    relations: tuple[Relation, ...] = ()
    exposed: bool = True
    draft: str = ""
    """`root`, `node` or nothing."""

    @property
    def keys(self) -> list[Field]:
        return [item for item in self.fields if item.key]

    def field(self, name: str) -> Field | None:
        return next((item for item in self.fields if item.name == name), None)


@dataclass(frozen=True)
class Operation:
    name: str
    label: str
    on: str = ""
    on_many: bool = False
    kind: str = "action"
    method: str = "POST"
    takes: tuple[tuple[Field, bool], ...] = ()
    """(parameter, whether it may be left out)."""
    gives: str = ""
    effect: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Service:
    name: str
    odata: str
    about: str
    sets: dict[str, EntitySet]
    operations: tuple[Operation, ...]
    enums: dict[str, list[str]]
    complex: dict[str, tuple[Field, ...]]

    @property
    def exposed(self) -> list[EntitySet]:
        return [entity_set for entity_set in self.sets.values() if entity_set.exposed]


class Dictionary:
    """What field names mean: the shared dictionary, under a service's own additions."""

    def __init__(self, described: dict[str, Any], own: dict[str, Any] | None = None) -> None:
        self._words: dict[str, str] = described["words"]
        self._rules = [(re.compile(pattern), kind) for pattern, kind in described["rules"]]
        self._fields: dict[str, Any] = {**described["fields"], **(own or {})}
        self.allowed: dict[str, dict[str, str]] = described["allowed"]

    def field(self, name: str) -> Field:
        entry = self._fields.get(name)
        parts = [entry] if isinstance(entry, str) else list(entry or [])
        kind = parts[0] if parts else self._by_rule(name)
        label = parts[1] if len(parts) > 1 else self.label(name)
        allowed = tuple((str(code), str(text)) for code, text in self.allowed.get(name, {}).items())
        return Field(name=name, type=_type(kind), label=label, hint=parts[2] if len(parts) > 2 else "", allowed=allowed)

    def label(self, name: str) -> str:
        words = [self._words.get(word, word if word.isupper() else word.lower()) for word in _WORDS.findall(name)]
        text = " ".join(filter(None, words))
        return text[:1].upper() + text[1:]

    def _by_rule(self, name: str) -> str:
        for pattern, kind in self._rules:
            if pattern.fullmatch(name):
                return kind
        raise Mistake(f"field {name!r} is not in the dictionary, and no rule matches it")


def _type(text: str) -> FieldType:
    word, _, rest = text.partition(" ")
    return FieldType(word, int(rest)) if rest.isdigit() else FieldType(word, 0, rest)


def read_services(folder: Path) -> dict[str, Service]:
    described = read_typed(folder / "fields.yaml")
    found: dict[str, Service] = {}
    for path in sorted((folder / "services").glob("*.yaml")):
        text = read_typed(path)
        try:
            service = _service(text, described)
        except Mistake as mistake:
            raise Mistake(f"{path.name}: {mistake}") from None
        found[service.name] = service
    lists = {name: _place(text) for name, text in described["value_lists"].items()}
    return {name: _linked(service, found, lists) for name, service in found.items()}


def _place(text: str) -> tuple[str, str, str]:
    service, _, rest = text.partition("/")
    entity_set, _, name = rest.partition(".")
    return service, entity_set, name


def _service(text: dict[str, Any], described: dict[str, Any]) -> Service:
    dictionary = Dictionary(described, text.get("dictionary"))
    sets = {name: _entity_set(name, entry, dictionary) for name, entry in text["sets"].items()}
    sets = {name: _with_relations(entity_set, text["sets"][name], sets) for name, entity_set in sets.items()}
    sets = {name: _with_required_keys(entity_set, sets) for name, entity_set in sets.items()}
    operations = [_operation(name, entry, dictionary, sets) for name, entry in text.get("operations", {}).items()]
    operations.extend(_draft_operations(sets, dictionary))
    return Service(
        name=text["service"],
        odata=text["odata"],
        about=text["about"],
        sets=sets,
        operations=tuple(operations),
        enums=text.get("enums", {}),
        complex={
            name: tuple(dictionary.field(part) for part in fields.split())
            for name, fields in text.get("complex", {}).items()
        },
    )


def _entity_set(name: str, entry: dict[str, Any], dictionary: Dictionary) -> EntitySet:
    fields = tuple(_field(token, dictionary) for token in entry["fields"].split())
    names = [item.name for item in fields]
    if twice := {item for item in names if names.count(item) > 1}:
        raise Mistake(f"{name} has {twice} twice")
    draft = {True: "root", None: ""}.get(entry.get("draft"), entry.get("draft"))
    may = frozenset(entry.get("may", "create read update delete").split())
    unknown = set(entry) - {"label", "hint", "fields", "to", "may", "exposed", "draft"}
    if unknown:
        raise Mistake(f"{name} has unknown keys {unknown}")
    return EntitySet(
        name=name,
        label=entry["label"],
        hint=entry.get("hint", ""),
        may=may,
        fields=tuple(replace(item, unit=_unit(item, fields)) for item in fields),
        exposed=entry.get("exposed", True),
        draft=draft,
    )


def _field(token: str, dictionary: Dictionary) -> Field:
    match = _FIELD.fullmatch(token)
    if match is None:
        raise Mistake(f"{token!r} is not a field with its marks")
    name, marks, default, fixed_list = match.groups()
    return replace(
        dictionary.field(name),
        key="!" in marks,
        computed="~" in marks,
        required="*" in marks,
        immutable="^" in marks,
        server_default="&" in marks,
        filterable="-" not in marks,
        default=default,
        fixed_list=fixed_list or "",
    )


def _unit(item: Field, fields: tuple[Field, ...]) -> str:
    """Finds the unit or currency of a quantity or amount among the fields of its type."""
    wanted = {"amount": "currency", "price": "currency", "quantity": "unit"}.get(item.type.word)
    if wanted is None:
        return ""
    units = [other.name for other in fields if other.type.word == wanted]
    close = (
        item.name + "Unit",
        item.name.replace("Quantity", "") + "QuantityUnit",
        item.name.replace("Weight", "WeightUnit"),
        item.name.replace("Volume", "VolumeUnit"),
        item.name.replace("Net", "").replace("Gross", "").replace("Weight", "WeightUnit"),
        item.name.replace("ConfirmedWorkQuantity", "WorkQuantityUnit"),
    )
    for name in close:
        if name in units and name != item.name:
            return name
    usual = [name for name in units if "Weight" not in name and "Volume" not in name] or units
    return usual[0] if usual else ""


def _with_relations(entity_set: EntitySet, entry: dict[str, Any], sets: dict[str, EntitySet]) -> EntitySet:
    found: list[Relation] = []
    for name, text in entry.get("to", {}).items():
        match = _RELATION.fullmatch(text)
        if match is None or match[1] not in sets:
            raise Mistake(f"{entity_set.name}.{name}: {text!r} is not a relation to a set")
        target = sets[match[1]]
        found.append(
            Relation(
                name=name,
                source=entity_set.name,
                target=target.name,
                many=match[2],
                back=match[3] or "",
                pairs=_pairs(entity_set, target, match[4]),
                contained=bool(match[5]),
            )
        )
    return replace(entity_set, relations=tuple(found))


def _pairs(source: EntitySet, target: EntitySet, via: str | None) -> tuple[tuple[str, str], ...]:
    if via:
        pairs = tuple((left, right) for left, _, right in (part.partition("=") for part in via.split()))
    else:
        # A part names its whole's key; one that does so under another name says it with `via`, or has no constraint.
        pairs = tuple((key.name, key.name) for key in source.keys if target.field(key.name))
        if len(pairs) < len([key for key in source.keys if key.name != "IsActiveEntity"]):
            return ()
    for left, right in pairs:
        if source.field(left) is None or target.field(right) is None:
            raise Mistake(f"{source.name} → {target.name}: there is no pair {left}={right}")
    return pairs


def _with_required_keys(entity_set: EntitySet, sets: dict[str, EntitySet]) -> EntitySet:
    """A key that neither the server nor the whole above gives must be given."""
    from_above = {
        part
        for other in sets.values()
        for relation in other.relations
        if relation.target == entity_set.name and relation.many == "*"
        for _, part in relation.pairs
    }
    fields = tuple(
        replace(item, required=True)
        if item.key and not (item.computed or item.server_default or item.name in from_above)
        else item
        for item in entity_set.fields
    )
    return replace(entity_set, fields=fields)


def _operation(name: str, entry: dict[str, Any], dictionary: Dictionary, sets: dict[str, EntitySet]) -> Operation:
    on = entry.get("of", "")
    many, on = on.startswith("*"), on.removeprefix("*")
    if on and on not in sets:
        raise Mistake(f"operation {name} is on {on!r}, which is no set")
    unknown = set(entry) - {"label", "of", "kind", "method", "takes", "gives", "effect"}
    if unknown:
        raise Mistake(f"operation {name} has unknown keys {unknown}")
    takes = tuple(
        (dictionary.field(part.removesuffix("?")), part.endswith("?")) for part in entry.get("takes", "").split()
    )
    for target in entry.get("effect", {}):
        if sets[on].field(target) is None:
            raise Mistake(f"operation {name} sets {target!r}, which {on} does not have")
    return Operation(
        name=name,
        label=entry["label"],
        on=on,
        on_many=many,
        kind=entry.get("kind", "action"),
        method=entry.get("method", "GET" if entry.get("kind") == "function" else "POST"),
        takes=takes,
        gives=entry.get("gives", on),
        effect=entry.get("effect", {}),
    )


def _draft_operations(sets: dict[str, EntitySet], dictionary: Dictionary) -> list[Operation]:
    found: list[Operation] = []
    for entity_set in sets.values():
        if entity_set.draft == "root":
            preserve = (replace(dictionary.field("PreserveChanges"), server_default=True), True)
            found += [
                Operation("draftPrepare", "Check a draft", entity_set.name, gives=entity_set.name),
                Operation("draftActivate", "Make a draft the active record", entity_set.name, gives=entity_set.name),
                Operation(
                    "draftEdit", "Open a record for changes", entity_set.name, takes=(preserve,), gives=entity_set.name
                ),
                Operation("draftDiscard", "Throw a draft away", entity_set.name, gives="nothing"),
            ]
    return found


def _linked(service: Service, services: dict[str, Service], lists: dict[str, tuple[str, str, str]]) -> Service:
    """Adds where the values of fields come from; checks that it exists."""
    sets: dict[str, EntitySet] = {}
    for entity_set in service.sets.values():
        fields = []
        for item in entity_set.fields:
            if item.fixed_list and item.fixed_list not in service.sets:
                raise Mistake(f"{service.name}: {item.name} is listed by {item.fixed_list}, which is no set")
            source = lists.get(item.name)
            if source and source[:2] != (service.name, entity_set.name):
                if services[source[0]].sets[source[1]].field(source[2]) is None:
                    raise Mistake(f"the values of {item.name} are listed by {source}, which is not there")
                item = replace(item, list_of=source)
            fields.append(item)
        sets[entity_set.name] = replace(entity_set, fields=tuple(fields))
    return replace(service, sets=sets)
