"""The tool surface: one scenario, as an agent calls it; and what the command line says to the same questions."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema_rs
import msgspec
import pytest
import yaml

from clew.domain.records import JsonObject
from clew.interfaces.cli.main import main
from clew.llm import HashEmbedder
from clew.tools import SURFACE, AuditedTools, BudgetedTools, ToolContext, ToolResult, WorkspaceTools
from clew.workspace import Workspace, sample_folder

SCENARIO: list[dict[str, Any]] = yaml.safe_load(Path(__file__).with_name("scenario.yaml").read_text(encoding="utf-8"))
CONTEXT = ToolContext(run_id="scenario")


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    folder = tmp_path_factory.mktemp("doors")
    Workspace.create(folder).close()
    with Workspace(folder, embedder=HashEmbedder) as opened:
        opened.ingest([sample_folder()])
        yield opened


def plain(result: ToolResult) -> dict[str, Any]:
    return json.loads(msgspec.json.encode(result))


def is_part(wanted: Any, found: Any) -> bool:
    if isinstance(wanted, dict):
        return isinstance(found, dict) and all(is_part(value, found.get(name)) for name, value in wanted.items())
    return wanted == found


@pytest.mark.parametrize("step", SCENARIO, ids=lambda step: f"{step['tool']} {list(step['arguments'].values())[:1]}")
def test_a_tool_answers_as_the_scenario_states(workspace: Workspace, step: dict[str, Any]) -> None:
    answer = plain(WorkspaceTools(workspace).call(step["tool"], step["arguments"], CONTEXT))
    answer.setdefault("ok", False)
    assert is_part(step["answer"], answer), answer
    text = json.dumps(answer, ensure_ascii=False)
    assert [word for word in step.get("mentions", ()) if word not in text] == []


def test_there_are_at_most_twelve_tools_in_a_fixed_order_with_valid_schemas() -> None:
    names = [tool.name for tool in SURFACE]
    assert names == ["find_services", "describe_entity", "next_steps", "read", "write", "ask_user"]
    assert len(names) <= 12
    for tool in SURFACE:
        for schema in (tool.input_schema(), tool.output_schema()):
            jsonschema_rs.meta.validate(schema)
            assert schema["type"] == "object"


def test_answers_keep_to_the_output_schema(workspace: Workspace) -> None:
    for step in SCENARIO:
        answer = plain(WorkspaceTools(workspace).call(step["tool"], step["arguments"], CONTEXT))
        tool = next((tool for tool in SURFACE if tool.name == step["tool"]), None)
        if tool is not None and answer.get("ok"):
            jsonschema_rs.validate(tool.output_schema(), answer["value"])


def test_a_write_goes_from_check_over_plan_to_confirm_and_no_further(workspace: Workspace) -> None:
    tools = WorkspaceTools(workspace)
    call: JsonObject = {
        "method": "POST",
        "service": "API_PURCHASEREQ_PROCESS_SRV",
        "entity_set": "A_PurchaseRequisitionHeader",
        "payload": {"PurReqnDescription": "Bolts"},
    }
    checked = plain(tools.call("write", {"mode": "check", "calls": [call]}, CONTEXT))
    assert checked["value"]["verdicts"][0]["allowed"], checked
    planned = plain(tools.call("write", {"mode": "plan", "calls": [call]}, CONTEXT))
    digest = planned["value"]["dry_run"]["plan"]["hash"]
    assert planned["value"]["dry_run"]["executable"]
    done = plain(tools.call("write", {"mode": "confirm", "hash": digest}, CONTEXT))
    assert done["value"]["run"]["state"] == "done"
    again = plain(tools.call("write", {"mode": "confirm", "hash": digest}, CONTEXT))
    assert again["fault"]["code"] == "NotPermitted"
    held = workspace.mocks.entities("API_PURCHASEREQ_PROCESS_SRV", "A_PurchaseRequisitionHeader")
    assert [entity["PurReqnDescription"] for entity in held].count("Bolts") == 1


def test_every_call_is_in_the_journal_with_its_outcome(workspace: Workspace) -> None:
    tools = AuditedTools(WorkspaceTools(workspace), workspace.journal, principal="local")
    context = ToolContext(run_id="audited")
    tools.call("next_steps", {"process": "procure_to_pay"}, context)
    tools.call("order_pizza", {}, context)
    kept = [event.body for event in workspace.trace("audited") if event.kind == "tool"]
    assert [(body["tool"], body["ok"]) for body in kept] == [("next_steps", True), ("order_pizza", False)]


def test_a_budget_that_is_spent_is_said(workspace: Workspace) -> None:
    tools = BudgetedTools(WorkspaceTools(workspace), calls=1)
    assert tools.call("next_steps", {"process": "procure_to_pay"}, CONTEXT).ok
    fault = tools.call("next_steps", {"process": "procure_to_pay"}, CONTEXT).fault
    assert fault is not None
    assert fault.code == "BUDGET_SPENT"


@pytest.mark.parametrize(
    ("arguments", "tool", "asked", "part"),
    [
        (
            ["describe", "API_PURCHASEORDER_PROCESS_SRV/A_PurchaseOrder", "--detail", "brief"],
            "describe_entity",
            {"id": "odata:API_PURCHASEORDER_PROCESS_SRV/A_PurchaseOrder", "detail": "brief"},
            None,
        ),
        (["next", "procure_to_pay"], "next_steps", {"process": "procure_to_pay"}, "steps"),
        (
            ["validate", "GET", "API_BUSINESS_PARTNER/A_Suplier"],
            "read",
            {"request": {"method": "GET", "service": "API_BUSINESS_PARTNER", "entity_set": "A_Suplier"}},
            "verdict.problems.code",
        ),
    ],
)
def test_the_command_line_says_the_same(
    workspace: Workspace,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    tool: str,
    asked: JsonObject,
    part: str | None,
) -> None:
    main([*arguments, "--json", "--workspace", str(workspace.folder)])
    said = json.loads(capsys.readouterr().out)
    answered = plain(WorkspaceTools(workspace).call(tool, asked, CONTEXT))["value"]
    if part == "steps":
        assert said == answered["steps"]
    elif part:
        codes = [problem["code"] for problem in answered["verdict"]["problems"]]
        assert [problem["code"] for problem in said["problems"]] == codes
    else:
        assert said == answered
