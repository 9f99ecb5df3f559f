"""What the corpus tests of the planner share: the landscape, a simple retriever, a simulated user, the scoring."""

import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import msgspec
import yaml

from clew.agent.planner.catalogue import Catalogue
from clew.agent.planner.planner import Planner
from clew.agent.planner.vocabulary import read_vocabulary
from clew.domain.facts import Edge, Refused, SourceFacts
from clew.domain.hits import Hit, Scope, Why
from clew.domain.plans import Question
from clew.domain.processes import Process
from clew.domain.proposals import Proposal
from clew.domain.records import JsonValue
from clew.domain.requests import Call
from clew.domain.services import Service
from clew.graph.process_view import ProcessView
from clew.graph.service_view import ServiceView
from clew.protocol.json import parse_json
from clew.sources.bindings import read_bindings
from clew.sources.bpmn import read_bpmn
from clew.sources.odata import read_csdl
from clew.sources.resolution import resolve_bindings

ROUNDS = 3
Payload = Mapping[str, Any]


@dataclass
class Bench:
    """The benchmark landscape as the planner sees it."""

    views: dict[str, ServiceView]
    processes: dict[str, ProcessView]

    def service_names(self) -> list[str]:
        return list(self.views)

    def process_names(self) -> list[str]:
        return list(self.processes)

    def service(self, name: str) -> ServiceView:
        return self.views[name]

    def process(self, name: str) -> ProcessView:
        return self.processes[name]

    def catalogue(self) -> Catalogue:
        return Catalogue(
            read_vocabulary(),
            {name: lambda view=view: view for name, view in self.views.items()},
            {name: lambda view=view: view for name, view in self.processes.items()},
        )

    def planner(self, *, ranked: bool = True) -> Planner:
        catalogue = self.catalogue()
        retriever = WordRanking(catalogue) if ranked else None
        return Planner(catalogue, retriever=retriever, clock=lambda: datetime(2025, 6, 4, tzinfo=UTC))


class WordRanking:
    """The plainest retriever: sets and activities by how many words of the query their names and labels hold."""

    name = "words"

    def __init__(self, catalogue: Catalogue) -> None:
        self.vocabulary = catalogue.vocabulary
        self.words: dict[str, Counter[str]] = {}
        self.process: dict[str, str] = {}
        for service in catalogue.services:
            for card in catalogue.sets(service).values():
                self.words[card.id] = Counter((*card.wording.name, *card.wording.label))
        for process in catalogue.processes:
            for step in catalogue.bound(process):
                self.words[step.activity] = Counter(step.terms)
                self.process[step.activity] = f"bpmn:{process}"

    def search(self, query: str, k: int, *, scope: Scope = Scope()) -> list[Hit]:
        del scope
        said = set(self.vocabulary.terms(query))
        scores = {node: sum(term in said for term in words) / (1 + len(words)) for node, words in self.words.items()}
        best = sorted((node for node, score in scores.items() if score), key=lambda node: (-scores[node], node))[:k]
        return [
            Hit(
                node=node,
                score=scores[node],
                rank=rank,
                why=(Why(channel="lexical"),),
                process=self.process.get(node, ""),
            )
            for rank, node in enumerate(best, 1)
        ]


def read_bench(test_data: Path) -> Bench:
    """Reads the services, processes and bindings of the benchmark landscape."""
    landscape = yaml.safe_load((test_data / "bench-real" / "landscape.yaml").read_text(encoding="utf-8"))
    views = {entry["id"]: _view(test_data / "corpus" / entry["file"], entry) for entry in landscape["services"]}
    facts: dict[str, SourceFacts] = {}
    for entry in landscape["processes"]:
        content = (test_data / "bench-real" / entry["file"]).read_bytes()
        read = read_bpmn(content, document=entry["file"], naming=lambda name: name)
        assert not isinstance(read, Refused)
        facts[entry["id"]] = read
    plain = Bench(views, {name: _process(name, found, ()) for name, found in facts.items()})
    rows = read_bindings((test_data / "bench-real" / "bindings.yaml").read_bytes(), document="bindings.yaml")
    assert not isinstance(rows, Refused)
    edges, issues = resolve_bindings(rows, plain)
    assert not issues
    return Bench(views, {name: _process(name, found, edges) for name, found in facts.items()})


def _view(path: Path, entry: dict[str, Any]) -> ServiceView:
    facts = read_csdl(path.read_bytes(), document=path.name, naming=lambda _: entry["id"])
    assert not isinstance(facts, Refused)
    told = {"system": entry["system"], "about": entry["about"]}
    nodes = [msgspec.structs.replace(node, **told) if isinstance(node, Service) else node for node in facts.nodes]
    return ServiceView.of(nodes)


def _process(name: str, facts: SourceFacts, edges: Sequence[Edge]) -> ProcessView:
    process = next(node for node in facts.nodes if isinstance(node, Process) and node.process == name)
    own = [edge for edge in edges if edge.source.startswith(f"bpmn:{name}/")]
    return ProcessView(process, facts.nodes, [*facts.edges, *own])


def read_tasks(test_data: Path) -> list[dict[str, Any]]:
    lines = (test_data / "bench-real" / "agent_tasks.jsonl").read_text(encoding="utf-8").splitlines()
    return [parse_json(line) for line in lines if line.strip()]  # type: ignore[misc]


# --- the simulated user: answers from what is expected, and says nothing else


def plan_with_user(planner: Planner, task: dict[str, Any]) -> tuple[Proposal, list[Question]]:
    """Plans a task's request, answering what the expected calls answer; gives all questions that were asked."""
    answers: dict[str, str] = {}
    asked: dict[str, Question] = {}
    proposal = planner.plan(task["request"])
    for _ in range(ROUNDS):
        asked |= {question.slot: question for question in proposal.questions}
        found = {q.slot: a for q in proposal.questions if (a := _answer(q, proposal, task)) is not None}
        if found.items() <= answers.items():
            break
        answers |= found
        proposal = planner.plan(task["request"], answers)
    return proposal, list(asked.values())


def _answer(question: Question, proposal: Proposal, task: dict[str, Any]) -> str | None:
    for option in question.allowed:
        name = option.rpartition("/")[2]
        said = re.search(r"'([^']*)'|\"'?([^'\"]*)'?\"", question.question)
        value = (said[1] or said[2]) if said else ""
        for call in task["expected_calls"]:
            if question.type == "JSON pointer" and str(dict(_leaves(call["payload_must_contain"])).get(name)) == value:
                return option
            if question.type == "node id" and (call.get("entity_set") or call.get("operation")) in re.split(
                r"[#/(]", option
            ):
                return option
    name = question.slot.rpartition("/")[2]
    for call in task["expected_calls"]:
        expected = {**dict(_leaves(call["payload_must_contain"])), **call.get("key", {})}
        if question.type.startswith("Edm.") and name in expected and _is_of(question, proposal, call):
            return str(expected[name])
    return None


def _is_of(question: Question, proposal: Proposal, call: dict[str, Any]) -> bool:
    step = question.slot.partition(":")[0]
    planned = proposal.calls[int(step) - 1] if step.isdigit() and int(step) <= len(proposal.calls) else None
    return planned is not None and _names(planned) == (call["service"], call.get("entity_set") or call.get("operation"))


def _leaves(payload: Payload) -> Iterator[tuple[str, Any]]:
    for name, value in payload.items():
        if isinstance(value, list):
            for entry in value:
                yield from _leaves(entry)
        else:
            yield name, value


# --- scoring


@dataclass
class Score:
    """What a plan is worth: expected calls that were planned, and planned calls that nobody expects."""

    expected: int = 0
    right: int = 0
    wrong: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    extra: list[str] = field(default_factory=list)

    @property
    def is_right(self) -> bool:
        return self.right == self.expected and not self.wrong


@dataclass
class TaskResult:
    """What became of one task: its score, and what was asked."""

    task: str
    score: Score
    asked: list[Question]
    unused: list[str]

    def lines(self) -> Iterator[str]:
        verdict = "right" if self.score.is_right else "wrong" if self.score.wrong else "partial"
        calls = f"{self.score.right}/{self.score.expected}"
        yield (
            f"{self.task:8} {verdict:8} calls {calls:4} asked {len(self.asked)} wrong {len(self.score.wrong)}"
            f" unused {self.unused} more {self.score.extra}"
        )
        yield from (f"    ? {question.slot} {question.question}" for question in self.asked)
        yield from (f"    - {text}" for text in (*self.score.wrong, *self.score.missing))


def result_of(planner: Planner, task: dict[str, Any]) -> TaskResult:
    """Plans a task with the simulated user and scores it."""
    proposal, asked = plan_with_user(planner, task)
    unused = [unused.mention.text for unused in proposal.unused]
    return TaskResult(task=task["id"], score=score(proposal, task), asked=asked, unused=unused)


def score(proposal: Proposal, task: dict[str, Any]) -> Score:
    """Compares planned calls with the expected ones; each planned write must be one of them."""
    gold = task["expected_calls"]
    result = Score(expected=len(gold))
    matched: dict[int, int] = {}
    for at, call in enumerate(proposal.calls, 1):
        fitting = [n for n, wanted in enumerate(gold, 1) if n not in matched and _same_target(call, wanted)]
        agreeing = [n for n in fitting if not _differences(call, gold[n - 1], matched)]
        if agreeing:
            matched[agreeing[0]] = at
            result.right += 1
            result.extra += _extras(call, gold[agreeing[0] - 1])
        elif fitting:
            difference = _differences(call, gold[fitting[0] - 1], matched)
            is_partial = all(part.startswith("lacks") for part in difference)
            (result.missing if is_partial else result.wrong).append(f"step {at}: {'; '.join(difference)}")
        elif call.method != "GET":
            result.wrong.append(f"step {at}: {call.method} {_names(call)} is not expected")
    result.missing += [f"call {n} of {len(gold)}" for n in range(1, len(gold) + 1) if n not in matched]
    return result


def _names(call: Call) -> tuple[str, str]:
    return call.service, call.operation or call.entity_set


def _same_target(call: Call, wanted: dict[str, Any]) -> bool:
    return _names(call) == (wanted["service"], wanted.get("entity_set") or wanted.get("operation"))


def _differences(call: Call, wanted: dict[str, Any], matched: dict[int, int]) -> list[str]:
    found = list(_lacking({**(call.payload or {})}, wanted["payload_must_contain"], ""))
    for name, value in wanted.get("key", {}).items():
        if not _equal(call.key.get(name), value):
            found.append(f"key {name} is {call.key.get(name)!r}, not {value!r}")
    for path, reference in wanted.get("links", {}).items():
        step, _, rest = reference[1:].partition(".")
        wished = f"${matched.get(int(step), step)}.{rest}"
        held = _at({**call.key, **(call.payload or {})}, path)
        if held is None:
            found.append(f"lacks link {path}")
        elif held != wished:
            found.append(f"link {path} is {held!r}, not {wished!r}")
    return found


def _lacking(held: Payload, wanted: Payload, place: str) -> Iterator[str]:
    for name, value in wanted.items():
        here = held.get(name)
        if isinstance(value, list):
            entries = here if isinstance(here, list) else []
            for index, entry in enumerate(value):
                inner = entries[index] if index < len(entries) else {}
                yield from _lacking(inner, entry, f"{place}{name}[{index}].")
        elif here is None:
            yield f"lacks {place}{name}"
        elif not _equal(here, value):
            yield f"{place}{name} is {here!r}, not {value!r}"


def _extras(call: Call, wanted: dict[str, Any]) -> list[str]:
    """Gives what a call holds beyond what it must: links and given values are no extras."""
    named = {name for name, _ in _leaves(wanted["payload_must_contain"])} | {
        re.split(r"[.\]]", path)[-1] for path in wanted.get("links", {})
    }
    return [f"{name}={value}" for name, value in _leaves(call.payload or {}) if name not in named]


def _equal(held: JsonValue, wanted: JsonValue) -> bool:
    if isinstance(wanted, bool) or isinstance(held, bool):
        return held is wanted
    if isinstance(wanted, int | float | Decimal) and isinstance(held, int | Decimal | str):
        try:
            return Decimal(str(held)) == Decimal(str(wanted))
        except ArithmeticError:
            return False
    return held == wanted or (isinstance(held, str) and held.lstrip("0") == str(wanted).lstrip("0") != "")


def _at(payload: Payload, path: str) -> JsonValue:
    value: Any = payload
    for part in re.findall(r"[^.\[\]]+", path):
        try:
            value = value[int(part)] if isinstance(value, list) else value[part]
        except (KeyError, IndexError, TypeError):
            return None
    return value


def main() -> None:
    """Prints the table: `python -m tests.corpus.planner_tasks FOLDER` with the folder of the third-party files."""
    folder = Path(sys.argv[1])
    planner = read_bench(folder).planner()
    for task in read_tasks(folder):
        sys.stdout.writelines(f"{line}\n" for line in result_of(planner, task).lines())


if __name__ == "__main__":
    main()
