"""`If-Match` before a change (RFC 9110, clause 13.1.1; OData V4 Protocol, clause 11.4.1.1)."""

from clew.domain.errors import CallRefused
from clew.mock.exchange import Exchange
from clew.mock.rendering import etag_of
from clew.mock.state import Row


def check_preconditions(exchange: Exchange, row: Row, entity_set: str, *, required: bool = True) -> None:
    """Checks that the caller knows the present version of an entity that has entity tags.

    Raises:
        CallRefused: 428, `If-Match` is missing; 412, it names another version.
    """
    if not exchange.core.has_etags(entity_set, row.type):
        return
    given = exchange.headers.get("if-match", "").strip()
    if not given:
        if required:
            raise CallRefused(428, "PRECONDITION_REQUIRED", "If-Match with the entity's ETag is required")
        return
    tags = [tag.strip().removeprefix("W/") for tag in given.split(",")]
    if given != "*" and etag_of(row).removeprefix("W/") not in tags:
        raise CallRefused(412, "PRECONDITION_FAILED", "the entity has been changed in the meantime")
