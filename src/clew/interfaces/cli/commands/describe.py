"""`clew describe`."""

import click

from clew.domain.specifications import Detail
from clew.interfaces.cli.door import Door, door_command
from clew.workspace import render_specification


@door_command("describe", summary="Show what must be known to call an entity set or operation.")
@click.argument("node", metavar="ID-OR-NAME")
@click.option(
    "--detail",
    default="standard",
    type=click.Choice([detail.value for detail in Detail]),
    show_default=True,
    help="How much.",
)
def describe_command(door: Door, node: str, detail: str) -> int:
    """Prints the specification."""
    specification = door.workspace().describe(node, Detail(detail))
    door.show(specification, lambda: door.say(render_specification(specification)))
    return 0
