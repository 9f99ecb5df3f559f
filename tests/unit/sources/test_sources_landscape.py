"""`clew.yaml`: what is read, what is refused with which lines, and the published schema, which says the same."""

import json
from pathlib import Path
from typing import Any

import jsonschema_rs
import msgspec
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.sources.sources_cases import as_json, cases, make_files

from clew.domain.facts import Refused
from clew.domain.landscape import Auth, Landscape, Secret
from clew.sources import landscape as landscape_module
from clew.sources.file_places import locate
from clew.sources.landscape import file_folders, read_landscape
from clew.sources.landscape_shapes import SHAPES
from clew.sources.yaml_fields import Form
from clew.sources.yaml_text import read_yaml

SCHEMA_FILE = Path(landscape_module.__file__).with_name("landscape.schema.json")
SCHEMA = json.loads(SCHEMA_FILE.read_text(encoding="utf-8"))
ACCEPTED = cases("landscape/accepted.yaml")
REFUSED = cases("landscape/refused.yaml")


def read(case: dict[str, Any], folder: Path) -> Landscape | Refused:
    make_files(folder, case.get("files", []))
    return read_landscape(case["landscape"], document="clew.yaml", folder=folder)


def accepts(text: str) -> bool:
    node = read_yaml(text, document="clew.yaml")
    return not isinstance(node, Refused) and jsonschema_rs.validator_for(SCHEMA).is_valid(as_json(node))


@pytest.mark.parametrize("case", ACCEPTED, ids=lambda case: case["name"])
def test_a_landscape_is_read_as_it_says(case: dict[str, Any], tmp_path: Path) -> None:
    found = read(case, tmp_path)
    assert isinstance(found, Landscape), found
    expected = msgspec.convert({"document": "clew.yaml", **case["expect"]}, Landscape)
    for name in case["expect"]:
        assert getattr(found, name) == getattr(expected, name)


@pytest.mark.parametrize("case", REFUSED, ids=lambda case: case["name"])
def test_a_wrong_landscape_is_refused_with_all_that_is_wrong(case: dict[str, Any], tmp_path: Path) -> None:
    found = read(case, tmp_path)
    assert isinstance(found, Refused)
    assert sorted(str(issue) for issue in (found.issue, *found.others)) == sorted(case["says"])
    assert "s3cr3t" not in repr(found)


@pytest.mark.parametrize("case", ACCEPTED, ids=lambda case: case["name"])
def test_the_schema_accepts_what_is_read(case: dict[str, Any]) -> None:
    assert accepts(case["landscape"]) or "no value" in case["name"] or "without a value" in case["name"]


@pytest.mark.parametrize("case", REFUSED, ids=lambda case: case["name"])
def test_the_schema_refuses_what_is_refused_for_its_form(case: dict[str, Any]) -> None:
    assert accepts(case["landscape"]) == (case.get("schema") == "misses" and not _unreadable(case["landscape"]))


def _unreadable(text: str) -> bool:
    return isinstance(read_yaml(text, document="clew.yaml"), Refused)


def test_the_schema_is_one_of_the_published_dialect() -> None:
    assert jsonschema_rs.meta.is_valid(SCHEMA)
    assert SCHEMA["$schema"] == "https://json-schema.org/draft/2020-12/schema"


def test_the_schema_names_the_keys_words_and_requirements_of_the_reader() -> None:
    names = ("landscape", "system", "service", "process", "binding", "codelist", "columns", "use", "settings", "auth")
    for shape, name in zip(SHAPES, names, strict=True):
        definition = SCHEMA["$defs"][name]
        variants = [part for part in definition.get("oneOf", [definition]) if part.get("type") == "object"]
        properties = {key: value for part in variants for key, value in part["properties"].items()}
        assert set(properties) == set(shape.fields), name
        for key, words in shape.words.items():
            stated = {properties[key].get("const")} if "const" in properties[key] else set(properties[key]["enum"])
            if name == "auth":
                stated = {part["properties"]["type"]["const"] for part in variants}
            assert stated - {False} == set(words), (name, key)
        for key, form in shape.fields.items():
            assert (properties[key].get("type") == "boolean") == (form is Form.FLAG), (name, key)
        common = set.intersection(*(set(part.get("required", [])) for part in variants))
        assert common == set(shape.required), name


def test_an_auth_keeps_references_only(tmp_path: Path) -> None:
    case = next(case for case in ACCEPTED if case["name"].startswith("everything"))
    found = read(case, tmp_path)
    assert isinstance(found, Landscape)
    basic, bearer, key, oauth = (
        found.systems[0].auth,
        *(service.auth for service in found.services),
    )
    user = Secret(scheme="env", name="ERP_USER")
    assert basic == Auth(kind="basic", user=user, password=Secret(scheme="keyring", name="erp/robot"), line=11)
    assert bearer == Auth(token=Secret(scheme="env", name="ORDERS_TOKEN"), line=18)
    assert key is not None
    assert (str(key.token), key.header) == ("file:/run/secrets/key", "X-API-Key")
    assert oauth is not None
    assert (str(oauth.user), str(oauth.password), oauth.token_url) == (
        "env:ID",
        "env:SECRET",
        "https://cloud.example/token",
    )


def test_files_are_found_below_the_root_that_the_user_names_and_else_beside_the_landscape(tmp_path: Path) -> None:
    here, elsewhere = tmp_path / "here", tmp_path / "elsewhere"
    make_files(here, ["flow.bpmn"])
    make_files(elsewhere, ["a.edmx"])
    text = "services: [{id: A, file: a.edmx}]\nprocesses: [{id: p, file: flow.bpmn}]\n"
    found = read_landscape(text, document="clew.yaml", folder=here, root=elsewhere)
    assert isinstance(found, Landscape)
    folders = file_folders(found, folder=here, root=elsewhere)
    assert locate("a.edmx", folders) == elsewhere / "a.edmx"
    assert locate("flow.bpmn", folders) == here / "flow.bpmn"


def test_a_link_that_leads_out_of_the_folder_is_not_followed(tmp_path: Path) -> None:
    make_files(tmp_path, ["outside.edmx", "in/inside.edmx"])
    (tmp_path / "in" / "link.edmx").symlink_to(tmp_path / "outside.edmx")
    found = read_landscape("services: [{id: A, file: link.edmx}]", document="clew.yaml", folder=tmp_path / "in")
    assert isinstance(found, Refused)
    assert str(found.issue) == "clew.yaml:1: Service 'A' names 'link.edmx', which does not exist."


def test_without_a_folder_files_are_not_looked_for_but_must_stay_below_theirs() -> None:
    assert isinstance(read_landscape("services: [{id: A, file: a.edmx}]", document="clew.yaml"), Landscape)
    assert isinstance(read_landscape("services: [{id: A, file: ../a.edmx}]", document="clew.yaml"), Refused)


@pytest.mark.corpus
def test_a_landscape_of_real_services_is_read_as_it_is(test_data: Path) -> None:
    folder = test_data / "bench-real"
    data = (folder / "landscape.yaml").read_bytes()
    found = read_landscape(data, document="landscape.yaml", folder=folder, root=test_data / "corpus")
    assert isinstance(found, Landscape), found
    assert (len(found.services), len(found.processes), found.issues) == (14, 6, ())
    assert accepts(data.decode())


yaml_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8) | st.sampled_from(["env:A", "a.xml", "*", "V2"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from([*{key for shape in SHAPES for key in shape.fields}]), inner, max_size=4)
    ),
    max_leaves=12,
)


@given(st.dictionaries(st.sampled_from([*SHAPES[0].fields]), yaml_values, max_size=5) | yaml_values)
def test_whatever_stands_in_the_mapping_is_read_or_refused_with_lines(value: object) -> None:
    text = yaml.safe_dump(value, allow_unicode=True)
    found = read_landscape(text, document="clew.yaml")
    issues = (found.issue, *found.others) if isinstance(found, Refused) else found.issues
    assert all("\n" not in str(issue) and str(issue).startswith("clew.yaml") for issue in issues)


SEMANTIC = {"duplicate-id", "missing-file", "unknown-system", "unknown-service"}
words = st.sampled_from(["env:A", "a.xml", "*", "V2", "A", "post", "POST", "bearer", "off", "1010"])
entries = st.dictionaries(
    st.sampled_from(["id", "file", "process", "activity", "service", "entity_set", "method", "name", "odata", "auth"]),
    words,
    max_size=7,
)
landscapes = st.dictionaries(
    st.sampled_from(
        ["services", "processes", "bindings", "codelists", "systems", "seeds", "settings", "name", "servces"]
    ),
    st.lists(entries | words, max_size=2) | entries | words,
    max_size=4,
)


@given(landscapes)
def test_reader_and_schema_agree_on_the_form_of_a_landscape(value: object) -> None:
    text = yaml.safe_dump(value)
    found = read_landscape(text, document="clew.yaml")
    codes = {issue.code for issue in (found.issue, *found.others)} if isinstance(found, Refused) else set[str]()
    assert accepts(text) == (codes <= SEMANTIC), codes


@given(st.binary(max_size=120))
def test_no_bytes_make_the_reader_fail(data: bytes) -> None:
    assert isinstance(read_landscape(data, document="clew.yaml"), Landscape | Refused)
