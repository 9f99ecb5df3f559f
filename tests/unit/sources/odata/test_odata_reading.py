"""What the reader of CSDL does around the facts: names, lines, refusals, bounds."""

import pytest
from tests.unit.sources.odata.odata_facts import FIXTURES, read, refusal

from clew.domain.facts import Refused, SourceFacts
from clew.domain.issues import Severity
from clew.domain.services import EntitySet, EntityType, Operation, Service
from clew.graph.service_view import ServiceView
from clew.sources.odata import natural_name, read_csdl
from clew.sources.xml import XmlLimits

V4 = 'xmlns="http://docs.oasis-open.org/odata/ns/edm"'


def schema(content: str, *, attributes: str = 'Namespace="n"') -> str:
    return f"<Schema {V4} {attributes}>{content}</Schema>"


@pytest.mark.parametrize(
    ("document", "name"),
    [
        ("API_SALES_ORDER_SRV.edmx", "API_SALES_ORDER_SRV"),
        ("erp/API_SALES_ORDER_SRV.metadata.xml", "API_SALES_ORDER_SRV"),
        ("erp/PURCHASING/$metadata", "PURCHASING"),
        ("erp/PURCHASING/metadata.xml", "PURCHASING"),
        ("metadata.xml", "metadata"),
        ("v1.0.csdl", "v1.0"),
    ],
)
def test_a_service_is_called_as_its_file_unless_that_says_nothing(document: str, name: str) -> None:
    assert natural_name(document) == name


def test_the_name_of_a_service_is_asked_for_once_and_used_in_all_ids() -> None:
    asked: list[str] = []

    def name(natural: str) -> str:
        asked.append(natural)
        return "sales 2"

    text = schema(
        '<EntityType Name="T"/><EntityContainer Name="C"><EntitySet Name="S" EntityType="l.T"/></EntityContainer>'
    )
    facts = read_csdl(text.encode(), document="sales.xml", naming=name)
    assert isinstance(facts, SourceFacts)
    assert asked == ["sales"]
    assert [node.id for node in facts.nodes] == ["odata:sales%202", "odata:sales%202/S", "odata:sales%202#n.T"]
    assert facts.report.owners == ("odata:sales%202",)


def test_annotations_alone_are_no_service_and_ask_for_no_name() -> None:
    def name(natural: str) -> str:
        raise AssertionError(natural)

    data = (FIXTURES / "annotations_only.xml").read_bytes()
    facts = read_csdl(data, document="a.xml", naming=name)
    assert isinstance(facts, SourceFacts)
    assert facts.nodes == ()
    assert facts.report.owners == ()


def test_nodes_and_members_know_their_lines() -> None:
    facts = read((FIXTURES / "v2_orders.xml").read_bytes())
    lines = {node.id.partition("shop")[2]: node.line for node in facts.nodes}
    assert lines["#ORDERS.Order"] == 12
    assert lines["/Orders"] == 60
    order = next(node for node in facts.nodes if isinstance(node, EntityType) and node.name == "ORDERS.Order")
    assert [item.line for item in order.properties][:3] == [16, 18, 20]
    assert order.navigations[0].line == 30


def test_an_alias_may_be_declared_after_its_use() -> None:
    first = schema('<EntityType Name="T"><Property Name="P" Type="later.C"/></EntityType>')
    second = schema('<ComplexType Name="C"/>', attributes='Namespace="m" Alias="later"')
    facts = read(f"<Edmx><DataServices>{first}{second}</DataServices></Edmx>")
    assert ServiceView.of(facts.nodes).properties("n.T")["P"].type == "m.C"
    assert facts.issues == ()


def test_a_name_in_the_wrong_case_is_refused_with_what_is_meant() -> None:
    text = schema(
        '<EntityType Name="T">\n<Property Name="P" Type="SELF.C"/></EntityType><ComplexType Name="C"/>',
        attributes='Namespace="n" Alias="self"',
    )
    refused = refusal(text)
    assert str(refused.issue) == (
        "shop.xml:2: The type 'SELF.C' of n.T/P is not declared: names are case-sensitive. Did you mean 'self.C'?"
    )


def test_a_set_named_as_its_type_stays_the_target_of_bindings() -> None:
    facts = read(
        schema(
            '<EntityType Name="Books"><NavigationProperty Name="next" Type="n.Books"/></EntityType>'
            '<EntityContainer Name="C"><EntitySet Name="Books" EntityType="Books">'
            '<NavigationPropertyBinding Path="next" Target="Books"/></EntitySet></EntityContainer>'
        )
    )
    books = ServiceView.of(facts.nodes).sets["Books"]
    assert books.type == "n.Books"
    assert [(item.path, item.target) for item in books.bindings] == [("next", "Books")]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("<feed xmlns='http://www.w3.org/2005/Atom'/>", "odata-no-metadata"),
        ("<definitions xmlns='http://www.omg.org/spec/BPMN/20100524/MODEL'/>", "odata-no-metadata"),
        ("<html><body/></html>", "xml-html"),
        ("", "xml-empty"),
        ("<Edmx><DataServices>", "xml-truncated"),
        ("<Edmx/><Edmx/>", "xml-several"),
    ],
)
def test_what_is_no_metadata_is_refused(text: str, code: str) -> None:
    assert refusal(text).issue.code == code


def test_a_document_without_content_is_read_as_empty_with_a_warning() -> None:
    facts = read("<edmx:Edmx xmlns:edmx='http://docs.oasis-open.org/odata/ns/edmx'><edmx:DataServices/></edmx:Edmx>")
    assert facts.report.kind == "empty"
    assert [(issue.code, issue.severity) for issue in facts.issues] == [("odata-empty", Severity.WARNING)]


@pytest.mark.parametrize("element", ["Annotation", "Record", "If", "own"])
def test_nesting_beyond_the_bound_is_refused_wherever_it_is(element: str) -> None:
    nested = f"<{element}>" * 300 + f"</{element}>" * 300
    text = schema(f'<EntityType Name="T"><Annotation Term="Core.x">{nested}</Annotation></EntityType>')
    assert refusal(text).issue.code == "xml-too-deep"


def test_a_document_beyond_the_bounds_is_refused() -> None:
    text = schema("<ComplexType Name='C'/>" * 600)
    for limits in (XmlLimits(size_bytes=100), XmlLimits(elements=50)):
        refused = read_csdl(text.encode(), document="a.xml", naming=str, limits=limits)
        assert isinstance(refused, Refused)
        assert refused.issue.code == "xml-too-large"


@pytest.mark.parametrize(
    ("attributes", "version"),
    [
        ('Version="1.0"><DataServices m:DataServiceVersion="1.0"', "V2"),
        ('Version="1.0"><DataServices m:DataServiceVersion="2.0"', "V2"),
        ('Version="1.0"><DataServices m:DataServiceVersion="3.0"', "V3"),
        ('Version="4.0"><DataServices m:DataServiceVersion="2.0"', "V2"),
    ],
)
def test_no_attribute_alone_tells_the_version(attributes: str, version: str) -> None:
    text = (
        '<Edmx xmlns="http://schemas.microsoft.com/ado/2007/06/edmx" '
        'xmlns:m="http://schemas.microsoft.com/ado/2007/08/dataservices/metadata" '
        f'{attributes}><Schema Namespace="n" xmlns="http://schemas.microsoft.com/ado/2008/09/edm">'
        '<EntityType Name="T"/></Schema></DataServices></Edmx>'
    )
    assert read(text).report.version == version


@pytest.mark.parametrize(
    ("content", "version"),
    [
        ('<Action Name="A"/>', "V4"),
        ('<Association Name="A"><End Type="n.T" Multiplicity="1" Role="a"/>'
         '<End Type="n.T" Multiplicity="1" Role="b"/></Association>', "V3"),
    ],
)  # fmt: skip
def test_what_only_one_version_has_decides(content: str, version: str) -> None:
    assert read(schema(f'<EntityType Name="T"/>{content}')).report.version == version


def test_the_newest_version_is_told_apart() -> None:
    content = schema('<EntityType Name="T"/>')
    facts = read(f'<Edmx Version="4.01"><DataServices>{content}</DataServices></Edmx>')
    service = next(node for node in facts.nodes if isinstance(node, Service))
    assert service.version == "V4.01"
    assert ServiceView.of(facts.nodes).is_v4


def test_properties_that_differ_in_name_and_texts_only_are_told_apart() -> None:
    sap = "http://www.sap.com/Protocols/SAPData"
    facts = read(
        schema(
            f'<EntityType Name="T" xmlns:sap="{sap}">'
            '<Property Name="A" Type="Edm.String" MaxLength="4" sap:label="One" sap:x="1"/>\n'
            '<Property Name="B" Type="Edm.String" MaxLength="4" sap:label="Two" sap:x="1"/>\n'
            '<Property Name="C" Type="Edm.String" MaxLength="4" sap:quickinfo="In&#x202E;visible" sap:x="1"/>'
            '<Property Name="D" Type="Edm.String" MaxLength="4" sap:x="1"/>'
            '<Property Name="E" Type="Edm.String" sap:label="4" MaxLength="4" sap:x="2"/>'
            "</EntityType>"
        )
    )
    found = ServiceView.of(facts.nodes).properties("n.T")
    assert [(item.texts.label, item.texts.quickinfo, item.line) for item in found.values()] == [
        ("One", "", 1),
        ("Two", "", 2),
        ("", "Invisible", 3),
        ("", "", 3),
        ("4", "", 3),
    ]
    assert {item.max_length for item in found.values()} == {4}
    assert dict(facts.report.opaque) == {"sap:x": 5}
    assert [issue.code for issue in facts.issues] == ["odata-text"]


def test_overloads_that_differ_in_names_alone_have_ids_of_their_own() -> None:
    function = '<Function Name="F"><Parameter Name="{}" Type="Edm.Int32"/><ReturnType Type="Edm.Int32"/></Function>'
    facts = read(schema(function.format("a") + function.format("b") + function.format("b")))
    ids = [node.id for node in facts.nodes if isinstance(node, Operation)]
    assert ids == ["odata:shop#n.F(Edm.Int32)", "odata:shop#n.F(b:Edm.Int32)"]
    assert [issue.code for issue in facts.issues] == ["odata-duplicate-operation"]


def test_a_vendor_prefix_that_is_not_declared_is_read_with_a_warning() -> None:
    facts = read(schema('<EntityType Name="T">\n<Property Name="P" sap:label="Plant" zz:q="1"/></EntityType>'))
    prop = ServiceView.of(facts.nodes).properties("n.T")["P"]
    assert prop.texts.label == "Plant"
    assert [kept.term for kept in prop.opaque] == ["zz:q"]
    assert [(issue.code, issue.place.line) for issue in facts.issues] == [
        ("xml-undeclared-prefix", 2),
        ("xml-undeclared-prefix", 2),
    ]


def test_values_of_annotations_keep_their_digits() -> None:
    facts = read(
        schema(
            '<EntityType Name="T">'
            '<Annotation Term="own.a" Decimal="0.10000000000000000000001"/>'
            '<Annotation Term="own.b" Int="9007199254740993"/>'
            '<Annotation Term="own.c" Float="INF"/>'
            '<Annotation Term="own.d" Decimal="1E1000000000"/>'
            '<Annotation Term="own.e"/>'
            "</EntityType>"
        )
    )
    kept = next(node for node in facts.nodes if isinstance(node, EntityType)).opaque
    assert [item.value for item in kept] == [
        "0.10000000000000000000001",
        "9007199254740993",
        '"INF"',
        '"1E1000000000"',
        "true",
    ]


def test_more_than_one_value_in_a_property_value_is_kept_with_a_warning() -> None:
    facts = read(
        schema(
            '<EntityType Name="T"><Annotation Term="own.a"><Record><PropertyValue Property="p">'
            "<String>x</String><String>y</String></PropertyValue></Record></Annotation></EntityType>"
        )
    )
    kept = next(node for node in facts.nodes if isinstance(node, EntityType)).opaque
    assert kept[0].value == '{"p":["x","y"]}'
    assert [issue.code for issue in facts.issues] == ["odata-unknown-element"]


def test_sets_of_a_type_elsewhere_are_not_broken() -> None:
    text = (
        '<Edmx Version="4.0"><Reference Uri="types.xml"><Include Namespace="t"/></Reference><DataServices>'
        + schema('<EntityContainer Name="C"><EntitySet Name="S" EntityType="t.T"/></EntityContainer>')
        + "</DataServices></Edmx>"
    )
    facts = read(text)
    assert [node.type for node in facts.nodes if isinstance(node, EntitySet)] == ["t.T"]
    assert [issue.code for issue in facts.issues] == ["odata-reference"]


@pytest.mark.parametrize("hidden", ["\u200b", "\u202e", "\u2066", "\ufe01", "\U000e0041", "\U000e0101", "\x85"])
def test_what_a_person_cannot_see_is_taken_out_of_texts_and_named(hidden: str) -> None:
    facts = read(schema(f'<EntityType Name="T"><Annotation Term="Core.Description" String="a{hidden}b"/></EntityType>'))
    node = next(node for node in facts.nodes if isinstance(node, EntityType))
    assert node.texts.description == "ab"
    assert f"U+{ord(hidden):04X}" in facts.issues[0].message


def test_a_text_beyond_the_bound_is_cut_with_a_warning() -> None:
    text = "x" * 5000
    facts = read(schema(f'<EntityType Name="T"><Annotation Term="Core.Description" String="{text}"/></EntityType>'))
    node = next(node for node in facts.nodes if isinstance(node, EntityType))
    assert len(node.texts.description) == 4000
    assert "4000 of 5000" in facts.issues[0].message
