"""flow: what may come before and after what, by the token semantics of BPMN 2.0.2, clause 13.

Above: retrieval, process, workspace. Below: graph (`ProcessView`), domain.
Not its business: cases and their evidence, what a call may do, which service performs an activity.
"""

from clew.flow.compilation import Callee
from clew.flow.exploration import FlowLimits
from clew.flow.order import Neighbour
from clew.flow.process_flow import Enabled, ProcessFlow
from clew.flow.questions import enabled, neighbourhood, next_bound, positions, preconditions, soundness

__all__ = [
    "Callee",
    "Enabled",
    "FlowLimits",
    "Neighbour",
    "ProcessFlow",
    "enabled",
    "neighbourhood",
    "next_bound",
    "positions",
    "preconditions",
    "soundness",
]
