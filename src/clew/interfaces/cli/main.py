"""`clew`: the root of the command line, its table of commands, and how errors become one line and an exit code.

Exit codes: 0 ok, 1 findings (input refused, a call denied, something not found), 2 usage.
"""

import importlib
import os
import sys

import click

from clew import __version__
from clew.domain.errors import ClewError
from clew.interfaces.settings import read_settings

COMMANDS: dict[str, tuple[str, str]] = {
    "init": ("setup", "Make a workspace in this folder"),
    "ingest": ("ingest", "Read service descriptions, processes, bindings and code lists into the graph"),
    "status": ("status", "Show what the workspace holds"),
    "search": ("search", "Find the entity sets and operations for a request, with reasons"),
    "describe": ("describe", "Show what must be known to call an entity set or operation"),
    "next": ("next", "Show what may come next in a process or a case, and what is missing"),
    "validate": ("validate", "Check a request and say what would be right"),
    "plan": ("plan", "Turn a request into a plan of calls, and ask for what is missing"),
    "run": ("run", "Carry out a confirmed plan, or go on with a run that was interrupted"),
    "call": ("call", "Make one call to the mock of a service"),
    "case": ("case", "Open, show, list and close cases"),
    "trace": ("trace", "Show the journal of a run"),
    "graph": ("graph", "Export the graph"),
    "tools": ("tools", "List the tools that agents get, with their token cost"),
    "bench": ("bench", "Run an experiment and print its table"),
    "demo": ("demo", "Run the main job on the sample landscape"),
    "doctor": ("doctor", "Say what is missing and the command that mends it"),
    "version": ("setup", "Print the version"),
}


class CommandTable(click.Group):
    """A group that imports a command's module when it is needed and no earlier."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Gives the names in the order of the table, which is the order of the work."""
        del ctx
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Imports the module of a command and gives the command."""
        del ctx
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"clew.interfaces.cli.commands.{COMMANDS[cmd_name][0]}")
        found = getattr(module, f"{cmd_name}_command")
        return found if isinstance(found, click.Command) else None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes the table without importing anything."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, summary) for name, (_, summary) in COMMANDS.items()])


@click.group(cls=CommandTable, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(__version__, prog_name="clew")
def root() -> None:
    """Ground LLM agents in business processes: the right endpoint, the valid payload, the next step."""


def run(arguments: list[str] | None = None) -> None:
    """Runs the command line and leaves the process with its exit code."""
    sys.exit(main(arguments))


def main(arguments: list[str] | None = None) -> int:
    """Runs the command line; gives the exit code."""
    try:
        outcome: object = root.main(args=arguments, prog_name="clew", standalone_mode=False)
    except click.exceptions.Exit as leaving:
        return leaving.exit_code
    except click.UsageError as error:
        error.show()
        return 2
    except click.ClickException as error:
        error.show()
        return 1
    except click.Abort:
        click.echo("Stopped.", err=True)
        return 130
    except BrokenPipeError:
        # The reader has gone (`clew … | head`); nothing more can be said, not even at the interpreter's own flush.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except ClewError as error:
        click.echo(f"clew: {error}", err=True)
        return 1
    except Exception as error:
        if read_settings().traceback:
            raise
        what = f"{type(error).__name__}: {error}"
        click.echo(f"clew: an error of Clew's own ({what}); with CLEW_TRACEBACK=1 it says where.", err=True)
        return 1
    return outcome if isinstance(outcome, int) else 0
