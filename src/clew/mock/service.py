"""`MockService`: one service that behaves as its metadata says, in process, with its state to look at and to keep."""

from collections.abc import Mapping, Sequence
from copy import deepcopy
from datetime import UTC, datetime
from decimal import Decimal
from threading import RLock

import msgspec

from clew.domain.clocks import Clock
from clew.domain.errors import CallRefused, InputRefused, MalformedText
from clew.domain.issues import Issue
from clew.domain.ports import Response
from clew.domain.records import JsonObject, JsonValue
from clew.domain.requests import Request
from clew.graph.service_view import ServiceView
from clew.mock.answering import answer
from clew.mock.batching import answer_batch, is_batch
from clew.mock.core import Core, MockOptions, Write
from clew.mock.creation import Place
from clew.mock.desk import Handler
from clew.mock.numbering import Numbering
from clew.mock.schema import Schema
from clew.mock.seeding import intake_of, refused_seed
from clew.mock.state import State, state_of_text, text_of_state

EPOCH = datetime(2026, 1, 1, tzinfo=UTC)

Seed = Mapping[str, Sequence[JsonObject]]


def fixed_clock() -> datetime:
    """Gives the time at which a mock lives that was given no clock: the same in every run."""
    return EPOCH


class MockService:
    """A stateful service made from metadata alone; implements `clew.domain.ports.Transport` for its own requests.

    The same calls give the same answers in every run: numbers and GUIDs are counted, the time stands still unless a
    clock is given. Requests of several threads are answered one after the other.
    """

    def __init__(
        self,
        view: ServiceView,
        *,
        seed: Seed = {},
        handlers: Mapping[str, Handler] = {},
        clock: Clock = fixed_clock,
        numbering: Numbering = Numbering(),
        options: MockOptions = MockOptions(),
    ) -> None:
        """Makes the service and fills it.

        Args:
            view: The service's description.
            seed: Entities by set, in JSON terms (dates as ISO text), with nested entities where it helps.
            handlers: Effects of operations, by `Operation` or `Set.Operation`; the others go by their names.
            clock: The service's time.
            numbering: Where document numbers begin.
            options: Paging, CSRF, entity tags, links.

        Raises:
            InputRefused: the seed does not fit the metadata.
        """
        self.view = view
        self._seed = {name: [deepcopy(entry) for entry in entries] for name, entries in seed.items()}
        self._core = Core(Schema(view), State(), clock, options)
        self._core.numbering = numbering
        self._core.handlers = dict(handlers)
        self._lock = RLock()
        self.reset()

    def send(self, request: Request) -> Response:
        """Gives the response to a request; an error of the service is a response, too."""
        with self._lock:
            return answer_batch(self._core, request) if is_batch(request) else answer(self._core, request)

    @property
    def writes(self) -> tuple[Write, ...]:
        """The changes that were carried out since the start or the last reset, in order."""
        with self._lock:
            return tuple(self._core.writes)

    def entities(self, entity_set: str) -> list[JsonObject]:
        """Gives copies of a set's entities in JSON terms, in the order of their creation; null values are left out.

        Raises:
            KeyError: the service has no such set.
        """
        with self._lock:
            table = self._core.schema.table_of(entity_set)
            rows = self._core.state.table(table)
            return [{k: deepcopy(v) for k, v in row.values.items() if v is not None} for row in rows]

    def seed(self, seed: Seed) -> None:
        """Adds entities; none of them where one does not fit.

        Raises:
            InputRefused: an entity does not fit the metadata, or its key is taken.
        """
        with self._lock, self._core.state.transaction():
            for entity_set, entries in seed.items():
                for index, values in enumerate(entries):
                    self._add(entity_set, index, values)

    def reset(self) -> None:
        """Goes back to the seed: no other entities, no writes, numbers from the beginning."""
        with self._lock:
            self._core.state = State()
            self._core.writes.clear()
            self._core.tokens.clear()
            self.seed(self._seed)
            self._add_singletons()

    def dump(self) -> str:
        """Gives the whole state, the log of writes included, as JSON text that `load` takes."""
        with self._lock:
            writes: JsonValue = msgspec.to_builtins(self._core.writes, builtin_types=(Decimal,))
            content: JsonObject = {"service": self.view.id, "state": self._core.state.dump(), "writes": writes}
            return text_of_state(content)

    def load(self, text: str) -> None:
        """Takes a dumped state in place of the present one.

        Raises:
            InputRefused: it is no state of this service; the present state stays.
        """
        try:
            content = state_of_text(text)
            state, writes = content["state"], content["writes"]
            if content["service"] != self.view.id or not isinstance(state, dict):
                raise _no_state(f"it is one of the service {content['service']!r}")
            loaded = State.load(state)
            log = msgspec.convert(writes, list[Write])
        except (KeyError, TypeError, MalformedText, msgspec.ValidationError) as error:
            raise _no_state(str(error)) from None
        with self._lock:
            self._core.state = loaded
            self._core.writes[:] = log

    def fork(self) -> "MockService":
        """Gives an independent service in the same state, with the same log."""
        with self._lock:
            other = MockService(
                self.view,
                handlers=self._core.handlers,
                clock=self._core.clock,
                numbering=self._core.numbering,
                options=self._core.options,
            )
            other._seed = self._seed
            other._core.schema = self._core.schema
            other._core.state = self._core.state.copy()
            other._core.writes = list(self._core.writes)
            return other

    def _add(self, entity_set: str, index: int, values: JsonObject) -> None:
        node = self.view.sets.get(entity_set)
        if node is None:
            message = f"the service {self.view.id} has no entity set {entity_set!r}"
            raise InputRefused((Issue(code="mock-seed", message=message),))
        try:
            intake = intake_of(self._core.schema, values, node.type)
            self._core.creation(is_strict=False).create(intake, Place(entity_set=entity_set))
        except CallRefused as error:
            raise refused_seed(self.view.id, entity_set, index, error) from None

    def _add_singletons(self) -> None:
        for node in self.view.sets.values():
            table = self._core.schema.table_of(node.name)
            if node.singleton and not self._core.state.table(table):
                values: JsonObject = {}
                for name, prop in self.view.properties(node.type).items():
                    initial = self._core.schema.initial(prop)
                    if initial is not None:
                        values[name] = initial
                key = self._core.schema.key_tuple(node.type, values)
                self._core.state.insert((table, node.type), key, values)


def _no_state(why: str) -> InputRefused:
    return InputRefused((Issue(code="mock-state", message=f"this is no state of the service: {why}"),))
