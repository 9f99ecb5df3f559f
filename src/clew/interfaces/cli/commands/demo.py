"""`clew demo`: the main job on the sample landscape, told step by step."""

import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TypeAlias

import click

from clew.agent.desk import PlanningDesk
from clew.domain.cases import Case
from clew.domain.hits import Hit
from clew.domain.plans import DryRun, Question
from clew.domain.records import JsonObject
from clew.domain.requests import Call
from clew.domain.specifications import Detail
from clew.interfaces.cli.commands.plan import print_dry_run, print_questions
from clew.interfaces.cli.commands.run import print_run
from clew.interfaces.cli.commands.validate import print_verdict
from clew.interfaces.cli.door import Door, door_command
from clew.workspace import Workspace, render_specification, sample_folder

REQUEST = (
    "500 M8 bolts from Miller are needed at plant 1010 by Friday; "
    "see that they are ordered, received and the invoice settled"
)
FAULTS = (
    (
        "POST API_PURCHASEORDER_PROCESS_SRV/A_PurchaseOrder",
        '{"CompanyCode": "1010", "Suplier": "10300001", "PurchasingOrganization": "1010", "PurchasingGroup": "001", '
        '"DocumentCurrency": "EUR"}',
    ),
    ("GET API_PURCHASEORDER_PROCESS_SRV/A_PurchaseOrder?$filter=CompanyCode eq 1010", None),
)
"""Two calls as a language model would get them wrong: a misspelt name, a text without quotes."""
SHOWN_VALUES = 9
ORDER = "odata:API_PURCHASEORDER_PROCESS_SRV/A_PurchaseOrder"
EARLY_ORDER = Call(
    method="POST",
    service="API_PURCHASEORDER_PROCESS_SRV",
    entity_set="A_PurchaseOrder",
    payload={
        "CompanyCode": "1010",
        "Supplier": "10300001",
        "PurchasingOrganization": "1010",
        "PurchasingGroup": "001",
        "DocumentCurrency": "EUR",
    },
)
ANSWERS = {
    "DocumentDate": "2026-12-03",
    "SupplierInvoiceIDByInvcgParty": "MF-2026-0815",
    "InvoiceGrossAmount": "71.40",
    "PaymentAmount": "71.40",
}
"""What the person in the demo knows of the bill that will come; nobody else can."""


@door_command(
    "demo", summary="Run the main job on the sample landscape: find, specify, refuse, plan, confirm, execute."
)
@click.option(
    "--keep", type=click.Path(path_type=Path, file_okay=False), help="Make the workspace in this folder and keep it."
)
def demo_command(door: Door, keep: Path | None) -> int:
    """Runs the demo in a workspace of its own."""
    with tempfile.TemporaryDirectory(prefix="clew-demo-") as scratch:
        folder = keep or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        workspace = door.keep(Workspace.create(folder, principal=door.settings.principal))
        code = _tell(door, workspace)
        door.close()
    return code


def _tell(door: Door, workspace: Workspace) -> int:
    _step(door, "1. Read the sample landscape: OData V2 and V4 metadata, BPMN models, bindings, code lists")
    report = workspace.ingest([sample_folder()])
    counts = {name: count for name, count in workspace.status().counts if count}
    door.say(", ".join(f"{count:,} {name}" for name, count in counts.items()))
    door.say(f"{len(report.documents)} documents in {report.seconds:.1f} s, no LLM")

    _step(door, f"2. A request: {REQUEST!r}")
    _compare(door, workspace)

    _step(door, "3. What must be known to create a purchase order")
    door.say(render_specification(workspace.describe(ORDER, Detail.BRIEF)))

    _step(door, "4. A wrong call is refused, and told what would be right")
    for line, body in FAULTS:
        door.say(f"> {line}  {body or ''}")
        print_verdict(door, workspace.validate_line(line, body=body))

    _step(door, "5. A step out of order is refused, and told what is missing")
    door.say("> an order, though nobody has asked for anything or signed it")
    case = workspace.open_case("procure_to_pay", mode="enforce")
    print_dry_run(door, workspace.prepare((EARLY_ORDER,), case=case.handle))
    return _plan(door, workspace, case)


def _plan(door: Door, workspace: Workspace, case: Case) -> int:
    desk = PlanningDesk(workspace)
    _step(door, "6. The request becomes a plan. What only a person can know is asked, never invented")
    asked = desk.plan(REQUEST, case=case.handle)
    print_questions(door, asked.questions)
    answers = {question.slot: answer for question in asked.questions if (answer := _answer(question))}
    door.say("answered: " + ", ".join(f"{slot.rpartition('/')[2]} {answer}" for slot, answer in answers.items()))
    answer = desk.plan(REQUEST, answers, case=case.handle)
    door.say("Every other value comes from the request, master data, a code list or an earlier step:")
    for line in answer.reasons:
        door.say(f"  {line}")
    print_questions(door, answer.questions)

    _step(door, "7. The dry run: each step validated, and in order once those before it are done")
    if answer.dry_run is None:
        return 1
    print_dry_run(door, answer.dry_run)
    return _execute(door, workspace, answer.dry_run)


def _answer(question: Question) -> str:
    """Answers as the person in the demo does."""
    return ANSWERS.get(question.slot.rpartition("/")[2], "")


def _execute(door: Door, workspace: Workspace, dry_run: DryRun) -> int:
    if not dry_run.executable:
        return 1
    _step(door, f"8. Confirmed by its hash {dry_run.plan.hash[:16]}…, and carried out on the mock services")
    before = _holdings(workspace, {call.service for call in dry_run.plan.calls})
    run = workspace.confirm(dry_run.plan.hash)
    print_run(door, run)
    _step(door, "9. What the services hold now that they did not hold before")
    for line in _changes(workspace, before):
        door.say(f"  {line}")
    return 0 if run.state == "done" else 1


def _compare(door: Door, workspace: Workspace) -> None:
    answers = {recipe: workspace.search(REQUEST, 6, recipe=recipe).hits for recipe in ("dense", "process")}
    rows = [
        (str(rank + 1), *(_cell(workspace, hits, rank) for hits in answers.values()))
        for rank in range(max(len(hits) for hits in answers.values()))
    ]
    door.table(("", "dense alone", "with the process"), rows)


def _cell(workspace: Workspace, hits: tuple[Hit, ...], rank: int) -> str:
    if rank >= len(hits):
        return ""
    hit = hits[rank]
    step = f"  ({workspace.title_of(hit.activity).name})" if hit.activity else ""
    return workspace.title_of(hit.node).name + step


def _step(door: Door, title: str) -> None:
    door.say(f"\n── {title} " + "─" * max(0, 100 - len(title)))


Holdings: TypeAlias = dict[tuple[str, str], list[JsonObject]]


def _holdings(workspace: Workspace, services: Iterable[str]) -> Holdings:
    """Gives what the mock services hold, by service and entity set."""
    return {
        (service, entity_set): workspace.mocks.entities(service, entity_set)
        for service in sorted(services)
        for entity_set in workspace.view(service).sets
    }


def _changes(workspace: Workspace, before: Holdings) -> Iterator[str]:
    """Says what is held now and was not before: each new or changed entity with its telling values."""
    for (service, entity_set), held in _holdings(workspace, {service for service, _ in before}).items():
        for entity in held:
            if entity not in before[service, entity_set]:
                told = {name: value for name, value in entity.items() if value not in (None, "", False, [])}
                shown = ", ".join(f"{name} {value}" for name, value in list(told.items())[:SHOWN_VALUES])
                yield f"{entity_set}: {shown}"
