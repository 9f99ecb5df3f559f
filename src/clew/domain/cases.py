"""Cases: one run through a process, bound to its owner, with the evidence of what has been done."""

from typing import Literal

from clew.domain.records import JsonObject, Record


class Evidence(Record, frozen=True, kw_only=True):
    """Why an activity counts as done in a case: a write made in it, or a read that showed the object.

    `object_key` names the business object's set and key (`A_PurchaseOrder(PurchaseOrder='4500000001')`), so that
    evidence for one object does not open the way for another.
    """

    activity: str
    by: Literal["write", "read", "statement"]
    target: str
    object_key: str = ""
    values: JsonObject = {}
    """What it says of the object and of others that it refers to: by property name a list of values."""
    receipt: str = ""
    """The receipt that it comes from (`run/position`), so that it counts once however often it is shown."""
    at: str = ""


class Case(Record, frozen=True, kw_only=True):
    """A case; `handle` is opaque, random, and worth nothing to anybody but `principal`."""

    handle: str
    process: str
    principal: str
    tenant: str = ""
    state: Literal["open", "closed"] = "open"
    mode: Literal["off", "advise", "enforce"] = "enforce"
    evidence: tuple[Evidence, ...] = ()
    opened_at: str = ""


class NextStep(Record, frozen=True, kw_only=True):
    """A step that may come next, or one that is not open yet, with what is missing and the read that would show it."""

    activity: str
    name: str
    target: str = ""
    method: str = ""
    open: bool = True
    missing: tuple[str, ...] = ()
    """Ids of the activities that must be completed first, the nearest ones: what these wait for is said of them."""
    read: str = ""
    """The read that would show the missing step done."""
    alternative_to: tuple[str, ...] = ()
