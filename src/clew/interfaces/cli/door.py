"""What every command shares: `--json`, `--workspace`, the open workspace, and how results are printed."""

import functools
import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Concatenate, ParamSpec

import click
import msgspec
from rich.console import Console
from rich.table import Table

from clew.interfaces.settings import read_settings
from clew.workspace import Workspace

P = ParamSpec("P")

PIPE_WIDTH = 400


class Door:
    """One run of one command: its settings, its workspace once somebody asks for it, its output."""

    def __init__(self, *, as_json: bool, folder: Path | None) -> None:
        """Keeps what the shared options say; opens nothing."""
        self.as_json = as_json
        self.settings = read_settings()
        self.folder = folder or self.settings.workspace
        # A pipe or a file has no width of its own; 80 columns would fold what nobody needs folded.
        width = None if sys.stdout.isatty() else PIPE_WIDTH
        self.console = Console(highlight=False, soft_wrap=True, width=width)
        self._closing = ExitStack()

    def workspace(self) -> Workspace:
        """Opens the workspace; it is closed when the command ends.

        Raises:
            WorkspaceNotFound: there is none in this folder or above it.
        """
        settings = self.settings
        opened = Workspace.open(self.folder, principal=settings.principal, tenant=settings.tenant)
        return self._closing.enter_context(opened)

    def keep(self, workspace: Workspace) -> Workspace:
        """Closes a workspace that the command made itself when the command ends; gives it back."""
        return self._closing.enter_context(workspace)

    def show(self, result: object, text: Callable[[], None]) -> None:
        """Prints `result` as JSON where that was asked for, else calls `text`."""
        if self.as_json:
            encoder = msgspec.json.Encoder(decimal_format="number")
            sys.stdout.write(msgspec.json.format(encoder.encode(result), indent=2).decode() + "\n")
        else:
            text()

    def say(self, line: str = "") -> None:
        """Prints one line of plain text."""
        self.console.print(line, markup=False)

    def note(self, line: str) -> None:
        """Prints one line to standard error, where it does not disturb what a program reads."""
        click.echo(line, err=True)

    def table(self, headings: Sequence[str], rows: Iterable[Sequence[str]], *, title: str = "") -> None:
        """Prints a table; headings that start with `>` are for columns of numbers."""
        grid = Table(title=title or None, title_justify="left", box=None, pad_edge=False, header_style="bold")
        for heading in headings:
            number = heading.startswith(">")
            grid.add_column(heading.lstrip(">"), justify="right" if number else "left", overflow="fold")
        for row in rows:
            # As text, not markup: names of a foreign source may hold brackets.
            grid.add_row(*(cell.replace("[", "\\[") for cell in row))
        self.console.print(grid, soft_wrap=False)

    def close(self) -> None:
        """Closes what was opened."""
        self._closing.close()


def door_command(
    name: str, *, summary: str = ""
) -> Callable[[Callable[Concatenate[Door, P], int | None]], click.Command]:
    """Makes a function `(door, …) -> exit code` a command with the shared options."""

    def decorate(function: Callable[Concatenate[Door, P], int | None]) -> click.Command:
        @click.command(name, help=summary or function.__doc__)
        @click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
        @click.option(
            "--workspace",
            "folder",
            type=click.Path(path_type=Path, file_okay=False),
            help="Folder of the workspace. Default: found from here upwards, or CLEW_WORKSPACE.",
        )
        @functools.wraps(function)
        def invoke(as_json: bool, folder: Path | None, *args: P.args, **kwargs: P.kwargs) -> None:
            door = Door(as_json=as_json, folder=folder)
            try:
                code = function(door, *args, **kwargs)
            finally:
                door.close()
            if code:
                raise click.exceptions.Exit(code)

        return invoke

    return decorate
