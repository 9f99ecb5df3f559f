"""Bad input at the command line: one clear line, exit code 1, nothing changed, never a traceback."""

import json
import shutil
from pathlib import Path

import pytest

from clew.domain.errors import CallFailed
from clew.interfaces.cli.main import main
from clew.workspace import Workspace, sample_folder

HTML = "<!DOCTYPE html><html><head><title>Sign in</title></head><body>Please sign in</body></html>"
DTD = '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><edmx:Edmx>&b;</edmx:Edmx>'
NO_PROCESS = '<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" id="d" targetNamespace="t"/>'
SERVICE = (sample_folder() / "services" / "API_PURCHASEORDER_PROCESS_SRV.xml").read_text(encoding="utf-8")

FILES = {
    "page.xml": (HTML, "HTML"),
    "cut.xml": (SERVICE[: len(SERVICE) // 2], "cut.xml:"),
    "entities.xml": (DTD, "document type"),
    "empty.xml": ("", "empty"),
    "none.bpmn": (NO_PROCESS, "without a process"),
    "words.xml": ("no markup at all", "words.xml"),
    "odd.yaml": ("services: [", "odd.yaml"),
}


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace with the sample landscape, to be copied."""
    folder = tmp_path_factory.mktemp("filled")
    assert main(["init", str(folder)]) == 0
    assert main(["ingest", "--no-vectors", "--workspace", str(folder), str(sample_folder())]) == 0
    return folder


@pytest.fixture
def place(filled: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Path:
    """A workspace with the sample landscape, in the current folder."""
    shutil.copytree(filled, tmp_path / "here")
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.delenv("CLEW_WORKSPACE", raising=False)
    monkeypatch.delenv("CLEW_PRINCIPAL", raising=False)
    capsys.readouterr()
    return tmp_path / "here"


def version(capsys: pytest.CaptureFixture[str]) -> str:
    assert main(["status", "--json"]) == 0
    return json.loads(capsys.readouterr().out)["version"]


def told(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 1) -> str:
    outcome = main(list(arguments))
    printed = capsys.readouterr()
    assert outcome == code, printed.out + printed.err
    assert "Traceback" not in printed.err
    assert "an error of Clew's own" not in printed.err
    return printed.out + printed.err


@pytest.mark.parametrize("name", FILES)
def test_a_file_that_cannot_be_read_is_refused_in_one_line_and_changes_nothing(
    place: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    text, mention = FILES[name]
    before = version(capsys)
    (place / name).write_text(text, encoding="utf-8")
    said = told(capsys, "ingest", "--no-vectors", name)
    assert mention in said
    assert len([line for line in said.splitlines() if line.startswith("error: ")]) == 1
    assert version(capsys) == before


def test_a_missing_file_is_named(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    del place
    assert "nowhere.xml" in told(capsys, "ingest", "nowhere.xml")


def test_one_bad_file_among_good_ones_fails_alone(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (place / "more").mkdir()
    (place / "more" / "good.xml").write_text(SERVICE.replace("4000", "40"), encoding="utf-8")
    (place / "more" / "page.xml").write_text(HTML, encoding="utf-8")
    said = told(capsys, "ingest", "--no-vectors", "more")
    assert "1 read, 1 refused" in said


def test_a_binding_to_an_unknown_activity_or_set_is_named_with_what_comes_close(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = (
        "bindings:\n"
        "- {process: procure_to_pay, activity: ordr, service: API_PURCHASEORDER_PROCESS_SRV,"
        " entity_set: A_PurchaseOrder, method: POST}\n"
        "- {process: procure_to_pay, activity: order, service: API_PURCHASEORDER_PROCESS_SRV,"
        " entity_set: A_PurchaseOrdr, method: POST}\n"
    )
    (place / "wrong.yaml").write_text(rows, encoding="utf-8")
    main(["ingest", "--no-vectors", "wrong.yaml"])
    said = capsys.readouterr().err
    assert "wrong.yaml:2" in said
    assert "'order'" in said
    assert "wrong.yaml:3" in said
    assert "'A_PurchaseOrder'" in said


ORDER = "API_PURCHASEORDER_PROCESS_SRV/A_PurchaseOrder"


@pytest.mark.parametrize(
    ("body", "mention"),
    [
        ('{"CompanyCode": "1010", "CompanyCode": "1710"}', "CompanyCode"),
        ('{"CompanyCode": NaN}', "NaN"),
        ('{"to_PurchaseOrderItem": [{"OrderQuantity": 9007199254740993123456}]}', "OrderQuantity"),
        ("[" * 1000 + "]" * 1000, "level"),
        ('{"CompanyCode": "' + "x" * 5_500_000 + '"}', ""),
        ("", ""),
        ("{", ""),
        ('{"CompanyCode": "10100"}', "4"),
        ('{"CompanyCod": "1010"}', "CompanyCode"),
    ],
    ids=["twice", "NaN", "beyond 2^53", "1,000 levels", "5 MB", "empty", "cut", "too long", "misspelt"],
)
def test_a_body_that_no_service_should_see_is_refused_with_problems(
    place: Path, capsys: pytest.CaptureFixture[str], body: str, mention: str
) -> None:
    file = place / "body.json"
    file.write_text(body, encoding="utf-8")
    said = told(capsys, "validate", "POST", ORDER, "--body-file", str(file))
    assert said.startswith("refused")
    assert mention in said


@pytest.mark.parametrize("request_text", ["", "   ", "注文書を作成してください", "qwertz asdf", "order " * 6000])
def test_a_request_that_is_not_understood_is_answered_with_a_question(
    place: Path, capsys: pytest.CaptureFixture[str], request_text: str
) -> None:
    del place
    assert "?" in told(capsys, "plan", request_text)


def planned(capsys: pytest.CaptureFixture[str]) -> str:
    calls = str(sample_folder() / "calls" / "requisition.json")
    assert main(["plan", "--calls", calls, "--json"]) == 0
    return json.loads(capsys.readouterr().out)["dry_run"]["plan"]["hash"]


def test_a_plan_is_carried_out_once(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    del place
    plan = planned(capsys)
    assert main(["run", plan]) == 0
    capsys.readouterr()
    assert "confirmed before" in told(capsys, "run", plan)
    assert main(["call", "GET", "API_PURCHASEREQ_PROCESS_SRV/A_PurchaseRequisitionHeader", "--json"]) == 0
    assert capsys.readouterr().out.count("Bolts for the pump line") == 1


def test_a_plan_is_confirmed_by_its_own_principal_only(
    place: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    del place
    plan = planned(capsys)
    monkeypatch.setenv("CLEW_PRINCIPAL", "somebody-else")
    assert "plan" in told(capsys, "run", plan)


def test_a_plan_is_worth_nothing_once_the_metadata_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    name = "API_PURCHASEREQ_PROCESS_SRV"
    original = (sample_folder() / "services" / f"{name}.xml").read_text(encoding="utf-8")
    service = tmp_path / "service.xml"
    service.write_text(original, encoding="utf-8")
    writes = f"settings: {{writes: {{{name}: '*'}}}}"
    landscape = f"services:\n- {{id: {name}, file: service.xml}}\n{writes}\n"
    (tmp_path / "clew.yaml").write_text(landscape, encoding="utf-8")
    assert main(["init"]) == 0
    assert main(["ingest", "--no-vectors", "clew.yaml"]) == 0
    capsys.readouterr()
    plan = planned(capsys)
    service.write_text(original.replace('MaxLength="40"', 'MaxLength="39"', 1), encoding="utf-8")
    assert main(["ingest", "--no-vectors", "clew.yaml"]) == 0
    capsys.readouterr()
    assert "changed since the plan was made" in told(capsys, "run", plan)


@pytest.mark.parametrize(
    ("arguments", "code", "mention"),
    [
        (["describe", "A_PurchaseOrdr"], 1, "A_PurchaseOrder"),
        (["describe", "[bold]x"], 1, "[bold]x"),
        (["next", "procure"], 1, "procure"),
        (["run", "0000"], 1, "no plan"),
        (["run"], 2, "HASH"),
        (["search", "x", "--k", "0"], 2, "--k"),
        (["case", "show", "nobody"], 1, "nobody"),
        (["case", "open", "no_such_process"], 1, "no_such_process"),
        (["validate", "GET", "NO_SUCH_SRV/Set"], 1, "service"),
        (["trace", "show", "nothing"], 1, "nothing"),
        (["frobnicate"], 2, "frobnicate"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_what_is_not_there_is_said_in_one_line(
    place: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], code: int, mention: str
) -> None:
    del place
    assert mention in told(capsys, *arguments, code=code)


def test_without_a_workspace_the_command_that_makes_one_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CLEW_WORKSPACE", str(tmp_path / "nowhere"))
    assert "clew init" in told(capsys, "status")


def test_a_folder_without_anything_to_read_is_said_in_one_line(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (place / "bare").mkdir()
    (place / "bare" / "notes.txt").write_text("nothing", encoding="utf-8")
    assert told(capsys, "ingest", "--no-vectors", "bare").startswith("Nothing to read")


def test_a_landscape_of_no_bytes_is_refused_by_name(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (place / "zero").mkdir()
    (place / "zero" / "clew.yaml").touch()
    before = version(capsys)
    assert "zero/clew.yaml: The document is empty" in told(capsys, "ingest", "--no-vectors", "zero")
    assert version(capsys) == before


def test_a_seed_that_is_no_text_refuses_its_landscape(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (place / "seed.json").write_bytes(b"\xff\xfe\x00")
    (place / "odd.yaml").write_text("services: []\nseeds: [seed.json]\n", encoding="utf-8")
    before = version(capsys)
    assert "seed.json is not UTF-8 from byte 0 on" in told(capsys, "ingest", "--no-vectors", "odd.yaml")
    assert version(capsys) == before


def test_a_body_that_is_no_utf_8_is_refused_with_the_byte(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (place / "body.json").write_bytes(b'{"a": "\xff"}')
    assert "not UTF-8 from byte 7 on" in told(capsys, "validate", "POST", ORDER, "--body-file", "body.json")


def test_two_sources_for_one_thing_are_wrong_usage(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (place / "some.json").write_text("[]", encoding="utf-8")
    told(capsys, "validate", "POST", ORDER, "--body", "{}", "--body-file", "some.json", code=2)
    told(capsys, "plan", "order bolts", "--calls", "some.json", code=2)


def test_an_export_that_cannot_be_written_names_the_file(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    del place
    assert "no_folder/x cannot be written" in told(capsys, "graph", "export", "--output", "no_folder/x")


def test_an_unknown_case_is_refused_in_whole_sentences(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    del place
    said = told(capsys, "call", "GET", ORDER, "--case", "nobody")
    assert "'nobody'" in said
    assert ".." not in said


def test_the_doctor_offers_no_new_workspace_over_a_damaged_database(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / ".clew").mkdir()
    (tmp_path / ".clew" / "workspace.db").write_text("no database at all", encoding="utf-8")
    said = told(capsys, "doctor", "--workspace", str(tmp_path))
    assert "restore a backup" in said
    assert "clew init" not in said


def test_two_open_workspaces_lose_none_of_each_others_writes(place: Path) -> None:
    line = "POST API_PURCHASEREQ_PROCESS_SRV/A_PurchaseRequisitionHeader"
    with Workspace.open(place) as one, Workspace.open(place) as other:
        one.mocks.entities("API_PURCHASEREQ_PROCESS_SRV", "A_PurchaseRequisitionHeader")
        for number, workspace in enumerate((other, one, other, one)):
            answer = workspace.call_line(line, body=f'{{"PurReqnDescription": "made {number}"}}', confirmed=True)
            assert answer.status == 201
        kept = other.mocks.entities("API_PURCHASEREQ_PROCESS_SRV", "A_PurchaseRequisitionHeader")
        described = {str(entity["PurReqnDescription"]) for entity in kept}
        assert {f"made {number}" for number in range(4)} <= described


def test_a_closed_case_is_called_closed_and_not_done(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    del place
    assert main(["case", "open", "procure_to_pay", "--json"]) == 0
    handle = json.loads(capsys.readouterr().out)["handle"]
    assert main(["case", "close", handle]) == 0
    capsys.readouterr()
    assert told(capsys, "next", handle, code=0) == "The case is closed.\n"


def test_a_write_whose_answer_is_not_known_is_settled_and_the_run_goes_on(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plan = planned(capsys)
    with Workspace.open(place) as workspace:
        workspace.mocks.send = lambda _: (_ for _ in ()).throw(CallFailed(504, "no answer"))  # type: ignore[method-assign]
        run = workspace.confirm(plan)
    assert run.state == "uncertain"
    assert "not known" in told(capsys, "run", "--resume", run.run_id)
    assert "--step" in told(capsys, "run", "--settle", run.run_id, code=2)
    assert "not uncertain" in told(capsys, "run", "--settle", run.run_id, "--step", "2", "--not-arrived")
    assert "--resume" in told(capsys, "run", "--settle", run.run_id, "--step", "1", "--not-arrived", code=0)
    assert "done" in told(capsys, "run", "--resume", run.run_id, code=0)
