"""Drafts: calls in the making; the planner's steps fill them, and a proposal is cut from them."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

from msgspec.structs import replace

from clew.agent.planner.actions import Action
from clew.agent.planner.catalogue import Catalogue, OperationCard, SetCard
from clew.agent.planner.slots import Path, Slot
from clew.agent.planner.targets import Focus, Target
from clew.agent.planner.vocabulary import Terms
from clew.domain.proposals import Fill, FillRule
from clew.domain.records import JsonObject, JsonValue
from clew.domain.references import escape
from clew.domain.requests import Call


@dataclass
class Draft:
    """One step in the making. `values` are by path in the payload; `key` names the object that is acted on."""

    number: int
    target: Target
    actions: list[Action]
    slots: list[Slot]
    card: SetCard | None = None
    operation: OperationCard | None = None
    values: dict[Path, JsonValue] = field(default_factory=dict)
    key: JsonObject = field(default_factory=dict)
    parent_set: str = ""
    navigation: str = ""
    fills: list[Fill] = field(default_factory=list)
    follows: "Draft | None" = None
    focus: Focus | None = None
    parts: "list[Draft]" = field(default_factory=list)
    """Steps that create its items one by one, where they cannot be created inside it (drafts)."""
    whole: "Draft | None" = None
    comes_next: bool = False
    """Whether it is a later step of the same process and names nothing of its own to be made."""
    base_terms: Terms = ()
    """What the document is called that it is based on."""

    @property
    def action(self) -> Action:
        """The action that it began with."""
        return self.actions[0]

    @cached_property
    def has_items(self) -> bool:
        """Whether there is a collection of items among its slots."""
        return any(slot.main for slot in self.slots)

    @property
    def open_slots(self) -> list[Slot]:
        """The slots that a caller may fill."""
        return [slot for slot in self.slots if slot.is_open]

    @property
    def creates(self) -> bool:
        """Whether it creates an entity."""
        return not self.target.operation and self.target.method == "POST"

    @property
    def mentions(self) -> list[int]:
        """The mentions of its clauses first, then those of the facts before them."""
        own = [mention for action in self.actions for mention in action.own]
        return own + [mention for action in self.actions for mention in action.given if mention not in own]

    def is_free(self, slot: Slot) -> bool:
        """Whether nothing stands in a slot yet."""
        return slot.path not in self.values

    def fill(self, slot: Slot, value: JsonValue, words: str, rule: FillRule, score: float = 1.0) -> None:
        """Puts a value into a slot and notes why; a text that looks like a reference is escaped unless it is one."""
        is_given = rule not in {"reference", "same"}
        self.values[slot.path] = escape(value) if is_given and isinstance(value, str) else value
        self._note(slot.pointer, value, words, rule, score)

    def fill_key(self, name: str, value: JsonValue, words: str, rule: FillRule, score: float = 1.0) -> None:
        """Names the object that is acted on."""
        is_given = rule not in {"reference", "same"}
        self.key[name] = escape(value) if is_given and isinstance(value, str) else value
        self._note(f"key/{name}", value, words, rule, score)

    def _note(self, place: str, value: JsonValue, words: str, rule: FillRule, score: float) -> None:
        self.fills.append(
            Fill(slot=f"{self.number}:{place}", value=value, words=words, rule=rule, score=round(score, 3))
        )

    def words_of(self, path: Path) -> str:
        """Gives the words by which a place was filled; those of the action where nothing tells."""
        place = f"{self.number}:{''.join(f'/{part}' for part in path)}"
        return next((fill.words for fill in self.fills if fill.slot == place), self.action.words)

    def hand_over(self, collection: str) -> None:
        """Gives the values of its items to the steps that create them."""
        for index, part in enumerate(self.parts):
            inner = {path: value for path, value in self.values.items() if path[:2] == (collection, index)}
            for path, value in inner.items():
                part.values[path[2:]] = value
                del self.values[path]
            place = f"{self.number}:/{collection}/{index}/"
            moved = [fill for fill in self.fills if fill.slot.startswith(place)]
            self.fills = [fill for fill in self.fills if fill not in moved]
            part.fills += [replace(fill, slot=f"{part.number}:/{fill.slot.removeprefix(place)}") for fill in moved]

    def items(self, collection: str) -> int:
        """Gives how many entries a collection holds so far."""
        found = [path[1] for path in self.values if len(path) > 1 and path[0] == collection]
        return 1 + max((at for at in found if isinstance(at, int)), default=-1)

    def call(self, catalogue: Catalogue) -> Call:
        """Gives the call."""
        target = self.target
        payload = self._payload()
        is_v4 = catalogue.view(target.service).service.version not in {"V1", "V2"}
        if target.operation:
            entity_set = (self.parent_set or target.entity_set) if is_v4 else ""
            return Call(
                method=target.method,
                service=target.service,
                entity_set=entity_set,
                operation=target.operation,
                key=self.key if is_v4 else {},
                payload={**({} if is_v4 else self.key), **payload},
                activity=target.activity,
            )
        return Call(
            method=target.method,
            service=target.service,
            entity_set=self.parent_set or target.entity_set,
            key=self.key,
            navigation=self.navigation,
            payload=None if target.method in {"DELETE", "GET"} else payload,
            activity=target.activity,
            via=target.via,
        )

    def _payload(self) -> JsonObject:
        payload: JsonObject = {}
        for path, value in sorted(self.values.items(), key=lambda item: _order(item[0])):
            _put(payload, path, value)
        return payload


def _order(path: Path) -> tuple[int, int]:
    return (len(path), path[1] if len(path) > 1 and isinstance(path[1], int) else 0)


def _put(payload: JsonObject, path: Path, value: JsonValue) -> None:
    head, rest = str(path[0]), path[1:]
    if not rest:
        payload[head] = value
    elif isinstance(rest[0], int):
        entries = payload.setdefault(head, [])
        assert isinstance(entries, list)  # noqa: S101
        while len(entries) <= rest[0]:
            entries.append({})
        entry = entries[rest[0]]
        assert isinstance(entry, dict)  # noqa: S101
        _put(entry, rest[1:], value)
    else:
        inner = payload.setdefault(head, {})
        assert isinstance(inner, dict)  # noqa: S101
        _put(inner, rest, value)


def key_names(catalogue: Catalogue, focus: Focus) -> Iterator[str]:
    """Gives the names of the key properties of an object."""
    yield from catalogue.sets(focus.service)[focus.entity_set].key
