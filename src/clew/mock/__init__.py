"""Stateful services made from metadata alone, in process: what a back end does, without one.

Above: workspace, interfaces (through `clew.domain.ports.Transport`). Below: protocol, graph, domain.
Not its business: what the product's validator says of a request. The mock refuses by its own checks what a real back
end would refuse, so that validator and mock can be held against each other; they share grammar, never rules.
"""

from clew.mock.core import MockOptions, Write
from clew.mock.desk import Desk, Handler, OperationCall
from clew.mock.landscape import MockLandscape
from clew.mock.numbering import Numbering
from clew.mock.service import MockService

__all__ = [
    "Desk",
    "Handler",
    "MockLandscape",
    "MockOptions",
    "MockService",
    "Numbering",
    "OperationCall",
    "Write",
]
