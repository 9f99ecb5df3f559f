"""A document's parts while it is read: what was declared, what was stated about it, what was wrong."""

from typing import Literal

import msgspec

from clew.domain.ids import member_id, type_id
from clew.domain.services import Annotation, EnumType, NavigationProperty, Operation, Property
from clew.sources.odata.annotations import Stated, foreign_value
from clew.sources.odata.attributes import Fields
from clew.sources.odata.names import Names
from clew.sources.odata.nodes import Node
from clew.sources.odata.reading import Reading, encode_value
from clew.sources.odata.statements import Statement
from clew.sources.odata.vocabularies import QUALIFIED, TERMS, Rule


class PendingNavigation(msgspec.Struct, gc=False):
    """A navigation property; in V1-V3 its target and multiplicities are those of an association's ends."""

    fields: Fields
    type: str = ""
    relationship: str = ""
    from_role: str = ""
    to_role: str = ""


class Structure(msgspec.Struct, gc=False):
    """An entity or complex type in the making."""

    kind: Literal["EntityType", "ComplexType"]
    name: str
    fields: Fields
    line: int
    properties: list[Property] = []
    pending: list[PendingNavigation] = []
    navigations: list[NavigationProperty] = []


class Container(msgspec.Struct, gc=False):
    """An entity container."""

    name: str
    line: int
    is_default: bool = False
    extends: str = ""


class PendingSet(msgspec.Struct, gc=False):
    """An entity set or singleton in the making."""

    name: str
    type: str
    container: Container
    fields: Fields
    line: int
    is_singleton: bool = False


class PendingImport(msgspec.Struct, gc=False):
    """An action or function import (V4): the name by which a container exposes an operation."""

    name: str
    operation: str
    container: Container
    entity_set: str
    fields: Fields
    line: int


class End(msgspec.Struct, gc=False):
    """An end of an association or of an association set; `type` names the entity type or the entity set."""

    role: str
    type: str
    multiplicity: str = ""
    on_delete: str = ""
    links: Fields = {}


class Association(msgspec.Struct, gc=False):
    """An association (V1-V3) with the referential constraint from `dependent` to `principal`, if it has one."""

    name: str
    ends: list[End]
    line: int
    principal: str = ""
    principal_properties: tuple[str, ...] = ()
    dependent: str = ""
    dependent_properties: tuple[str, ...] = ()


class AssociationSet(msgspec.Struct, gc=False):
    """Which sets the ends of an association lie in, and whether links may be made, changed, removed."""

    name: str
    association: str
    container: Container
    ends: list[End]
    links: Fields
    line: int


class PendingHelp(msgspec.Struct, gc=False):
    """The value list of a property or parameter: fields of `ValueHelp` as far as they are stated."""

    id: str
    fields: Fields
    local: str
    line: int


class Template(msgspec.Struct, gc=False):
    """A property that others are copied from, and how many were."""

    property: Property
    uses: int = 0


class Definition(msgspec.Struct, gc=False):
    """A type definition with the facets that it gives to what is of it."""

    name: str
    underlying: str
    facets: Fields
    line: int


class Target(msgspec.Struct, gc=False):
    """What is stated about one target: by terms that have a rule, and by others, which stay opaque."""

    line: int
    stated: list[Stated] = []
    opaque: list[Annotation] = []


class Assembly(Reading):
    """All that has been read of one document. `service` is empty as long as nothing but annotations was read."""

    def __init__(self, document: str, names: Names) -> None:
        """Begins with nothing read."""
        super().__init__(document, names)
        self.service = ""
        self.schema = ""
        """Namespace of the schema at hand."""
        self.structures: dict[str, Structure] = {}
        self.enums: dict[str, EnumType] = {}
        self.definitions: dict[str, Definition] = {}
        self.containers: list[Container] = []
        self.sets: list[PendingSet] = []
        self.imports: list[PendingImport] = []
        self.operations: dict[str, Operation] = {}
        self.action_types: dict[str, str] = {}
        """Entity type that a V2 function import is an action for, by the id of the operation."""
        self.associations: dict[str, Association] = {}
        self.association_sets: list[AssociationSet] = []
        self.targets: dict[str, Target] = {}
        """What is stated by target (alias resolved); the annotated element is looked for at the end."""
        self.property_names: dict[str, str] = {}
        """Names of properties, each once: most of them occur in many types."""
        self.templates: dict[tuple[str, ...], Template] = {}
        """Properties by their attributes, name and texts left out, and the values of these."""
        self.helps: dict[str, PendingHelp] = {}
        self.references: list[str] = []
        self.service_opaque: list[Annotation] = []

    def qualified(self, name: str) -> str:
        """Gives the qualified name of what the schema at hand declares under a simple name."""
        return f"{self.schema}.{name}" if self.schema else name

    def keep_unknown(self, node: Node, parent: Node) -> Annotation:
        """Gives an element that does not belong where it is as an opaque annotation; reports one of CSDL's own."""
        from_elsewhere = ":" in node.name or node.name.startswith("{")
        if not from_elsewhere:
            message = f"{node.name} does not belong into {parent.name} {parent.get('Name')!r}; it is kept opaque."
            self.warn("odata-unknown-element", message, node.line)
        return Annotation(term=node.name, value=encode_value(foreign_value(node)))

    def state(self, statement: Statement, stated: list[Stated]) -> None:
        """Applies what is stated to an element's statement, by the table of terms."""
        for item in stated:
            rule = rule_of(item)
            if rule is None or not rule(statement, item.value):
                statement.opaque.append(self.keep_stated(item))

    def keep_stated(self, item: Stated) -> Annotation:
        """Gives an annotation as an opaque one."""
        self.opaque_counts[item.term] += 1
        return Annotation(term=item.term, value=encode_value(item.value), qualifier=item.qualifier)

    def state_target(self, target: str, stated: list[Stated], line: int) -> None:
        """Keeps what is stated about a target until all elements are known; what no rule knows is encoded at once."""
        known = self.targets.get(target)
        if known is None:
            known = self.targets[target] = Target(line=line)
        for item in stated:
            if rule_of(item) is None:
                known.opaque.append(self.keep_stated(item))
            else:
                known.stated.append(item)

    def help_id(self, type_name: str, member: str = "") -> str:
        """Gives the id of the code list of a type or of its member: the element's id with the scheme `codes`."""
        element = type_id(self.service, type_name)
        return "codes:" + (member_id(element, member) if member else element).partition(":")[2]


def rule_of(item: Stated) -> Rule | None:
    """Gives the rule for what is stated, `None` where it stays opaque."""
    return TERMS.get(item.term) if not item.qualifier or item.term in QUALIFIED else None
