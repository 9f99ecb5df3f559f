"""Carries out checked and permitted calls: plan, dry run, confirmation by hash, receipts, resumption.

Above: workspace, tools. Below: domain's ports (checker, gates, transport, database), graph and protocol for answers.
Not its business: whether a request is right (grounding), whether its turn has come (process, policy), how bytes travel.
"""

from clew.execution.drivers import drive
from clew.execution.permissions import WritePermissions
from clew.execution.plans import check_references, dry_run, make_plan
from clew.execution.runner import Runner, Surroundings
from clew.execution.runs import RunStore

__all__ = [
    "RunStore",
    "Runner",
    "Surroundings",
    "WritePermissions",
    "check_references",
    "drive",
    "dry_run",
    "make_plan",
]
