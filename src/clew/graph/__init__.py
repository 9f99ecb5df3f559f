"""The typed property graph: facts assembled, merged, versioned, traversed.

Above: flow, index, retrieval, grounding, process, mock, workspace. Below: domain (and storage through its port).
Not its business: foreign formats, ranking, what a call may do.
"""
