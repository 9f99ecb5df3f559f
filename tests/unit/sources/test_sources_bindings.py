"""Bindings: rows resolved into edges, unknown names with those that come close, and files written back as they were."""

from pathlib import Path
from typing import Any

import msgspec
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.sources.sources_cases import cases

from clew.domain.facts import Refused
from clew.domain.ids import element_id, entity_set_id, operation_id, process_id, service_id, type_id
from clew.domain.kinds import EdgeKind
from clew.domain.landscape import BindingRow, Bindings, CodeListUse
from clew.domain.processes import Activity, Process
from clew.domain.services import EntitySet, EntityType, Operation, Parameter, Property, Service
from clew.graph.process_view import ProcessView
from clew.graph.service_view import ServiceView
from clew.sources.bindings import read_bindings, write_bindings
from clew.sources.resolution import resolve_bindings, resolve_uses

RESOLUTION = cases("bindings/resolution.yaml")
USES = cases("bindings/uses.yaml")
PLANT = Property(name="Plant")


def entity_type(name: str, base: str = "", *properties: Property) -> EntityType:
    qualified = f"Shop.{name}"
    return EntityType(
        id=type_id("SHOP", qualified), service="SHOP", name=qualified, base=base, key=("ID",), properties=properties
    )


def action(name: str, bound_to: str = "") -> Operation:
    return Operation(
        id=operation_id("SHOP", f"Shop.{name}", (bound_to,) if bound_to else ()),
        service="SHOP",
        name=f"Shop.{name}",
        flavor="action",
        method="POST",
        bound_to=bound_to,
        parameters=(Parameter(name="Plant"),) if name == "Close" else (),
    )


class SmallLandscape:
    """One service and one process, offered by the graph's own views."""

    def service_names(self) -> list[str]:
        return ["SHOP"]

    def process_names(self) -> list[str]:
        return ["order"]

    def service(self, name: str, /) -> ServiceView:
        sets = [
            EntitySet(id=entity_set_id(name, f"{kind}s"), service=name, name=f"{kind}s", type=f"Shop.{kind}")
            for kind in ("Order", "Return")
        ]
        types = [
            entity_type("Document", "", PLANT),
            entity_type("Order", "Shop.Document", Property(name="Kind")),
            entity_type("Return", "Shop.Document"),
            entity_type("Item", "", PLANT),
        ]
        actions = [
            action("Close", "Shop.Order"),
            action("Close", "Shop.Return"),
            action("Archive", "Shop.Document"),
            action("Rebuild"),
        ]
        service = Service(id=service_id(name), service=name, name=name)
        return ServiceView(service, [*sets, *types, *actions])

    def process(self, name: str, /) -> ProcessView:
        names = {"a1": "Enter the order", "a2": "Close it", "a3": "Shelve\n it", "a4": "Pack"}
        activities = [
            Activity(id=element_id(name, element), process=name, name=text, type="task")
            for element, text in names.items()
        ]
        return ProcessView(Process(id=process_id(name), process=name), activities, [])


@pytest.mark.parametrize("case", RESOLUTION, ids=lambda case: case["name"])
def test_rows_become_edges_and_what_is_not_there_an_issue(case: dict[str, Any]) -> None:
    bindings = read_bindings(case["bindings"], document="b.yaml")
    assert isinstance(bindings, Bindings), bindings
    edges, issues = resolve_bindings(bindings, SmallLandscape())
    assert [[edge.source, edge.target, edge.method] for edge in edges] == case["edges"]
    assert [str(issue) for issue in issues] == case.get("says", [])
    assert {edge.kind for edge in edges} <= {EdgeKind.PERFORMED_BY}


def test_an_edge_keeps_all_that_its_row_says() -> None:
    text = (
        "- process: order\n  activity: a2\n  service: SHOP\n  operation: Close\n  bound_to: Orders\n  method: POST\n"
        "  via: upsert\n  note: at night\n  values: {Plant: '0010'}\n"
    )
    bindings = read_bindings(text, document="b.yaml")
    assert isinstance(bindings, Bindings)
    ((edge,), issues) = resolve_bindings(bindings, SmallLandscape())
    assert issues == ()
    kept = (edge.via, edge.bound_to, edge.note, edge.values, edge.line)
    assert kept == ("upsert", "Orders", "at night", (("Plant", "0010"),), 1)


@pytest.mark.parametrize("case", USES, ids=lambda case: case["name"])
def test_a_code_list_finds_the_properties_that_it_applies_to(case: dict[str, Any]) -> None:
    use = msgspec.convert({**case["use"], "line": 7}, CodeListUse)
    targets, issues = resolve_uses([use], SmallLandscape(), document="clew.yaml")
    assert [target.path for target in targets] == case.get("targets", [])
    assert [str(issue) for issue in issues] == ([case["says"]] if "says" in case else [])


FILE = """\
# Who does what.
bindings:
  # The shop.
  - process: order
    activity: a1   # by hand
    service: SHOP
    entity_set: Orders
    method: POST
    note: |
      two
      lines

  # At night.
  - process: night
    activity: n1
    unbound: true
# The end.
"""
ACCEPTED = BindingRow(
    process="order", activity="a2", service="SHOP", operation="Close", bound_to="Orders", method="POST"
)
WRITTEN = """\
  - process: order
    activity: a2
    service: SHOP
    operation: Close
    method: POST
    bound_to: Orders
"""


def test_an_accepted_row_follows_those_of_its_process_and_nothing_else_changes() -> None:
    written = write_bindings([ACCEPTED], text=FILE)
    assert written == FILE.replace("      lines\n", "      lines\n" + WRITTEN)


def test_a_row_for_the_same_call_is_written_anew_in_its_place() -> None:
    row = BindingRow(process="order", activity="a1", service="SHOP", entity_set="Orders", method="POST", note="new")
    written = write_bindings([row], text=FILE)
    assert isinstance(written, str)
    assert "two" not in written
    assert written.startswith("# Who does what.\nbindings:\n  # The shop.\n  - process: order\n    activity: a1\n")
    assert written.endswith(
        "    note: new\n\n  # At night.\n  - process: night\n    activity: n1\n    unbound: true\n# The end.\n"
    )


def test_rows_that_are_there_already_change_nothing() -> None:
    bindings = read_bindings(FILE, document="b.yaml")
    assert isinstance(bindings, Bindings)
    assert write_bindings(bindings.rows, text=FILE) == FILE


def test_rows_can_go_and_the_last_one_leaves_an_empty_list() -> None:
    bindings = read_bindings(FILE, document="b.yaml")
    assert isinstance(bindings, Bindings)
    one = write_bindings([], text=FILE, without=bindings.rows[:1])
    assert isinstance(one, str)
    assert "order" not in one
    assert "n1" in one
    none = write_bindings([], text=FILE, without=bindings.rows)
    assert isinstance(none, str)
    again = read_bindings(none, document="b.yaml")
    assert isinstance(again, Bindings)
    assert again.rows == ()


def test_a_file_that_cannot_be_read_is_not_written() -> None:
    refused = write_bindings([ACCEPTED], text="bindings: [", document="b.yaml")
    assert isinstance(refused, Refused)
    assert str(refused.issue).startswith("b.yaml:2: The document is not YAML")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("bindigs:\n- a\n", "b.yaml:1: 'bindigs' is no key of a bindings file. Did you mean 'bindings'?"),
        ("- process: p\n", "b.yaml:1: A binding needs the key 'activity'."),
        ("just words", "b.yaml:1: A bindings file is a mapping with the key 'bindings', which holds a list."),
    ],
)
def test_a_wrong_file_is_refused_in_one_line(text: str, says: str) -> None:
    refused = read_bindings(text, document="b.yaml")
    assert isinstance(refused, Refused)
    assert str(refused.issue) == says


names = st.text(st.characters(codec="utf-8", exclude_categories=["Cs", "Cc"]), min_size=1, max_size=10)
targets = st.one_of(
    st.fixed_dictionaries({"entity_set": names}),
    st.fixed_dictionaries({"operation": names}, optional={"bound_to": names}),
)
details = st.fixed_dictionaries(
    {},
    optional={
        "activity_name": names,
        "via": names,
        "note": st.text(st.characters(codec="utf-8", exclude_categories=["Cs", "Cc"]) | st.just("\n"), min_size=1),
        "values": st.lists(st.tuples(names, names), min_size=1, max_size=2, unique_by=lambda pair: pair[0]).map(tuple),
    },
)
bound_rows = st.builds(
    lambda process, activity, service, target, more: BindingRow(
        process=process, activity=activity, service=service, method="POST", **target, **more
    ),
    st.sampled_from(["p", "q"]),
    names,
    names,
    targets,
    details,
)
unbound_rows = st.builds(BindingRow, process=st.sampled_from(["p", "q"]), activity=names, unbound=st.just(True))
row_lists = st.lists(
    bound_rows | unbound_rows, max_size=5, unique_by=lambda row: (row.process, row.activity, row.service, row.target)
)


def without_lines(rows: tuple[BindingRow, ...] | list[BindingRow]) -> list[BindingRow]:
    return [msgspec.structs.replace(row, line=0) for row in rows]


@given(row_lists)
def test_what_is_written_is_read_again(rows: list[BindingRow]) -> None:
    text = write_bindings(rows)
    assert isinstance(text, str)
    found = read_bindings(text, document="b.yaml")
    assert isinstance(found, Bindings), found
    assert without_lines(found.rows) == rows


@given(row_lists)
def test_rows_accepted_one_by_one_are_all_there_and_those_of_a_process_in_order(rows: list[BindingRow]) -> None:
    text = FILE
    for row in rows:
        written = write_bindings([row], text=text)
        assert isinstance(written, str), written
        text = written
    found = read_bindings(text, document="b.yaml")
    assert isinstance(found, Bindings)
    read = without_lines(found.rows)
    assert all(row in read for row in rows)
    assert len(read) == len(rows) + 2
    for line in ("# Who does what.", "  # The shop.", "  # At night.", "# The end."):
        assert line in text.splitlines()


@pytest.mark.corpus
def test_bindings_of_real_services_are_read_as_they_are(test_data: Path) -> None:
    data = (test_data / "bench-real" / "bindings.yaml").read_bytes()
    found = read_bindings(data, document="bindings.yaml")
    assert isinstance(found, Bindings), found
    stated = yaml.safe_load(data)["bindings"]
    assert len(found.rows) == len(stated) == 43
    for row, entry in zip(found.rows, stated, strict=True):
        assert {name: getattr(row, name) for name in entry} == entry
    assert write_bindings(found.rows, text=data) == data.decode()
