"""`clew trace list | show`."""

import click
import msgspec

from clew.domain.events import JournalEvent
from clew.interfaces.cli.door import Door, door_command


@click.group("trace", help="The journal: what was called, decided and done.")
def trace_command() -> None:
    """Groups what concerns the journal."""


@door_command("list", summary="List the runs that the journal knows, newest first.")
@click.option("--limit", default=20, type=click.IntRange(1, 1000), show_default=True)
def list_command(door: Door, limit: int) -> int:
    """Lists runs."""
    traces = door.workspace().traces(limit)
    door.show(
        traces,
        lambda: door.table(
            ("run", ">events", "from", "to", "kinds"),
            ((trace.run_id, str(trace.events), trace.first, trace.last, ", ".join(trace.kinds)) for trace in traces),
        ),
    )
    return 0


@door_command("show", summary="Show the events of a run, in order.")
@click.argument("run_id")
def show_command(door: Door, run_id: str) -> int:
    """Shows a run's events."""
    events = door.workspace().trace(run_id)
    door.show(events, lambda: _print(door, events))
    return 0


def _print(door: Door, events: tuple[JournalEvent, ...]) -> None:
    for event in events:
        body = msgspec.json.encode(event.body).decode()
        door.say(f"{event.sequence:>6}  {event.at}  {event.kind:<9} {body if len(body) <= 400 else body[:400] + ' …'}")


for command in (list_command, show_command):
    trace_command.add_command(command)
