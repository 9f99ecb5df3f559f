"""Named recipes: values, not flags. A recipe turns an index and its embedder into a retriever."""

from collections.abc import Callable, Mapping
from typing import TypeAlias

from clew.domain.errors import UnknownReference
from clew.domain.issues import Suggestion
from clew.domain.ports import Embedder, Retriever
from clew.index import SearchIndex
from clew.retrieval.chunk import ChunkRetriever
from clew.retrieval.dense import DenseRetriever
from clew.retrieval.fusion import FusionRetriever
from clew.retrieval.graph import GraphRetriever
from clew.retrieval.hybrid import HybridRetriever
from clew.retrieval.lexical import LexicalRetriever
from clew.retrieval.pagerank import PageRankRetriever
from clew.retrieval.process import ProcessRetriever

Recipe: TypeAlias = Callable[[SearchIndex, Embedder], Retriever]

RECIPES: Mapping[str, Recipe] = {
    "process": ProcessRetriever,
    "hybrid": HybridRetriever,
    "hybrid-nobpmn": lambda index, embedder: HybridRetriever(index, embedder, follows_processes=False),
    "fusion": FusionRetriever,
    "dense": DenseRetriever,
    "lexical": LexicalRetriever,
    "graph": GraphRetriever,
    "pagerank": PageRankRetriever,
}
SUMMARY_RECIPES: Mapping[str, Recipe] = {"chunk": ChunkRetriever}
"""Recipes that need an index with summaries of entity sets, which only experiments build."""


def make_retriever(recipe: str, index: SearchIndex, embedder: Embedder) -> Retriever:
    """Makes the retriever that a recipe names.

    Raises:
        UnknownReference: there is no such recipe.
        WorkspaceError: the recipe needs an index with summaries, and this one has none.
    """
    known = {**RECIPES, **SUMMARY_RECIPES}
    if recipe not in known:
        raise UnknownReference("retrieval recipe", recipe, tuple(Suggestion(value=name) for name in known))
    return known[recipe](index, embedder)
