"""odata: CSDL (V1 to V4.01) read into facts.

Above: workspace. Below: domain, and `sources.xml` for the text.
Not its business: where the document comes from, which other documents it belongs to, what becomes of the facts.
"""

from clew.sources.odata.csdl import natural_name, read_csdl

__all__ = ["natural_name", "read_csdl"]
