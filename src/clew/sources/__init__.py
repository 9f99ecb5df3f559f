"""sources: foreign descriptions (OData, BPMN, code lists, bindings) read into facts and issues.

Above: workspace, which hands over bytes and takes facts. Below: protocol (JSON), domain.
Not its business: reading files and archives, the network (a landscape's reader only looks whether the files that it
names are there); merging facts, storing them, ranking them.
"""

__all__: list[str] = []
