"""process: cases with their owner, the evidence of what has been done, and what process order says of a call.

Above: workspace, which wires the gate and the witness into execution. Below: flow, graph, protocol, domain; bytes are
kept through the port `Database`.
Not its business: whether a request is well-formed (grounding), who may do what (policy, permissions), carrying it out.
"""

from clew.process.case_book import CaseBook
from clew.process.evidence import CaseWitness
from clew.process.gate import OrderGate, OrderSettings
from clew.process.links import Link, Links, MetadataLinks
from clew.process.standing import Processes
from clew.process.steps import steps_of_case, steps_of_process

__all__ = [
    "CaseBook",
    "CaseWitness",
    "Link",
    "Links",
    "MetadataLinks",
    "OrderGate",
    "OrderSettings",
    "Processes",
    "steps_of_case",
    "steps_of_process",
]
