"""`Grounding` and `validate`: a request against its service's description. Deterministic; no network, no embedding.

Only here a `CheckedRequest` is made.
"""

from collections.abc import Mapping

import msgspec

from clew.domain.clocks import Clock, utc_now
from clew.domain.issues import Severity
from clew.domain.requests import Call, CheckedRequest, Request
from clew.domain.services import Parameter, Property, ValueHelp
from clew.domain.verdicts import Problem, Verdict
from clew.graph.service_view import ServiceView
from clew.grounding.faults import Fault
from clew.grounding.repairs import mend
from clew.grounding.request_line import read_request
from clew.grounding.rules import RULES, SLOT_RULES
from clew.grounding.subject import Subject
from clew.grounding.tables import Scope, Spot, Tables
from clew.protocol.json import JsonLimits

LIMITS = JsonLimits(number_digits=4000)
"""Bounds of a body; a shorter bound on digits would have the text searched for long numbers first."""

MOST_REPAIRS = 4
MOST_PROBLEMS = 100
"""What a person or an agent reads of one verdict; a body of thousands of wrong items says the same of each."""
"""Rounds of repairs: a misspelt set hides what is wrong with the key behind it."""


class Grounding:
    """The validator of one service, with its tables; made once, asked often."""

    def __init__(
        self,
        view: ServiceView,
        *,
        code_lists: Mapping[str, ValueHelp] = {},
        schema_version: str = "",
        limits: JsonLimits = LIMITS,
        clock: Clock = utc_now,
    ) -> None:
        """Prepares nothing yet; tables are made when a type is first met.

        `code_lists` maps a property's node id, or the id of a list that the metadata only locates, to its codes;
        `schema_version` is written into what is checked (default: the view's); `clock` tells the day for codes that
        are valid for a time.
        """
        self.view = view
        self.schema_version = schema_version or view.version
        self._limits = limits
        self._tables = Tables(view, SLOT_RULES, code_lists=code_lists, today=lambda: clock().date())

    def validate(
        self, request: Request, *, call: Call | None = None, stood_in: frozenset[str] = frozenset()
    ) -> Verdict:
        """Gives the verdict on a request; a refused one comes with its one safe repair where there is one.

        `call` is what the request was composed from. `stood_in` are the places (JSON pointers, names of key or query
        parts) whose values only stand in for references: nothing is said of those values' content.
        """
        subject, faults = self._examine(request, stood_in)
        problems = _shown(faults)
        if not _has_error(faults):
            return Verdict(allowed=True, problems=problems, checked=self._checked(subject, call))
        return Verdict(allowed=False, problems=problems, repaired=self._repaired(request, faults))

    def validate_text(self, text: str) -> Verdict:
        """Gives the verdict on a request as it is written: a request line, a JSON object, a whole URL."""
        reading = read_request(text, self.view)
        if reading.request is None:
            return Verdict(allowed=False, problems=reading.problems)
        verdict = self.validate(reading.request)
        return msgspec.structs.replace(verdict, problems=(*reading.problems, *verdict.problems))

    def valid_code(self, prop: Property | Parameter) -> str:
        """Gives some code that a property takes, empty where it keeps to no list that is known here."""
        found = self._tables.codes_of(Spot("", prop, Scope()))
        return found.codes[0].code if found is not None and found.codes else ""

    def _examine(self, request: Request, stood_in: frozenset[str] = frozenset()) -> tuple[Subject, list[Fault]]:
        """Gives what the rules find, up to as many errors as anybody reads; warnings alone never end the search."""
        subject = Subject(request, self._tables, self._limits)
        faults: list[Fault] = []
        errors = 0
        for rule in RULES:
            for fault in rule(subject):
                if stood_in and _is_of_content(fault, stood_in):
                    continue
                faults.append(fault)
                errors += fault.severity is Severity.ERROR
                if errors > MOST_PROBLEMS:
                    return subject, faults
            if subject.stopped:
                break
        return subject, faults

    def _checked(self, subject: Subject, call: Call | None) -> CheckedRequest:
        return CheckedRequest(
            request=subject.request,
            target=subject.target.node_id if subject.target is not None else "",
            writes=subject.writes,
            schema_version=self.schema_version,
            call=call,
        )

    def _repaired(self, request: Request, faults: list[Fault]) -> Request | None:
        for _ in range(MOST_REPAIRS):
            mended = mend(request, faults)
            if mended is None:
                return None
            request = mended
            _, faults = self._examine(mended)
            if not _has_error(faults):
                return mended
        return None


def validate(
    request: Request,
    view: ServiceView,
    *,
    code_lists: Mapping[str, ValueHelp] = {},
    schema_version: str = "",
    limits: JsonLimits = LIMITS,
) -> Verdict:
    """Gives the verdict on one request; for many of one service, make a `Grounding` and keep it."""
    grounding = Grounding(view, code_lists=code_lists, schema_version=schema_version, limits=limits)
    return grounding.validate(request)


def _shown(faults: list[Fault]) -> tuple[Problem, ...]:
    """Gives the problems, errors first where there are too many to show, and says that there are more."""
    if len(faults) <= MOST_PROBLEMS:
        return tuple(fault.problem() for fault in faults)
    ranked = sorted(faults, key=lambda fault: fault.severity is not Severity.ERROR)
    message = f"There are more problems than these {MOST_PROBLEMS}; they show once these are mended"
    more = Problem(code="MORE_PROBLEMS", pointer="", message=message, severity=ranked[MOST_PROBLEMS].severity)
    return (*(fault.problem() for fault in ranked[:MOST_PROBLEMS]), more)


_OF_CONTENT = frozenset(
    {
        "VALUE_NOT_ALLOWED",
        "VALUE_NOT_ALLOWED_HERE",
        "VALUE_EXPIRED",
        "VALUE_UNLISTED",
        "PATTERN",
        "OUT_OF_BOUNDS",
        "UPPER_CASE",
        "DIGITS_ONLY",
        "MAX_LENGTH",
        "KEY_IGNORED",
    }
)


def _is_of_content(fault: Fault, stood_in: frozenset[str]) -> bool:
    return fault.code in _OF_CONTENT and (fault.pointer in stood_in or fault.pointer.startswith("url:"))


def _has_error(faults: list[Fault]) -> bool:
    return any(fault.severity is Severity.ERROR for fault in faults)


def with_request(verdict: Verdict, request: Request) -> Verdict:
    """Gives an allowing verdict about `request`, which differs from what was checked in its references alone."""
    if verdict.checked is None:
        return verdict
    return msgspec.structs.replace(verdict, checked=msgspec.structs.replace(verdict.checked, request=request))
