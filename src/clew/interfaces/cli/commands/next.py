"""`clew next`."""

import click

from clew.domain.cases import NextStep
from clew.interfaces.cli.door import Door, door_command
from clew.workspace import Workspace


@door_command("next", summary="Show what may come next in a process (by its id) or a case (by its handle).")
@click.argument("process_or_case")
@click.option("--done", multiple=True, help="An activity (id or name) that is taken as completed, in order.")
def next_command(door: Door, process_or_case: str, done: tuple[str, ...]) -> int:
    """Prints the open steps, then those that wait."""
    workspace = door.workspace()
    steps = workspace.next_steps_of(process_or_case, done=done)
    is_closed = any(case.handle == process_or_case and case.state == "closed" for case in workspace.cases())
    nothing = "The case is closed." if is_closed else "Nothing is left to do."
    door.show(steps, lambda: _print(door, workspace, steps, nothing=nothing))
    return 0


def _print(door: Door, workspace: Workspace, steps: tuple[NextStep, ...], *, nothing: str) -> None:
    if not steps:
        door.say(nothing)
        return
    door.table(
        ("", "activity", "performed by", "waits for", "would be shown by"),
        (
            (
                "open" if step.open else "waits",
                step.name,
                _target(workspace, step),
                ", ".join(workspace.title_of(activity).name for activity in step.missing),
                step.read,
            )
            for step in steps
        ),
    )


def _target(workspace: Workspace, step: NextStep) -> str:
    if not step.target:
        return ""
    title = workspace.title_of(step.target)
    return f"{step.method} {title.owner}/{title.name}"
