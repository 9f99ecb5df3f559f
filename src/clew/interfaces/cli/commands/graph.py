"""`clew graph export`."""

import sys
from pathlib import Path

import click

from clew.interfaces.cli.door import Door, door_command
from clew.workspace import EXPORT_FORMATS


@click.group("graph", help="Look at the graph as a whole.")
def graph_command() -> None:
    """Groups what concerns the whole graph."""


@door_command("export", summary="Write the graph, or one service or process of it.")
@click.option(
    "--format", "form", default="jsonl", type=click.Choice(EXPORT_FORMATS), show_default=True, help="Which form."
)
@click.option("--only", default="", help="Only this service or process.")
@click.option("--output", type=click.Path(path_type=Path, dir_okay=False), help="A file instead of standard output.")
def export_command(door: Door, form: str, only: str, output: Path | None) -> int:
    """Writes line by line."""
    lines = door.workspace().export(form, only=only)
    if output is None:
        for line in lines:
            sys.stdout.write(line + "\n")
        return 0
    try:
        with output.open("w", encoding="utf-8") as file:
            count = sum(file.write(line + "\n") > 0 for line in lines)
    except OSError as error:
        raise click.ClickException(f"{output} cannot be written: {error.strerror or error}.") from error
    door.show({"output": str(output), "lines": count}, lambda: door.say(f"{count:,} lines in {output}"))
    return 0


graph_command.add_command(export_command)
