"""What master data tells: keys of names, and what goes with a customer, a material, a place."""

from tests.unit.agent.planner.harbour import WEDNESDAY, catalogue, words

from clew.agent.planner.masters import MasterRows, master_records, master_rows
from clew.agent.planner.planner import Planner
from clew.agent.planner.ports import NamedRecords
from clew.domain.proposals import MasterRecord
from clew.domain.records import JsonObject

INVOICE = "Write an invoice for customer 1000 over 250 EUR."


def told(rows: list[JsonObject], wanted: str, **known: str) -> object:
    found = MasterRows(words(), [("rows", row) for row in rows]).value(wanted, known)
    return found.value if found else None


def test_a_row_that_shares_the_customer_tells_the_rest() -> None:
    rows: list[JsonObject] = [{"Customer": "1000", "PaymentMethod": "T"}, {"Customer": "1001", "PaymentMethod": "C"}]
    assert told(rows, "PaymentMethod", SoldToParty="1000") == "T"
    assert told(rows, "PaymentMethod", SoldToParty="1001") == "C"
    assert told(rows, "PaymentMethod", SoldToParty="1002") is None


def test_rows_that_disagree_tell_nothing() -> None:
    rows: list[JsonObject] = [{"Customer": "1000", "PaymentMethod": "T"}, {"Customer": "1000", "PaymentMethod": "C"}]
    assert told(rows, "PaymentMethod", Customer="1000") is None


def test_the_row_that_shares_more_is_believed() -> None:
    rows: list[JsonObject] = [
        {"Customer": "1000", "PaymentMethod": "T"},
        {"Customer": "1000", "CompanyCode": "1710", "PaymentMethod": "C"},
    ]
    assert told(rows, "PaymentMethod", Customer="1000", CompanyCode="1710") == "C"


def test_a_row_of_something_else_tells_nothing() -> None:
    assert told([{"Customer": "1000", "PaymentMethod": "T"}], "PaymentMethod", CustomerReference="1000") is None


def test_what_master_data_tells_is_not_asked() -> None:
    defaults = MasterRows(words(), [("Customers", {"Customer": "1000", "PaymentMethod": "C"})])
    proposal = Planner(catalogue(), defaults=defaults, clock=lambda: WEDNESDAY).plan(INVOICE)
    assert proposal.complete
    fill = next(fill for fill in proposal.fills if fill.slot == "1:/PaymentMethod")
    assert (fill.value, fill.rule) == ("C", "lookup")
    assert "1000" in fill.words


def test_documents_that_a_process_makes_are_no_master_data() -> None:
    seeds: dict[str, dict[str, list[JsonObject]]] = {
        "COUNTER": {
            "Invoices": [{"Invoice": "1", "Customer": "1000", "PaymentMethod": "C"}],
            "Berths": [{"Berth": "B12", "BerthName": "Long pier", "DailyRate": 20}],
        },
        "ELSEWHERE": {"Things": [{"Thing": "1"}]},
    }
    rows = master_rows(catalogue(), seeds)
    assert rows.value("PaymentMethod", {"Customer": "1000"}) is None
    assert list(master_records(catalogue(), seeds)) == [MasterRecord(kind="Berth", key="B12", name="Long pier")]


def test_a_record_is_called_by_any_words_of_its_name_or_by_its_key() -> None:
    long, short = (
        MasterRecord(kind="berth", key=key, name=name) for key, name in (("B1", "Long pier"), ("B2", "Pier"))
    )
    lookup = NamedRecords([long, short])
    assert list(lookup.find("pier")) == [short, long]
    assert list(lookup.find("long piers")) == [long]
    assert list(lookup.find("b1")) == [long]
    assert list(lookup.find("short pier")) == []
    assert list(lookup.find("")) == []
