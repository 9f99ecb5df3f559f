"""Calls: requests as a person writes them, checked, decided and sent to the mock services."""

import re
from collections.abc import Sequence

from clew.domain.decisions import Decision, Effect, Reason
from clew.domain.errors import UnknownReference
from clew.domain.issues import Suggestion
from clew.domain.ports import Gate
from clew.domain.requests import CheckedRequest

_SERVICE = re.compile(r"^/?([^/?#(]+)/(.*)$", re.DOTALL)


def split_service(path: str, services: Sequence[str]) -> tuple[str, str]:
    """Splits `SERVICE/rest` at the name of a service of the workspace; the name is empty where none leads.

    Service names may hold `/`-free text only, so that the first slash ends them; a leading slash is let pass.
    """
    match = _SERVICE.match(path)
    if match is not None and match[1] in services:
        return match[1], match[2]
    return "", path


def unknown_service(name: str, services: Sequence[str], closest: Sequence[str]) -> UnknownReference:
    """Makes the error for a request whose service is not known."""
    if name:
        return UnknownReference("service", name, tuple(Suggestion(value=near) for near in closest))
    shown = ", ".join(services[:5]) + (" …" if len(services) > 5 else "")
    return UnknownReference("service in front of the path; write SERVICE/Set or --service with one of", shown)


class Confirmation:
    """A gate that asks for a person's word before a write; `given` says that it was given for this very call."""

    name = "confirmation"

    def __init__(self, *, given: bool) -> None:
        """Keeps whether the word was given."""
        self._given = given

    def decide(self, request: CheckedRequest, *, principal: str, case: str = "") -> Decision:
        """Permits reads and confirmed writes; asks for everything else."""
        del principal, case
        if self._given or not request.writes:
            return Decision(effect=Effect.PERMIT, source=self.name)
        reason = Reason(
            code="UNCONFIRMED", message="This call writes and was not confirmed", remedy="Confirm it: --confirm"
        )
        return Decision(effect=Effect.ASK, source=self.name, reasons=(reason,))


def combined(gates: Sequence[Gate], request: CheckedRequest, *, principal: str, case: str) -> Decision:
    """Gives what all gates together say."""
    return Decision.combine(gate.decide(request, principal=principal, case=case) for gate in gates)


def say_reasons(decision: Decision) -> tuple[str, ...]:
    """Gives the reasons of a decision in words, those of permits left out."""
    if decision.effect is Effect.PERMIT:
        return ()
    return tuple(
        f"{decision.effect.name.lower()}: " + " ".join(f"{text.rstrip('.')}." for text in said if text)
        for reason in decision.reasons
        if reason.code != "off"
        for said in [(reason.message, reason.remedy)]
    )
