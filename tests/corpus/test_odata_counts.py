"""Every real OData document in XML gives as many elements as an independent count of its XML."""

import json
import os
from functools import cache
from pathlib import Path

import msgspec
import pytest
import yaml
from tests.corpus.odata_counts import differences, is_v4, navigations, of_type, properties, service

from clew.domain.facts import Refused, SourceFacts
from clew.domain.services import Annotation, EntitySet, EnumType, Operation, Property, ValueHelp
from clew.graph.service_view import ServiceView
from clew.sources.odata import read_csdl

pytestmark = pytest.mark.corpus

NOT_XML = {"odata-csdl-json", "odata-v2-tar", "odata-malformed"}

# (counted, read) where an import names an operation that its document does not declare: no operation has it then, and
# the service keeps it with a warning (CSDL 4.01, clause 13.5: the operation named must be in scope).
EXPLAINED = {
    "odata/sap-cloud-sdk-js/v4-API_TEST_SRV-API_TEST_SRV.edmx": {
        "action_imports": (10, 8),
        "function_imports": (13, 11),
    },
    "odata/olingo4/_metadata.xml": {"function_imports": (1, 0)},
}
MALFORMED = {
    "odata/sap-open-ux-tools/odata-service-inquirer-utils-invalid_metadata.xml": ("xml-malformed", 6),
    "odata/sap-open-ux-tools/odata-service-inquirer-utils-metadata_v2.xml": ("xml-several", 3),
    "odata/sap-samples/S4HC_ENTPROJECTPROCESSINGSTATUS_0001.edmx": ("xml-encoding", 1),
    "odata/sap-samples/S4HC_ENTPROJECTPROFILECODE_0001.edmx": ("xml-encoding", 1),
    "odata/sap-s4-ui-v2/EAM_OBJPG_MAINTENANCEORDER_SRV.metadata.xml": ("xml-truncated", 1),
    "odata/ms-odata-net/OperationModelTests.OperationsWithNamedStructuralDataTypeTestRoundtripVerify.approved.xml": (
        "xml-several",
        571,
    ),
}


@cache
def entries(folder: Path) -> dict[str, dict]:
    return json.loads((folder / "corpus" / "COUNTS.json").read_text(encoding="utf-8"))


def documents() -> list[str]:
    """Paths of the well-formed documents; nothing where there are no third-party files."""
    folder = os.environ.get("CLEW_TEST_DATA", "")
    if not folder:
        return []
    kinds = {path: entry["kind"] for path, entry in entries(Path(folder)).items()}
    return [path for path, kind in kinds.items() if kind.startswith("odata-") and kind not in NOT_XML]


def read(folder: Path, path: str) -> SourceFacts | Refused:
    return read_csdl((folder / "corpus" / path).read_bytes(), document=path, naming=lambda name: name)


def facts_of(folder: Path, path: str) -> SourceFacts:
    facts = read(folder, path)
    assert isinstance(facts, SourceFacts), facts
    return facts


@pytest.mark.parametrize("path", documents())
def test_a_document_gives_what_was_counted(test_data: Path, path: str) -> None:
    facts = facts_of(test_data, path)
    assert differences(facts, entries(test_data)[path]["counts"]) == EXPLAINED.get(path, {})
    if path in EXPLAINED:
        assert "odata-missing-operation" in {issue.code for issue in facts.issues}


@pytest.mark.parametrize("path", documents())
def test_a_document_fits_together(test_data: Path, path: str) -> None:
    facts = facts_of(test_data, path)
    ids = [node.id for node in facts.nodes]
    assert len(ids) == len(set(ids))
    codes = {issue.code for issue in facts.issues}
    if not is_v4(facts):
        for item in navigations(facts):
            assert (item.target and item.source_multiplicity) or "odata-missing-association" in codes, item.name
    helps = {node.id for node in of_type(facts, ValueHelp)}
    assert {item.value_help for item in properties(facts) if item.value_help} <= helps
    for enum in of_type(facts, EnumType):
        assert "codes:" + enum.id.partition(":")[2] in helps
    for kept in opaque_of(facts):
        msgspec.json.decode(kept.value)


def opaque_of(facts: SourceFacts) -> list[Annotation]:
    holders = [*facts.nodes, *facts.overlays, *properties(facts), *navigations(facts)]
    holders += [item for node in of_type(facts, Operation) for item in node.parameters]
    return [kept for holder in holders for kept in getattr(holder, "opaque", ())]


def test_all_documents_are_there(test_data: Path) -> None:
    assert len(documents()) > 450
    assert set(EXPLAINED) <= set(documents())
    landscape = yaml.safe_load((test_data / "bench-real" / "landscape.yaml").read_text(encoding="utf-8"))
    named = [entry["file"] for entry in landscape["services"] if entry["file"].endswith((".edmx", ".xml"))]
    assert len(named) > 10
    for path in named:
        assert path in documents()
        assert path not in EXPLAINED


@pytest.mark.parametrize("path", sorted(MALFORMED))
def test_what_is_malformed_beyond_mending_is_refused_in_one_line(test_data: Path, path: str) -> None:
    code, line = MALFORMED[path]
    facts = read(test_data, path)
    assert isinstance(facts, Refused)
    assert facts.issue.code == code
    assert facts.issue.place.line == line
    assert facts.issue.place.document == path
    assert "\n" not in str(facts.issue)


def test_a_bare_ampersand_in_an_attribute_is_mended_with_a_warning(test_data: Path) -> None:
    path = "odata/sap-open-ux-tools/prompts-metadata-file-validatorTest.xml"
    facts = facts_of(test_data, path)
    assert differences(facts, entries(test_data)[path]["counts"]["recovered_counts"]) == {}
    assert ("xml-bare-ampersand", 22) in [(issue.code, issue.place.line) for issue in facts.issues]


def test_annotation_documents_give_overlays_alone(test_data: Path) -> None:
    checked = 0
    for path in documents():
        if entries(test_data)[path]["kind"] == "odata-v4-annotations":
            facts = facts_of(test_data, path)
            assert facts.report.kind == "annotations"
            assert facts.nodes == ()
            assert facts.overlays
            checked += 1
    assert checked > 100


def member(facts: SourceFacts, path: str) -> Property:
    type_name, _, name = path.partition("/")
    return ServiceView.of(facts.nodes).properties(type_name)[name]


def test_vendor_attributes_become_fields(test_data: Path) -> None:
    facts = facts_of(test_data, "odata/sap-integration-recipes/OP_API_SALES_ORDER_SRV_0001.edmx")
    view = ServiceView.of(facts.nodes)
    order = view.sets["A_SalesOrder"]
    assert view.target_set("A_SalesOrder", "to_Item") == view.sets["A_SalesOrderItem"]
    assert not order.capabilities.searchable
    kinds = {item.value_list for item in properties(facts)}
    units = [item for item in properties(facts) if item.unit]
    assert kinds <= {"", "standard", "fixed-values"}
    assert units
    assert all(item.texts.label for item in view.properties("API_SALES_ORDER_SRV.A_SalesOrderType").values())


def test_value_helps_of_cloud_for_customer_point_at_sets(test_data: Path) -> None:
    name = "my348132_crm_ondemand_com_sap_c4c_odata_v1_c4codataapi.edmx"
    facts = facts_of(test_data, f"odata/sap-integration-recipes/{name}")
    names = {node.name for node in of_type(facts, EntitySet)}
    located = [node for node in of_type(facts, ValueHelp) if node.origin == "value_list"]
    assert len(located) == 1397
    assert {node.collection for node in located} <= names
    assert all(node.key_property == "Code" for node in located)
    assert service(facts).version == "V2"
