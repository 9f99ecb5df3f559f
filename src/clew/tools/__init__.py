"""The one tool surface: what an agent may call, declared once and exposed by every door.

Above: agent, interfaces. Below: workspace. Not its business: transport, prompts, who the caller is (the context says).
"""

from clew.tools.surface import SURFACE, Tool, ToolContext, ToolFault, ToolResult
from clew.tools.toolset import AuditedTools, BudgetedTools, Toolset, WorkspaceTools

__all__ = [
    "SURFACE",
    "AuditedTools",
    "BudgetedTools",
    "Tool",
    "ToolContext",
    "ToolFault",
    "ToolResult",
    "Toolset",
    "WorkspaceTools",
]
