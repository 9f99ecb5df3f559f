"""Ports: the protocols by which siblings meet. The workspace wires them; each ships a conformance suite in tests/."""

from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Protocol, TypeAlias, runtime_checkable

from clew.domain.decisions import Decision
from clew.domain.events import JournalEvent
from clew.domain.hits import Hit, Scope
from clew.domain.plans import Earlier, Receipt
from clew.domain.records import Record
from clew.domain.requests import Call, CheckedRequest, Request
from clew.domain.specifications import Section
from clew.domain.verdicts import Verdict

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SqlValue: TypeAlias = int | float | str | bytes | None
Row: TypeAlias = tuple[SqlValue, ...]


class Transaction(Protocol):
    """One unit of work: committed when its block ends, rolled back when it raises."""

    def execute(self, query: str, parameters: Mapping[str, SqlValue] = {}) -> int:
        """Runs the named query; gives how many rows it changed."""
        ...

    def execute_many(self, query: str, parameters: Iterable[Mapping[str, SqlValue]]) -> None:
        """Runs the named query once for each set of parameters."""
        ...

    def all(self, query: str, parameters: Mapping[str, SqlValue] = {}) -> list[Row]:
        """Gives all rows of the named query."""
        ...

    def one(self, query: str, parameters: Mapping[str, SqlValue] = {}) -> Row | None:
        """Gives the first row of the named query, `None` where there is none."""
        ...


class Database(Protocol):
    """Where bytes live. Queries are named; their text is in `storage/sql/<dialect>/*.sql`.

    Readers see a consistent state while a writer works; writers queue. An acknowledged write survives `kill -9`.
    """

    dialect: str

    def read(self) -> AbstractContextManager[Transaction]:
        """Opens a read-only unit of work on one consistent state."""
        ...

    def write(self) -> AbstractContextManager[Transaction]:
        """Opens the unit of work of the single writer, waiting for its turn.

        Raises:
            StorageError: it could not be opened or committed; nothing was changed.
            StorageFull: the disk is full; nothing was changed.
        """
        ...

    def close(self) -> None:
        """Lets go of every connection."""
        ...


class Embedder(Protocol):
    """Turns texts into vectors of unit length."""

    name: str
    """Model and version, as recorded by the index that was built with it."""
    dimensions: int

    def embed(self, texts: Sequence[str]) -> "NDArray[np.float32]":
        """Gives one float32 vector a text, shape `(len(texts), dimensions)`, each of length 1."""
        ...


class Retriever(Protocol):
    """Ranks nodes for a query."""

    name: str

    def search(self, query: str, k: int, *, scope: Scope = Scope()) -> list[Hit]:
        """Gives at most `k` hits, best first; an empty list is an answer."""
        ...


class SpecSource(Protocol):
    """Contributes sections to the specification of a node."""

    def sections(self, node: str) -> Iterable[Section]:
        """Gives the sections in the order in which they are to be read."""
        ...


class Gate(Protocol):
    """Says whether a checked call may happen now."""

    name: str

    def decide(self, request: CheckedRequest, *, principal: str, case: str = "") -> Decision:
        """Gives this gate's contribution; a gate that is off permits with the reason `off`."""
        ...


@runtime_checkable
class RehearsingGate(Gate, Protocol):
    """A gate whose answer depends on what was carried out before, such as process order."""

    def rehearse(self, earlier: Sequence[CheckedRequest]) -> Gate:
        """Gives the gate as it would decide once the `earlier` requests, which may hold references, had succeeded."""
        ...


class Witness(Protocol):
    """Learns of each call that was carried out, before the next one is decided: evidence of a case, the journal."""

    def saw(self, request: CheckedRequest, receipt: Receipt, *, principal: str, case: str = "") -> None:
        """Takes note of one receipt; the same one may be shown again after an interruption."""
        ...


class Checker(Protocol):
    """Checks the calls of a plan: the validator with the services' descriptions, wired by the workspace."""

    def compose(self, call: Call) -> Request:
        """Gives the call's request with its references left in, for people to read."""
        ...

    def check(self, call: Call, earlier: Sequence[Earlier]) -> Verdict:
        """Validates a call after its references were resolved from `earlier`, the steps before it in order.

        A reference to a step that was not carried out is judged by the type that the step will give; the verdict's
        request then holds the reference itself and must not be sent.
        """
        ...


class Journal(Protocol):
    """The append-only record."""

    def append(self, event: JournalEvent) -> JournalEvent:
        """Stores the event; gives it with its sequence and time."""
        ...

    def events(self, *, run_id: str = "", case_id: str = "") -> Iterator[JournalEvent]:
        """Gives the events of a run or a case (all where both are empty), in order."""
        ...


class Response(Record, frozen=True, kw_only=True):
    """An HTTP response as it came."""

    status: int
    headers: tuple[tuple[str, str], ...] = ()
    body: str = ""


class Transport(Protocol):
    """Carries one request to a service: the mock in process, or a live service over HTTP."""

    def send(self, request: Request) -> Response:
        """Gives the response; an error of the service is a response, not an exception.

        Raises:
            CallFailed: no response could be had.
        """
        ...


Exchange: TypeAlias = Generator[Request, Response, Response]
"""Protocol logic without input and output: yields requests, receives responses, returns the last one."""
