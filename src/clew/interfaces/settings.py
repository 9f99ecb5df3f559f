"""The one module that reads the environment."""

import os
from collections.abc import Mapping
from pathlib import Path

from clew.domain.records import Record


class Settings(Record, frozen=True, kw_only=True):
    """What the environment says.

    `workspace`: folder of the workspace, `None` to look for `.clew` from the current folder upwards.
    `principal`: in whose name calls, cases and plans are made.
    """

    workspace: Path | None = None
    principal: str = "local"
    tenant: str = ""


def read_settings(environment: Mapping[str, str] | None = None) -> Settings:
    """Reads CLEW_WORKSPACE, CLEW_PRINCIPAL and CLEW_TENANT; `environment` stands in for the process's own."""
    source = os.environ if environment is None else environment
    folder = source.get("CLEW_WORKSPACE", "")
    return Settings(
        workspace=Path(folder) if folder else None,
        principal=source.get("CLEW_PRINCIPAL", "") or "local",
        tenant=source.get("CLEW_TENANT", ""),
    )
