"""Cases of CSDL ingest, written from public problem reports and from the standard, as far as a reader can see them."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from clew.domain.facts import Refused, SourceFacts
from clew.domain.issues import Issue, Severity
from clew.domain.services import EntityType, Property
from clew.graph.service_view import ServiceView
from clew.sources.odata import read_csdl

pytestmark = pytest.mark.corpus

CANARY = "CANARY-7f3a9c"


def cases(folder: Path, *areas: str) -> list[dict[str, Any]]:
    lines = (folder / "cases" / "cases.jsonl").read_text(encoding="utf-8").splitlines()
    found = [case for line in lines if (case := json.loads(line))["area"] in areas]
    return [case for case in found if str(case["input"]).endswith(".edmx")]


def read(folder: Path, name: str) -> SourceFacts | Refused:
    data = (folder / "cases" / "files" / name).read_bytes()
    return read_csdl(data, document=name, naming=lambda natural: natural)


def issues_of(facts: SourceFacts | Refused) -> list[Issue]:
    return [facts.issue] if isinstance(facts, Refused) else list(facts.issues)


def verdict(facts: SourceFacts | Refused) -> str:
    if isinstance(facts, Refused):
        return "reject"
    return "warn" if any(issue.severity is Severity.WARNING for issue in facts.issues) else "accept"


def type_of(view: ServiceView, name: str) -> str:
    """Gives the qualified name of a set's type, or of the type with this simple name."""
    if name in view.sets:
        return view.sets[name].type
    return next(found for found in view.types if found.rpartition(".")[2] == name)


def broken(view: ServiceView) -> list[str]:
    return [name for name in view.sets if not isinstance(view.types.get(view.sets[name].type), EntityType)]


def own_properties(view: ServiceView, expected: dict[str, Any]) -> list[str]:
    if "set" in expected:
        return sorted(view.properties(view.sets[expected["set"]].type))
    return sorted(name for type_name in view.types for name in view.properties(type_name))


VERSIONS = {"V1": "1.0", "V2": "2.0", "V3": "3.0", "V4": "4.0", "V4.01": "4.01"}
ASSERTIONS: dict[str, Callable[[ServiceView, dict[str, Any]], object]] = {
    "entity_sets": lambda view, _: sorted(view.sets),
    "odata_version": lambda view, _: VERSIONS[view.service.version],
    "set": lambda view, expected: expected["set"] if expected["set"] in view.sets else "",
    "non_filterable": lambda view, expected: list(view.sets[expected["set"]].capabilities.non_filterable),
    "key": lambda view, expected: list(view.key(view.sets[expected["set"]].type)),
    "properties": own_properties,
    "usable_sets": lambda view, _: sorted(set(view.sets) - set(broken(view))),
    "broken_sets": lambda view, _: broken(view),
}
# Asserted of the machine and the network, not of the facts; other tests hold them.
OUTSIDE = {"network_requests", "canary_absent", "max_seconds", "max_extra_mb", "max_label_chars", "shown", "flags"}


def observe(view: ServiceView, name: str, expected: dict[str, Any]) -> object:
    """Gives what an assertion is about: a known measure, `Set.field`, or `Type.Property.field`."""
    if name in ASSERTIONS:
        return ASSERTIONS[name](view, expected)
    owner, *path = name.split(".")
    if len(path) == 1:
        return getattr(view.sets[owner].capabilities, path[0])
    prop: Property = view.properties(type_of(view, owner))[path[0]]
    return getattr(prop, path[1])


def test_cases_of_reading_metadata_are_answered_as_expected(test_data: Path) -> None:
    answered = 0
    for case in cases(test_data, "csdl-ingest"):
        facts = read(test_data, case["input"])
        expected = case["expected"]
        assert verdict(facts) == expected["verdict"], case["id"]
        said = " ".join(map(str, issues_of(facts)))
        for word in expected.get("message_must_mention", ()):
            assert word in said, case["id"]
        if isinstance(facts, SourceFacts):
            view = ServiceView.of(facts.nodes)
            for name, value in expected.get("assert", {}).items():
                assert observe(view, name, expected["assert"]) == value, (case["id"], name)
        answered += 1
    assert answered >= 13


def test_an_insert_restriction_on_a_navigation_stays_with_the_navigation(test_data: Path) -> None:
    facts = read(test_data, "CS-080.edmx")
    assert isinstance(facts, SourceFacts)
    trips = ServiceView.of(facts.nodes).sets["Trips"]
    assert trips.capabilities.insertable
    assert [(path, item.insertable) for path, item in trips.navigation_capabilities] == [("Stops", False)]


def test_hostile_metadata_is_refused_or_inert(test_data: Path, tmp_path: Path) -> None:
    canary = (test_data / "cases" / "files" / "SE-CANARY.txt").read_bytes()
    (tmp_path / "SE-CANARY.txt").write_bytes(canary)
    answered = 0
    for case in cases(test_data, "security"):
        data = (test_data / "cases" / "files" / case["input"]).read_bytes()
        data = data.replace(b"@FOLDER@", str(tmp_path).encode())
        facts = read_csdl(data, document=case["input"], naming=lambda natural: natural)
        expected = {"transform": "warn"}.get(case["expected"]["verdict"], case["expected"]["verdict"])
        assert verdict(facts) == expected, case["id"]
        assert CANARY not in repr(facts)
        if isinstance(facts, SourceFacts):
            view = ServiceView.of(facts.nodes)
            for name, value in case["expected"].get("assert", {}).items():
                if name not in OUTSIDE:
                    assert observe(view, name, case["expected"]["assert"]) == value, (case["id"], name)
        answered += 1
    assert answered >= 6


def test_invisible_characters_are_taken_out_of_texts_and_named(test_data: Path) -> None:
    facts = read(test_data, "SE-041.edmx")
    assert isinstance(facts, SourceFacts)
    case = next(case for case in cases(test_data, "security") if case["id"] == "SE-041")
    said = " ".join(issue.message for issue in facts.issues)
    assert all(flag in said for flag in case["expected"]["assert"]["flags"])
    assert repr(case["expected"]["assert"]["shown"]) in said


def test_a_long_text_is_cut_with_a_warning(test_data: Path) -> None:
    facts = read(test_data, "SE-012.edmx")
    assert isinstance(facts, SourceFacts)
    longest = max(len(kept.value) for node in facts.nodes for kept in getattr(node, "opaque", ()))
    assert longest <= 4002
