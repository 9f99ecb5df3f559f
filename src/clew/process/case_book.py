"""`CaseBook`: cases by their handle, which is worth nothing to anybody but the owner."""

from collections.abc import Callable
from typing import TypeAlias

import msgspec

from clew.domain.cases import Case, Evidence
from clew.domain.clocks import Clock, stamp
from clew.domain.errors import StorageError, UnknownReference
from clew.domain.ports import Database, Row, Transaction
from clew.domain.records import JsonObject

NewHandle: TypeAlias = Callable[[], str]
"""Gives a new handle: long, random, not to be guessed (`secrets.token_urlsafe`)."""

_MODES = ("off", "advise", "enforce")


class CaseBook:
    """Opens, shows and closes the cases of one tenant, and keeps their evidence.

    Whoever is not the owner of a case is told what he would be told if it did not exist.
    """

    def __init__(self, database: Database, *, clock: Clock, new_handle: NewHandle, tenant: str = "") -> None:
        """Keeps where the cases are; nothing is read yet."""
        self._database = database
        self._clock = clock
        self._new_handle = new_handle
        self._tenant = tenant

    def open(self, process: str, *, principal: str, mode: str = "enforce") -> Case:
        """Opens a case of a process.

        Raises:
            ValueError: `mode` is none of `off`, `advise` and `enforce`.
            StorageError: the handle is taken, so that nothing was opened.
        """
        if mode not in _MODES:
            raise ValueError(f"The mode of a case is one of {', '.join(_MODES)}, not {mode!r}")
        case = msgspec.convert(
            {
                "handle": self._new_handle(),
                "process": process,
                "principal": principal,
                "tenant": self._tenant,
                "mode": mode,
                "opened_at": stamp(self._clock()),
            },
            Case,
        )
        with self._database.write() as work:
            opened = work.execute(
                "put_case",
                {
                    **self._key(case.handle, principal),
                    "process": process,
                    "state": case.state,
                    "mode": mode,
                    "opened_at": case.opened_at,
                    "payload": "{}",
                },
            )
        if not opened:
            raise StorageError("The handle of the new case is taken; nothing was opened. Open the case again.")
        return case

    def show(self, handle: str, *, principal: str) -> Case:
        """Gives a case with its evidence.

        Raises:
            UnknownReference: this principal has no such case.
        """
        with self._database.read() as work:
            return self._case(work, handle, principal)

    def list(self, *, principal: str, process: str = "", state: str = "") -> tuple[Case, ...]:
        """Gives the principal's cases without their evidence, the oldest first."""
        with self._database.read() as work:
            rows = work.all("list_cases", {"tenant": self._tenant, "principal": principal})
        cases = (_case_of(row) for row in rows)
        return tuple(
            case for case in cases if (not process or case.process == process) and (not state or case.state == state)
        )

    def close(self, handle: str, *, principal: str) -> Case:
        """Closes a case; it is kept, and takes no more evidence.

        Raises:
            UnknownReference: this principal has no such case.
        """
        return self._change("set_case_state", handle, principal, {"state": "closed"})

    def set_mode(self, handle: str, mode: str, *, principal: str) -> Case:
        """Changes how order is kept in a case.

        Raises:
            ValueError: `mode` is none of `off`, `advise` and `enforce`.
            UnknownReference: this principal has no such case.
        """
        if mode not in _MODES:
            raise ValueError(f"The mode of a case is one of {', '.join(_MODES)}, not {mode!r}")
        return self._change("set_case_mode", handle, principal, {"mode": mode})

    def add(self, handle: str, evidence: Evidence, *, principal: str) -> Case:
        """Adds evidence to an open case, once for each receipt and activity; gives the case as it is then.

        Raises:
            UnknownReference: this principal has no such open case.
        """
        with self._database.write() as work:
            case = self._case(work, handle, principal)
            if case.state != "open":
                raise UnknownReference("open case", handle)
            if evidence.receipt and any(
                (known.receipt, known.activity, known.object_key)
                == (evidence.receipt, evidence.activity, evidence.object_key)
                for known in case.evidence
            ):
                return case
            kept = evidence if evidence.at else msgspec.structs.replace(evidence, at=stamp(self._clock()))
            work.execute(
                "put_evidence",
                {
                    **self._key(handle, principal),
                    "activity": kept.activity,
                    "object_key": kept.object_key,
                    "at": kept.at,
                    "payload": msgspec.json.encode(kept).decode(),
                },
            )
            return msgspec.structs.replace(case, evidence=(*case.evidence, kept))

    def state(
        self, handle: str, activity: str, *, principal: str, object_key: str = "", values: JsonObject = {}
    ) -> Case:
        """Takes down a person's word that an activity has been done; it is for people, not for an agent's tools.

        Raises:
            UnknownReference: this principal has no such open case.
        """
        said = Evidence(activity=activity, by="statement", target="", object_key=object_key, values=values)
        return self.add(handle, said, principal=principal)

    def _key(self, handle: str, principal: str) -> dict[str, str]:
        return {"tenant": self._tenant, "principal": principal, "handle": handle}

    def _change(self, query: str, handle: str, principal: str, values: dict[str, str]) -> Case:
        with self._database.write() as work:
            if not work.execute(query, {**self._key(handle, principal), **values}):
                raise UnknownReference("case", handle)
            return self._case(work, handle, principal)

    def _case(self, work: Transaction, handle: str, principal: str) -> Case:
        row = work.one("case_by_handle", self._key(handle, principal))
        if row is None:
            raise UnknownReference("case", handle)
        rows = work.all("evidence_of_case", self._key(handle, principal))
        evidence = tuple(msgspec.json.decode(str(payload), type=Evidence) for (payload,) in rows)
        return msgspec.structs.replace(_case_of(row), evidence=evidence)


def _case_of(row: Row) -> Case:
    handle, process, principal, tenant, state, mode, opened_at, _ = row
    return msgspec.convert(
        {
            "handle": handle,
            "process": process,
            "principal": principal,
            "tenant": tenant,
            "state": state,
            "mode": mode,
            "opened_at": opened_at,
        },
        Case,
    )
