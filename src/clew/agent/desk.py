"""`PlanningDesk`: the planner at work in a workspace: its services, its processes, its master data, its dry run."""

from collections.abc import Iterator, Mapping
from functools import cached_property, partial

import msgspec

from clew.agent.planner.catalogue import Catalogue
from clew.agent.planner.masters import master_records, master_rows
from clew.agent.planner.planner import Planner
from clew.agent.planner.ports import NamedRecords
from clew.agent.planner.vocabulary import Vocabulary, read_vocabulary
from clew.domain.errors import InputRefused, MalformedText
from clew.domain.hits import Hit, Scope
from clew.domain.issues import Issue
from clew.domain.plans import DryRun, Question
from clew.domain.proposals import Proposal
from clew.domain.records import Record
from clew.domain.requests import Call
from clew.protocol.json import parse_json
from clew.workspace import Workspace

LONGEST_REQUEST = 4_000
"""In characters: what a person writes; a document is read by other means."""


class PlanAnswer(Record, frozen=True, kw_only=True):
    """A plan as it is shown: the calls with their dry run, what is to be asked, where each value comes from.

    `dry_run` is `None` where there is nothing to do yet. `notes` name what of the request was not used.
    """

    request: str
    process: str = ""
    calls: tuple[Call, ...] = ()
    dry_run: DryRun | None = None
    questions: tuple[Question, ...] = ()
    reasons: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    targets: tuple[str, ...] = ()
    """Node ids of what the calls call, in order."""


class _Search:
    """The workspace's own search as the planner's retriever."""

    name = "workspace"

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    def search(self, query: str, k: int, *, scope: Scope = Scope()) -> list[Hit]:
        return list(self._workspace.search(query, k, scope=scope).hits)


class PlanningDesk:
    """Plans requests in a workspace; nothing is sent."""

    def __init__(self, workspace: Workspace) -> None:
        """Reads nothing yet."""
        self._workspace = workspace

    def plan(self, request: str, answers: Mapping[str, str] = {}, *, case: str = "") -> PlanAnswer:
        """Plans a request in words; `answers` are by the slots of the questions of an earlier answer."""
        if len(request) > LONGEST_REQUEST:
            text = (
                f"The request has {len(request):,} characters, at most {LONGEST_REQUEST:,} are planned. What is wanted?"
            )
            return PlanAnswer(request=request[:LONGEST_REQUEST], questions=(Question(slot="@0", question=text),))
        proposal = self._planner.plan(request, answers)
        dry_run = None
        if proposal.calls:
            dry_run = self._workspace.prepare(proposal.calls, case=case, process=proposal.process)
        return PlanAnswer(
            request=request,
            process=proposal.process,
            calls=proposal.calls,
            dry_run=dry_run,
            questions=proposal.questions,
            reasons=tuple(_reasons(proposal)),
            notes=tuple(f"not used: {unused.mention.text!r} ({unused.reason})" for unused in proposal.unused),
            targets=tuple(choice.target for choice in proposal.choices),
        )

    def plan_calls(self, text: str, *, case: str = "") -> PlanAnswer:
        """Makes the dry run of calls as JSON: a list of objects, or one object with `calls`.

        Raises:
            InputRefused: it is not JSON, or not such a list.
        """
        calls = read_calls(text)
        dry_run = self._workspace.prepare(calls, case=case)
        return PlanAnswer(request="", calls=calls, dry_run=dry_run)

    @cached_property
    def _planner(self) -> Planner:
        workspace = self._workspace
        snapshot = workspace.snapshot
        catalogue = Catalogue(
            self._vocabulary,
            {name: partial(workspace.view, name) for name in sorted(snapshot.service_names())},
            {name: partial(snapshot.process, name) for name in sorted(snapshot.process_names())},
        )
        seeds = workspace.book.seeds()
        return Planner(
            catalogue,
            retriever=_Search(workspace),
            lookup=NamedRecords(master_records(catalogue, seeds)),
            defaults=master_rows(catalogue, seeds),
            clock=workspace.clock,
        )

    @cached_property
    def _vocabulary(self) -> Vocabulary:
        return read_vocabulary()


def read_calls(text: str) -> tuple[Call, ...]:
    """Reads calls from JSON.

    Raises:
        InputRefused: it is not JSON, or not a list of calls.
    """
    try:
        value = parse_json(text)
        listed = value.get("calls") if isinstance(value, dict) and "calls" in value else value
        return msgspec.convert(listed, tuple[Call, ...])
    except MalformedText as error:
        raise InputRefused((Issue(code=error.code, message=f"The calls are not JSON: {error}"),)) from error
    except msgspec.ValidationError as error:
        raise InputRefused((Issue(code="CALL_SHAPE", message=f"These are not calls: {error}"),)) from error


def _reasons(proposal: Proposal) -> Iterator[str]:
    for choice in proposal.choices:
        yield f"step {choice.step}: {choice.target} for {choice.words!r} ({choice.reason or 'process order'})"
    for fill in proposal.fills:
        yield f"{fill.slot} = {fill.value} from {fill.words!r} ({fill.rule})"
