"""XML texts are read, mended with a warning, or refused in one line, as tests/fixtures/xml says."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.sources.sources_cases import cases

from clew.domain.facts import Refused
from clew.domain.issues import Severity
from clew.sources.xml import XmlDocument, XmlElement, XmlLimits, parse_xml


def content(case: dict[str, Any]) -> bytes:
    return bytes.fromhex(case["hex"]) if "hex" in case else case["text"].encode()


def parse(text: str) -> XmlDocument:
    parsed = parse_xml(text.encode(), document="a.xml")
    assert isinstance(parsed, XmlDocument), parsed
    return parsed


@pytest.mark.parametrize("case", cases("xml/refused.yaml"), ids=lambda case: case["title"])
def test_what_is_no_document_is_refused_in_one_line_that_says_where(case: dict[str, Any]) -> None:
    parsed = parse_xml(content(case), document="in/a.xml", limits=XmlLimits(**case.get("limits", {})))
    assert isinstance(parsed, Refused)
    assert (parsed.issue.code, parsed.issue.place.line) == (case["code"], case["line"])
    assert str(parsed.issue).startswith("in/a.xml")
    assert case.get("says", "") in parsed.issue.message
    assert "\n" not in str(parsed.issue)


@pytest.mark.parametrize("case", cases("xml/mended.yaml"), ids=lambda case: case["title"])
def test_slips_of_exporters_are_mended_with_a_warning(case: dict[str, Any]) -> None:
    parsed = parse_xml(content(case), document="a.xml")
    assert isinstance(parsed, XmlDocument), parsed
    assert [[issue.code, issue.place.line] for issue in parsed.issues] == case["codes"]
    assert all(issue.severity is Severity.WARNING for issue in parsed.issues)
    assert parsed.root.children[0].get("name") == case["name"]


def test_an_element_knows_its_namespace_line_text_and_attributes() -> None:
    root = parse('<p:a xmlns:p="urn:p" xmlns="urn:d">\n<b p:x="1" y="2">one <![CDATA[& two]]></b></p:a>').root
    assert (root.namespace, root.name, root.line) == ("urn:p", "a", 1)
    child = root.child("b")
    assert isinstance(child, XmlElement)
    assert (child.namespace, child.line, child.text) == ("urn:d", 2, "one & two")
    assert child.attributes == {"{urn:p}x": "1", "y": "2"}
    assert child.scope["p"] == "urn:p"
    assert root.child("b", "urn:p") is None
    assert [element.name for element in root.walk()] == ["a", "b"]


def test_a_customary_prefix_stands_for_its_namespace_where_it_is_not_declared() -> None:
    parsed = parse_xml(b'<a x:b="1"/>', document="a.xml", known_prefixes={"x": "urn:x"})
    assert isinstance(parsed, XmlDocument)
    assert parsed.root.attributes == {"{urn:x}b": "1"}
    assert "urn:x" in parsed.issues[0].message


def test_comments_that_hold_markup_are_not_mended() -> None:
    parsed = parse('<a><!-- <b c="d & e"/> --><b name="x & y"/></a>')
    assert len(parsed.issues) == 1
    assert [element.name for element in parsed.root.walk()] == ["a", "b"]


@given(st.binary(max_size=60))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    parsed = parse_xml(b"<a>" + data, document="a.xml")
    assert isinstance(parsed, XmlDocument | Refused)


@given(st.text(alphabet="<>&;'\"= ab/!-?[]", max_size=60))
def test_any_markup_is_read_or_refused(text: str) -> None:
    parsed = parse_xml(text.encode(), document="a.xml")
    assert isinstance(parsed, XmlDocument | Refused)
    if isinstance(parsed, Refused):
        assert "\n" not in str(parsed.issue)


@given(st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"], exclude_characters="\ufffe\uffff")))
def test_text_in_an_attribute_comes_back_as_it_was(text: str) -> None:
    quoted = text.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")
    assert parse(f'<a b="{quoted}"/>').root.get("b") == text
