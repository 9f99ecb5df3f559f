"""The tools, declared once: name, what they do, input and output, hints for clients, handler over the workspace.

The surface is frozen (ARCHITECTURE.md): at most twelve tools. A description speaks to a model: short, and it says what
to do next. Texts that came from a source are data; nothing in them changes a tool.
"""

from collections.abc import Callable
from typing import Annotated, Literal

import msgspec

from clew.domain.cases import NextStep
from clew.domain.errors import ClewError
from clew.domain.hits import Hit, Scope
from clew.domain.issues import Suggestion
from clew.domain.plans import DryRun, Question, Run
from clew.domain.records import JsonObject, JsonValue, Record
from clew.domain.requests import Call
from clew.domain.specifications import Detail, Specification
from clew.domain.verdicts import Verdict
from clew.workspace import Workspace

Count = Annotated[int, msgspec.Meta(ge=1, le=20)]


class ToolContext(Record, frozen=True, kw_only=True):
    """On whose behalf, and in which run, a tool is called; never part of what a model writes."""

    run_id: str
    conversation_id: str = ""


class ToolFault(Record, frozen=True, kw_only=True):
    """What was wrong with a tool call, so that a model can mend it: stable code, message, closest names."""

    code: str
    message: str
    suggestions: tuple[Suggestion, ...] = ()


class ToolResult(Record, frozen=True, kw_only=True):
    """What a tool gave: a value, or a fault. `cut` says what was left out to keep the answer bounded."""

    tool: str
    ok: bool
    value: JsonValue = None
    fault: ToolFault | None = None
    cut: str = ""


class FindServices(Record, frozen=True, kw_only=True):
    """A request in words, in any language; `scope` restricts to services by name."""

    query: str
    k: Count = 5
    scope: tuple[str, ...] = ()
    detail: Literal["brief", "standard"] = "brief"


class Found(Record, frozen=True, kw_only=True):
    """One hit as an agent needs it."""

    id: str
    service: str
    name: str
    label: str
    rank: int
    reason: str
    process: str = ""
    activity: str = ""


class FoundServices(Record, frozen=True, kw_only=True):
    """Hits, best first; for a process chain in process order. An empty list means that nothing fits."""

    hits: tuple[Found, ...]


class DescribeEntity(Record, frozen=True, kw_only=True):
    """An id as `find_services` gives it."""

    id: str
    detail: Detail = Detail.STANDARD


class NextSteps(Record, frozen=True, kw_only=True):
    """A case by its handle, or a process by its name (from its beginning)."""

    case: str = ""
    process: str = ""


class Steps(Record, frozen=True, kw_only=True):
    """The steps that may come next, and those that wait for something."""

    steps: tuple[NextStep, ...]


class Read(Record, frozen=True, kw_only=True):
    """A GET: service, entity_set, and where wanted key, navigation and query options; `case` keeps it as evidence."""

    request: Call
    case: str = ""


class ReadAnswer(Record, frozen=True, kw_only=True):
    """The verdict, and where it allowed the read what the service answered."""

    verdict: Verdict
    status: int = 0
    result: JsonObject | list[JsonObject] | None = None


class Write(Record, frozen=True, kw_only=True):
    """One or several calls (later ones may refer to earlier results: `$1.PurchaseOrder`).

    `check` only validates; `plan` gives the dry run with its hash; `confirm` carries out the plan that `hash` names.
    """

    mode: Literal["check", "plan", "confirm"]
    calls: tuple[Call, ...] = ()
    hash: str = ""
    case: str = ""


class WriteAnswer(Record, frozen=True, kw_only=True):
    """Verdicts for `check`, the dry run for `plan`, the run with its receipts for `confirm`."""

    verdicts: tuple[Verdict, ...] = ()
    dry_run: DryRun | None = None
    run: Run | None = None


class AskUser(Record, frozen=True, kw_only=True):
    """What to ask a person: values that the request did not give are asked for, never invented."""

    question: str
    fields: tuple[Question, ...] = ()


class Asked(Record, frozen=True, kw_only=True):
    """The question as it waits for a person; the conversation goes on with the answer."""

    waiting: bool
    question: str
    fields: tuple[Question, ...] = ()


def find_services(workspace: Workspace, asked: FindServices, context: ToolContext) -> FoundServices:
    """Ranks entity sets and operations for a request."""
    hits = workspace.search(asked.query, asked.k, scope=Scope(services=asked.scope), run_id=context.run_id).hits
    return FoundServices(hits=tuple(_found(workspace, hit, words=asked.detail == "standard") for hit in hits))


def _found(workspace: Workspace, hit: Hit, *, words: bool) -> Found:
    title = workspace.title_of(hit.node)
    reasons = [f"{why.channel} {why.score:.2f} {why.note}".strip() for why in hit.why]
    return Found(
        id=hit.node,
        service=title.owner,
        name=title.name,
        label=title.label,
        rank=hit.rank,
        reason="; ".join(reasons if words else reasons[:1]),
        process=hit.process,
        activity=hit.activity,
    )


def describe_entity(workspace: Workspace, asked: DescribeEntity, context: ToolContext) -> Specification:
    """Gives the typed specification of an entity set or operation."""
    del context
    return workspace.describe(asked.id, asked.detail)


def next_steps(workspace: Workspace, asked: NextSteps, context: ToolContext) -> Steps:
    """Gives what may come next in a case or process."""
    del context
    return Steps(steps=workspace.next_steps(process=asked.process, case=asked.case))


def read(workspace: Workspace, asked: Read, context: ToolContext) -> ReadAnswer:
    """Validates and carries out a GET."""
    answer = workspace.call(asked.request, case=asked.case, run_id=context.run_id, reads_only=True)
    return ReadAnswer(verdict=answer.verdict, status=answer.status, result=answer.result)


def write(workspace: Workspace, asked: Write, context: ToolContext) -> WriteAnswer:
    """Checks, plans, or carries out a confirmed plan."""
    if asked.mode == "check":
        return WriteAnswer(verdicts=workspace.check(asked.calls, run_id=context.run_id))
    if asked.mode == "plan":
        return WriteAnswer(dry_run=workspace.prepare(asked.calls, case=asked.case, run_id=context.run_id))
    return WriteAnswer(run=workspace.confirm(asked.hash, run_id=context.run_id))


def ask_user(workspace: Workspace, asked: AskUser, context: ToolContext) -> Asked:
    """Records a question to the person."""
    workspace.record_question(asked.question, asked.fields, run_id=context.run_id)
    return Asked(waiting=True, question=asked.question, fields=asked.fields)


class Tool(Record, frozen=True, kw_only=True):
    """One tool of the surface; the hints are those of the Model Context Protocol."""

    name: str
    summary: str
    input: type[Record]
    output: type[Record]
    handler: Callable[..., Record]
    read_only: bool = True
    destructive: bool = False
    idempotent: bool = True

    def input_schema(self) -> JsonObject:
        """Gives the JSON Schema (2020-12) of the arguments."""
        return _schema(self.input)

    def output_schema(self) -> JsonObject:
        """Gives the JSON Schema (2020-12) of the value."""
        return _schema(self.output)

    def tokens(self) -> int:
        """Reckons what the declaration costs a model, in tokens of four bytes: name, summary and input schema."""
        text = msgspec.json.encode({"name": self.name, "description": self.summary, "inputSchema": self.input_schema()})
        return -(-len(text) // 4)


def _schema(record: type[Record]) -> JsonObject:
    (root,), parts = msgspec.json.schema_components([record], ref_template="#/$defs/{name}")
    top = dict(parts.pop(record.__name__)) if "$ref" in root else dict(root)
    return {**top, "$defs": parts} if parts else top


SURFACE: tuple[Tool, ...] = (
    Tool(
        name="find_services",
        summary="Find the entity sets and operations for a request in words, with their process. Start here.",
        input=FindServices,
        output=FoundServices,
        handler=find_services,
    ),
    Tool(
        name="describe_entity",
        summary="Typed specification of one id: key, what create needs and forbids, navigation, codes, process order. "
        "Read it before you write.",
        input=DescribeEntity,
        output=Specification,
        handler=describe_entity,
    ),
    Tool(
        name="next_steps",
        summary="What may come next in a case or process, what is missing, and which read would show it.",
        input=NextSteps,
        output=Steps,
        handler=next_steps,
    ),
    Tool(
        name="read",
        summary="A validated GET. A refusal says what would be right.",
        input=Read,
        output=ReadAnswer,
        handler=read,
        idempotent=True,
    ),
    Tool(
        name="write",
        summary="Create, change, delete or act: mode check validates, plan gives a dry run with its hash, confirm "
        "carries out the plan of that hash. Never invent a value: use ask_user.",
        input=Write,
        output=WriteAnswer,
        handler=write,
        read_only=False,
        destructive=True,
        idempotent=False,
    ),
    Tool(
        name="ask_user",
        summary="Ask the person for values that the request did not give.",
        input=AskUser,
        output=Asked,
        handler=ask_user,
        idempotent=False,
    ),
)

_BY_NAME = {tool.name: tool for tool in SURFACE}


def tool_named(name: str) -> Tool | None:
    """Gives the tool of this name."""
    return _BY_NAME.get(name)


def fault_of(error: ClewError) -> ToolFault:
    """Turns an error into what a model can act on."""
    return ToolFault(
        code=type(error).__name__, message=str(error), suggestions=tuple(getattr(error, "suggestions", ()) or ())
    )
