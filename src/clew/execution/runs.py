"""`RunStore`: plans, runs, intents and receipts in the database, so that nothing is sent twice.

Before a write is sent its intent is stored, after the answer its receipt. An intent without a receipt means that nobody
knows whether the write arrived: it is reported, and never repeated by itself.
"""

from decimal import Decimal

import msgspec

from clew.domain.plans import Plan, Receipt, Run
from clew.domain.ports import Database, Row, Transaction
from clew.domain.requests import Request

_ENCODER = msgspec.json.Encoder(decimal_format="number")
_PLANS = msgspec.json.Decoder(Plan, float_hook=Decimal)
_RECEIPTS = msgspec.json.Decoder(Receipt, float_hook=Decimal)
_REQUESTS = msgspec.json.Decoder(Request)
_RUNS = msgspec.json.Decoder(Run, float_hook=Decimal)


class RunStore:
    """Keeps what was planned, confirmed, intended and received, for one tenant."""

    def __init__(self, database: Database, *, tenant: str = "") -> None:
        """Keeps the database; opens nothing."""
        self._database = database
        self._tenant = tenant

    def put_plan(self, plan: Plan, at: str) -> None:
        """Keeps a plan by its hash; the same plan again changes nothing."""
        parameters = {
            "tenant": self._tenant,
            "principal": plan.principal,
            "hash": plan.hash,
            "created_at": at,
            "payload": _text(plan),
        }
        with self._database.write() as transaction:
            transaction.execute("put_plan", parameters)

    def plan(self, plan_hash: str) -> Plan | None:
        """Gives the plan with this hash, whoever's it is; `None` where there is none."""
        with self._database.read() as transaction:
            row = transaction.one("plan_by_hash", {"tenant": self._tenant, "hash": plan_hash})
        return _PLANS.decode(_payload(row, 3)) if row is not None else None

    def claim(self, run: Run, at: str) -> str:
        """Confirms a run's plan and enters the run; gives the id of the run that confirmed the plan.

        That is this run's id, or the one that confirmed the plan before; then nothing is changed.
        """
        plan = run.plan
        keys = {"tenant": self._tenant, "hash": plan.hash}
        with self._database.write() as transaction:
            claimed = transaction.execute(
                "claim_confirmation", {**keys, "principal": plan.principal, "run_id": run.run_id, "at": at}
            )
            if claimed:
                self._put_run(transaction, run, at)
                return run.run_id
            row = transaction.one("confirmation_of_plan", keys)
        return str(row[0]) if row is not None else ""

    def _put_run(self, transaction: Transaction, run: Run, at: str) -> None:
        parameters = {
            "tenant": self._tenant,
            "principal": run.plan.principal,
            "run_id": run.run_id,
            "plan_hash": run.plan.hash,
            "state": run.state,
            "failure": run.failure,
            "at": at,
            "payload": _text(msgspec.structs.replace(run, receipts=())),
        }
        transaction.execute("put_run", parameters)

    def run(self, run_id: str) -> Run | None:
        """Gives a run as it stands, with its receipts in order; `None` where there is none."""
        keys = {"tenant": self._tenant, "run_id": run_id}
        with self._database.read() as transaction:
            row = transaction.one("run_by_id", keys)
            receipts = transaction.all("receipts_of_run", keys)
        if row is None:
            return None
        run = _RUNS.decode(_payload(row, 7))
        found = tuple(_RECEIPTS.decode(_payload(receipt, 3)) for receipt in receipts)
        return msgspec.structs.replace(run, receipts=found, state=str(row[3]), failure=str(row[4]))

    def set_state(self, run: Run, at: str) -> None:
        """Changes the state of a run and says why."""
        parameters = {
            "tenant": self._tenant,
            "run_id": run.run_id,
            "state": run.state,
            "failure": run.failure,
            "at": at,
        }
        with self._database.write() as transaction:
            transaction.execute("set_run_state", parameters)

    def put_intent(self, run: Run, position: int, request: Request, at: str) -> bool:
        """Says that a step's write is about to be sent; `False` where that was said before, so that it must not be."""
        parameters = {
            "tenant": self._tenant,
            "principal": run.plan.principal,
            "run_id": run.run_id,
            "position": position,
            "at": at,
            "payload": _text(request),
        }
        with self._database.write() as transaction:
            return transaction.execute("put_intent", parameters) == 1

    def delete_intent(self, run_id: str, position: int) -> None:
        """Takes an intent back, once it is known that its write was not carried out."""
        keys = {"tenant": self._tenant, "run_id": run_id, "position": position}
        with self._database.write() as transaction:
            transaction.execute("delete_intent", keys)

    def uncertain(self, run_id: str) -> tuple[tuple[int, Request], ...]:
        """Gives (position, request) of the writes whose answers are not known."""
        keys = {"tenant": self._tenant, "run_id": run_id}
        with self._database.read() as transaction:
            intents = transaction.all("intents_of_run", keys)
            receipts = transaction.all("receipts_of_run", keys)
        answered = {receipt[0] for receipt in receipts}
        return tuple(
            (int(str(intent[0])), _REQUESTS.decode(_payload(intent, 2)))
            for intent in intents
            if intent[0] not in answered
        )

    def put_receipt(self, receipt: Receipt, *, principal: str) -> bool:
        """Keeps what came back; `False` where the step has a receipt already."""
        parameters = {
            "tenant": self._tenant,
            "principal": principal,
            "run_id": receipt.run_id,
            "position": receipt.position,
            "status": receipt.status,
            "at": receipt.at,
            "payload": _text(receipt),
        }
        with self._database.write() as transaction:
            return transaction.execute("put_receipt", parameters) == 1


def _text(record: Plan | Run | Receipt | Request) -> str:
    return _ENCODER.encode(record).decode()


def _payload(row: Row, column: int) -> str | bytes:
    value = row[column]
    return value if isinstance(value, bytes) else str(value)
