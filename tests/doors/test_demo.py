"""The main job, as `clew demo` shows it on the sample landscape."""

import pytest

from clew.interfaces.cli.main import main


def test_the_demo_carries_the_request_out_to_its_end(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["demo"]) == 0
    told = capsys.readouterr().out
    assert "did you mean: Supplier" in told
    assert "repaired: GET A_PurchaseOrder?$filter=CompanyCode eq '1010'" in told
    assert "'Say what is needed' is missing" in told
    questions = [line for line in told.splitlines() if line.startswith("? ")]
    assert [line.partition("(")[2].partition(")")[0] for line in questions] == [
        "DocumentDate",
        "SupplierInvoiceIDByInvcgParty",
        "InvoiceGrossAmount",
        "PaymentAmount",
    ]
    assert told.count("HTTP 20") == 7
    assert ": done" in told
    made = told.partition("did not hold before")[2]
    for entity_set in (
        "A_PurchaseRequisitionHeader",
        "A_PurchaseOrder",
        "A_MaterialDocumentHeader",
        "A_SupplierInvoice",
        "SupplierPayment",
    ):
        assert f"  {entity_set}: " in made
