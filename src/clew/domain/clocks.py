"""Time and chance as things to be passed in, so that nothing has to look whether a test runs."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import TypeAlias

Clock: TypeAlias = Callable[[], datetime]


def utc_now() -> datetime:
    """Gives the present time in UTC."""
    return datetime.now(UTC)


def stamp(moment: datetime) -> str:
    """Gives `moment` as ISO 8601 in UTC with milliseconds: `2026-12-01T08:30:00.000Z`."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.") + f"{moment.microsecond // 1000:03d}Z"
