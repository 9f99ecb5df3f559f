"""Requests: one call to one service, as a caller writes it, and as grounding has checked it."""

from typing import TypeAlias

from clew.domain.records import JsonObject, JsonValue, Record

KeyValue: TypeAlias = JsonValue
"""A key's value in JSON terms: a date as ISO text, a GUID as text, a decimal as `Decimal` or text."""


class Request(Record, frozen=True, kw_only=True):
    """One HTTP request below a service's root, as raw as it travels: nothing decoded, no number re-spelt.

    `path` is relative to the service root and percent-encoded as written (`A_SalesOrder('1')/to_Item`); `query` holds
    pairs in order, decoded; `body` is the text of the body.
    """

    method: str
    service: str
    path: str
    query: tuple[tuple[str, str], ...] = ()
    headers: tuple[tuple[str, str], ...] = ()
    body: str | None = None


class Call(Record, frozen=True, kw_only=True):
    """One call in terms of the graph, which `clew.protocol.urls` turns into a `Request`.

    Exactly one of `entity_set` and `operation` leads: an operation may name the entity set that it is bound to.
    `navigation` follows a key (`to_Item`). Values may be references to earlier results of a plan: the text
    `$1.SalesOrder` or `$1.to_Item[0].SalesOrderItem` stands for that property of step 1's result; a text that really
    begins so is written `$$1.…`.
    """

    method: str
    service: str
    entity_set: str = ""
    operation: str = ""
    key: JsonObject = {}
    navigation: str = ""
    query: dict[str, str] = {}
    payload: JsonObject | None = None
    activity: str = ""
    """Id of the process activity that this call performs; empty where none is meant."""
    via: str = ""
    """A detour by which the call is made: `upsert` (POST to `upsert` with the entity's URI in the body), or empty."""


class CheckedRequest(Record, frozen=True, kw_only=True):
    """A request that the validator allowed. Made in one place, `clew.grounding`; execution takes nothing else."""

    request: Request
    target: str
    """Node id of the entity set or operation."""
    writes: bool
    schema_version: str
    """Version of the service's description that it was checked against."""
    call: Call | None = None
