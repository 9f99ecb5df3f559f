"""Ingestion: files become documents, documents become facts; the facts of one ingest enter the graph together."""

import time
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

import msgspec

from clew.domain.errors import ClewError
from clew.domain.facts import Node, Refused, SourceFacts, SourceReport
from clew.domain.ids import owner_of
from clew.domain.landscape import Bindings, CodeListEntry, Landscape, ProcessEntry, ServiceEntry
from clew.domain.processes import Process
from clew.domain.services import Service
from clew.graph.process_view import ProcessView
from clew.graph.service_view import ServiceView
from clew.graph.snapshot import Snapshot
from clew.graph.store import GraphStore
from clew.sources.bindings import read_bindings
from clew.sources.bpmn import read_bpmn
from clew.sources.codelists import read_codelist
from clew.sources.file_places import locate
from clew.sources.landscape import file_folders, read_landscape
from clew.sources.odata import read_csdl
from clew.sources.resolution import resolve_bindings, resolve_uses
from clew.workspace.files import (
    Found,
    Progress,
    document_key,
    find_files,
    hash_content,
    hear_nothing,
    read_bytes,
    refusal,
)
from clew.workspace.naming import OwnerNames
from clew.workspace.recognition import DocumentKind, recognise
from clew.workspace.results import DocumentOutcome, IngestReport
from clew.workspace.settings import LandscapeBook, seed_files

_Entry: TypeAlias = ServiceEntry | ProcessEntry | CodeListEntry


def ingest(
    store: GraphStore,
    book: LandscapeBook,
    paths: Sequence[Path],
    *,
    folder: Path,
    root: Path | None = None,
    progress: Progress = hear_nothing,
) -> IngestReport:
    """Reads files and folders into the graph, all in one unit of work; one bad file among many fails alone.

    Raises:
        StorageError: the database refused; nothing was changed.
    """
    begun = time.perf_counter()
    documents = store.documents()
    taken = {owner_of(owner): document.document for document in documents for owner in document.report.owners}
    with store.snapshot() as snapshot:
        hashes = {document.document: document.content_hash for document in documents}
        work = Ingestion(folder=folder, snapshot=snapshot, hashes=hashes, names=OwnerNames(taken))
        work.read(paths, root=root, progress=progress)
    if work.facts:
        store.put_many(work.facts)
    if work.landscapes:
        book.put((key, landscape, work.seeds[key]) for key, landscape in work.landscapes.items())
    return IngestReport(
        documents=tuple(work.outcomes),
        version="",
        seconds=round(time.perf_counter() - begun, 3),
        size_bytes=work.size_bytes,
    )


class _Task:
    """A file to read, and what a landscape says of it."""

    def __init__(self, file: Found, kind: DocumentKind, entry: _Entry | None = None, *, said_in: str = "") -> None:
        self.said_in = said_in
        self.file = file
        self.kind = kind
        self.entry = entry

    @property
    def settings(self) -> str:
        return "" if self.entry is None else msgspec.json.encode(msgspec.structs.replace(self.entry, line=0)).decode()


class Known:
    """What can be referred to: the graph as it is, and over it what this ingest has read."""

    def __init__(self, snapshot: Snapshot) -> None:
        """Begins with the graph alone."""
        self._snapshot = snapshot
        self._services: dict[str, list[Node]] = {}
        self._processes: dict[str, SourceFacts] = {}
        self._views: dict[str, ServiceView] = {}

    def add(self, facts: SourceFacts) -> None:
        """Adds what a document asserts."""
        for node in facts.nodes:
            if isinstance(node, Service):
                self._services[node.service] = [n for n in facts.nodes if owner_of(n.id) == node.service]
                self._views.pop(node.service, None)
            elif isinstance(node, Process):
                self._processes[node.process] = facts

    def service_names(self) -> Collection[str]:
        """Gives the owner names of the services."""
        return {*self._snapshot.service_names(), *self._services}

    def process_names(self) -> Collection[str]:
        """Gives the owner names of the processes."""
        return {*self._snapshot.process_names(), *self._processes}

    def service(self, name: str, /) -> ServiceView:
        """Gives a service by its owner name."""
        if name not in self._views:
            new = self._services.get(name)
            self._views[name] = ServiceView.of(new) if new is not None else self._snapshot.service(name)
        return self._views[name]

    def process(self, name: str, /) -> ProcessView:
        """Gives a process by its owner name."""
        facts = self._processes.get(name)
        if facts is None:
            return self._snapshot.process(name)
        process = next(node for node in facts.nodes if isinstance(node, Process) and node.process == name)
        return ProcessView(process, (node for node in facts.nodes if owner_of(node.id) == name), ())


class Ingestion:
    """One ingest: what is read, under which names, and what comes of it. Nothing is stored before all was read."""

    def __init__(self, *, folder: Path, snapshot: Snapshot, hashes: Mapping[str, str], names: OwnerNames) -> None:
        """Begins with the graph as it is; `hashes` maps the keys of its documents to their content hashes."""
        self._folder = folder
        self._hashes = hashes
        self._by_hash = {content: key for key, content in hashes.items()}
        self._names = names
        self._known = Known(snapshot)
        self._bindings: list[tuple[Bindings, str, int]] = []
        self._codelists: list[tuple[_Task, bytes]] = []
        self.outcomes: list[DocumentOutcome] = []
        self.facts: list[tuple[SourceFacts, str]] = []
        self.landscapes: dict[str, Landscape] = {}
        self.seeds: dict[str, tuple[str, ...]] = {}
        self.size_bytes = 0

    def read(self, paths: Sequence[Path], *, root: Path | None, progress: Progress) -> None:
        """Reads everything that `paths` name; landscapes first, since they say how other files are meant."""
        found, missing = find_files(paths, folder=self._folder)
        self.outcomes += missing
        named = {path.resolve() for path in paths}
        tasks: dict[str, _Task] = {}
        others: list[_Task] = []
        for file in found:
            data = self._load(file)
            kind = "unknown" if data is None else recognise(data, file.path.name)
            if kind == "landscape" and data is not None:
                tasks |= self._read_landscape(file, data, root)
            elif data is not None and _is_wanted(kind, file, named):
                others.append(_Task(file, kind))
        tasks |= {task.file.key: task for task in others if task.file.key not in tasks}
        for done, task in enumerate(tasks.values()):
            progress(done, len(tasks), task.file.key)
            self._read_task(task)
        self._resolve()
        progress(len(tasks), len(tasks), "storing")

    def _load(self, file: Found) -> bytes | None:
        data = read_bytes(file)
        if isinstance(data, DocumentOutcome):
            self.outcomes.append(data)
            return None
        return data

    def _read_landscape(self, file: Found, data: bytes, root: Path | None) -> dict[str, _Task]:
        landscape = read_landscape(data, document=file.key, folder=file.path.parent, root=root)
        if isinstance(landscape, Refused):
            self._refuse(file.key, landscape)
            return {}
        try:
            self.seeds[file.key] = seed_files(landscape, folder=file.path.parent, root=root)
        except ClewError as error:
            self.outcomes.append(refusal(file.key, "SEED", f"A seed file cannot be read: {error}"))
            return {}
        self.landscapes[file.key] = landscape
        inline = Bindings(document=file.key, rows=landscape.bindings, issues=landscape.issues)
        self._bindings.append((inline, hash_content(data), len(data)))
        folders = file_folders(landscape, folder=file.path.parent, root=root)
        return self._tasks_of(landscape, folders)

    def _tasks_of(self, landscape: Landscape, folders: Sequence[Path]) -> dict[str, _Task]:
        wanted: list[tuple[str, DocumentKind, _Entry | None]] = []
        for service in landscape.services:
            wanted.append((service.file, "odata", service))
            wanted.extend((name, "odata", None) for name in service.annotations)
        wanted.extend((process.file, "bpmn", process) for process in landscape.processes)
        wanted.extend((codelist.file, "codelist", codelist) for codelist in landscape.codelists)
        wanted.extend((name, "odata", None) for name in landscape.annotations)
        wanted.extend((name, "bindings", None) for name in landscape.binding_files)
        tasks: dict[str, _Task] = {}
        for name, kind, entry in wanted:
            place = locate(name, folders) if name else None
            if place is not None:
                key = document_key(place, self._folder)
                tasks[key] = _Task(Found(path=place, key=key), kind, entry, said_in=landscape.document)
        return tasks

    def _read_task(self, task: _Task) -> None:
        data = self._load(task.file)
        if data is None:
            return
        self.size_bytes += len(data)
        content = hash_content(data, task.settings)
        if task.kind == "codelist":
            self._codelists.append((task, data))
        elif task.kind == "bindings":
            bindings = read_bindings(data, document=task.file.key)
            if isinstance(bindings, Refused):
                self._refuse(task.file.key, bindings)
            else:
                self._bindings.append((bindings, content, len(data)))
        elif self._hashes.get(task.file.key) == content:
            self.outcomes.append(DocumentOutcome(document=task.file.key, outcome="unchanged"))
        elif (twin := self._by_hash.get(content, task.file.key)) != task.file.key:
            self.outcomes.append(DocumentOutcome(document=task.file.key, outcome="same", same_as=twin))
        else:
            self._by_hash[content] = task.file.key
            self._read_document(task, data, content)

    def _read_document(self, task: _Task, data: bytes, content: str) -> None:
        key = task.file.key
        given = task.entry.id if isinstance(task.entry, ServiceEntry | ProcessEntry) else ""
        naming = self._names.of(key, given=given)
        if task.kind == "odata":
            facts = read_csdl(data, document=key, naming=naming)
        elif task.kind == "bpmn":
            facts = read_bpmn(data, document=key, naming=naming)
        else:
            what = "OpenAPI documents are" if task.kind == "openapi" else "This kind of file is"
            self.outcomes.append(refusal(key, "UNREAD_KIND", f"{what} not read by this version."))
            return
        if isinstance(facts, Refused):
            self._refuse(key, facts)
        else:
            self._keep(_described(facts, task.entry), content)

    def _resolve(self) -> None:
        for bindings, content, size in self._bindings:
            edges, issues = resolve_bindings(bindings, self._known)
            kind = "landscape" if bindings.document in self.landscapes else "bindings"
            report = SourceReport(
                document=bindings.document, kind=kind, counts=(("bindings", len(edges)),), size_bytes=size
            )
            self._keep(
                SourceFacts(report=report, edges=edges, issues=(*bindings.issues, *issues)), content, resolved=True
            )
        for task, data in self._codelists:
            self._read_codelist(task, data)

    def _read_codelist(self, task: _Task, data: bytes) -> None:
        entry = task.entry if isinstance(task.entry, CodeListEntry) else None
        key = task.file.key
        uses = entry.applies_to if entry else ()
        said_in = task.said_in or key
        targets, issues = resolve_uses(uses, self._known, document=said_in)
        facts = read_codelist(
            data,
            document=key,
            name=entry.name if entry else task.file.path.stem,
            targets=targets,
            **({"columns": entry.columns} if entry else {}),
        )
        if isinstance(facts, Refused):
            self._refuse(key, facts)
            return
        facts = msgspec.structs.replace(facts, issues=(*facts.issues, *issues))
        self._keep(facts, hash_content(data, task.settings), resolved=True)

    def _keep(self, facts: SourceFacts, content: str, *, resolved: bool = False) -> None:
        document = facts.report.document
        # What was resolved against the graph depends on more than its own bytes.
        version = hash_content(content.encode(), _fingerprint(facts)) if resolved else content
        if self._hashes.get(document) == version:
            self.outcomes.append(DocumentOutcome(document=document, outcome="unchanged"))
            return
        self._known.add(facts)
        self.facts.append((facts, version))
        self.outcomes.append(
            DocumentOutcome(document=document, outcome="read", report=facts.report, issues=facts.issues)
        )

    def _refuse(self, document: str, refused: Refused) -> None:
        self.outcomes.append(
            DocumentOutcome(document=document, outcome="refused", issues=(refused.issue, *refused.others))
        )


def _is_wanted(kind: DocumentKind, file: Found, named: set[Path]) -> bool:
    """Whether a file is read: one that was named always is; in a folder, stray tables and texts are no sources."""
    if file.path.resolve() in named:
        return True
    return kind in ("odata", "bpmn", "bindings")


def _fingerprint(facts: SourceFacts) -> str:
    return msgspec.json.encode((facts.nodes, facts.edges, facts.overlays)).decode()


def _described(facts: SourceFacts, entry: _Entry | None) -> SourceFacts:
    """Adds to a service what the landscape says of it; its system and its purpose in words help to find it."""
    if not isinstance(entry, ServiceEntry):
        return facts

    def describe(node: Node) -> Node:
        if not isinstance(node, Service):
            return node
        return msgspec.structs.replace(
            node, system=entry.system, about=entry.about or node.about, url=entry.base_url or entry.url or node.url
        )

    return msgspec.structs.replace(facts, nodes=tuple(describe(node) for node in facts.nodes))
