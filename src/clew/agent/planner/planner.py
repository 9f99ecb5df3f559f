"""The planner: a request in words becomes calls and questions, without a language model and without inventing."""

from collections.abc import Iterator, Mapping
from datetime import date, datetime

import msgspec

from clew.agent.planner.actions import Action
from clew.agent.planner.bases import ObjectBases
from clew.agent.planner.catalogue import Catalogue
from clew.agent.planner.drafts import Draft
from clew.agent.planner.filling import Filler
from clew.agent.planner.goals import action_for, steps_to, target_of
from clew.agent.planner.keys import KeyFinder
from clew.agent.planner.links import Linker
from clew.agent.planner.lookups import look_up
from clew.agent.planner.masters import MasterRows
from clew.agent.planner.mentions import find_absences
from clew.agent.planner.naming import Namer
from clew.agent.planner.ports import Defaults, Lookup, NamedRecords, Requirements, StatedRequirements
from clew.agent.planner.prospect import Prospect, Prospector
from clew.agent.planner.questions import Questioner
from clew.agent.planner.reading import RequestReading, read_request
from clew.agent.planner.slots import SlotReader
from clew.agent.planner.targets import Focus, Target, TargetFinder, choose
from clew.domain.clocks import Clock, utc_now
from clew.domain.plans import Question
from clew.domain.ports import Retriever
from clew.domain.proposals import Choice, Proposal, Unused

LEAST, MARGIN = 0.52, 0.03
_BARE, _ELSEWHERE = 0.6, 0.75


class Planner:
    """Plans requests over the services and processes of a catalogue."""

    def __init__(
        self,
        catalogue: Catalogue,
        *,
        retriever: Retriever | None = None,
        lookup: Lookup | None = None,
        requirements: Requirements | None = None,
        defaults: Defaults | None = None,
        clock: Clock = utc_now,
    ) -> None:
        """`clock` tells what "by Friday" means; without a retriever every service is looked at."""
        self.catalogue = catalogue
        self.lookup = lookup or NamedRecords()
        self.requirements = requirements or StatedRequirements()
        self.defaults = defaults or MasterRows(catalogue.vocabulary)
        self.clock = clock
        self.finder = TargetFinder(catalogue)
        self.prospector = Prospector(catalogue, self.finder, retriever)

    def plan(self, request: str, answers: Mapping[str, str] = {}) -> Proposal:
        """Gives a proposal for a request; `answers` are by the slots of the questions of an earlier one.

        Whatever the request is, the answer is a proposal: where nothing was understood, one with a question.
        """
        reading = read_request(request, self._today(), self.catalogue.vocabulary)
        if not request.strip():
            return Proposal(request=request, questions=(_what("What is to be done?"),))
        if not reading.actions or not reading.language:
            text = "What is to be done?" if reading.language else "I read English and German. What is to be done?"
            unused = tuple(Unused(mention=mention, reason="nothing says what to do") for mention in reading.mentions)
            return Proposal(request=request, language=reading.language, questions=(_what(text),), unused=unused)
        reading, records, doubts = look_up(reading, self.lookup, self.catalogue.vocabulary, answers)
        filler = Filler(self.catalogue, reading, answers)
        filler.rules = records
        filler.questions.extend(doubts)
        prospect = self.prospector.look(reading, answers.get("process", ""))
        if prospect.rivals:
            text = "Which process is meant? They run in different systems."
            filler.questions.append(Question(slot="process", question=text, type="process", allowed=prospect.rivals))
        return PlanMaker(self, reading, filler, prospect).make()

    def _today(self) -> date:
        moment: datetime = self.clock()
        return moment.date()


class PlanMaker:
    """Makes one proposal."""

    def __init__(self, planner: Planner, reading: RequestReading, filler: Filler, prospect: Prospect) -> None:
        """Takes what was read of the request, and where to look."""
        self.planner = planner
        self.catalogue = planner.catalogue
        self.reading = reading
        self.filler = filler
        self.prospect = prospect
        self.slots = SlotReader(self.catalogue)
        self.linker = Linker(self.catalogue, self.slots, filler)
        self.namer = Namer(filler, self.linker)
        self.keys = KeyFinder(self.catalogue, filler, prospect.preferred)
        self.bases = ObjectBases(self.linker, self.keys, filler, prospect)
        self.questioner = Questioner(self.catalogue, planner.requirements, planner.defaults, filler)
        self.drafts: list[Draft] = []
        self.choices: list[Choice] = []
        self.focus: list[Focus] = []
        self.there: list[Focus] = []
        self.told: tuple[int, ...] = ()

    def make(self) -> Proposal:
        """Gives the proposal."""
        for action in self.reading.actions:
            self._take(action)
        self._complete_goals()
        for work in (self._fill, self._place_rest, self._link, self._name, self._complete):
            for draft in list(self.drafts):
                work(draft)
        for draft in self.drafts:
            if draft.parts:
                draft.hand_over(next(slot.collection for slot in draft.slots if slot.main))
        for draft in self.drafts:
            self.questioner.ask(draft)
            self._ask_whether_new(draft)
        return self._proposal()

    # --- which steps

    def _complete_goals(self) -> None:
        """Adds the steps that must come before what the request wants to see done, and puts all in process order."""
        goals = [draft for draft in self.drafts if draft.action.goal and draft.target.activity]
        if not goals or not self.prospect.process:
            return
        sets = self.catalogue.sets
        there = {sets(focus.service)[focus.entity_set].id for focus in self.there}
        done = [step.activity for step in self.prospect.bound if step.target in there]
        steps = steps_to(self.catalogue, self.prospect.process, [draft.target.activity for draft in goals], done)
        present = {draft.target.activity for draft in self.drafts}
        for step in steps:
            target = target_of(self.catalogue, step) if step.activity not in present else None
            if target is not None:
                draft = self._draft(action_for(step, [goal.action for goal in goals]), target)
                self._part(draft)
        order = {step.activity: place for place, step in enumerate(steps)}
        wholes = [draft for draft in self.drafts if draft.whole is None]
        wholes.sort(key=lambda draft: order.get(draft.target.activity, -1) if draft.action.goal else -1)
        self.drafts = [draft for whole in wholes for draft in (whole, *whole.parts)]
        renumbered = {draft.number: place for place, draft in enumerate(self.drafts, 1)}
        for draft in self.drafts:
            draft.number = renumbered[draft.number]
        moved = (msgspec.structs.replace(choice, step=renumbered[choice.step]) for choice in self.choices)
        self.choices = sorted(moved, key=lambda choice: choice.step)

    def _take(self, action: Action) -> None:
        """Makes a step of an action, or lets it add to the one before, or asks what it means."""
        action = msgspec.structs.replace(action, given=(*self.told, *action.given))
        self.told = ()
        known = list(self._known(action))
        self.there += known
        self.focus = [*known, *self.focus]
        if self._only_tells(action):
            self.told = (*action.given, *action.own)
            return
        if self._adds_to_last(action) or (self._changes_more(action) and not known):
            self.drafts[-1].actions.append(action)
            return
        target = self._choose(action)
        if target is None:
            return
        if self._says_again(action, target):
            self.drafts[-1].actions.append(action)
            return
        draft = self._draft(action, target)
        self._part(draft)
        draft.comes_next = self._comes_next(draft)
        each = self._one_each(draft)
        if each:
            draft.actions = [msgspec.structs.replace(action, own=tuple(m for m in action.own if m not in each))]
        for mention in each:
            self._draft(msgspec.structs.replace(action, own=(mention,), given=()), target)

    def _known(self, action: Action) -> Iterator[Focus]:
        """Gives the objects that the action's mentions name as there already."""
        services = list(self.prospect.services)
        for mention in (*action.own, *action.given):
            if (found := self.keys.object_of(mention, services, self.prospect.bound)) is not None:
                yield found

    def _only_tells(self, action: Action) -> bool:
        """Whether a clause without a verb speaks of something that is there, while others say what is to be done."""
        others = any(not other.bare for other in self.reading.actions)
        known = any(self._object_of(mention) for mention in action.own)
        return action.bare and known and (action.definite or (others and not action.named))

    def _object_of(self, mention: int) -> Focus | None:
        return self.keys.object_of(mention, list(self.prospect.services), self.prospect.bound)

    def _says_again(self, action: Action, target: Target) -> bool:
        """Whether an action only says once more what the one before it asked for: `ship it: create the delivery`."""
        last = self.drafts[-1] if self.drafts else None
        if last is None or last.target.id != target.id or not last.creates or last.action.verb is None:
            return False
        return last.action.verb.makes and action.follows and not action.goal

    def _changes_more(self, action: Action) -> bool:
        """Whether a clause without a verb goes on with a change: `… to 02 and the note to 'wait'`."""
        return bool(action.bare and action.own and self.drafts and self.drafts[-1].target.method == "PATCH")

    def _adds_to_last(self, action: Action) -> bool:
        if not self.drafts or not action.follows or action.verb is None or not action.verb.applies:
            return False
        card = self.drafts[-1].card
        return card is not None and bool(set(action.verb.noun) & set(card.wording.name))

    def _choose(self, action: Action) -> Target | None:
        found = self.planner.finder.find(action, self.prospect.field(self.focus))
        place = f"@{action.start}"
        if (answer := self.filler.answers.get(place)) is not None:
            return next((target for target in found if target.id == answer), None)
        target, rivals = choose(found, least=_BARE if action.bare else LEAST, margin=MARGIN)
        if target is None and not (action.bare and not rivals and not action.own):
            question = f"What is meant by {action.words!r}?"
            allowed = tuple(rival.id for rival in rivals)
            self.filler.questions.append(Question(slot=place, question=question, type="node id", allowed=allowed))
        return target

    def _draft(self, action: Action, target: Target) -> Draft:
        draft = self._step(action, target)
        draft.focus = self._focus_of(draft)
        if draft.focus is not None:
            self.focus = [draft.focus, *self.focus]
        return draft

    def _step(self, action: Action, target: Target) -> Draft:
        sets = self.catalogue.sets(target.service)
        operation = next((c for c in self.catalogue.operations(target.service) if c.id == target.id), None)
        draft = Draft(
            number=len(self.drafts) + 1,
            target=target,
            actions=[action],
            slots=self.slots.slots(target),
            card=sets.get(target.entity_set),
            operation=operation,
        )
        self.drafts.append(draft)
        self.choices.append(
            Choice(
                step=draft.number,
                words=action.words,
                target=target.id,
                activity=target.activity,
                score=target.score,
                reason=target.reason,
            )
        )
        return draft

    def _comes_next(self, draft: Draft) -> bool:
        """Whether a step follows the one before it in the process, and says nothing of what it is to hold."""
        before = [other for other in self.drafts[: draft.number - 1] if other.creates and other.target.activity]
        if not before or not draft.creates or not draft.target.activity:
            return False
        order = {bound.activity: bound.order for bound in self.prospect.bound}
        says_items = any(self.filler.evidence(m).group >= 0 for m in draft.mentions)
        return not says_items and order.get(before[-1].target.activity, 0) < order.get(draft.target.activity, 0)

    def _part(self, draft: Draft) -> None:
        """Makes a step for each item where a draft is created, since a draft's items are created one by one."""
        main = next((slot for slot in draft.slots if slot.main), None)
        groups = {self.filler.evidence(m).group for m in draft.mentions} - {-1}
        if main is None or not groups or draft.card is None or "IsActiveEntity" not in draft.card.key:
            return
        view = self.catalogue.view(draft.target.service)
        inner = view.target_set(draft.card.name, main.collection)
        if inner is None or not inner.capabilities.insertable:
            return
        for _ in groups:
            part = self._step(
                draft.action, msgspec.structs.replace(draft.target, id=inner.id, entity_set=inner.name, values=())
            )
            part.whole = draft
            part.actions = [msgspec.structs.replace(draft.action, own=(), given=(), pointed=(), follows=False)]
            draft.parts.append(part)

    def _focus_of(self, draft: Draft) -> Focus | None:
        if draft.card is not None:
            return Focus(
                service=draft.target.service, entity_set=draft.card.name, type=draft.card.type, step=draft.number
            )
        for focus in self.focus:
            if self.linker.fits_type(draft, focus):
                return msgspec.structs.replace(focus, step=draft.number)
        return self.keys.focus_of_operation(draft)

    def _one_each(self, draft: Draft) -> list[int]:
        """Gives the mentions that each ask for a step of their own: `Invite 17300080 and 17300081`."""
        action = draft.actions[0]
        joined = [m for m in action.own if self.filler.evidence(m).like in action.own and m not in self.filler.used]
        has_items = any(self.filler.evidence(m).group >= 0 for m in action.own)
        return joined if draft.creates and not has_items else []

    # --- what they hold

    def _fill(self, draft: Draft) -> None:
        earlier = self.drafts[: draft.number - 1]
        self._fix_values(draft)
        if draft.operation is not None or draft.target.method != "POST":
            if draft.operation is None or not self.linker.act_on(draft, earlier):
                self.keys.name_object(draft, self.focus)
        else:
            self.linker.belong_to(draft, earlier)
        self.linker.point_at(draft, earlier)
        self.bases.refer(draft)
        self.filler.fill(draft, draft.mentions)

    def _fix_values(self, draft: Draft) -> None:
        """Puts in what the process fixes for the activity."""
        for path, value in draft.target.values:
            parts = tuple(path.replace(".", "/").split("/"))
            slot = next((slot for slot in draft.slots if tuple(p for p in slot.path if p != 0) == parts), None)
            if slot is not None and draft.is_free(slot):
                draft.fill(slot, value, draft.target.activity, "default")

    def _place_rest(self, draft: Draft) -> None:
        """Tries the mentions that found no place in the step they were said for in the other steps."""
        rest = [m for m in range(len(self.reading.mentions)) if m not in self.filler.used | self.filler.doubted]
        rest = [m for m in rest if self.filler.evidence(m).kind != "date" or self.filler.evidence(m).label]
        theirs = {m for other in self.drafts for m in other.mentions}
        self.filler.fill(draft, [m for m in rest if m in theirs and m not in draft.mentions], least=_ELSEWHERE)

    def _link(self, draft: Draft) -> None:
        earlier = self.drafts[: draft.number - 1]
        self.linker.follow(draft, earlier)
        self.bases.go_on(draft, earlier)

    def _name(self, draft: Draft) -> None:
        entries = [slot.at(index) for slot in draft.slots for index in range(max(1, draft.items(slot.collection)))]
        self.namer.apply(draft)
        self.namer.type_codes(draft, [slot for slot in entries if not draft.is_free(slot)])
        self.namer.name(draft)

    def _complete(self, draft: Draft) -> None:
        """Fills what must be there from the steps before, then from master data."""
        self.linker.carrier.complete(draft, self.questioner.required(draft))
        self.questioner.tell(draft)

    # --- the result

    def _ask_whether_new(self, draft: Draft) -> None:
        """Asks where something is to be made, and the words name such a thing that is there already."""
        if not draft.creates or draft.whole is not None:
            return
        for mention in draft.action.own:
            known = None if mention in self.filler.used else self._object_of(mention)
            if known is not None and known.entity_set == draft.target.entity_set:
                text = self.reading.mentions[mention].text
                question = f"Is {text} to be changed, or another one to be made: {draft.action.words!r}?"
                place = f"{draft.number}:@{self.reading.mentions[mention].start}"
                self.filler.questions.append(Question(slot=place, question=question, type="text"))

    def _proposal(self) -> Proposal:
        if not self.drafts and not self.filler.questions:
            self.filler.questions.append(_what("What is to be done? I found nothing to change in this request."))
        first = next((draft.target.activity for draft in self.drafts if draft.target.activity), "")
        return Proposal(
            request=self.reading.text,
            language=self.reading.language,
            calls=tuple(draft.call(self.catalogue) for draft in self.drafts),
            questions=tuple(self.filler.questions),
            choices=tuple(self.choices),
            fills=tuple(fill for draft in self.drafts for fill in draft.fills),
            unused=tuple(self._unused()),
            process=self.prospect.process,
            position=first,
        )

    def _unused(self) -> Iterator[Unused]:
        asked = self.filler.doubted
        said = {_plain(fill.value) for draft in self.drafts for fill in draft.fills}
        for index, mention in enumerate(self.reading.mentions):
            if index not in self.filler.used and index not in asked:
                again = _plain(mention.value) in said
                yield Unused(mention=mention, reason="said once more" if again else "no slot fits it", again=again)
            elif (unit := self.filler.homeless.get(index)) is not None:
                yield Unused(mention=mention, reason=f"no slot fits its unit {unit}", again=_plain(unit) in said)
        stated = [fill.words for draft in self.drafts for fill in draft.fills if fill.rule == "flag"]
        for absence in find_absences(self.reading.text):
            if not any(absence.text in words for words in stated):
                yield Unused(mention=absence, reason="no slot fits it")


def _plain(value: object) -> str:
    return str(value).casefold()


def _what(text: str) -> Question:
    return Question(slot="request", question=text, type="text")


__all__ = ["PlanMaker", "Planner"]
