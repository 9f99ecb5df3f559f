"""`clew validate`."""

import sys
from pathlib import Path

import click

from clew.domain.verdicts import Verdict
from clew.interfaces.cli.door import Door, door_command

METHODS = ("GET", "POST", "PUT", "PATCH", "MERGE", "DELETE")


@door_command(
    "validate",
    summary="Check a request: METHOD PATH, with a body from --body or --body-file (- for standard input). "
    "Nothing is sent.",
)
@click.argument("method", type=click.Choice(METHODS, case_sensitive=False))
@click.argument("path")
@click.option("--service", default="", help="The service, where its name does not lead the path.")
@click.option("--body", default=None, help="The body as JSON text.")
@click.option(
    "--body-file", type=click.Path(path_type=Path, dir_okay=False, allow_dash=True), help="A file with the body."
)
def validate_command(door: Door, method: str, path: str, service: str, body: str | None, body_file: Path | None) -> int:
    """Prints the verdict."""
    text = read_body(body, body_file)
    verdict = door.workspace().validate_line(f"{method.upper()} {path}", service=service, body=text)
    door.show(verdict, lambda: print_verdict(door, verdict))
    return 0 if verdict.allowed else 1


def read_body(body: str | None, body_file: Path | None) -> str | None:
    """Gives the body's text from the option, the file or standard input."""
    if body_file is None:
        return body
    if body is not None:
        raise click.UsageError("Give either --body or --body-file.")
    from_standard_input = str(body_file) == "-"
    try:
        data = sys.stdin.buffer.read() if from_standard_input else body_file.read_bytes()
        return data.decode("utf-8-sig")
    except OSError as error:
        raise click.ClickException(f"{body_file} cannot be read: {error.strerror or error}.") from error
    except UnicodeDecodeError as error:
        name = "Standard input" if from_standard_input else str(body_file)
        raise click.ClickException(f"{name} is not UTF-8 from byte {error.start} on; save it as UTF-8.") from error


def print_verdict(door: Door, verdict: Verdict) -> None:
    """Prints what is wrong and what would be right."""
    door.say("allowed" if verdict.allowed else "refused")
    for problem in verdict.problems:
        door.say(f"  {problem.severity} {problem.code} at {problem.pointer or '/'}: {problem.message}")
        if problem.expected:
            door.say(f"    expected: {problem.expected}")
        if problem.suggestions:
            door.say("    did you mean: " + ", ".join(suggestion.value for suggestion in problem.suggestions[:5]))
        if problem.source:
            door.say(f"    says: {problem.source}")
    if verdict.repaired is not None:
        repaired = verdict.repaired
        query = "&".join(f"{name}={value}" for name, value in repaired.query)
        door.say(f"  repaired: {repaired.method} {repaired.path}" + (f"?{query}" if query else ""))
        if repaired.body:
            door.say(f"    {repaired.body}")
