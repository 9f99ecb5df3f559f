"""`clew bench`."""

from pathlib import Path

import click

from clew.evaluation import RetrievalReport, read_queries, run_retrieval
from clew.interfaces.cli.door import Door, door_command
from clew.workspace import RECIPE_NAMES


@click.group("bench", help="Experiments: each runs end to end and prints its table.")
def bench_command() -> None:
    """Groups the experiments."""


@door_command("retrieval", summary="Recall of each recipe on the workspace's landscape and a query file (JSON lines).")
@click.argument("queries", type=click.Path(path_type=Path, dir_okay=False))
@click.option("--retriever", "recipes", multiple=True, type=click.Choice(RECIPE_NAMES), help="Only these recipes.")
@click.option("--leave-one-out", is_flag=True, help="Add a row with weights chosen on the queries of other processes.")
def retrieval_command(door: Door, queries: Path, recipes: tuple[str, ...], leave_one_out: bool) -> int:
    """Runs the retrieval experiment."""
    asked = read_queries(queries)
    index, embedder = door.workspace().search_index()
    report = run_retrieval(index, embedder, asked, recipes or RECIPE_NAMES, leave_one_out=leave_one_out)
    door.show(report, lambda: _print(door, report))
    return 0


def _print(door: Door, report: RetrievalReport) -> None:
    cutoffs = [f">R@{k}" for k, _ in report.rows[0].recall]
    door.table(
        ("recipe", "queries of type", ">n", *cutoffs, ">MRR"),
        (
            (row.recipe, row.type, str(row.queries), *(f"{share:.3f}" for _, share in row.recall), f"{row.mrr:.3f}")
            for row in report.rows
        ),
    )
    if report.process_first is not None:
        door.say(f"right process named first for {report.process_first:.0%} of the process chains")
    door.say(f"model {report.model}")


bench_command.add_command(retrieval_command)
