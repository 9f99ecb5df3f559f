"""sources.bpmn: BPMN 2.0 models (any tool's export, SAP Cloud Integration flows too) read into facts and issues.

Above: workspace. Below: domain, and `clew.sources.xml`, which reads the text safely.
Not its business: what the flows mean (`clew.flow`), files and archives, which service performs an activity.
"""

from clew.sources.bpmn.reader import read_bpmn

__all__ = ["read_bpmn"]
