"""`clew plan`."""

from pathlib import Path

import click

from clew.agent.desk import PlanAnswer, PlanningDesk
from clew.domain.plans import DryRun, Question
from clew.interfaces.cli.commands.validate import read_body
from clew.interfaces.cli.door import Door, door_command
from clew.workspace.calls import say_reasons


@door_command(
    "plan",
    summary="Turn a request in words into a plan of calls, without a model; or check the calls of --calls. Prints the "
    "dry run, its hash for `clew run`, and the questions that are open. Nothing is sent.",
)
@click.argument("request", required=False, default="")
@click.option(
    "--calls", type=click.Path(path_type=Path, dir_okay=False, allow_dash=True), help="A JSON file with calls."
)
@click.option("--answer", "answers", multiple=True, metavar="SLOT=VALUE", help="An answer to a question.")
@click.option("--case", default="", help="The case that the plan belongs to; order is asked of plans in a case.")
@click.option("--explain", is_flag=True, help="Say for each value where it comes from.")
def plan_command(
    door: Door, request: str, calls: Path | None, answers: tuple[str, ...], case: str, explain: bool
) -> int:
    """Plans and prints."""
    for answer in answers:
        if "=" not in answer:
            raise click.BadParameter(f"{answer!r} is not SLOT=VALUE", param_hint="--answer")
    if calls and request:
        raise click.UsageError("Give either a REQUEST or --calls.")
    given = {slot: value for slot, _, value in (answer.partition("=") for answer in answers)}
    workspace = door.workspace()
    desk = PlanningDesk(workspace)
    answer = desk.plan_calls(read_body(None, calls) or "", case=case) if calls else desk.plan(request, given, case=case)
    door.show(answer, lambda: _print(door, answer, explain=explain))
    return 0 if answer.dry_run is not None and answer.dry_run.executable and not answer.questions else 1


def _print(door: Door, answer: PlanAnswer, *, explain: bool) -> None:
    if answer.process:
        door.say(f"process: {answer.process}")
    if answer.dry_run is not None:
        print_dry_run(door, answer.dry_run)
    if explain:
        for line in answer.reasons:
            door.say(f"  {line}")
    for line in answer.notes:
        door.say(line)
    print_questions(door, answer.questions)


def print_questions(door: Door, questions: tuple[Question, ...]) -> None:
    """Prints what is to be asked, with the option that answers it."""
    for question in questions:
        allowed = (
            f" (one of {', '.join(question.allowed[:12])}{' …' if len(question.allowed) > 12 else ''})"
            if question.allowed
            else ""
        )
        door.say(f"? {question.question}{allowed}")
        door.say(f"    --answer '{question.slot}=…'")


def print_dry_run(door: Door, dry_run: DryRun) -> None:
    """Prints what each step would do, and the hash."""
    for step in dry_run.steps:
        request = step.request
        state = (
            "ok"
            if step.verdict.allowed and step.decision.open
            else "refused"
            if not step.verdict.allowed
            else "held back"
        )
        query = "&".join(f"{name}={value}" for name, value in request.query)
        door.say(
            f"{step.position}. {request.method} {request.service}/{request.path}"
            + (f"?{query}" if query else "")
            + f"  [{state}]"
        )
        if request.body:
            door.say(f"   {request.body}")
        for problem in step.verdict.problems:
            door.say(f"   {problem.severity} {problem.code} at {problem.pointer}: {problem.message}")
        if step.verdict.allowed:
            for line in say_reasons(step.decision):
                door.say(f"   {line}")
    if dry_run.executable:
        door.say(f"hash {dry_run.plan.hash}")
        door.say(f"carry it out with: clew run {dry_run.plan.hash}")
    else:
        door.say("This plan cannot be carried out as it stands.")
