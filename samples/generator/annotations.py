"""Annotations of the OASIS and SAP vocabularies, written the same way into V2 and V4 documents."""

from collections.abc import Callable, Sequence

from .model import EntitySet, Field
from .xml_text import Lines

VOCABULARIES = (
    ("Core", "Org.OData.Core.V1", "https://oasis-tcs.github.io/odata-vocabularies/vocabularies/Org.OData.Core.V1.xml"),
    (
        "Capabilities",
        "Org.OData.Capabilities.V1",
        "https://oasis-tcs.github.io/odata-vocabularies/vocabularies/Org.OData.Capabilities.V1.xml",
    ),
    (
        "Validation",
        "Org.OData.Validation.V1",
        "https://oasis-tcs.github.io/odata-vocabularies/vocabularies/Org.OData.Validation.V1.xml",
    ),
    (
        "Measures",
        "Org.OData.Measures.V1",
        "https://oasis-tcs.github.io/odata-vocabularies/vocabularies/Org.OData.Measures.V1.xml",
    ),
    ("Common", "com.sap.vocabularies.Common.v1", "https://sap.github.io/odata-vocabularies/vocabularies/Common.xml"),
)


def references(lines: Lines, *, own_namespace: bool) -> None:
    """Writes the references; in a V2 wrapper they are of a namespace of their own."""
    extra = {"xmlns__edmx": "http://docs.oasis-open.org/odata/ns/edmx"} if own_namespace else {}
    for alias, namespace, uri in VOCABULARIES:
        lines.open("edmx:Reference", Uri=uri, **extra)
        lines.empty("edmx:Include", Namespace=namespace, Alias=alias)
        lines.close()


class Blocks:
    """`<Annotations>` blocks: those of one target stand together, in the order in which they are made."""

    def __init__(self, namespace: str | None) -> None:
        """`namespace` is written on each block where it is not that of the schema around it."""
        self._namespace = namespace
        self._blocks: dict[str, list[Callable[[Lines], None]]] = {}

    def add(self, target: str, write: Callable[[Lines], None]) -> None:
        self._blocks.setdefault(target, []).append(write)

    def text(self, target: str, term: str, value: str) -> None:
        if value:
            self.add(target, lambda lines: lines.empty("Annotation", Term=term, String=value))

    def path(self, target: str, term: str, value: str) -> None:
        if value:
            self.add(target, lambda lines: lines.empty("Annotation", Term=term, Path=value))

    def flag(self, target: str, term: str, *, value: bool = True) -> None:
        self.add(target, lambda lines: lines.empty("Annotation", Term=term, Bool=str(value).lower()))

    def write(self, lines: Lines) -> None:
        for target, writers in self._blocks.items():
            lines.open("Annotations", Target=target, xmlns=self._namespace)
            for write in writers:
                write(lines)
            lines.close()


def required_properties(names: Sequence[str], *, insertable: bool) -> Callable[[Lines], None]:
    def write(lines: Lines) -> None:
        lines.open("Annotation", Term="Capabilities.InsertRestrictions")
        lines.open("Record")
        if not insertable:
            lines.empty("PropertyValue", Property="Insertable", Bool="false")
        if names and insertable:
            lines.open("PropertyValue", Property="RequiredProperties")
            lines.open("Collection")
            for name in names:
                lines.text("PropertyPath", name)
            lines.close()
            lines.close()
        lines.close()
        lines.close()

    return write


def restriction(term: str, member: str) -> Callable[[Lines], None]:
    def write(lines: Lines) -> None:
        lines.open("Annotation", Term=term)
        lines.open("Record")
        lines.empty("PropertyValue", Property=member, Bool="false")
        lines.close()
        lines.close()

    return write


def non_filterable(names: Sequence[str]) -> Callable[[Lines], None]:
    def write(lines: Lines) -> None:
        lines.open("Annotation", Term="Capabilities.FilterRestrictions")
        lines.open("Record")
        lines.open("PropertyValue", Property="NonFilterableProperties")
        lines.open("Collection")
        for name in names:
            lines.text("PropertyPath", name)
        lines.close()
        lines.close()
        lines.close()
        lines.close()

    return write


def value_list(item: Field, collection: str, key: str, *, root: str = "", text: str = "") -> Callable[[Lines], None]:
    """`root` is that of the service that has the collection; nothing for the same service."""

    def write(lines: Lines) -> None:
        lines.open("Annotation", Term="Common.ValueList")
        lines.open("Record", Type="Common.ValueListType")
        if root:
            lines.empty("PropertyValue", Property="CollectionRoot", String=root)
        lines.empty("PropertyValue", Property="CollectionPath", String=collection)
        lines.open("PropertyValue", Property="Parameters")
        lines.open("Collection")
        lines.open("Record", Type="Common.ValueListParameterInOut")
        lines.empty("PropertyValue", Property="LocalDataProperty", PropertyPath=item.name)
        lines.empty("PropertyValue", Property="ValueListProperty", String=key)
        lines.close()
        if text:
            lines.open("Record", Type="Common.ValueListParameterDisplayOnly")
            lines.empty("PropertyValue", Property="ValueListProperty", String=text)
            lines.close()
        lines.close()
        lines.close()
        lines.close()
        lines.close()

    return write


def allowed_values(item: Field) -> Callable[[Lines], None]:
    def write(lines: Lines) -> None:
        lines.open("Annotation", Term="Validation.AllowedValues")
        lines.open("Collection")
        for code, text in item.allowed:
            lines.open("Record")
            lines.empty("PropertyValue", Property="Value", String=code)
            lines.empty("Annotation", Term="Core.Description", String=text)
            lines.close()
        lines.close()
        lines.close()

    return write


def listing_text(entity_set: EntitySet, key: str) -> str:
    """Finds the field of a listing set that names the code in words."""
    named = [item.name for item in entity_set.fields if item.type.word == "text"]
    return next((name for name in named if name.startswith(key)), named[0] if named else "")


def field_annotations(blocks: Blocks, target: str, item: Field, entity_set: EntitySet, roots: "Roots") -> None:
    """Writes what both versions say by annotations: defaults by the server, value lists, allowed values."""
    if item.server_default:
        blocks.flag(target, "Core.ComputedDefaultValue")
    if item.allowed:
        blocks.add(target, allowed_values(item))
    if item.fixed_list:
        listing = roots.sets[item.fixed_list]
        key = listing.keys[0].name
        blocks.flag(target, "Common.ValueListWithFixedValues")
        blocks.add(target, value_list(item, item.fixed_list, key, text=listing_text(listing, key)))
    elif item.list_of:
        service, name, key = item.list_of
        root = "" if service == roots.service else roots.root_of(service)
        blocks.add(target, value_list(item, name, key, root=root))


class Roots:
    """Where services answer, and the sets of the one that is being written."""

    def __init__(self, service: str, sets: dict[str, EntitySet], versions: dict[str, str]) -> None:
        self.service = service
        self.sets = sets
        self._versions = versions

    def root_of(self, service: str) -> str:
        return f"/odata/{self._versions[service].lower()}/{service}/"
