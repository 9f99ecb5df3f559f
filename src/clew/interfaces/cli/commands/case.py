"""`clew case open | show | list | close`."""

import click

from clew.domain.cases import Case
from clew.interfaces.cli.door import Door, door_command


@click.group("case", help="Cases: one run through a process each, with the evidence of what has been done.")
def case_command() -> None:
    """Groups what concerns cases."""


@door_command("open", summary="Open a case of PROCESS; prints its handle, which is worth something to you alone.")
@click.argument("process")
@click.option("--mode", default="enforce", type=click.Choice(["off", "advise", "enforce"]), show_default=True)
def open_command(door: Door, process: str, mode: str) -> int:
    """Opens a case."""
    case = door.workspace().open_case(process, mode=mode)
    door.show(case, lambda: door.say(case.handle))
    return 0


@door_command("show", summary="Show a case and its evidence.")
@click.argument("handle")
def show_command(door: Door, handle: str) -> int:
    """Shows a case."""
    case = door.workspace().case(handle)
    door.show(case, lambda: _print(door, case))
    return 0


@door_command("list", summary="List your cases.")
def list_command(door: Door) -> int:
    """Lists cases."""
    cases = door.workspace().cases()
    door.show(
        cases,
        lambda: door.table(
            ("handle", "process", "state", "mode", ">evidence", "opened"),
            (
                (case.handle, case.process, case.state, case.mode, str(len(case.evidence)), case.opened_at)
                for case in cases
            ),
        ),
    )
    return 0


@door_command("close", summary="Close a case; nothing more is decided in it.")
@click.argument("handle")
def close_command(door: Door, handle: str) -> int:
    """Closes a case."""
    case = door.workspace().close_case(handle)
    door.show(case, lambda: door.say(f"closed {case.handle}"))
    return 0


def _print(door: Door, case: Case) -> None:
    door.say(f"{case.handle}  {case.process}  {case.state}  {case.mode}  opened {case.opened_at}")
    door.table(
        ("activity", "by", "target", "object"),
        ((item.activity, item.by, item.target, item.object_key) for item in case.evidence),
    )


for command in (open_command, show_command, list_command, close_command):
    case_command.add_command(command)
