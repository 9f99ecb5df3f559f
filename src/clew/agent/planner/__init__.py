"""The planner: a request in words becomes calls and questions, by vocabulary and metadata, without a language model.

Above: the agent's desk, evaluation. Below: grounding (what a create must hold), graph, domain.
Not its business: whether a call is right, may happen now, or is carried out. It never invents a value: each comes
from words of the request, a master record or code that they name, the process, the metadata, or an earlier step.
"""

__all__: list[str] = []
