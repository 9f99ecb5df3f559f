"""The sample landscape: generated as checked in, read without an issue, bound, seeded in accord with its metadata."""

import csv
import json
import re
import runpy
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import yaml
from lxml import etree
from tests.unit.samples.sample_landscape import SAMPLES, SampleLandscape, check_value, codes_by_target

from clew.domain.facts import SourceFacts, SourceReport
from clew.domain.processes import Activity
from clew.flow import preconditions, soundness
from clew.graph import GraphStore
from clew.graph.process_view import ProcessView
from clew.mock import MockService
from clew.sources.resolution import resolve_bindings
from clew.storage import SqliteDatabase


@pytest.fixture(scope="module")
def sample() -> SampleLandscape:
    return SampleLandscape()


def test_what_is_checked_in_is_what_the_description_gives(capsys: pytest.CaptureFixture[str]) -> None:
    code = runpy.run_path(str(SAMPLES / "generate.py"))["main"](["--check"])
    assert code == 0, capsys.readouterr().out


def test_a_file_that_was_changed_by_hand_is_found(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main = runpy.run_path(str(SAMPLES / "generate.py"))["main"]
    assert main([str(tmp_path)]) == 0
    changed = tmp_path / "services" / "API_PRODUCT_SRV.xml"
    changed.write_text(changed.read_text(encoding="utf-8").replace("Product", "Article", 1), encoding="utf-8")
    (tmp_path / "services" / "OLD.xml").write_text("<old/>", encoding="utf-8")
    capsys.readouterr()
    assert main([str(tmp_path), "--check"]) == 1
    assert capsys.readouterr().out == "differs: services/API_PRODUCT_SRV.xml\ndiffers: services/OLD.xml\n"


@pytest.mark.parametrize(
    "path", sorted([*SAMPLES.glob("services/*.xml"), *SAMPLES.glob("processes/*.bpmn")]), ids=lambda path: path.stem
)
def test_every_document_is_well_formed(path: Path) -> None:
    root = etree.fromstring(path.read_bytes(), etree.XMLParser(resolve_entities=False, no_network=True))
    assert etree.QName(root).localname in ("Edmx", "definitions")


def test_every_document_is_read_without_an_issue_and_nothing_of_a_service_stays_opaque(sample: SampleLandscape) -> None:
    assert {name: facts.issues for name, facts in sample.facts.items() if facts.issues} == {}
    assert {
        name: sample.facts[name].report.opaque for name in sample.services if sample.facts[name].report.opaque
    } == {}


def test_every_file_of_the_folder_is_named_in_the_landscape(sample: SampleLandscape) -> None:
    landscape = sample.landscape
    named = {entry.file for entry in (*landscape.services, *landscape.processes, *landscape.codelists)}
    there = {
        str(path.relative_to(SAMPLES))
        for pattern in ("services/*.xml", "processes/*.bpmn", "codelists/*.csv", "seed/*.json")
        for path in SAMPLES.glob(pattern)
    }
    assert there == named | set(landscape.seeds)


def test_every_activity_is_bound_or_said_to_be_done_outside(sample: SampleLandscape) -> None:
    bindings = sample.bindings()
    edges, issues = resolve_bindings(bindings, sample)
    assert issues == ()
    assert len(edges) == sum(not row.unbound for row in bindings.rows)
    rows = {(row.process, row.activity) for row in bindings.rows}
    steps = {
        (process, activity.id.partition("/")[2])
        for process, view in sample.processes.items()
        for activity in view.activities
        if activity.type != "subProcess"
    }
    assert rows == steps


def test_bound_calls_are_ones_that_their_sets_allow(sample: SampleLandscape) -> None:
    for row in sample.bindings().rows:
        if not row.entity_set:
            continue
        capabilities = sample.services[row.service].sets[row.entity_set].capabilities
        allowed = {"POST": capabilities.insertable, "PATCH": capabilities.updatable, "GET": capabilities.readable}
        assert allowed[row.method], row


def test_values_that_a_binding_fixes_are_properties_and_allowed_codes(sample: SampleLandscape) -> None:
    codes = codes_by_target(sample)
    fixed = 0
    for row in sample.bindings().rows:
        view = sample.services.get(row.service)
        for path, value in row.values:
            assert view is not None
            if row.operation:
                (operation,) = view.operations[row.operation]
                assert path in [parameter.name for parameter in operation.parameters]
                continue
            *navigation, name = path.split("/")
            type_name = view.sets[row.entity_set].type
            for step in navigation:
                type_name = view.navigations(type_name)[step].target
            assert name in view.properties(type_name), row
            listed = codes.get((row.service, f"{type_name}/{name}"))
            fixed += listed is not None
            assert listed is None or value in {code.code for code in listed}, (row, value)
    assert fixed >= 8


def test_every_code_list_applies_to_something(sample: SampleLandscape) -> None:
    empty = [name for name, facts in sample.codelists() if not facts.overlays]
    assert empty == []


def test_seed_entities_have_their_keys_and_only_properties_with_values_of_their_types(sample: SampleLandscape) -> None:
    keys: Counter[tuple[str, str, tuple[Any, ...]]] = Counter()
    for view, name, row in sample.rows():
        type_name = view.sets[name].type
        properties = view.properties(type_name)
        assert set(row) <= set(properties), (name, set(row) - set(properties))
        keys[view.id, name, tuple(row[key] for key in view.key(type_name))] += 1
        for prop, value in row.items():
            check_value(view, properties[prop], value)
    assert [key for key, count in keys.items() if count > 1] == []


def test_seed_entities_use_codes_of_the_lists_under_their_inputs(sample: SampleLandscape) -> None:
    codes = codes_by_target(sample)
    checked = 0
    for view, name, row in sample.rows():
        type_name = view.sets[name].type
        for prop, value in row.items():
            listed = codes.get((view.id, f"{type_name}/{prop}"))
            if listed is None or value == "":
                continue
            checked += 1
            fitting = [
                code
                for code in listed
                if code.code == value and all(row.get(key, wanted) == wanted for key, wanted in code.inputs)
            ]
            assert fitting, (name, prop, row)
    assert checked > 500


def test_parts_of_seeded_objects_belong_to_a_whole_that_is_there(sample: SampleLandscape) -> None:
    checked = 0
    for service, sets in sample.seeds.items():
        view = sample.services[service]
        for name in sets:
            for nav in view.navigations(view.sets[name].type).values():
                target = view.target_set(name, nav.name)
                if nav.multiplicity != "1" or not nav.constraints or target is None or nav.source_is_principal:
                    continue
                wholes = [
                    tuple(row.get(pair.referenced) for pair in nav.constraints) for row in sets.get(target.name, [])
                ]
                for row in sets[name]:
                    checked += 1
                    assert tuple(row.get(pair.property) for pair in nav.constraints) in wholes, (name, row)
    assert checked > 100


def named(sample: SampleLandscape, service: str, entity_set: str, **values: str) -> list[dict[str, Any]]:
    rows = sample.seeds[service][entity_set]
    return [row for row in rows if all(row.get(key) == value for key, value in values.items())]


def test_the_demo_request_can_be_answered_from_the_data_alone(sample: SampleLandscape) -> None:
    descriptions = named(sample, "API_PRODUCT_SRV", "A_ProductDescription", Language="EN")
    bolts = [row for row in descriptions if {"M8", "bolt,"} <= set(row["ProductDescription"].split())]
    assert [row["Product"] for row in bolts] == ["FS-B0840"]
    assert len([row for row in descriptions if re.search(r"\bM\d+\b", row["ProductDescription"])]) >= 6
    suppliers = sample.seeds["API_BUSINESS_PARTNER"]["A_Supplier"]
    millers = [row["Supplier"] for row in suppliers if "miller" in row["SupplierName"].lower()]
    assert millers == ["10300001"]
    everybody = sample.seeds["API_BUSINESS_PARTNER"]["A_BusinessPartner"]
    assert len([row for row in everybody if "mill" in row["BusinessPartnerFullName"].lower()]) == 2
    (plant,) = named(sample, "API_ORGANIZATIONALUNIT", "Plant", Plant="1010")
    assert (plant["CompanyCode"], plant["PurchasingOrganization"]) == ("1010", "1010")
    (terms,) = named(
        sample,
        "API_INFORECORD_PROCESS_SRV",
        "A_PurgInfoRecdOrgPlantData",
        Supplier="10300001",
        Material="FS-B0840",
        Plant="1010",
    )
    assert (terms["NetPriceAmount"], terms["Currency"], terms["PurchasingGroup"]) == ("0.12", "EUR", "001")
    assert (terms["PurgDocOrderQuantityUnit"], terms["MaterialPriceUnitQty"], terms["TaxCode"]) == ("PC", 1, "V1")
    (company,) = named(sample, "API_BUSINESS_PARTNER", "A_SupplierCompany", Supplier="10300001", CompanyCode="1010")
    assert named(sample, "API_SUPPLIERPAYMENT", "HouseBank", CompanyCode="1010", HouseBank=company["HouseBank"])
    items = sample.seeds["API_PURCHASEORDER_PROCESS_SRV"]["A_PurchaseOrderItem"]
    assert not [row for row in items if row["Material"] == "FS-B0840"], "what the demo does must be seen to be new"


DEMO_SOURCES = {
    # Required on create by the steps of the process, and who gives it. A name that is missing here fails the test.
    "request": {"Material", "Plant", "RequestedQuantity", "DeliveryDate", "OrderQuantity", "QuantityInEntryUnit"},
    "master data": {
        *("PurchasingGroup", "CompanyCode", "PurchasingOrganization", "Supplier", "DocumentCurrency", "NetPriceAmount"),
        *("InvoicingParty", "HouseBank", "PaymentCurrency"),
    },
    "binding": {"GoodsMovementCode", "GoodsMovementType"},
    "earlier result": {
        *("PurchaseOrder", "PurchaseOrderItem", "QuantityInPurchaseOrderUnit", "SupplierInvoice", "PaymentAmount"),
    },
    "asked": {"DocumentDate", "SupplierInvoiceIDByInvcgParty", "InvoiceGrossAmount"},
}


def test_all_that_procurement_requires_has_a_source(sample: SampleLandscape) -> None:
    needed: set[str] = set()
    for row in sample.bindings().rows:
        if row.process == "procure_to_pay" and row.entity_set:
            view = sample.services[row.service]
            parts = ["to_PurchaseReqnItem", "to_PurchaseOrderItem", "to_MaterialDocumentItem"]
            parts += ["to_SuplrInvcItemPurOrdRef", "_Item"]
            navigations = view.navigations(view.sets[row.entity_set].type)
            targets = [view.target_set(row.entity_set, part) for part in parts if part in navigations]
            assert targets
            for entity_set in (view.sets[row.entity_set], *(target for target in targets if target)):
                needed |= set(entity_set.capabilities.required_on_insert)
    assert needed == set().union(*DEMO_SOURCES.values())


def test_operations_change_what_their_sets_have(sample: SampleLandscape) -> None:
    effects = json.loads((SAMPLES / "effects.json").read_text(encoding="utf-8"))
    assert len(effects) >= 14
    for service, operations in effects.items():
        view = sample.services[service]
        for name, effect in operations.items():
            (operation,) = view.operations[name]
            entity_set = view.sets[effect["entity_set"]]
            assert operation.bound_to == entity_set.type
            properties = view.properties(entity_set.type)
            parameters = [parameter.name for parameter in operation.parameters]
            for prop, value in effect["values"].items():
                assert prop in properties
                if isinstance(value, str) and value.startswith("$"):
                    assert value[1:] in parameters
                else:
                    check_value(view, properties[prop], value)


def test_the_models_show_what_the_readme_says(sample: SampleLandscape) -> None:
    kinds = {
        name: {element.type for element in view.elements.values()} | set(definitions(view))
        for name, view in sample.processes.items()
    }
    assert kinds["order_to_cash"] >= {"exclusiveGateway", "message"}
    assert kinds["make_to_stock"] >= {"parallelGateway", "timer"}
    assert kinds["plant_maintenance"] >= {"subProcess", "boundaryEvent"}
    assert kinds["hire_to_retire"] >= {"eventBasedGateway", "parallelGateway"}
    assert kinds["project_setup"] >= {"inclusiveGateway"}
    assert len(sample.processes["procure_to_pay"].messages) == 3
    assert {edge.kind.value for edge in sample.processes["procure_to_pay"].data_edges} == {"READS", "WRITES"}
    drafts = [entity_set.draft for entity_set in sample.services["UI_EMPLOYEEFILE_MANAGE"].sets.values()]
    assert [draft.activation for draft in drafts if draft and draft.activation] == [
        "sample.ui_employeefile_manage.v1.draftActivate"
    ]
    assert all(activity.lane for view in sample.processes.values() for activity in outer_activities(view))


def definitions(view: ProcessView) -> list[str]:
    return [text for element in view.elements.values() for text in getattr(element, "definitions", ())]


def outer_activities(view: ProcessView) -> list[Activity]:
    return [activity for activity in view.activities if not activity.parent]


def test_every_step_lies_between_a_start_and_an_end(sample: SampleLandscape) -> None:
    for view in sample.processes.values():
        for element in view.elements.values():
            is_boundary = element.type == "boundaryEvent"
            assert bool(view.incoming.get(element.id)) != (element.type == "startEvent" or is_boundary), element.id
            assert bool(view.outgoing.get(element.id)) != (element.type == "endEvent"), element.id


def test_no_model_can_get_stuck_and_every_step_can_be_reached(sample: SampleLandscape) -> None:
    assert {name: soundness(view) for name, view in sample.processes.items() if soundness(view)} == {}


def test_a_step_asks_for_those_before_it(sample: SampleLandscape) -> None:
    def before(process: str, step: str) -> set[str]:
        found = preconditions(sample.processes[process], f"bpmn:{process}/{step}")
        return {activity.partition("/")[2] for activity in found}

    assert before("procure_to_pay", "receive") == {"ask", "sign", "order"}
    assert {"fetch", "run"} <= before("make_to_stock", "shelve"), "a parallel join needs all its branches"
    assert not {"talk", "pass"} & before("order_to_cash", "ship"), "an exclusive branch need not have been taken"
    assert "hours" in before("plant_maintenance", "finish"), "a subprocess needs its own steps"


def test_the_documents_agree_with_each_other_in_one_graph(sample: SampleLandscape) -> None:
    store = GraphStore(SqliteDatabase(":memory:"))
    edges, _ = resolve_bindings(sample.bindings(), sample)
    report = SourceReport(document="bindings.yaml", kind="bindings")
    documents = [*sample.facts.values(), *(facts for _, facts in sample.codelists())]
    store.put_many((facts, "1") for facts in (*documents, SourceFacts(report=report, edges=edges)))
    with store.snapshot() as snapshot:
        assert snapshot.issues() == []
        view = snapshot.service("API_MATERIAL_DOCUMENT_SRV")
        item = view.properties("API_MATERIAL_DOCUMENT_SRV.A_MaterialDocumentItemType")
        found = view.value_help_of(item["GoodsMovementType"])
        assert found is not None
        assert ("101", found.closed) in [(code.code, True) for code in found.codes]
        receipt = snapshot.process("procure_to_pay").bindings["bpmn:procure_to_pay/receive"]
        assert [edge.values[0] for edge in receipt] == [("GoodsMovementCode", "01")]


def test_mock_services_take_the_seed(sample: SampleLandscape) -> None:
    for name, view in sample.services.items():
        seed = sample.seeds.get(name, {})
        service = MockService(view, seed=seed)
        assert sum(len(service.entities(entity_set)) for entity_set in seed) == sum(map(len, seed.values()))


def test_the_counts_of_the_readme_are_true(sample: SampleLandscape) -> None:
    text = (SAMPLES / "README.md").read_text(encoding="utf-8")
    table = dict(re.findall(r"^\| ([a-z][^|]*?) (?:\([^|]*\) )?\| ([^|]+?) \|$", text, re.MULTILINE))
    counts: Counter[str] = Counter()
    for name in sample.services:
        counts.update(dict(sample.facts[name].report.counts))
    operations = counts["function_imports"] + counts["actions"] + counts["functions"]
    rows = sample.bindings().rows
    texts = [path.read_text(encoding="utf-8") for path in SAMPLES.glob("codelists/*.csv")]
    codes = sum(1 for text in texts for _ in csv.DictReader(text.splitlines()))
    versions = Counter(service.odata for service in sample.landscape.services)
    expected = {
        "services": f"{len(sample.services)} ({versions['V2']}, {versions['V4']})",
        "entity sets": str(counts["entity_sets"]),
        "entity types": str(counts["entity_types"]),
        "properties": f"{counts['entity_properties']:,}",
        "navigation properties": str(counts["navigations"]),
        "operations": str(operations),
        "processes": str(len(sample.processes)),
        "activities": str(sum(len(view.activities) for view in sample.processes.values())),
        "bindings": f"{len(rows)} ({sum(row.unbound for row in rows)})",
        "code lists": f"{len(sample.landscape.codelists)} ({codes})",
        "seed entities": str(sum(1 for _ in sample.rows())),
    }
    assert {name: table.get(name) for name in expected} == expected


def test_services_have_the_size_of_real_ones(sample: SampleLandscape) -> None:
    assert len(sample.services) >= 14
    assert len(sample.processes) >= 6
    for name, view in sample.services.items():
        assert 2 <= len(view.sets) <= 10, name
    widths = sorted(len(node.properties) for view in sample.services.values() for node in view.types.values())
    assert widths[len(widths) // 2] >= 10
    assert widths[-10] >= 30


@pytest.mark.corpus
def test_nothing_is_worded_as_in_the_development_data(sample: SampleLandscape, test_data: Path) -> None:
    theirs: set[str] = set()
    for path in (test_data / "bench-real" / "processes").glob("*.bpmn"):
        root = etree.parse(path, etree.XMLParser(resolve_entities=False, no_network=True)).getroot()
        theirs |= {element.get("name", "").casefold() for element in root.iter() if element.get("name")}
        theirs |= {(element.text or "").strip().casefold() for element in root.iter("{*}documentation")}
    entries = yaml.safe_load((test_data / "bench-real" / "landscape.yaml").read_text(encoding="utf-8"))["services"]
    theirs |= {entry["about"].casefold() for entry in entries}
    ours = {service.about.casefold() for service in sample.landscape.services}
    for view in sample.processes.values():
        for activity in view.activities:
            ours |= {activity.name.casefold(), activity.documentation.casefold()}
    assert ours & (theirs - {"", "yes", "no"}) == set()
