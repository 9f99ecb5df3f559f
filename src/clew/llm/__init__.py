"""Models: adapters of embedders, behind `clew.domain.ports.Embedder`; nothing is loaded before it is used.

Above: index, retrieval, workspace. Below: domain. Not its business: what is embedded, and what vectors are for.
"""

from clew.llm.embedders import HashEmbedder, UseEmbedder
from clew.llm.vector_store import StoredEmbedder

__all__ = ["HashEmbedder", "StoredEmbedder", "UseEmbedder"]
