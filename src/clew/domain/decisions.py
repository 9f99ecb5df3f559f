"""Decisions about a checked call: may it happen now? Process order, policy and settings each contribute one."""

from collections.abc import Iterable
from enum import IntEnum

from clew.domain.records import Record


class Effect(IntEnum):
    """What to do with a call, weakest first; combining takes the strongest."""

    PERMIT = 0
    ADVISE = 1
    ASK = 2
    DENY = 3


class Reason(Record, frozen=True, kw_only=True):
    """Why: a stable code, one line for people, the node or clause that it rests on, and what would change it."""

    code: str
    message: str
    subject: str = ""
    remedy: str = ""


class Decision(Record, frozen=True, kw_only=True):
    """One contribution, or the combination of several.

    A source that is switched off contributes an explicit permit with the reason `off`, so that a trace shows it.
    """

    effect: Effect
    source: str
    reasons: tuple[Reason, ...] = ()
    evidence: tuple[str, ...] = ()
    directive: str = ""

    @staticmethod
    def combine(decisions: Iterable["Decision"]) -> "Decision":
        """Gives the strictest of the decisions (deny > ask > advise > permit) with the reasons of all, strictest first.

        Raises:
            ValueError: there was no decision to combine; nobody having been asked is no permit.
        """
        ordered = sorted(decisions, key=lambda decision: -decision.effect)
        if not ordered:
            raise ValueError("a decision needs at least one contribution")
        return Decision(
            effect=ordered[0].effect,
            source="+".join(dict.fromkeys(decision.source for decision in ordered)),
            reasons=tuple(dict.fromkeys(reason for decision in ordered for reason in decision.reasons)),
            evidence=tuple(dict.fromkeys(item for decision in ordered for item in decision.evidence)),
            directive=next((decision.directive for decision in ordered if decision.directive), ""),
        )

    @property
    def open(self) -> bool:
        """Whether the call may go ahead without a person."""
        return self.effect <= Effect.ADVISE
