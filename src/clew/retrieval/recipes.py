"""Named recipes: values, not flags. A recipe turns an index and its embedder into a retriever."""

from collections.abc import Callable, Mapping
from typing import TypeAlias

from clew.domain.errors import UnknownReference
from clew.domain.issues import Suggestion
from clew.domain.ports import Embedder, Retriever
from clew.index import SearchIndex
from clew.retrieval.dense import DenseRetriever
from clew.retrieval.fusion import FusionRetriever
from clew.retrieval.hybrid import HybridRetriever
from clew.retrieval.lexical import LexicalRetriever
from clew.retrieval.process import ProcessRetriever

Recipe: TypeAlias = Callable[[SearchIndex, Embedder], Retriever]

RECIPES: Mapping[str, Recipe] = {
    "process": ProcessRetriever,
    "hybrid": HybridRetriever,
    "hybrid-nobpmn": lambda index, embedder: HybridRetriever(index, embedder, follows_processes=False),
    "fusion": FusionRetriever,
    "dense": DenseRetriever,
    "lexical": LexicalRetriever,
}


def make_retriever(recipe: str, index: SearchIndex, embedder: Embedder) -> Retriever:
    """Makes the retriever that a recipe names.

    Raises:
        UnknownReference: there is no such recipe.
    """
    if recipe not in RECIPES:
        raise UnknownReference("retrieval recipe", recipe, tuple(Suggestion(value=name) for name in RECIPES))
    return RECIPES[recipe](index, embedder)
