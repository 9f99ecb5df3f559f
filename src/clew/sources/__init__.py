"""sources: foreign descriptions (OData, BPMN, code lists, bindings) read into facts and issues.

Above: workspace, which hands over bytes and takes facts. Below: domain.
Not its business: files, folders, archives and the network; merging facts, storing them, ranking them.
"""

__all__: list[str] = []
