"""Witnesses of executions that belong to the workspace: the journal."""

from clew.domain.events import JournalEvent
from clew.domain.plans import Receipt
from clew.domain.ports import Journal
from clew.domain.records import JsonObject
from clew.domain.requests import CheckedRequest


class JournalWitness:
    """Writes each receipt to the journal."""

    def __init__(self, journal: Journal, *, tenant: str = "") -> None:
        """Takes the journal to write to."""
        self._journal = journal
        self._tenant = tenant

    def saw(self, request: CheckedRequest, receipt: Receipt, *, principal: str, case: str = "") -> None:
        """Records what was sent and with what status it was answered."""
        body: JsonObject = {
            "method": request.request.method,
            "service": request.request.service,
            "path": request.request.path,
            "target": request.target,
            "position": receipt.position,
            "status": receipt.status,
        }
        event = JournalEvent(
            kind="receipt", run_id=receipt.run_id, principal=principal, tenant=self._tenant, case_id=case, body=body
        )
        self._journal.append(event)
