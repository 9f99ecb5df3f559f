"""Where a workspace lies: `.clew/`, found from a folder upwards."""

from pathlib import Path

from clew.domain.errors import WorkspaceNotFound

FOLDER = ".clew"
DATABASE = "workspace.db"
INDEX = "index"


def find_workspace(start: Path) -> Path:
    """Gives the folder that holds `.clew/`: `start` itself or the nearest one above it.

    Raises:
        WorkspaceNotFound: there is none up to the root.
    """
    place = start.resolve()
    for folder in (place, *place.parents):
        if (folder / FOLDER / DATABASE).is_file():
            return folder
    raise WorkspaceNotFound(f"There is no workspace in {start} or above it; `clew init` makes one.")
