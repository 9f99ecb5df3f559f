"""The one module that reads the environment."""

import os
from collections.abc import Mapping
from pathlib import Path

from clew.domain.records import Record


class Settings(Record, frozen=True, kw_only=True):
    """What the environment says.

    `workspace`: folder of the workspace, `None` to look for `.clew` from the current folder upwards.
    `principal`: in whose name calls, cases and plans are made.
    `traceback`: show where in Clew an error of its own arose.
    """

    workspace: Path | None = None
    principal: str = "local"
    tenant: str = ""
    traceback: bool = False


def read_settings(environment: Mapping[str, str] | None = None) -> Settings:
    """Reads the variables CLEW_WORKSPACE, _PRINCIPAL, _TENANT, _TRACEBACK; `environment` stands in for our own."""
    source = os.environ if environment is None else environment
    folder = source.get("CLEW_WORKSPACE", "")
    return Settings(
        workspace=Path(folder) if folder else None,
        principal=source.get("CLEW_PRINCIPAL", "") or "local",
        tenant=source.get("CLEW_TENANT", ""),
        traceback=bool(source.get("CLEW_TRACEBACK", "")),
    )
