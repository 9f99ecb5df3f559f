"""`clew ingest`."""

import sys
from collections.abc import Iterator
from pathlib import Path

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from clew.domain.issues import Severity
from clew.interfaces.cli.door import Door, door_command
from clew.workspace import DocumentOutcome, IngestReport

SHOWN_ISSUES = 20
SHOWN_DOCUMENTS = 30


@door_command(
    "ingest",
    summary="Read files and folders into the graph: OData $metadata, annotation documents, BPMN, clew.yaml, bindings, "
    "code lists. An unchanged file costs nothing; one bad file among many fails alone.",
)
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path, readable=False))
@click.option(
    "--root", type=click.Path(path_type=Path, file_okay=False), help="Folder that a landscape's file names start from."
)
@click.option(
    "--vectors/--no-vectors", default=True, help="Build the search index at once (default) or at the first search."
)
@click.option("--all-issues", is_flag=True, help=f"Show every issue instead of the first {SHOWN_ISSUES}.")
def ingest_command(door: Door, paths: tuple[Path, ...], root: Path | None, vectors: bool, all_issues: bool) -> int:
    """Reads the files."""
    workspace = door.workspace()
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    # Where nobody watches, the bar would leave an empty line.
    is_quiet = door.as_json or not sys.stderr.isatty()
    with Progress(*columns, console=Console(stderr=True), transient=True, disable=is_quiet) as bar:
        task = bar.add_task("reading", total=None)

        def advance(done: int, total: int, what: str) -> None:
            bar.update(task, completed=done, total=total, description=what)

        report = workspace.ingest(paths, root=root, progress=advance)
        if vectors and any(document.outcome in ("read", "removed") for document in report.documents):
            workspace.build_index(progress=advance)
    door.show(report, lambda: _print(door, report, all_issues=all_issues))
    return 1 if report.refused or not report.documents else 0


def _print(door: Door, report: IngestReport, *, all_issues: bool) -> None:
    read = [document for document in report.documents if document.outcome == "read"]
    if 0 < len(read) <= SHOWN_DOCUMENTS:
        headings = ("document", "kind", *(f">{heading}" for heading in _COLUMNS))
        door.table(headings, (_row(document) for document in read))
    elif read:
        door.table(("kind", ">documents", *(f">{heading}" for heading in _COLUMNS)), _rows_by_kind(read))
    issues = [issue for document in report.documents for issue in document.issues]
    shown = (
        issues if all_issues else sorted(issues, key=lambda issue: issue.severity is not Severity.ERROR)[:SHOWN_ISSUES]
    )
    for issue in shown:
        door.note(f"{issue.severity}: {issue}")
    if len(shown) < len(issues):
        door.note(f"… and {len(issues) - len(shown)} more; --all-issues shows them.")
    if not report.documents:
        door.note("Nothing to read: no file here is OData metadata, BPMN, a landscape or bindings.")
        return
    tally = {outcome: sum(document.outcome == outcome for document in report.documents) for outcome in _WORDS}
    words = ", ".join(f"{count} {_WORDS[outcome]}" for outcome, count in tally.items() if count)
    door.say(f"{words}; {report.size_bytes / 1e6:.1f} MB in {report.seconds:.1f} s")


_WORDS = {
    "read": "read",
    "unchanged": "unchanged",
    "same": "the same as another",
    "refused": "refused",
    "removed": "removed",
}


_COLUMNS = {
    "sets": ("entity_sets", "singletons"),
    "types": ("entity_types", "complex_types"),
    "properties": ("entity_properties", "complex_properties"),
    "navigation": ("navigations",),
    "operations": ("function_imports", "actions", "functions"),
    "activities": ("Activity",),
    "flows": ("HAS_NEXT",),
}


def _row(document: DocumentOutcome) -> tuple[str, ...]:
    report = document.report
    kind = f"{report.kind} {report.version}".strip() if report else ""
    return (document.document.rpartition("/")[2], kind, *_cells([document]))


def _rows_by_kind(documents: list[DocumentOutcome]) -> list[tuple[str, ...]]:
    groups: dict[str, list[DocumentOutcome]] = {}
    for document in documents:
        kind = f"{document.report.kind} {document.report.version}".strip() if document.report else ""
        groups.setdefault(kind, []).append(document)
    return [(kind, str(len(group)), *_cells(group)) for kind, group in sorted(groups.items())]


def _cells(documents: list[DocumentOutcome]) -> Iterator[str]:
    for names in _COLUMNS.values():
        counts = (dict(document.report.counts) for document in documents if document.report)
        total = sum(found.get(name, 0) for found in counts for name in names)
        yield f"{total:,}" if total else ""
