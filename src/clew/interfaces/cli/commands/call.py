"""`clew call`."""

from pathlib import Path

import click
import msgspec

from clew.interfaces.cli.commands.validate import METHODS, print_verdict, read_body
from clew.interfaces.cli.door import Door, door_command
from clew.workspace import CallAnswer


@door_command(
    "call", summary="Validate one request and make it on the service's mock, whose state is kept in the workspace."
)
@click.argument("method", type=click.Choice(METHODS, case_sensitive=False))
@click.argument("path")
@click.option("--service", default="", help="The service, where its name does not lead the path.")
@click.option("--body", default=None, help="The body as JSON text.")
@click.option(
    "--body-file", type=click.Path(path_type=Path, dir_okay=False, allow_dash=True), help="A file with the body."
)
@click.option("--case", default="", help="The case that the call belongs to.")
@click.option("--confirm", is_flag=True, help="Really make a call that writes.")
def call_command(
    door: Door, method: str, path: str, service: str, body: str | None, body_file: Path | None, case: str, confirm: bool
) -> int:
    """Makes the call and prints the answer."""
    answer = door.workspace().call_line(
        f"{method.upper()} {path}", service=service, body=read_body(body, body_file), case=case, confirmed=confirm
    )
    door.show(answer, lambda: _print(door, answer))
    return 0 if answer.sent and answer.status < 400 else 1


def _print(door: Door, answer: CallAnswer) -> None:
    if not answer.verdict.allowed:
        print_verdict(door, answer.verdict)
        return
    for reason in answer.reasons:
        door.say(reason)
    if answer.sent and answer.status < 400:
        door.say(f"HTTP {answer.status}")
        if answer.result is not None:
            door.say(msgspec.json.format(msgspec.json.encode(answer.result), indent=2).decode())
