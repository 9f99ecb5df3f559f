"""A toolset lists tools and calls one. Audit and budget are wrappers of the same shape, not flags."""

from typing import Protocol

import msgspec
from rapidfuzz import process as closest

from clew.domain.errors import ClewError
from clew.domain.events import JournalEvent
from clew.domain.issues import Suggestion
from clew.domain.ports import Journal
from clew.domain.records import JsonObject, JsonValue
from clew.tools.surface import SURFACE, Tool, ToolContext, ToolFault, ToolResult, fault_of, tool_named
from clew.workspace import Workspace

RESULT_BYTES = 48_000
"""A result larger than this is refused with the advice to ask for less: about 12,000 tokens."""


class Toolset(Protocol):
    """A named group of tools behind one interface."""

    def tools(self) -> tuple[Tool, ...]:
        """Gives the tools, always in the same order."""
        ...

    def call(self, name: str, arguments: JsonObject, context: ToolContext) -> ToolResult:
        """Calls a tool; a wrong name, wrong arguments and refusals are results, not exceptions."""
        ...


class WorkspaceTools:
    """The surface over one workspace."""

    def __init__(self, workspace: Workspace) -> None:
        """Keeps the workspace."""
        self._workspace = workspace

    def tools(self) -> tuple[Tool, ...]:
        """Gives the surface."""
        return SURFACE

    def call(self, name: str, arguments: JsonObject, context: ToolContext) -> ToolResult:
        """Checks the arguments against the tool's input, runs it, bounds its result."""
        tool = tool_named(name)
        if tool is None:
            return _refusal(name, _unknown_tool(name))
        stray = sorted(set(arguments) - set(tool.input.__struct_fields__))
        if stray:
            allowed = ", ".join(tool.input.__struct_fields__)
            return _refusal(name, ToolFault(code="UNKNOWN_ARGUMENT", message=f"{stray[0]!r} is not one of: {allowed}"))
        try:
            asked = msgspec.convert(arguments, tool.input)
        except msgspec.ValidationError as error:
            return _refusal(name, ToolFault(code="WRONG_ARGUMENT", message=str(error)))
        try:
            value: JsonValue = msgspec.to_builtins(tool.handler(self._workspace, asked, context), builtin_types=())
        except ClewError as error:
            return _refusal(name, fault_of(error))
        return _bounded(ToolResult(tool=name, ok=True, value=value))


class AuditedTools:
    """Writes every call and its outcome to the journal."""

    def __init__(self, inner: Toolset, journal: Journal, *, principal: str, tenant: str = "") -> None:
        """Wraps `inner`; calls are recorded in `principal`'s name."""
        self._inner = inner
        self._journal = journal
        self._principal = principal
        self._tenant = tenant

    def tools(self) -> tuple[Tool, ...]:
        """Gives the tools of the wrapped toolset."""
        return self._inner.tools()

    def call(self, name: str, arguments: JsonObject, context: ToolContext) -> ToolResult:
        """Calls, then records name, arguments and outcome."""
        result = self._inner.call(name, arguments, context)
        fault = result.fault
        body: JsonObject = {
            "tool": name,
            "arguments": arguments,
            "ok": result.ok,
            "fault": fault.code if fault else None,
        }
        self._journal.append(
            JournalEvent(
                kind="tool",
                run_id=context.run_id,
                conversation_id=context.conversation_id,
                principal=self._principal,
                tenant=self._tenant,
                body=body,
            )
        )
        return result


class BudgetedTools:
    """Allows so many calls and then says so."""

    def __init__(self, inner: Toolset, calls: int) -> None:
        """Wraps `inner`; `calls` is how many may be made in all."""
        self._inner = inner
        self._left = calls

    def tools(self) -> tuple[Tool, ...]:
        """Gives the tools of the wrapped toolset."""
        return self._inner.tools()

    def call(self, name: str, arguments: JsonObject, context: ToolContext) -> ToolResult:
        """Calls while there is something left of the budget."""
        if self._left <= 0:
            return _refusal(
                name, ToolFault(code="BUDGET_SPENT", message="No tool calls are left; give your answer now.")
            )
        self._left -= 1
        return self._inner.call(name, arguments, context)


def _unknown_tool(name: str) -> ToolFault:
    names = [tool.name for tool in SURFACE]
    near = [Suggestion(value=found, score=score / 100) for found, score, _ in closest.extract(name, names, limit=1)]
    return ToolFault(
        code="UNKNOWN_TOOL",
        message=f"There is no tool {name!r}; there are {', '.join(names)}.",
        suggestions=tuple(near),
    )


def _refusal(name: str, fault: ToolFault) -> ToolResult:
    return ToolResult(tool=name, ok=False, fault=fault)


def _bounded(result: ToolResult) -> ToolResult:
    size = len(msgspec.json.encode(result.value))
    if size <= RESULT_BYTES:
        return result
    message = (
        f"The result has {size} bytes, more than {RESULT_BYTES}; ask for less ($top, $select, a smaller k or detail)."
    )
    return _refusal(result.tool, ToolFault(code="RESULT_TOO_LARGE", message=message))
