"""Random runs of an independent token game over real models: no step of theirs is held back, no left-out step passes.

Bindings are made up: of each model a random part of the activities is observed, the others happen unseen.
"""

import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.unit.flow.token_game import TokenGame, TooLargeError

from clew.domain.facts import Refused
from clew.domain.processes import Activity, Event, Gateway, Process
from clew.flow import ProcessFlow
from clew.graph.process_view import ProcessView
from clew.sources.bpmn import read_bpmn

pytestmark = pytest.mark.corpus

WALKS = 8
LONGEST = 25
OUTSIDE = {"link", "compensate", "cancel", "escalation", "error"}


def views(folder: Path) -> Iterator[tuple[str, ProcessView]]:
    for path in sorted([*(folder / "corpus" / "bpmn").rglob("*.*"), *(folder / "bench-real").rglob("*.bpmn")]):
        facts = read_bpmn(path.read_bytes(), document=path.name, naming=lambda name: name)
        if isinstance(facts, Refused):
            continue
        for process in facts.nodes:
            if isinstance(process, Process) and not process.black_box and not process.defects:
                nodes = [node for node in facts.nodes if getattr(node, "process", "") == process.process]
                ids = {node.id for node in nodes}
                yield path.name, ProcessView(process, nodes, [edge for edge in facts.edges if edge.source in ids])


def is_plain(view: ProcessView) -> bool:
    """Whether the token game knows all that the model uses."""
    return view.activities != [] and all(knows(view, node) for node in view.elements.values())


def knows(view: ProcessView, node: Activity | Event | Gateway) -> bool:
    outgoing = view.outgoing.get(node.id, [])
    if isinstance(node, Activity):
        odd = node.loop or node.triggered_by_event or node.for_compensation or node.instantiate
        return (
            not odd
            and node.type != "adHocSubProcess"
            and not (len(outgoing) > 1 and any(e.conditional for e in outgoing))
        )
    if isinstance(node, Event):
        thrown = node.position in ("end", "intermediate_throw") and OUTSIDE.intersection(node.definitions)
        odd = {"link", "compensate", "cancel"}.intersection(node.definitions)
        return not thrown and not odd and not (node.position == "boundary" and not node.attached_to)
    return not node.instantiate and not node.all_events


def walk(game: TokenGame, chance: random.Random) -> list[str]:
    """Gives the tasks that one random run completes, in order."""
    done: list[str] = []
    state = game.begin()[0]
    for _ in range(30 * LONGEST):
        try:
            steps = list(game.steps(state))
        except TooLargeError:
            break
        if not steps or len(done) >= LONGEST:
            break
        what, name, state = chance.choice(steps)
        if what == "complete" and name in game.tasks:
            done.append(name)
    return done


def test_runs_are_never_held_back_and_left_out_steps_always_are(test_data: Path) -> None:
    chance = random.Random(7)  # noqa: S311 - no secret
    counts: Counter[str] = Counter()
    for name, view in views(test_data):
        if not is_plain(view):
            counts["other constructs"] += 1
            continue
        counts["models"] += 1
        flow, game = ProcessFlow(view), TokenGame(view)
        for _ in range(WALKS):
            visible = frozenset(task for task in game.tasks if chance.random() < 0.7)
            run = [step for step in walk(game, chance) if step in visible]
            counts["walks"] += 1
            for position, step in enumerate(run):
                answer = flow.enabled(run[:position], visible=visible)
                assert answer.fits, (name, run)
                assert step in answer.activities, (name, run[:position], step)
                counts["steps"] += 1
                for left_out in flow.preconditions(step) & visible:
                    short = [one for one in run[:position] if one != left_out]
                    gap = flow.enabled(short, visible=visible)
                    assert not gap.fits or step not in gap.activities, (name, short, step)
                    assert flow.arrange((), short, visible=visible, wanted=[step]) is not None
                    counts["left out"] += 1
    assert counts["models"] > 250
    assert counts["walks"] > 2_000
    assert counts["left out"] > 2_000
