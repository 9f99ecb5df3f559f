"""Random small models, written as CSDL of V2 or V4, come back as the facts that they were written from."""

from xml.sax.saxutils import quoteattr

import msgspec
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.sources.odata.odata_facts import read

from clew.domain.records import Record
from clew.domain.services import (
    EntitySet,
    EntityType,
    EnumMember,
    EnumType,
    Multiplicity,
    NavigationProperty,
    Property,
    ReferentialConstraint,
    Texts,
)

NAMESPACE = "m.odel"
V2 = "http://schemas.microsoft.com/ado/2008/09/edm"
V4 = "http://docs.oasis-open.org/odata/ns/edm"
SAP = "http://www.sap.com/Protocols/SAPData"

names = st.from_regex(r"[A-Za-z_äß][A-Za-z0-9_]{0,5}", fullmatch=True)
# Without blanks at the ends and invisible characters, which the reader takes out of texts.
seen = st.characters(codec="utf-8", exclude_categories=["C", "Z", "Mn"], exclude_characters="\u115f\u1160\u3164\uffa0")
labels = st.text(seen, max_size=6)
multiplicities: st.SearchStrategy[Multiplicity] = st.sampled_from(["1", "0..1", "*"])


class Link(Record, frozen=True, kw_only=True):
    """An association between two types by position, navigable from the first one, and back where it has a name."""

    source: int
    target: int
    forth: str
    back: str
    source_multiplicity: Multiplicity
    target_multiplicity: Multiplicity


class Sketch(Record, frozen=True, kw_only=True):
    """A model: types with their properties, links between them, an enumeration."""

    types: tuple[tuple[str, tuple[Property, ...]], ...]
    links: tuple[Link, ...]
    members: tuple[str, ...]


@st.composite
def properties(draw: st.DrawFn, name: str) -> Property:
    kind = draw(st.sampled_from(["Edm.String", "Edm.Decimal", "Edm.Int64", "Edm.Guid"]))
    facets: dict[str, object] = {}
    if kind == "Edm.String":
        facets["max_length"] = draw(st.none() | st.integers(1, 999))
    if kind == "Edm.Decimal":
        facets["precision"] = draw(st.integers(5, 30))
        facets["scale"] = draw(st.none() | st.integers(0, 5))
    return Property(
        name=name,
        type=kind,
        nullable=draw(st.booleans()),
        texts=Texts(label=draw(labels)),
        default=draw(st.none() | labels),
        **facets,
    )


@st.composite
def sketches(draw: st.DrawFn) -> Sketch:
    type_names = draw(st.lists(names, min_size=1, max_size=4, unique_by=str.lower))
    types: list[tuple[str, tuple[Property, ...]]] = []
    for type_name in type_names:
        members = draw(st.lists(names, min_size=1, max_size=5, unique_by=str.lower))
        types.append((type_name, tuple(draw(properties(name)) for name in members)))
    taken = {name.lower() for _, members in types for name in (item.name for item in members)}
    free = st.from_regex(r"to[A-Za-z0-9]{4,8}", fullmatch=True).filter(lambda name: name.lower() not in taken)
    ways = draw(st.lists(free, max_size=6, unique_by=str.lower))
    links: list[Link] = []
    for forth, back in zip(ways[::2], ways[1::2], strict=False):
        links.append(
            Link(
                source=draw(st.integers(0, len(types) - 1)),
                target=draw(st.integers(0, len(types) - 1)),
                forth=forth,
                back=draw(st.sampled_from(["", back])),
                source_multiplicity=draw(multiplicities),
                target_multiplicity=draw(multiplicities),
            )
        )
    return Sketch(types=tuple(types), links=tuple(links), members=tuple(draw(st.lists(names, max_size=3, unique=True))))


def element(name: str, content: str = "", **attributes: object) -> str:
    written = "".join(
        f" {key.replace('__', ':')}={quoteattr(str(value), {chr(10): '&#10;'})}"
        for key, value in attributes.items()
        if value is not None
    )
    return f"<{name}{written}>{content}</{name}>"


def write_property(prop: Property, *, is_v4: bool) -> str:
    label = prop.texts.label
    content = (
        element("Annotation", Term="com.sap.vocabularies.Common.v1.Label", String=label) if is_v4 and label else ""
    )
    return element(
        "Property",
        content,
        Name=prop.name,
        Type=prop.type,
        Nullable=str(prop.nullable).lower(),
        MaxLength=prop.max_length,
        Precision=prop.precision,
        Scale=prop.scale,
        DefaultValue=prop.default,
        sap__label=None if is_v4 or not label else label,
    )


def qualified(sketch: Sketch, position: int) -> str:
    return f"{NAMESPACE}.{sketch.types[position][0]}"


def write_ways(sketch: Sketch, position: int, *, is_v4: bool) -> str:
    written = ""
    for number, link in enumerate(sketch.links):
        ways = [(link.source, link.forth, link.target, link.target_multiplicity, link.back, "f", "b")]
        ways += [(link.target, link.back, link.source, link.source_multiplicity, link.forth, "b", "f")]
        for owner, name, target, multiplicity, partner, own_role, other_role in ways:
            if owner != position or not name:
                continue
            if is_v4:
                kind = qualified(sketch, target)
                kind = f"Collection({kind})" if multiplicity == "*" else kind
                nullable = "false" if multiplicity == "1" else None
                written += element(
                    "NavigationProperty", Name=name, Type=kind, Nullable=nullable, Partner=partner or None
                )
            else:
                written += element(
                    "NavigationProperty",
                    Name=name,
                    Relationship=f"{NAMESPACE}.a{number}",
                    FromRole=own_role,
                    ToRole=other_role,
                )
    return written


def write_links(sketch: Sketch) -> str:
    written = ""
    for number, link in enumerate(sketch.links):
        ends = element("End", Type=qualified(sketch, link.source), Multiplicity=link.source_multiplicity, Role="f")
        ends += element("End", Type=qualified(sketch, link.target), Multiplicity=link.target_multiplicity, Role="b")
        written += element("Association", ends, Name=f"a{number}")
    return written


def write_links_of_sets(sketch: Sketch) -> str:
    written = ""
    for number, link in enumerate(sketch.links):
        ends = element("End", EntitySet=f"set{link.source}", Role="f")
        ends += element("End", EntitySet=f"set{link.target}", Role="b")
        written += element("AssociationSet", ends, Name=f"s{number}", Association=f"{NAMESPACE}.a{number}")
    return written


def write(sketch: Sketch, *, is_v4: bool) -> str:
    content = ""
    sets = ""
    for position, (name, members) in enumerate(sketch.types):
        key = element("Key", element("PropertyRef", Name=members[0].name))
        inner = "".join(write_property(prop, is_v4=is_v4) for prop in members)
        content += element("EntityType", key + inner + write_ways(sketch, position, is_v4=is_v4), Name=name)
        sets += element("EntitySet", Name=f"set{position}", EntityType=f"{NAMESPACE}.{name}")
    if is_v4 and sketch.members:
        content += element(
            "EnumType", "".join(element("Member", Name=name) for name in sketch.members), Name="Enumeration"
        )
    if not is_v4:
        content += write_links(sketch)
        sets += write_links_of_sets(sketch)
    content += element("EntityContainer", sets, Name="Container")
    return element("Schema", content, Namespace=NAMESPACE, xmlns=V4 if is_v4 else V2, xmlns__sap=SAP)


def expected_ways(sketch: Sketch, position: int, *, is_v4: bool) -> list[NavigationProperty]:
    found: list[NavigationProperty] = []
    for number, link in enumerate(sketch.links):
        here, there = link.source_multiplicity, link.target_multiplicity
        ways = [(link.source, link.forth, link.target, here, there, link.back)]
        ways += [(link.target, link.back, link.source, there, here, link.forth)]
        for owner, name, target, own, other, partner in ways:
            if owner == position and name:
                found.append(
                    NavigationProperty(
                        name=name,
                        target=qualified(sketch, target),
                        multiplicity=other,
                        source_multiplicity=own if not is_v4 or partner else "",
                        relationship="" if is_v4 else f"{NAMESPACE}.a{number}",
                        partner=partner if is_v4 else "",
                        nullable=other != "1",
                    )
                )
    return found


def without_lines(record: Record) -> Record:
    return msgspec.structs.replace(record, line=0)


def check(sketch: Sketch, *, is_v4: bool) -> None:
    facts = read(write(sketch, is_v4=is_v4))
    types = [node for node in facts.nodes if isinstance(node, EntityType)]
    assert [node.name for node in types] == [f"{NAMESPACE}.{name}" for name, _ in sketch.types]
    for position, (node, (_, members)) in enumerate(zip(types, sketch.types, strict=True)):
        assert [without_lines(item) for item in node.properties] == list(members)
        assert node.key == (members[0].name,)
        ways = expected_ways(sketch, position, is_v4=is_v4)
        assert [without_lines(item) for item in node.navigations] == ways
    sets = [node for node in facts.nodes if isinstance(node, EntitySet)]
    assert [(node.name, node.type) for node in sets] == [
        (f"set{position}", node.name) for position, node in enumerate(types)
    ]
    if not is_v4:
        bound = {(node.name, item.path, item.target) for node in sets for item in node.bindings}
        assert bound == expected_bindings(sketch)


def expected_bindings(sketch: Sketch) -> set[tuple[str, str, str]]:
    found: set[tuple[str, str, str]] = set()
    for link in sketch.links:
        found.add((f"set{link.source}", link.forth, f"set{link.target}"))
        if link.back:
            found.add((f"set{link.target}", link.back, f"set{link.source}"))
    return found


@given(sketches())
def test_a_model_written_in_v2_comes_back_as_it_was(sketch: Sketch) -> None:
    check(sketch, is_v4=False)


@given(sketches())
def test_a_model_written_in_v4_comes_back_as_it_was(sketch: Sketch) -> None:
    check(sketch, is_v4=True)


@given(st.lists(st.tuples(names, st.none() | st.integers(-9, 9)), unique_by=lambda pair: pair[0], max_size=6))
def test_members_without_value_follow_the_one_before(given_members: list[tuple[str, int | None]]) -> None:
    content = "".join(element("Member", Name=name, Value=value) for name, value in given_members)
    facts = read(element("Schema", element("EnumType", content, Name="E"), Namespace="n", xmlns=V4))
    enum = next(node for node in facts.nodes if isinstance(node, EnumType))
    expected: list[EnumMember] = []
    for name, value in given_members:
        following = expected[-1].value + 1 if expected else 0
        expected.append(EnumMember(name=name, value=following if value is None else value))
    assert list(enum.members) == expected


@given(st.lists(st.tuples(names, names), min_size=1, max_size=4))
def test_constraints_come_back_in_pairs(pairs: list[tuple[str, str]]) -> None:
    content = "".join(element("ReferentialConstraint", Property=own, ReferencedProperty=other) for own, other in pairs)
    way = element("NavigationProperty", content, Name="toOther", Type="n.T")
    facts = read(element("Schema", element("EntityType", way, Name="T"), Namespace="n", xmlns=V4))
    node = next(node for node in facts.nodes if isinstance(node, EntityType))
    assert node.navigations[0].constraints == tuple(
        ReferentialConstraint(property=own, referenced=other) for own, other in pairs
    )
