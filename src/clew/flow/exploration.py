"""The graph of markings that a process can reach, within bounds, and what must have been completed in each of them."""

from collections import deque

from clew.domain.records import Record
from clew.flow.net import Kind, Net
from clew.flow.paths import Paths
from clew.flow.semantics import SILENT, Marking, Semantics


class FlowLimits(Record, frozen=True, kw_only=True):
    """Bounds of the work on one process: markings explored, tokens of one place, markings held possible at once."""

    markings: int = 10_000
    tokens: int = 3
    possible: int = 4_000


class Exploration:
    """Markings by number, in the order in which they were found, with the steps between them."""

    def __init__(self, net: Net, paths: Paths, limits: FlowLimits) -> None:
        """Explores breadth first until everything is found or the bound is met."""
        tasks = frozenset(node.index for node in net.nodes if node.kind in (Kind.TASK, Kind.SCOPE))
        self.semantics = Semantics(net, paths, visible=tasks, single=True, most_tokens=limits.tokens)
        self.markings: list[Marking] = []
        self.steps: list[list[tuple[int, int]]] = []
        """By marking: (label, next marking)."""
        self.cut_off = False
        """Whether there are more markings than were explored."""
        self._numbers: dict[Marking, int] = {}
        self._limit = limits.markings
        self.initial = [self._number(move.marking) for move in self.semantics.initial()]
        self._explore()

    def _number(self, marking: Marking) -> int:
        found = self._numbers.get(marking)
        if found is None:
            found = self._numbers[marking] = len(self.markings)
            self.markings.append(marking)
            self.steps.append([])
        return found

    def _explore(self) -> None:
        position = 0
        while position < len(self.markings):
            if len(self.markings) > self._limit:
                self.cut_off = True
                return
            steps = dict.fromkeys((move.label, move.marking) for move in self.semantics.moves(self.markings[position]))
            self.steps[position] = [(label, self._number(marking)) for label, marking in steps]
            position += 1

    def completed(self, bits: dict[int, int]) -> list[int]:
        """Gives by marking the activities that every way to it has completed; `bits` gives a bit by node."""
        everything = 0
        for bit in bits.values():
            everything |= bit
        must = [everything] * len(self.markings)
        waiting = deque(dict.fromkeys(self.initial))
        for number in self.initial:
            must[number] = 0
        while waiting:
            here = waiting.popleft()
            for label, there in self.steps[here]:
                known = must[there] & (must[here] | (bits.get(label, 0) if label != SILENT else 0))
                if known != must[there]:
                    must[there] = known
                    waiting.append(there)
        return must

    def doomed(self) -> list[int]:
        """Gives the markings from which the process cannot end."""
        backwards: list[list[int]] = [[] for _ in self.markings]
        for here, steps in enumerate(self.steps):
            for _, there in steps:
                backwards[there].append(here)
        good = {number for number, marking in enumerate(self.markings) if self.semantics.is_over(marking)}
        waiting = list(good)
        while waiting:
            for here in backwards[waiting.pop()]:
                if here not in good:
                    good.add(here)
                    waiting.append(here)
        return [number for number in range(len(self.markings)) if number not in good]
