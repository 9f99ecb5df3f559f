"""Links between objects: by constraints, by keys of the same name, by what is declared, and not by chance."""

import msgspec
from tests.unit.process.process_world import entity, service, target

from clew.domain.services import EntityType, NavigationProperty, ReferentialConstraint, Service
from clew.graph.service_view import ServiceView
from clew.process import Link, MetadataLinks
from clew.process.values import compared, gather

SERVICE = Service(id="odata:S", service="S", name="S")


def links_of(view: ServiceView, **options) -> MetadataLinks:
    return MetadataLinks(lambda name: view if name == "S" else None, **options)


def names(links: MetadataLinks, source: str, to: str) -> list[tuple[str, str]]:
    return [(link.name, link.referenced) for link in links.between(target(source), target(to))]


def test_items_and_parameters_name_the_object_by_its_key() -> None:
    links = links_of(service())
    assert names(links, "Deliveries", "Orders") == [("OrderId", "OrderId")]
    assert names(links, "#S.Approve()", "Orders") == [("OrderId", "OrderId")]
    assert names(links, "Orders", "Orders") == [("OrderId", "OrderId")]
    assert names(links, "Orders", "Invoices") == []
    assert links.key_of(target("Orders")) == ("OrderId",)
    assert links.object_of(target("#S.Approve()")) == target("Orders")


def test_sets_that_number_themselves_alike_are_not_linked() -> None:
    view = ServiceView.of([SERVICE, *entity("A", "DocEntry"), *entity("B", "DocEntry")])
    assert names(links_of(view), "A", "B") == []


def test_a_constraint_links_properties_of_different_names_from_either_end() -> None:
    constraint = (ReferentialConstraint(property="BaseEntry", referenced="DocEntry"),)
    for principal in (False, True):
        holder, other = ("A", "B") if principal else ("B", "A")
        navigation = NavigationProperty(
            name="Nav", target=f"S.{other}Type", multiplicity="1", constraints=constraint, source_is_principal=principal
        )
        nodes = [
            Service(id="odata:S", service="S", name="S"),
            *entity("A", "DocEntry"),
            *entity("B", "Number", "BaseEntry"),
        ]
        changed = [
            msgspec.structs.replace(node, navigations=(navigation,))
            if isinstance(node, EntityType) and node.name == f"S.{holder}Type"
            else node
            for node in nodes
        ]
        assert names(links_of(ServiceView.of(changed)), "B", "A") == [("BaseEntry", "DocEntry")]


def test_what_is_declared_wins() -> None:
    declared = {(target("Invoices"), target("Orders")): (Link(name="Reference", referenced="OrderId"),)}
    assert names(links_of(service(), declared=declared), "Invoices", "Orders") == [("Reference", "OrderId")]


def test_an_unknown_service_links_nothing() -> None:
    links = MetadataLinks(lambda _: None)
    assert links.between("odata:X/A", "odata:X/B") == ()
    assert links.key_of("odata:X/A") == ()


def test_values_are_compared_as_keys_are_meant() -> None:
    assert compared("0004500") == compared(4500)
    assert compared("A-01") != compared("A-1")
    assert compared("$1.OrderId") == compared("$1.to_Item[0].OrderId") != compared("$2.OrderId")
    assert gather({"A": 1, "to_B": [{"A": 2}, {"A": 1, "C": None}]}, {"A": "x" * 300}) == {"A": [1, 2]}
    assert gather({"A": 1, "B": 2}, names=["B"]) == {"B": [2]}
