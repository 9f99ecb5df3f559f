"""The token semantics of BPMN 2.0.2, clause 13, over a net: from a marking to all that may follow.

A marking is what one scope holds: its tokens by place (sorted, with repetition), and the scopes that are open in it by
the node that opened them. Tokens pass start events, throwing events, splits, merges and parallel joins at once; what
waits is activities, inclusive joins, scopes to be entered or to end, and events that need to be told apart. This loses
nothing: a token that moves on early never prevents what would have been possible without it.

Decisions that the standard leaves open, or that are made here:
- A catching event, and an event on the boundary of an activity that has a token, may occur whenever it waits; cancel
  and compensation only when thrown. An error or escalation that is thrown goes to the innermost event that catches it.
- A terminate end event ends its own scope; the scope around it goes on.
- An activity with instances is performed at least once; a loop that tests its condition first may be skipped.
- A complex gateway is treated as an inclusive one.
- An event that does not interrupt may occur any number of times while its activity runs; so may the activities of an
  ad hoc subprocess to which no flow leads, and the instances of an activity that has several.
"""

from collections.abc import Iterator, Mapping

from clew.domain.processes import Event
from clew.flow.marking import EMPTY, SILENT, Children, Marking, Move, Thrown, with_child
from clew.flow.net import Kind, Net, NetNode
from clew.flow.paths import Paths
from clew.flow.repetition import Repetition
from clew.flow.settling import Settling, Tokens, endless, without


class Semantics:
    """What may happen in a net.

    `visible` names the nodes whose occurrence is a step of its own even where a token could simply pass; every other
    activity without boundary events is passed. With `single` set, each repeatable thing (an instance of several, an
    event that does not interrupt) runs once at a time, which is enough to know what can be reached and makes the
    markings finite.
    """

    def __init__(
        self,
        net: Net,
        paths: Paths,
        *,
        visible: frozenset[int],
        single: bool,
        truths: Mapping[int, bool] | None = None,
        most_tokens: int = 3,
    ) -> None:
        """Prepares the semantics; `most_tokens` bounds the tokens of one place."""
        self.net = net
        self._paths = paths
        self._visible = visible
        self._single = single
        self._settling = Settling(net, visible, truths or {}, most_tokens)
        self._interrupting = {start[0] for scope in net.scopes for start in scope.event_starts if start[2]}
        self._beside = {start[0] for scope in net.scopes for start in scope.event_starts} - self._interrupting
        self._repetition = Repetition(net, paths, self, visible=visible, single=single)
        self._moves: dict[tuple[int, Marking], tuple[Move, ...]] = {}

    @property
    def overflow(self) -> set[int]:
        """The places that would have held more tokens than they may; markings with so many are not explored."""
        return self._settling.overflow

    def initial(self, scope: int = 0) -> list[Move]:
        """Gives the markings in which a scope may begin, as silent moves."""
        found: dict[Marking, Move] = {}
        for start in self.net.scopes[scope].starts:
            for tokens, assumed in self._settling.settle(tuple(sorted(start))):
                found.setdefault((tokens, ()), Move(SILENT, (tokens, ()), assumed))
        return list(found.values())

    def moves(self, marking: Marking) -> Iterator[Move]:
        """Gives what may follow a marking of the whole process."""
        for move in self.moves_in(0, marking):
            if move.thrown is None:
                yield move
            elif move.thrown.kind == "escalation":
                yield move._replace(thrown=None)
            else:
                yield Move(move.label, EMPTY, move.assumed)

    def is_over(self, marking: Marking) -> bool:
        """Whether a scope has come to its end: nothing is left in it, or what interrupted it has ended."""
        tokens, children = marking
        ended = all(index in self._interrupting and self.is_over(inner) for index, inner in children)
        return ended and all(place < 0 for place in tokens)

    def startable(self, marking: Marking, scope: int = 0) -> set[int]:
        """Gives the activities that may start."""
        tokens, children = marking
        found = set(self.net.scopes[scope].ad_hoc)
        for place in tokens:
            node = self._settling.target(place)
            if node.kind in (Kind.TASK, Kind.SCOPE):
                found.add(node.index)
            found.update(node.handlers)
        for index, inner in children:
            node = self.net.nodes[index]
            instances = [entry for _, entry in inner[1]] if node.instances_overlap else [inner]
            for instance in instances:
                found |= self.startable(instance, node.inner)
        return found

    def moves_in(self, scope: int, marking: Marking) -> tuple[Move, ...]:
        """Gives what may follow a marking of one scope; what it throws is still on its way outwards."""
        key = (scope, marking)
        found = self._moves.get(key)
        if found is None:
            found = self._moves[key] = tuple(
                dict.fromkeys(
                    (
                        *self._token_moves(scope, marking),
                        *self._child_moves(scope, marking),
                        *self._event_moves(scope, marking),
                        *self._ad_hoc_moves(scope, marking),
                    )
                )
            )
        return found

    def _put(self, label: int, tokens: Tokens, node: NetNode, children: Children) -> Iterator[Move]:
        """Gives the moves that put a token on the outgoing flows of a node."""
        for settled in self._settling.put(tokens, node):
            yield Move(label, (settled.places, children), settled.assumed)

    def _token_moves(self, scope: int, marking: Marking) -> Iterator[Move]:
        tokens, children = marking
        for place in dict.fromkeys(tokens):
            node = self._settling.target(place)
            rest = without(tokens, (place,)) if place >= 0 else tokens
            if place < 0 and node.kind in (Kind.SCOPE, Kind.PARALLEL):
                yield from self._open_again(node, marking) if node.kind is Kind.SCOPE else self._fed_join(node, marking)
            elif node.kind is Kind.TASK:
                yield from self._task_moves(node, marking, rest)
            elif node.kind is Kind.SCOPE:
                yield from self._enter(node, rest, children)
            elif node.kind is Kind.INCLUSIVE:
                yield from self._join_moves(node, marking)
            elif node.kind is Kind.TERMINATE:
                yield Move(SILENT, EMPTY)
            elif node.kind in (Kind.ERROR, Kind.ESCALATION, Kind.CANCEL):
                yield from self._throw(scope, node, marking, rest)
            elif node.kind is Kind.COMPENSATION:
                yield from self._handler_moves(node, marking)
                yield from self._put(SILENT, rest, node, children)
            elif node.index in self._visible:
                yield from self._put(node.index, rest, node, children)

    def _task_moves(self, node: NetNode, marking: Marking, rest: Tokens) -> Iterator[Move]:
        tokens, children = marking
        yield from self._put(node.index, rest, node, children)
        if node.loops:
            yield Move(node.index, marking)
        if node.may_be_skipped:
            yield from self._put(SILENT, rest, node, children)
        yield from self._boundary_moves(node, rest, children, (tokens, children))

    def _boundary_moves(self, node: NetNode, rest: Tokens, others: Children, whole: Marking) -> Iterator[Move]:
        """Gives the events on an activity's boundary; `rest` and `others` are the marking without the activity."""
        for index in node.boundaries:
            event = self.net.nodes[index]
            element = event.element
            assert isinstance(element, Event)  # noqa: S101 - only events are attached
            if "compensate" in element.definitions or "cancel" in element.definitions:
                continue
            if element.interrupting:
                yield from self._put(index, rest, event, others)
            else:
                yield from self._repeated(event, whole)

    def _repeated(self, node: NetNode, marking: Marking) -> Iterator[Move]:
        """Gives what a node that nothing hinders does: once at a time, as it is observed, or any number of times."""
        tokens, children = marking
        if self._single:
            again = self._put(node.index, tokens, node, children)
            yield from (move for move in again if self._repetition.is_due(node, marking, move))
        elif node.index in self._visible:
            yield from self._put(node.index, tokens, node, children)
        elif (flooded := self._settling.flood(tokens, node)) != tokens:
            yield Move(node.index, (flooded, children))

    # What may happen again and again

    def _open_again(self, node: NetNode, marking: Marking) -> Iterator[Move]:
        """Opens a scope that nothing but itself hinders."""
        tokens, children = marking
        if not self._repetition.is_hindered(node, children):
            for begun in self._opened(node):
                yield Move(SILENT, (tokens, with_child(children, node.index, begun.marking)), begun.assumed)

    # Activities and joins

    def _enter(self, node: NetNode, rest: Tokens, children: Children) -> Iterator[Move]:
        for begun in self._opened(node):
            yield Move(SILENT, (rest, with_child(children, node.index, begun.marking)), begun.assumed)
        if node.may_be_skipped:
            yield from self._put(SILENT, rest, node, children)

    def _opened(self, node: NetNode) -> list[Move]:
        """Gives the markings in which the scope of a node may begin."""
        begun = self.initial(node.inner)
        if not node.instances_overlap:
            return begun
        return [move._replace(marking=((), ((node.index, move.marking),))) for move in begun]

    def _join_moves(self, node: NetNode, marking: Marking) -> Iterator[Move]:
        """The inclusive join: it waits while a token can still arrive at a flow that has none (clause 13.4.3)."""
        tokens, children = marking
        full = [place for place in node.incoming if place in tokens]
        if full and not self._paths.is_awaited(node.index, tokens, children):
            yield from self._put(SILENT, without(tokens, tuple(full)), node, children)
        elif not full and (flooded := self._settling.flood(tokens, node)) != tokens:
            yield Move(SILENT, (flooded, children))

    def _fed_join(self, node: NetNode, marking: Marking) -> Iterator[Move]:
        """The parallel join of which some flow may have any number of tokens."""
        tokens, children = marking
        single = [place for place in node.incoming if endless(place) not in tokens]
        if not single and (flooded := self._settling.flood(tokens, node)) != tokens:
            yield Move(SILENT, (flooded, children))
        elif single and all(place in tokens for place in single):
            yield from self._put(SILENT, without(tokens, tuple(single)), node, children)

    def _handler_moves(self, node: NetNode, marking: Marking) -> Iterator[Move]:
        for index in node.handlers:
            handler = self.net.nodes[index]
            if handler.kind is Kind.TASK:
                yield Move(index, marking)
            else:
                yield from self._open_again(handler, marking)

    # Scopes inside a scope

    def _child_moves(self, scope: int, marking: Marking) -> Iterator[Move]:
        tokens, children = marking
        for position, (index, inner) in enumerate(children):
            if position and children[position - 1] == (index, inner):
                continue
            node = self.net.nodes[index]
            others = children[:position] + children[position + 1 :]
            for move in self._moves_of(node, inner):
                if move.thrown is None:
                    yield Move(move.label, (tokens, self._kept(others, index, move.marking)), move.assumed)
                else:
                    yield from self._catch(scope, node, move, (tokens, others))
            if self.is_over(inner) and index not in self._interrupting:
                yield from self._complete(node, tokens, others)
            yield from self._boundary_moves(node, tokens, others, marking)

    def _moves_of(self, node: NetNode, inner: Marking) -> Iterator[Move]:
        if not node.instances_overlap:
            yield from self.moves_in(node.inner, inner)
            return
        instances = inner[1]
        for position, (_, instance) in enumerate(instances):
            others = instances[:position] + instances[position + 1 :]
            for move in self.moves_in(node.inner, instance):
                yield move._replace(marking=((), with_child(others, node.index, move.marking)))
            if self.is_over(instance):
                yield Move(SILENT, ((), others))
        if self._single or not instances:
            return
        if not any(self._repetition.is_fresh(node, instance) for _, instance in instances):
            for begun in self.initial(node.inner):
                yield Move(SILENT, ((), with_child(instances, node.index, begun.marking)), begun.assumed)

    def _complete(self, node: NetNode, tokens: Tokens, others: Children) -> Iterator[Move]:
        yield from self._put(node.index, tokens, node, others)
        if node.loops and not node.instances_overlap:
            for begun in self._opened(node):
                yield Move(node.index, (tokens, with_child(others, node.index, begun.marking)), begun.assumed)

    # Events that are thrown and caught

    def _throw(self, scope: int, node: NetNode, marking: Marking, rest: Tokens) -> Iterator[Move]:
        element = node.element
        assert isinstance(element, Event)  # noqa: S101 - only events throw
        if node.kind is Kind.CANCEL:
            yield from self._handler_moves(node, marking)
        thrown = Thrown(node.kind.name.lower(), element.reference)
        for move in self._put(SILENT, rest, node, marking[1]):
            yield from self._raise(scope, thrown, move)

    def _raise(self, scope: int, thrown: Thrown, after: Move) -> Iterator[Move]:
        """Lets an event subprocess of the scope catch what was thrown, or lets it go on outwards."""
        caught = False
        for index, place, interrupts, definition, reference in self.net.scopes[scope].event_starts:
            if definition == thrown.kind and reference in ("", thrown.reference):
                caught = True
                yield from self._start_event_scope(index, place, after.marking, interrupts=interrupts)
        if not caught:
            yield after._replace(thrown=thrown)

    def _catch(self, scope: int, node: NetNode, move: Move, rest: Marking) -> Iterator[Move]:
        thrown = move.thrown
        assert thrown is not None  # noqa: S101 - asked by the caller
        tokens, others = rest
        for index in node.boundaries:
            event = self.net.nodes[index].element
            if not isinstance(event, Event) or thrown.kind not in event.definitions:
                continue
            if thrown.kind == "cancel" or event.reference in ("", thrown.reference):
                kept = others if event.interrupting else with_child(others, node.index, move.marking)
                yield from self._put(index, tokens, self.net.nodes[index], kept)
                return
        if thrown.kind == "cancel" and node.element.type == "transaction":
            yield Move(SILENT, rest, move.assumed)
            return
        there = (tokens, with_child(others, node.index, move.marking))
        yield from self._raise(scope, thrown, Move(SILENT, there, move.assumed))

    def _event_moves(self, scope: int, marking: Marking) -> Iterator[Move]:
        """The event subprocesses of a scope: armed while it is open and no interrupting one runs (clause 13.5.4)."""
        starts = self.net.scopes[scope].event_starts
        if any(index in self._interrupting for index, _ in marking[1]):
            return
        for index, place, interrupts, definition, _ in starts:
            if definition != "compensate":
                yield from self._start_event_scope(index, place, marking, interrupts=interrupts)

    def _start_event_scope(self, index: int, place: int, marking: Marking, *, interrupts: bool) -> Iterator[Move]:
        tokens, children = EMPTY if interrupts else marking
        if self._repetition.is_hindered(self.net.nodes[index], children):
            return
        for settled in self._settling.settle((place,)):
            there = (tokens, self._kept(children, index, (settled.places, ())))
            yield Move(self.net.places[place].target, there, settled.assumed)

    def _kept(self, others: Children, index: int, marking: Marking) -> Children:
        """Gives the open scopes with one more, unless it is an event subprocess beside others that has ended."""
        ended = index in self._beside and self.is_over(marking)
        return others if ended else with_child(others, index, marking)

    def _ad_hoc_moves(self, scope: int, marking: Marking) -> Iterator[Move]:
        """The activities of an ad hoc subprocess that no flow leads to: any of them, any time, any number of times."""
        tokens, children = marking
        for index in self.net.scopes[scope].ad_hoc:
            node = self.net.nodes[index]
            if node.kind is Kind.SCOPE:
                yield from self._open_again(node, marking)
                continue
            yield from self._repeated(node, marking)
            yield from self._boundary_moves(node, tokens, children, marking)
