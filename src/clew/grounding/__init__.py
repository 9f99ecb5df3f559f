"""Grounding: a node becomes a typed specification, a call a request, a request a verdict.

Above: workspace, tools, agent. Below: graph (service views), protocol (grammar), domain.
Not its business: what is sent and when (execution), whether its turn has come (process, policy), ranking (retrieval).
Only `Grounding` makes a `CheckedRequest`. Nothing here embeds, asks the network or a model.
"""

from clew.grounding.check import Grounding, validate
from clew.grounding.checker import PlanChecker
from clew.grounding.compose import compose
from clew.grounding.describe import describe
from clew.grounding.rendering import render, sanitise
from clew.grounding.request_line import Reading, read_request
from clew.grounding.resolution import Resolution, resolve
from clew.grounding.rules import RULES

__all__ = [
    "RULES",
    "Grounding",
    "PlanChecker",
    "Reading",
    "Resolution",
    "compose",
    "describe",
    "read_request",
    "render",
    "resolve",
    "sanitise",
    "validate",
]
