"""A second, independent reading of the token semantics: every node fires by itself, nothing is passed or merged.

It is slow and plain on purpose. State: how many tokens each flow has, how often each activity runs; a subprocess that
runs has its tokens beside those of the process, so that it must not be entered twice at a time (such models are left
out). Events on a boundary that do not interrupt occur at most `repeats` times in one run.
"""

from collections import Counter, deque
from collections.abc import Iterator

from clew.domain.processes import Activity, Event, Gateway
from clew.graph.process_view import ProcessView

State = tuple[tuple[tuple[str, str], int], ...]


class TooLargeError(Exception):
    """The model has more states than the test wants to look at."""


class TokenGame:
    def __init__(self, view: ProcessView, *, most: int = 3_000, repeats: int = 2) -> None:
        self.view = view
        self.most = most
        self.repeats = repeats
        self.flows = {edge.key: edge for edges in view.outgoing.values() for edge in edges}
        self.out = {name: [edge.key for edge in view.outgoing.get(name, [])] for name in view.elements}
        self.into = {name: [edge.key for edge in view.incoming.get(name, [])] for name in view.elements}
        self.inner = {name: [child.id for child in view.children(name)] for name in view.elements}
        self.tasks = [one.id for one in view.activities if not self.inner[one.id]]

    # States

    def freeze(self, state: Counter[tuple[str, str]]) -> State:
        return tuple(sorted((key, count) for key, count in state.items() if count))

    def begin(self) -> list[State]:
        return [self.freeze(Counter({("begin", ""): 1}))]

    def starts(self, parent: str) -> list[str]:
        heads = [one for one in self.view.children(parent) if not self.into[one.id] and not is_boundary(one)]
        events = [one.id for one in heads if isinstance(one, Event) and one.position == "start"]
        return events or [one.id for one in heads]

    def steps(self, frozen: State) -> Iterator[tuple[str, str, State]]:
        """Gives (what, node, next state): what is `start`, `complete` or `other`."""
        state = Counter(dict(frozen))
        if state["begin", ""]:
            roots = self.starts("")
            alternatives = [[one] for one in roots] if self.is_event(roots) else [roots]
            for chosen in alternatives:
                yield "other", "", self.freeze(Counter({("go", one): 1 for one in chosen}))
            return
        for (kind, name), count in frozen:
            if not count:
                continue
            if kind == "go":
                yield from self.fire(state, self.view.elements[name].id, ("go", name))
            elif kind == "flow":
                yield from self.fire(state, self.flows[name].target, ("flow", name))
            elif kind == "run":
                yield from self.finish(state, name)

    def is_event(self, names: list[str]) -> bool:
        return all(isinstance(self.view.elements[name], Event) for name in names)

    def fire(self, state: Counter, name: str, token: tuple[str, str]) -> Iterator[tuple[str, str, State]]:
        node = self.view.elements[name]
        if isinstance(node, Gateway):
            yield from self.fire_gateway(state, node, token)
            return
        after = state.copy()
        after[token] -= 1
        if isinstance(node, Activity):
            if self.inner[name] and after["run", name]:
                raise TooLargeError
            after["run", name] += 1
            if self.inner[name]:
                for one in self.starts(name):
                    after["go", one] += 1
            yield "start", name, self.freeze(after)
        elif node.position == "end" and "terminate" in node.definitions:
            self.clear(after, node.parent)
            yield "other", name, self.freeze(after)
        else:
            yield "other", name, self.freeze(self.give(after, self.out[name]))

    def fire_gateway(self, state: Counter, node: Gateway, token: tuple[str, str]) -> Iterator[tuple[str, str, State]]:
        name = node.id
        taken = [token]
        if node.type == "parallelGateway":
            taken = [("flow", flow) for flow in self.into[name]] or [token]
            if any(not state[one] for one in taken):
                return
        elif node.type in ("inclusiveGateway", "complexGateway") and len(self.into[name]) > 1:
            if self.must_wait(state, name):
                return
            taken = [("flow", flow) for flow in self.into[name] if state["flow", flow]]
        after = state.copy()
        for one in taken:
            after[one] -= 1
        for flows in self.ways(node):
            yield "other", name, self.freeze(self.give(after.copy(), flows))

    def ways(self, node: Gateway) -> list[list[str]]:
        flows = self.out[node.id]
        if node.type == "parallelGateway" or len(flows) < 2:
            return [flows]
        if node.type in ("exclusiveGateway", "eventBasedGateway"):
            return [[flow] for flow in flows]
        others = [flow for flow in flows if not self.flows[flow].default]
        subsets = [
            [flow for bit, flow in enumerate(others) if number >> bit & 1] for number in range(1, 1 << len(others))
        ]
        return subsets + [[flow] for flow in flows if flow not in others]

    def must_wait(self, state: Counter, join: str) -> bool:
        """BPMN 2.0.2, clause 13.4.3, word by word over the graph."""
        for (kind, name), count in state.items():
            if not count or kind not in ("flow", "run", "go"):
                continue
            if kind == "flow":
                begun = {name}
            elif kind == "run":
                begun = set(self.leaving(name))
            else:
                begun = set(self.out[name])
            reached = self.reach(begun, join) & set(self.into[join])
            if any(not state["flow", one] for one in reached) and not any(state["flow", one] for one in reached):
                return True
        return False

    def leaving(self, name: str) -> list[str]:
        return self.out[name] + [flow for event in self.view.boundary_events(name) for flow in self.out[event.id]]

    def reach(self, begun: set[str], join: str) -> set[str]:
        found = set(begun)
        waiting = deque(begun)
        while waiting:
            target = self.flows[waiting.popleft()].target
            if target == join:
                continue
            for flow in self.leaving(target):
                if flow not in found:
                    found.add(flow)
                    waiting.append(flow)
        return found

    def finish(self, state: Counter, name: str) -> Iterator[tuple[str, str, State]]:
        if not self.is_busy(state, name):
            after = state.copy()
            after["run", name] -= 1
            yield "complete", name, self.freeze(self.give(after, self.out[name]))
        for event in self.view.boundary_events(name):
            after = state.copy()
            if event.interrupting:
                after["run", name] -= 1
                self.clear(after, name)
            elif after["again", event.id] >= self.repeats:
                continue
            else:
                after["again", event.id] += 1
            yield "other", event.id, self.freeze(self.give(after, self.out[event.id]))

    def is_busy(self, state: Counter, name: str) -> bool:
        return any(count and key[0] != "again" and self.is_inside(key, name) for key, count in state.items())

    def is_inside(self, key: tuple[str, str], name: str) -> bool:
        kind, thing = key
        node = self.view.elements[self.flows[thing].target if kind == "flow" else thing] if thing else None
        while node is not None and node.parent:
            if node.parent == name:
                return True
            node = self.view.elements[node.parent]
        return name == "" and kind in ("flow", "go", "run")

    def clear(self, state: Counter, name: str) -> None:
        for key in list(state):
            if self.is_inside(key, name):
                del state[key]

    def give(self, state: Counter, flows: list[str]) -> Counter:
        for flow in flows:
            state["flow", flow] += 1
            if state["flow", flow] > 2:
                raise TooLargeError
        return state

    # Answers

    def reachable(self, without: str = "") -> set[str]:
        """Gives the activities that some run starts without having completed `without`."""
        started: set[str] = set()
        seen = set(self.begin())
        waiting = deque(seen)
        while waiting:
            for what, name, after in self.steps(waiting.popleft()):
                if what == "complete" and name == without:
                    continue
                if what == "start":
                    started.add(name)
                if after not in seen:
                    seen.add(after)
                    if len(seen) > self.most:
                        raise TooLargeError
                    waiting.append(after)
        return started

    def preconditions(self) -> dict[str, set[str]]:
        """Gives for each activity that can start those that every run has completed before."""
        names = [one.id for one in self.view.activities]
        started = self.reachable()
        without = {name: self.reachable(name) for name in names}
        return {one: {other for other in names if other != one and one not in without[other]} for one in started}

    def closed(self, states: set[State]) -> set[State]:
        """Adds all that can happen without the completion of a task."""
        seen = set(states)
        waiting = deque(states)
        while waiting:
            for what, name, after in self.steps(waiting.popleft()):
                if not (what == "complete" and name in self.tasks) and after not in seen:
                    seen.add(after)
                    if len(seen) > self.most:
                        raise TooLargeError
                    waiting.append(after)
        return seen

    def open_tasks(self, states: set[State]) -> dict[str, set[State]]:
        """Gives the tasks that can be completed next, with the states after it."""
        found: dict[str, set[State]] = {}
        for state in states:
            for what, name, after in self.steps(state):
                if what == "complete" and name in self.tasks:
                    found.setdefault(name, set()).add(after)
        return found


def is_boundary(node: object) -> bool:
    return isinstance(node, Event) and node.position == "boundary"
