"""Hits: what retrieval answers, ranked, each with its reasons. An empty answer is an answer."""

from typing import Literal, TypeAlias

from clew.domain.records import Record

Channel: TypeAlias = Literal["lexical", "dense", "graph", "process", "navigation", "chunk"]


class Why(Record, frozen=True, kw_only=True):
    """One reason for a hit: the channel, its own score, and for an expansion the seed and the path of node ids."""

    channel: Channel
    score: float = 0.0
    seed: str = ""
    path: tuple[str, ...] = ()
    note: str = ""


class Hit(Record, frozen=True, kw_only=True):
    """A ranked node; `score` is comparable within one answer only, higher is better; `rank` is 1-based."""

    node: str
    score: float
    rank: int
    why: tuple[Why, ...] = ()
    process: str = ""
    """Id of the process that the hit takes part in here, empty where none."""
    activity: str = ""


class Scope(Record, frozen=True, kw_only=True):
    """What a search may return: empty tuples mean no restriction."""

    services: tuple[str, ...] = ()
    processes: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    tenant: str = ""
