"""`clew run`."""

import click
import msgspec

from clew.domain.plans import Run
from clew.interfaces.cli.door import Door, door_command

SHOWN_BODY = 300


@door_command(
    "run",
    summary="Carry out the plan of HASH, which this confirms; or go on with an interrupted run: --resume RUN. "
    "Nothing is sent twice.",
)
@click.argument("plan_hash", required=False, default="", metavar="HASH")
@click.option("--resume", "run_id", default="", metavar="RUN", help="The run to go on with.")
def run_command(door: Door, plan_hash: str, run_id: str) -> int:
    """Runs and prints the receipts."""
    if bool(plan_hash) == bool(run_id):
        raise click.UsageError("Name either the HASH of a plan or --resume RUN.")
    workspace = door.workspace()
    run = workspace.resume(run_id) if run_id else workspace.confirm(plan_hash)
    door.show(run, lambda: print_run(door, run))
    return 0 if run.state == "done" else 1


def print_run(door: Door, run: Run) -> None:
    """Prints what was sent and what came back."""
    for receipt in run.receipts:
        request = receipt.request
        door.say(f"{receipt.position}. {request.method} {request.service}/{request.path}  HTTP {receipt.status}")
        body = msgspec.json.encode(receipt.result).decode() if receipt.result is not None else ""
        if body:
            door.say(f"   {body if len(body) <= SHOWN_BODY else body[:SHOWN_BODY] + ' …'}")
    door.say(f"run {run.run_id}: {run.state}" + (f", {run.failure}" if run.failure else ""))
