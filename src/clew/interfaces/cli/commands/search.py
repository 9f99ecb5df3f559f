"""`clew search`."""

import click

from clew.domain.hits import Hit, Scope
from clew.interfaces.cli.door import Door, door_command
from clew.workspace import RECIPE_NAMES, SearchAnswer, Workspace


@door_command("search", summary="Find the entity sets and operations for a request in words, in any language.")
@click.argument("query")
@click.option("--k", default=10, type=click.IntRange(1, 100), show_default=True, help="How many hits.")
@click.option(
    "--retriever", default="process", type=click.Choice(RECIPE_NAMES), show_default=True, help="Which recipe."
)
@click.option("--scope", multiple=True, help="Only this service; may be given several times.")
@click.option("--explain", is_flag=True, help="Say for each hit why it is there, and along which path.")
def search_command(door: Door, query: str, k: int, retriever: str, scope: tuple[str, ...], explain: bool) -> int:
    """Prints the hits."""
    workspace = door.workspace()
    answer = workspace.search(query, k, recipe=retriever, scope=Scope(services=scope))
    door.show(answer, lambda: _print(door, workspace, answer, explain=explain))
    return 0 if answer.hits else 1


def _print(door: Door, workspace: Workspace, answer: SearchAnswer, *, explain: bool) -> None:
    if not answer.hits:
        door.say("Nothing found.")
        return
    door.table(
        (">", "service", "entity set or operation", ">score", "process step"),
        (_row(workspace, hit) for hit in answer.hits),
    )
    if not explain:
        return
    for hit in answer.hits:
        door.say(f"\n{hit.rank}. {hit.node}")
        for why in hit.why:
            door.say(f"   {why.channel:<10} {why.score:7.3f}  {why.note}")
            if why.path:
                door.say("   " + " → ".join(workspace.title_of(step).name or step for step in why.path))


def _row(workspace: Workspace, hit: Hit) -> tuple[str, ...]:
    title = workspace.title_of(hit.node)
    step = workspace.title_of(hit.activity).name if hit.activity else ""
    process = workspace.title_of(hit.process).name if hit.process else ""
    return (str(hit.rank), title.owner, title.name, f"{hit.score:.3f}", f"{process}: {step}" if step else process)
