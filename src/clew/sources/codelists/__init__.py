"""sources.codelists: closed code lists from CSV, JSON and YAML files, read into facts and issues.

Above: workspace, which says what a list applies to. Below: domain, protocol (JSON), and the YAML text beside it.
Not its business: files and folders, value lists that a service locates, whether a payload uses an allowed code.
"""

from clew.sources.codelists.reader import read_codelist

__all__ = ["read_codelist"]
