"""`clew bench`."""

from pathlib import Path

import click

from clew.evaluation import run_retrieval_experiment
from clew.interfaces.cli.door import Door, door_command


@click.group("bench", help="Experiments: each runs end to end and prints its table.")
def bench_command() -> None:
    """Groups the experiments."""


@door_command("retrieval", summary="Recall of each recipe on a landscape and its query file.")
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False, exists=True))
def retrieval_command(door: Door, folder: Path) -> int:
    """Runs the retrieval experiment."""
    raise NotImplementedError(folder)


bench_command.add_command(retrieval_command)
