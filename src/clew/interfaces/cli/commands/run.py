"""`clew run`."""

import click
import msgspec

from clew.domain.errors import MalformedText
from clew.domain.plans import Run
from clew.interfaces.cli.door import Door, door_command
from clew.protocol.json import parse_json

SHOWN_BODY = 300


@door_command(
    "run",
    summary="Carry out the plan of HASH, which this confirms; or go on with an interrupted run: --resume RUN. "
    "Nothing is sent twice.",
)
@click.argument("plan_hash", required=False, default="", metavar="HASH")
@click.option("--resume", "run_id", default="", metavar="RUN", help="The run to go on with.")
@click.option("--settle", "uncertain", default="", metavar="RUN", help="The run of which a write is uncertain.")
@click.option("--step", default=0, type=click.IntRange(0), help="With --settle: the step whose answer is not known.")
@click.option("--arrived", default="", metavar="JSON", help="With --settle: the entity that the service holds.")
@click.option("--not-arrived", is_flag=True, help="With --settle: the service holds nothing; --resume sends it again.")
def run_command(
    door: Door, plan_hash: str, run_id: str, uncertain: str, step: int, arrived: str, not_arrived: bool
) -> int:
    """Runs and prints the receipts."""
    if [bool(plan_hash), bool(run_id), bool(uncertain)].count(True) != 1:
        raise click.UsageError("Name the HASH of a plan, or --resume RUN, or --settle RUN.")
    if uncertain:
        return _settle(door, uncertain, step, arrived=arrived, not_arrived=not_arrived)
    workspace = door.workspace()
    run = workspace.resume(run_id) if run_id else workspace.confirm(plan_hash)
    door.show(run, lambda: print_run(door, run))
    return 0 if run.state == "done" else 1


def _settle(door: Door, run_id: str, step: int, *, arrived: str, not_arrived: bool) -> int:
    """Records what a person found out about a write whose answer is not known."""
    if bool(arrived) == not_arrived or not step:
        raise click.UsageError("--settle needs --step N, and either --arrived JSON or --not-arrived.")
    try:
        result = parse_json(arrived) if arrived else None
    except MalformedText as error:
        raise click.BadParameter(f"this is no JSON: {error}", param_hint="--arrived") from error
    if arrived and not isinstance(result, dict):
        raise click.BadParameter("an object is wanted, such as {}", param_hint="--arrived")
    run = door.workspace().settle(run_id, step, result=result if isinstance(result, dict) else None)
    door.show(run, lambda: door.say(f"settled; go on with: clew run --resume {run_id}"))
    return 0


def print_run(door: Door, run: Run) -> None:
    """Prints what was sent and what came back."""
    for receipt in run.receipts:
        request = receipt.request
        door.say(f"{receipt.position}. {request.method} {request.service}/{request.path}  HTTP {receipt.status}")
        body = msgspec.json.encode(receipt.result).decode() if receipt.result is not None else ""
        if body:
            door.say(f"   {body if len(body) <= SHOWN_BODY else body[:SHOWN_BODY] + ' …'}")
    door.say(f"run {run.run_id}: {run.state}" + (f", {run.failure}" if run.failure else ""))
