"""What a set of facts holds, counted as an independent count of the XML counts it."""

from collections.abc import Callable

from clew.domain.facts import SourceFacts
from clew.domain.services import (
    ComplexType,
    EntitySet,
    EntityType,
    EnumType,
    NavigationProperty,
    Operation,
    Property,
    Service,
    StructuredType,
)


def of_type(facts: SourceFacts, kind: type) -> list:
    return [node for node in facts.nodes if isinstance(node, kind)]


def service(facts: SourceFacts) -> Service:
    found = of_type(facts, Service)
    return found[0] if found else Service(id="", service="", name="")


def sets(facts: SourceFacts, *, singleton: bool) -> list[EntitySet]:
    return [node for node in of_type(facts, EntitySet) if node.singleton is singleton]


def properties(facts: SourceFacts, kind: type = StructuredType) -> list[Property]:
    return [item for node in of_type(facts, kind) for item in node.properties]


def navigations(facts: SourceFacts, kind: type = StructuredType) -> list[NavigationProperty]:
    return [item for node in of_type(facts, kind) for item in node.navigations]


def operations(facts: SourceFacts, flavor: str) -> int:
    return sum(node.flavor == flavor for node in of_type(facts, Operation))


def imports(facts: SourceFacts, flavor: str) -> int:
    """Imports of declared operations; one of an undeclared operation is kept on the service, with a warning."""
    found = {name for node in of_type(facts, Operation) if node.flavor == flavor for name in node.imports}
    return len(found)


def is_v4(facts: SourceFacts) -> bool:
    return facts.report.version.startswith("V4")


MEASURES: dict[str, Callable[[SourceFacts], int]] = {
    "entity_sets": lambda f: len(sets(f, singleton=False)),
    "singletons": lambda f: len(sets(f, singleton=True)),
    "entity_types": lambda f: len(of_type(f, EntityType)),
    "complex_types": lambda f: len(of_type(f, ComplexType)),
    "enum_types": lambda f: len(of_type(f, EnumType)),
    "enum_members": lambda f: sum(len(node.members) for node in of_type(f, EnumType)),
    "type_definitions": lambda f: len(service(f).type_definitions),
    "entity_properties": lambda f: len(properties(f, EntityType)),
    "complex_properties": lambda f: len(properties(f, ComplexType)),
    "key_propertyrefs": lambda f: sum(len(node.key) for node in of_type(f, EntityType)),
    "navigation_properties": lambda f: len(navigations(f)),
    "nav_in_complex": lambda f: len(navigations(f, ComplexType)),
    "nav_with_partner": lambda f: sum(bool(item.partner) for item in navigations(f)),
    "nav_with_relationship": lambda f: sum(bool(item.relationship) for item in navigations(f)),
    "nav_contains_target": lambda f: sum(item.contains for item in navigations(f)),
    "base_types": lambda f: sum(bool(node.base) for node in of_type(f, StructuredType)),
    "abstract": lambda f: sum(node.abstract for node in of_type(f, StructuredType)),
    "open": lambda f: sum(node.open for node in of_type(f, StructuredType)),
    "has_stream": lambda f: sum(node.has_stream for node in of_type(f, EntityType)),
    "nullable_false": lambda f: sum(not item.nullable for item in properties(f)),
    "default_value": lambda f: sum(item.default is not None for item in properties(f)),
    "actions": lambda f: operations(f, "action"),
    "functions": lambda f: operations(f, "function"),
    "action_imports": lambda f: imports(f, "action"),
    "function_imports": lambda f: imports(f, "function") if is_v4(f) else operations(f, "function_import"),
    "entity_containers": lambda f: len(service(f).containers),
    "schemas": lambda f: len(service(f).namespaces),
    "associations": lambda f: dict(f.report.counts).get("associations", 0),
}
# What associations tell in V1-V3 and each navigation property for itself in V4.
MEASURES_V4: dict[str, Callable[[SourceFacts], int]] = {
    "nav_bindings": lambda f: sum(len(node.bindings) for node in of_type(f, EntitySet)),
    "referential_constraints": lambda f: sum(len(item.constraints) for item in navigations(f)),
    "on_delete": lambda f: sum(bool(item.on_delete) for item in navigations(f)),
}


def differences(facts: SourceFacts, counted: dict[str, int]) -> dict[str, tuple[int, int]]:
    """Gives (counted, read) for each measure in which they differ."""
    measures = {**MEASURES, **MEASURES_V4} if is_v4(facts) else MEASURES
    got = {name: measure(facts) for name, measure in measures.items()}
    if facts.report.kind != "odata":
        got.pop("schemas")
    return {name: (counted[name], value) for name, value in got.items() if value != counted[name]}
