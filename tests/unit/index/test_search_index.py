"""The index of the small landscape: cards, structure, steps, and that opening gives what was saved."""

from pathlib import Path

import numpy as np
import pytest
from tests.retrieval_landscape import SmallLandscape

from clew.index import CardKind, CardOptions, SearchIndex, build_index
from clew.index.search_index import read_manifest
from clew.index.structure import Role
from clew.llm import HashEmbedder


@pytest.fixture(scope="module")
def index() -> SearchIndex:
    return build_index(SmallLandscape(), HashEmbedder(), CardOptions(summaries=True))


def role(index: SearchIndex, name: str) -> Role:
    return Role(int(index.structure.roles[index.sets.number[f"odata:BUYING/{name}"]]))


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("A_PurchaseOrder", Role.ROOT),
        ("A_PurchaseOrderItem", Role.PART),
        ("A_ItemScheduleLine", Role.PART),
        ("I_PaymentTermsVH", Role.VALUES),
        ("A_SupplierInvoice", Role.PLAIN),
    ],
)
def test_structure_tells_what_a_set_is(index: SearchIndex, name: str, expected: Role) -> None:
    assert role(index, name) == expected


def test_parts_and_owners_are_each_others_reverse(index: SearchIndex) -> None:
    structure = index.structure
    down = set(zip(structure.parts.sources.tolist(), structure.parts.targets.tolist(), strict=True))
    up = set(zip(structure.parents.targets.tolist(), structure.parents.sources.tolist(), strict=True))
    assert down == up
    assert len(down) == 2


def test_steps_stand_in_process_order_with_what_performs_them_and_what_is_near(index: SearchIndex) -> None:
    steps, activities = index.steps, index.activities
    order = activities.number["bpmn:restock/order"]
    assert [index.sets.ids[number] for number in steps.sets.of(order)] == ["odata:BUYING/A_PurchaseOrder"]
    near = {activities.ids[node]: hops for node, hops in zip(steps.near.of(order), _hops(index, order), strict=True)}
    assert near == {"bpmn:restock/ask": 1, "bpmn:restock/pay": 1, "bpmn:restock/look": 2}


def _hops(index: SearchIndex, activity: int) -> list[int]:
    steps = index.steps
    return steps.hops[steps.near.starts[activity] : steps.near.starts[activity + 1]].tolist()


def test_an_operation_counts_for_the_set_whose_key_its_parameters_give(index: SearchIndex) -> None:
    shut = index.activities.number["bpmn:audit/shut"]
    assert [index.operations.ids[number] for number in index.steps.operations.of(shut)] == [
        "odata:STOCK#STOCK.CloseCount()"
    ]
    assert [index.sets.ids[number] for number in index.steps.sets.of(shut)] == ["odata:STOCK/StockCount"]


def test_what_was_saved_is_opened_again(index: SearchIndex, tmp_path: Path) -> None:
    index.save(tmp_path / "index")
    opened = SearchIndex.open(tmp_path / "index")
    assert opened is not None
    assert opened.manifest == index.manifest == read_manifest(tmp_path / "index")
    for kind in CardKind:
        assert list(opened.layers[kind].ids) == list(index.layers[kind].ids)
        assert np.array_equal(opened.layers[kind].dense.matrix, index.layers[kind].dense.matrix)
    assert set(opened.others) == {"surroundings", "summaries"}


def test_saving_again_replaces_what_was_there(index: SearchIndex, tmp_path: Path) -> None:
    folder = tmp_path / "index"
    index.save(folder)
    build_index(SmallLandscape(), HashEmbedder()).save(folder)
    manifest = read_manifest(folder)
    assert manifest is not None
    assert not manifest.options.summaries
    assert [path.name for path in tmp_path.iterdir()] == ["index"]


@pytest.mark.parametrize("content", [None, "", "{}", '{"snapshot": "a", "model": "b", "format": 999}'])
def test_what_is_no_index_of_this_version_is_none(tmp_path: Path, content: str | None) -> None:
    if content is not None:
        (tmp_path / "manifest.json").write_text(content, encoding="utf-8")
    assert SearchIndex.open(tmp_path) is None


def test_options_decide_what_a_card_holds() -> None:
    told = build_index(SmallLandscape(), HashEmbedder()).sets
    silent = build_index(SmallLandscape(), HashEmbedder(), CardOptions(activities=False, about=False)).sets
    invoice = told.number["odata:BUYING/A_SupplierInvoice"]
    assert told.lexical.scores({"settl": 1.0})[invoice] > 0
    assert not silent.lexical.scores({"settl": 1.0}).any()
    assert not np.array_equal(told.dense.matrix[invoice], silent.dense.matrix[invoice])
