"""`clew init` and `clew version`."""

from pathlib import Path

import click

from clew import __version__
from clew.interfaces.cli.door import Door, door_command
from clew.workspace import Workspace


@door_command("init", summary="Make a workspace (.clew) in FOLDER, which is this one by default.")
@click.argument("place", required=False, type=click.Path(path_type=Path, file_okay=False), metavar="FOLDER")
def init_command(door: Door, place: Path | None) -> int:
    """Makes the workspace."""
    workspace = door.keep(Workspace.create(place or door.folder or Path.cwd(), principal=door.settings.principal))
    door.show({"workspace": str(workspace.folder)}, lambda: door.say(f"Made a workspace in {workspace.folder}/.clew"))
    return 0


@door_command("version", summary="Print the version.")
def version_command(door: Door) -> int:
    """Prints the version."""
    door.show({"version": __version__}, lambda: door.say(f"clew {__version__}"))
    return 0
