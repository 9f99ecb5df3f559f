"""`SearchRoom`: the search index of a workspace: built, kept, opened, refused when it is another model's."""

from collections.abc import Callable
from pathlib import Path
from typing import Literal

from clew.domain.errors import WorkspaceError
from clew.domain.hits import Scope
from clew.domain.ports import Database, Embedder, Retriever
from clew.graph.snapshot import Snapshot
from clew.index import SearchIndex, build_index
from clew.index.search_index import read_manifest
from clew.llm import StoredEmbedder
from clew.retrieval import make_retriever
from clew.workspace.files import Progress, hear_nothing
from clew.workspace.results import SearchAnswer

DEFAULT_RECIPE = "process"


class SearchRoom:
    """Holds the index in memory once it was asked for; a stale one is built anew."""

    def __init__(
        self, database: Database, snapshot: Callable[[], Snapshot], folder: Path, make_embedder: Callable[[], Embedder]
    ) -> None:
        """Opens nothing yet; `folder` is where the index lies, `snapshot` gives the graph as it is."""
        self._database = database
        self._snapshot = snapshot
        self._folder = folder
        self._make_embedder = make_embedder
        self._embedder: Embedder | None = None
        self._index: SearchIndex | None = None
        self._retrievers: dict[str, Retriever] = {}

    def refresh(self) -> None:
        """Lets go of what was built from an earlier state of the graph."""
        self._index = None
        self._retrievers.clear()

    def state(self) -> tuple[Literal["fresh", "stale", "none"], str]:
        """Gives whether the index belongs to the graph as it is, and which model it was built with."""
        manifest = read_manifest(self._folder)
        if manifest is None:
            return "none", ""
        return ("fresh" if manifest.snapshot == self._snapshot().version else "stale"), manifest.model

    def search(self, query: str, k: int, *, recipe: str = "", scope: Scope = Scope()) -> SearchAnswer:
        """Ranks nodes for a query.

        Raises:
            UnknownReference: there is no such recipe.
            WorkspaceError: there is nothing to search in.
        """
        name = recipe or DEFAULT_RECIPE
        if name not in self._retrievers:
            self._retrievers[name] = make_retriever(name, self.opened(), self.embedding())
        hits = self._retrievers[name].search(query, k, scope=scope)
        return SearchAnswer(query=query, recipe=name, hits=tuple(hits))

    def build(self, progress: Progress = hear_nothing) -> SearchIndex:
        """Builds the index of the graph as it is and keeps it."""
        embedder = StoredEmbedder(
            self.embedding(), self._database, told=lambda done, total: progress(done, total, "embedding")
        )
        index = build_index(self._snapshot(), embedder)
        index.save(self._folder)
        self._index = index
        self._retrievers.clear()
        return index

    def opened(self) -> SearchIndex:
        """Gives the index of the graph as it is, building it where there is none.

        Raises:
            WorkspaceError: there is nothing to search in.
        """
        if self._index is None:
            if not self._snapshot().service_names():
                raise WorkspaceError(
                    "There is nothing to search in yet; `clew ingest PATH` reads service descriptions."
                )
            index = SearchIndex.open(self._folder) if self.state() == ("fresh", self.embedding().name) else None
            self._index = index or self.build()
        return self._index

    def embedding(self) -> Embedder:
        """Gives the embedder; the model is loaded with the first text."""
        if self._embedder is None:
            self._embedder = self._make_embedder()
        return self._embedder
