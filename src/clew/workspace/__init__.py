"""The workspace: the front door of the library, and the one place where siblings are wired.

Above: tools, agent, evaluation, interfaces. Below: everything else.
Not its business: any rule of its own; it delegates.
"""

from clew.graph.export import EXPORT_FORMATS
from clew.grounding import render as render_specification
from clew.retrieval import RECIPES
from clew.workspace.facade import Workspace
from clew.workspace.health import examine
from clew.workspace.results import (
    CallAnswer,
    DocumentOutcome,
    HealthCheck,
    IngestReport,
    SearchAnswer,
    Status,
    Title,
    Trace,
)
from clew.workspace.samples import sample_folder

RECIPE_NAMES = tuple(RECIPES)


__all__ = [
    "EXPORT_FORMATS",
    "RECIPE_NAMES",
    "CallAnswer",
    "DocumentOutcome",
    "HealthCheck",
    "IngestReport",
    "SearchAnswer",
    "Status",
    "Title",
    "Trace",
    "Workspace",
    "examine",
    "render_specification",
    "sample_folder",
]
