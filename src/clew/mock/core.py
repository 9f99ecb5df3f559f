"""What one mock service consists of, and what is configurable about it."""

from collections.abc import Mapping
from typing import Literal

from clew.domain.clocks import Clock
from clew.domain.records import JsonObject, Record
from clew.mock.creation import Creation
from clew.mock.desk import Handler
from clew.mock.numbering import Numbering, Surroundings
from clew.mock.schema import Schema
from clew.mock.state import State


class MockOptions(Record, frozen=True, kw_only=True):
    """How the mock behaves where real services differ.

    `page_size` is the most entities of one page (0: no paging by the server). `csrf` asks for a token before each
    change. `etags`: `stated` where the metadata declares optimistic concurrency, `always`, or `never`; where there are
    any, a change needs `If-Match`. `base_url` is what the service's own links begin with, with a slash at its end;
    empty for the service's own URL, or relative links where it has none. `metadata` is the text for `$metadata`.
    """

    page_size: int = 0
    csrf: bool = False
    etags: Literal["stated", "always", "never"] = "stated"
    base_url: str = ""
    metadata: str = ""


class Write(Record, frozen=True, kw_only=True):
    """One change that was carried out, as scoring compares it.

    `key` is that of the entity afterwards (of a deleted one: before); `payload` is in JSON terms: the body that was
    read, or the parameters of an operation. `status` is that of the response.
    """

    method: str
    entity_set: str = ""
    operation: str = ""
    key: JsonObject = {}
    payload: JsonObject = {}
    navigation: str = ""
    """The way by which the entity was created or linked: the navigation property of its parent."""
    status: int = 200


class Core:
    """A service's parts: its schema, its state, its settings, its log of writes, its CSRF tokens by cookie."""

    def __init__(self, schema: Schema, state: State, clock: Clock, options: MockOptions) -> None:
        self.schema = schema
        self.state = state
        self.clock = clock
        self.options = options
        self.numbering = Numbering()
        self.handlers: Mapping[str, Handler] = {}
        self.writes: list[Write] = []
        self.tokens: dict[str, str] = {}

    @property
    def base_url(self) -> str:
        """What the service's own links begin with."""
        url = self.options.base_url or self.schema.view.service.url
        return url if not url or url.endswith("/") else url + "/"

    def creation(self, *, is_strict: bool = True) -> Creation:
        """Gives what creates entities in the present state."""
        creation = Creation(self.schema, self.state, self.clock, self.numbering)
        creation.is_strict = is_strict
        return creation

    def surroundings(self, table: str) -> Surroundings:
        """Gives what the effects of operations work with."""
        return Surroundings(
            schema=self.schema, state=self.state, numbering=self.numbering, clock=self.clock, table=table
        )

    def handler(self, entity_set: str, operation: str) -> Handler | None:
        """Gives the user's handler: by `Set.Operation`, else by the operation's simple name."""
        return self.handlers.get(f"{entity_set}.{operation}") or self.handlers.get(operation)

    def has_etags(self, entity_set: str, type_name: str) -> bool:
        """Whether entities of a set are shown with entity tags, and changed with `If-Match` alone."""
        if self.options.etags != "stated":
            return self.options.etags == "always"
        node = self.schema.view.sets.get(entity_set)
        if node is not None and node.optimistic_concurrency:
            return True
        return any(prop.concurrency_fixed for prop in self.schema.view.properties(type_name).values())
