"""The index: what entity sets, operations, activities and processes are found by, derived from a snapshot.

Above: retrieval, workspace. Below: flow, graph (views), llm (embedders, through their port), domain.
Not its business: ranking across channels, what a request means. It can be deleted; it is built again.
"""

from clew.index.building import IndexSource, build_index
from clew.index.cards import Card, CardKind, CardOptions
from clew.index.lexical import LexicalIndex
from clew.index.search_index import Manifest, SearchIndex

__all__ = [
    "Card",
    "CardKind",
    "CardOptions",
    "IndexSource",
    "LexicalIndex",
    "Manifest",
    "SearchIndex",
    "build_index",
]
