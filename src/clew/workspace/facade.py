"""`Workspace`: the front door of the library. It opens, wires siblings through ports, and delegates."""

import secrets
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Self

import msgspec
from rapidfuzz import process as closest

from clew.domain.cases import Case, NextStep
from clew.domain.clocks import Clock, stamp, utc_now
from clew.domain.decisions import Effect
from clew.domain.errors import NotPermitted, UnknownReference, WorkspaceError
from clew.domain.events import EventKind, JournalEvent
from clew.domain.hits import Scope
from clew.domain.ids import owner_of, scheme_of
from clew.domain.issues import Suggestion
from clew.domain.landscape import OrderMode
from clew.domain.plans import DryRun, Question, Receipt, Run
from clew.domain.ports import Embedder, Gate
from clew.domain.records import JsonObject
from clew.domain.requests import Call
from clew.domain.specifications import Detail, Specification
from clew.domain.verdicts import Verdict
from clew.execution import Runner, RunStore, Surroundings, WritePermissions, make_plan
from clew.execution.responses import read_error, read_result
from clew.graph.export import export_graph
from clew.graph.service_view import ServiceView
from clew.graph.snapshot import Snapshot
from clew.graph.store import GraphStore
from clew.grounding import Grounding, PlanChecker, describe
from clew.index import SearchIndex
from clew.llm import UseEmbedder
from clew.storage import SqliteDatabase, SqlJournal
from clew.workspace.calls import Confirmation, combined, say_reasons, split_service, unknown_service
from clew.workspace.files import Progress, hear_nothing
from clew.workspace.ingestion import ingest
from clew.workspace.location import DATABASE, FOLDER, INDEX, find_workspace
from clew.workspace.mocks import MockDesk
from clew.workspace.order import OrderDesk
from clew.workspace.results import CallAnswer, IngestReport, SearchAnswer, Status, Title, Trace
from clew.workspace.searching import SearchRoom
from clew.workspace.settings import LandscapeBook
from clew.workspace.witnesses import JournalWitness

Words = Sequence[str]


class Workspace:
    """A workspace: the graph, what is searched in it, the cases, plans and runs, the mock services, the journal.

    It acts in the name of one principal of one tenant. Use it as a context manager, or `close` it.
    """

    def __init__(
        self,
        folder: Path,
        *,
        principal: str = "local",
        tenant: str = "",
        clock: Clock = utc_now,
        embedder: Callable[[], Embedder] = UseEmbedder,
    ) -> None:
        """Wires the parts over the database in `folder`; use `open` or `create`. The embedder is made when needed."""
        self.folder = folder
        self.principal = principal
        self.tenant = tenant
        self.clock = clock
        self.database = SqliteDatabase(folder / FOLDER / DATABASE, clock=clock)
        self.store = GraphStore(self.database, clock=clock, tenant=tenant, principal=principal)
        self.journal = SqlJournal(self.database, clock, tenant=tenant)
        self.book = LandscapeBook(self.database)
        self.mocks = MockDesk(self.database, self.view, seeds=self.book.seeds, clock=clock)
        self.order = OrderDesk(self.database, lambda: self.snapshot, principal=principal, tenant=tenant, clock=clock)
        self.witnesses = (self.order.witness, JournalWitness(self.journal, tenant=tenant))
        self.rooms = SearchRoom(self.database, lambda: self.snapshot, folder / FOLDER / INDEX, embedder)
        self._groundings: dict[str, Grounding] = {}

    @classmethod
    def create(cls, folder: Path, *, principal: str = "local", tenant: str = "", clock: Clock = utc_now) -> Self:
        """Makes a workspace in a folder, which is made too; one that is there is opened.

        Raises:
            WorkspaceError: the folder cannot be made.
        """
        try:
            (folder / FOLDER).mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise WorkspaceError(f"No workspace can be made in {folder}: {error.strerror or error}.") from error
        made = cls(folder.resolve(), principal=principal, tenant=tenant, clock=clock)
        with made.database.write():
            pass
        return made

    @classmethod
    def open(
        cls, folder: Path | None = None, *, principal: str = "local", tenant: str = "", clock: Clock = utc_now
    ) -> Self:
        """Opens the workspace in a folder or above it (by default: the current one).

        Raises:
            WorkspaceNotFound: there is none.
            WorkspaceTooNew: a newer version of Clew wrote it.
        """
        return cls(find_workspace(folder or Path.cwd()), principal=principal, tenant=tenant, clock=clock)

    def close(self) -> None:
        """Lets go of the database."""
        if "snapshot" in self.__dict__:
            self.snapshot.close()
        self.database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # --- the graph

    @cached_property
    def snapshot(self) -> Snapshot:
        """The graph as it is; after an ingest it is another one."""
        return self.store.snapshot()

    def refresh(self) -> None:
        """Looks at the graph anew."""
        if (known := self.__dict__.pop("snapshot", None)) is not None:
            known.close()
        self._groundings.clear()
        self.order.refresh()
        self.rooms.refresh()

    def view(self, service: str) -> ServiceView:
        """Gives a service's view.

        Raises:
            UnknownReference: the workspace has no such service.
        """
        return self.snapshot.service(service)

    def grounding(self, service: str) -> Grounding:
        """Gives a service's validator.

        Raises:
            UnknownReference: the workspace has no such service.
        """
        if service not in self._groundings:
            self._groundings[service] = Grounding(self.view(service), clock=self.clock)
        return self._groundings[service]

    def ingest(
        self, paths: Sequence[Path], *, root: Path | None = None, progress: Progress = hear_nothing
    ) -> IngestReport:
        """Reads files and folders into the graph, all in one unit of work; one bad file fails alone.

        `root` is a folder that the file names of landscapes start from, where that is another than theirs.

        Raises:
            StorageError: the database refused; nothing was changed.
        """
        report = ingest(self.store, self.book, paths, folder=self.folder, root=root, progress=progress)
        self.refresh()
        read = sum(document.outcome == "read" for document in report.documents)
        self.record("ingest", {"documents": len(report.documents), "read": read, "version": self.snapshot.version})
        return msgspec.structs.replace(report, version=self.snapshot.version)

    def status(self) -> Status:
        """Gives the counts of the graph, and how it is searched."""
        snapshot = self.snapshot
        index, model = self.rooms.state()
        return Status(
            folder=str(self.folder),
            version=snapshot.version,
            counts=snapshot.counts(),
            services=tuple(sorted(snapshot.service_names())),
            processes=tuple(sorted(snapshot.process_names())),
            documents=len(self.store.documents()),
            issues=len(snapshot.issues()),
            index=index,
            model=model,
        )

    def title_of(self, node: str) -> Title:
        """Gives how a node is shown in a list; one that is not there is shown by its id."""
        found = self.snapshot.node(node) if node else None
        name = str(getattr(found, "name", "") or node)
        texts = getattr(found, "texts", None)
        kind = type(found).__name__ if found is not None else ""
        # Qualified names are shown without their namespace; names of steps are sentences and may hold dots.
        shown = name.rpartition(".")[2] if scheme_of(node) == "odata" else name
        return Title(id=node, kind=kind, owner=owner_of(node), name=shown, label=texts.label if texts else "")

    def find(self, name: str) -> str:
        """Gives the id of an entity set or operation from its id or its name, `SERVICE/Set` or `Set`.

        Raises:
            UnknownReference: nothing, or more than one thing, is called so.
        """
        if scheme_of(name) in ("odata", "codes", "bpmn", "openapi") and ":" in name:
            return name
        service, rest = split_service(name, list(self.snapshot.service_names()))
        services = [service] if service else sorted(self.snapshot.service_names())
        found: list[str] = []
        known: dict[str, str] = {}
        for owner in services:
            view = self.view(owner)
            nodes = [*view.sets.values(), *(node for group in view.operations.values() for node in group)]
            known |= {node.name.rpartition(".")[2]: node.id for node in nodes}
            found += [node.id for node in nodes if rest in (node.name, node.name.rpartition(".")[2])]
            if owner == rest:
                return view.service.id
        distinct = list(dict.fromkeys(found))
        if len(distinct) == 1:
            return distinct[0]
        near = distinct or [known[match[0]] for match in closest.extract(rest, list(known), limit=3, score_cutoff=60)]
        what = "one entity set or operation (there are several)" if distinct else "entity set or operation"
        raise UnknownReference(what, name, tuple(Suggestion(value=node) for node in near))

    def describe(self, name: str, detail: Detail = Detail.STANDARD) -> Specification:
        """Gives the typed specification of an entity set or operation, by id or name.

        Raises:
            UnknownReference: nothing is called so.
        """
        base, mark, part = name.partition("?")
        node = self.find(base)
        owner = owner_of(node)
        if scheme_of(node) == "bpmn":
            raise UnknownReference("entity set or operation", name)
        return describe(self.view(owner), node + mark + part, detail, sources=self.order.spec_sources())

    # --- search

    def search(
        self, query: str, k: int = 10, *, recipe: str = "", scope: Scope = Scope(), run_id: str = ""
    ) -> SearchAnswer:
        """Ranks entity sets and operations for a request; `recipe` names how, by default the process-aware way."""
        answer = self.rooms.search(query, k, recipe=recipe, scope=scope)
        if run_id:
            self.record("search", {"query": query, "hits": [hit.node for hit in answer.hits]}, run_id=run_id)
        return answer

    def build_index(self, progress: Progress = hear_nothing) -> None:
        """Builds the search index of the graph as it is."""
        self.rooms.build(progress)

    def search_index(self) -> tuple[SearchIndex, Embedder]:
        """Gives the search index and its embedder, for experiments; the index is built where it is not fresh."""
        return self.rooms.opened(), self.rooms.embedding()

    # --- requests

    def validate_line(self, line: str, *, service: str = "", body: str | None = None) -> Verdict:
        """Checks a request as a person writes it: `GET SERVICE/Set('1')?$top=3`.

        Raises:
            UnknownReference: the service is not named or not known.
        """
        name, text = self._split(line, service, body)
        return self.grounding(name).validate_text(text)

    def call_line(
        self, line: str, *, service: str = "", body: str | None = None, case: str = "", confirmed: bool = False
    ) -> CallAnswer:
        """Checks a request and makes it on the service's mock."""
        name, text = self._split(line, service, body)
        verdict = self.grounding(name).validate_text(text)
        return self._make(verdict, case=case, gates=(Confirmation(given=confirmed),), run_id=self.new_run())

    def call(self, call: Call, *, case: str = "", run_id: str = "", reads_only: bool = False) -> CallAnswer:
        """Checks a call and makes it; one that writes needs a plan and is not made where `reads_only` is set.

        Raises:
            NotPermitted: the call writes.
        """
        if reads_only and call.method.upper() != "GET":
            raise NotPermitted(
                (f"{call.method} is no read; use write: check it, make a plan of it, confirm the plan.",)
            )
        verdict = self.checker.check(call, ())
        return self._make(verdict, case=case, gates=(), run_id=run_id or self.new_run())

    def _split(self, line: str, service: str, body: str | None) -> tuple[str, str]:
        method, _, path = line.strip().partition(" ")
        names = sorted(self.snapshot.service_names())
        name, rest = (service, path) if service else split_service(path, names)
        if name not in names:
            near = [match[0] for match in closest.extract(name or path.split("/")[0], names, limit=3, score_cutoff=60)]
            raise unknown_service(name, names, near)
        return name, f"{method} {rest}" + (f"\n\n{body}" if body is not None else "")

    def _make(self, verdict: Verdict, *, case: str, gates: Sequence[Gate], run_id: str) -> CallAnswer:
        checked = verdict.checked
        self.record("verdict", {"allowed": verdict.allowed, "codes": [p.code for p in verdict.problems]}, run_id=run_id)
        if checked is None:
            return CallAnswer(verdict=verdict)
        decision = combined((*self.gates(), *gates), checked, principal=self.principal, case=case)
        self.record("decision", {"effect": decision.effect.name, "source": decision.source}, run_id=run_id, case=case)
        if decision.effect > Effect.ADVISE:
            return CallAnswer(verdict=verdict, reasons=say_reasons(decision))
        response = self.mocks.send(checked.request)
        view = self.view(checked.request.service)
        if response.status >= 400:
            reasons = (*say_reasons(decision), read_error(response))
            return CallAnswer(verdict=verdict, sent=True, status=response.status, reasons=reasons)
        receipt = Receipt(
            run_id=run_id,
            position=1,
            request=checked.request,
            status=response.status,
            result=read_result(view, checked, response),
            at=stamp(self.clock()),
        )
        for witness in self.witnesses:
            witness.saw(checked, receipt, principal=self.principal, case=case)
        reasons = say_reasons(decision)
        return CallAnswer(verdict=verdict, sent=True, status=receipt.status, result=receipt.result, reasons=reasons)

    # --- plans

    @cached_property
    def checker(self) -> PlanChecker:
        """The validator for calls of plans."""
        return PlanChecker(self.grounding)

    def gates(self) -> tuple[Gate, ...]:
        """Gives what decides about a checked call: process order, and which writes are enabled."""
        return (self.order.gate, WritePermissions(self.book.permissions()))

    def check(self, calls: Sequence[Call], *, run_id: str = "") -> tuple[Verdict, ...]:
        """Validates calls that may refer to each other, in order."""
        dry_run = self.prepare(calls, run_id=run_id)
        return tuple(step.verdict for step in dry_run.steps)

    def prepare(self, calls: Sequence[Call], *, case: str = "", process: str = "", run_id: str = "") -> DryRun:
        """Makes the dry run of a plan and keeps the plan, so that its hash can be confirmed."""
        services = sorted({call.service for call in calls})
        lock = [(service, self.view(service).version) for service in services]
        plan = make_plan(calls, principal=self.principal, schema_lock=lock, case=case, process=process)
        dry_run = self._runner().rehearse(plan)
        body: JsonObject = {"hash": plan.hash, "executable": dry_run.executable, "steps": len(calls)}
        self.record("plan", body, run_id=run_id, case=case, plan_hash=plan.hash)
        return dry_run

    def confirm(self, plan_hash: str, *, run_id: str = "") -> Run:
        """Carries out the plan of this hash, which confirms it; a hash is good for one run.

        Raises:
            NotPermitted: there is no such plan of this principal, it was confirmed before, or the services changed.
        """
        plan = self._plans.plan(plan_hash)
        if plan is None:
            raise NotPermitted((f"There is no plan {plan_hash!r} of {self.principal!r}; make its dry run first.",))
        run = self._runner().execute(plan, plan_hash, principal=self.principal)
        body: JsonObject = {"run": run.run_id, "state": run.state, "failure": run.failure}
        self.record("run", body, run_id=run_id or run.run_id, case=plan.case, plan_hash=plan_hash)
        return run

    def resume(self, run_id: str) -> Run:
        """Goes on with a run after its last receipt.

        Raises:
            NotPermitted: there is no such run of this principal, or the services changed.
        """
        return self._runner().resume(run_id, principal=self.principal)

    def settle(self, run_id: str, position: int, *, result: JsonObject | None) -> Run:
        """Records what was found out about a write whose answer is not known; then the run can be resumed.

        `result` is what the service holds where the write arrived; `None` says that it did not, and it is sent again.

        Raises:
            NotPermitted: there is no such run of this principal, or that step of it is not uncertain.
        """
        run = self._runner().settle(run_id, position, principal=self.principal, result=result)
        body: JsonObject = {"run": run_id, "position": position, "arrived": result is not None}
        self.record("run", body, run_id=run_id, case=run.plan.case, plan_hash=run.plan.hash)
        return run

    @cached_property
    def _plans(self) -> RunStore:
        return RunStore(self.database, tenant=self.tenant)

    def _runner(self) -> Runner:
        return Runner(
            Surroundings(
                store=self._plans,
                checker=self.checker,
                gates=self.gates(),
                transport=self.mocks,
                views=self.view,
                clock=self.clock,
                new_id=self.new_run,
                witnesses=self.witnesses,
            )
        )

    # --- cases and order

    def open_case(self, process: str, *, mode: OrderMode | str = "") -> Case:
        """Opens a case of a process; its handle is worth something to this principal alone.

        Raises:
            UnknownReference: there is no such process.
        """
        return self.order.open(process, mode or self.book.order())

    def case(self, handle: str) -> Case:
        """Gives a case by its handle."""
        return self.order.show(handle)

    def cases(self) -> tuple[Case, ...]:
        """Gives this principal's cases."""
        return self.order.cases()

    def close_case(self, handle: str) -> Case:
        """Closes a case."""
        return self.order.close(handle)

    def next_steps(self, *, process: str = "", case: str = "") -> tuple[NextStep, ...]:
        """Gives what may come next in a case, or in a process from its beginning."""
        return self.order.next_of_case(case) if case else self.order.next_of_process(process, ())

    def next_steps_of(self, process_or_case: str, *, done: Words = ()) -> tuple[NextStep, ...]:
        """Gives what may come next in a process after `done` (ids or names), or in a case by its handle."""
        if process_or_case in self.snapshot.process_names() or scheme_of(process_or_case) == "bpmn":
            return self.order.next_of_process(process_or_case, done)
        if not any(case.handle == process_or_case for case in self.cases()):
            names = list(self.snapshot.process_names())
            near = closest.extract(process_or_case, names, limit=3, score_cutoff=60)
            raise UnknownReference("process or case", process_or_case, tuple(Suggestion(value=hit[0]) for hit in near))
        return self.order.next_of_case(process_or_case)

    # --- the journal

    def new_run(self) -> str:
        """Gives the id of a new run."""
        return secrets.token_hex(8)

    def record(
        self, kind: EventKind, body: JsonObject, *, run_id: str = "", case: str = "", plan_hash: str = ""
    ) -> None:
        """Writes an event to the journal."""
        event = JournalEvent(
            kind=kind, run_id=run_id, principal=self.principal, tenant=self.tenant, case_id=case, plan_hash=plan_hash,
            body=body,
        )  # fmt: skip
        self.journal.append(event)

    def record_question(self, question: str, fields: Iterable[Question], *, run_id: str) -> None:
        """Records that a person was asked."""
        self.record("ask", {"question": question, "fields": [field.slot for field in fields]}, run_id=run_id)

    def traces(self, limit: int = 20) -> tuple[Trace, ...]:
        """Gives the runs that the journal knows, the newest first."""
        with self.database.read() as transaction:
            rows = transaction.all("list_traces", {"limit": limit, "tenant": self.tenant})
        traces: list[Trace] = []
        for run_id, principal, events, first, last in rows:
            kinds = dict.fromkeys(event.kind for event in self.journal.events(run_id=str(run_id)))
            traces.append(
                Trace(
                    run_id=str(run_id), principal=str(principal), events=int(events or 0), first=str(first),
                    last=str(last), kinds=tuple(kinds),
                )
            )  # fmt: skip
        return tuple(traces)

    def trace(self, run_id: str) -> tuple[JournalEvent, ...]:
        """Gives the events of a run, in order.

        Raises:
            UnknownReference: the journal knows no such run.
        """
        events = tuple(self.journal.events(run_id=run_id))
        if not events:
            raise UnknownReference("run", run_id)
        return events

    def export(self, form: str, *, only: str = "") -> Iterator[str]:
        """Gives the graph, or one service or process, line by line as `jsonl`, `graphml` or `mermaid`."""
        return export_graph(self.snapshot, form, only=only)
