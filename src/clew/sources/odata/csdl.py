"""CSDL XML → facts: frames are opened, parts are read as they complete, and everything is linked at the end."""

import re
from collections.abc import Callable, Mapping
from functools import cache, partial
from pathlib import PurePosixPath

import msgspec

from clew.domain.errors import MalformedText
from clew.domain.facts import Node as GraphNode
from clew.domain.facts import Overlay, Refused, SourceFacts
from clew.domain.issues import Issue, Place, Severity, Suggestion
from clew.domain.services import Annotation
from clew.sources.odata.annotations import annotations_within, foreign_value, read_annotation
from clew.sources.odata.assembly import Assembly
from clew.sources.odata.associations import read_association
from clew.sources.odata.checks import lines_of
from clew.sources.odata.containers import read_container
from clew.sources.odata.expressions import Expressions
from clew.sources.odata.link import make_nodes, name_sets
from clew.sources.odata.names import Names
from clew.sources.odata.nodes import Node, NodeStream, special_attributes
from clew.sources.odata.operations import read_operation
from clew.sources.odata.reading import encode_value
from clew.sources.odata.report import Evidence, detect_version, report_document
from clew.sources.odata.structures import READERS
from clew.sources.odata.targets import Targets
from clew.sources.xml import XmlLimits, scan_xml

Naming = Callable[[str], str]
Read = Callable[[Node, Assembly], object]

_SUFFIXES = frozenset({".xml", ".edmx", ".csdl", ".json", ".metadata"})
_SERVICE_PARTS: Mapping[str, Read] = {
    **READERS,
    "EntityContainer": read_container,
    "Association": read_association,
    "Action": read_operation,
    "Function": read_operation,
}
_VOCABULARY = re.compile(r"/Vocabularies\(|/vocabularies?/|\.vocabularies?\.|Org\.OData\.", re.IGNORECASE)
_ABSOLUTE = re.compile(r"[a-z][a-z0-9+.-]*:|//|\\\\", re.IGNORECASE)
_PRIMITIVES = frozenset({
    *("Binary", "Boolean", "Byte", "Date", "DateTime", "DateTimeOffset", "Decimal", "Double", "Duration", "Guid"),
    *(f"{kind}{shape}" for kind in ("Geography", "Geometry") for shape in (
        "", "Point", "LineString", "Polygon", "MultiPoint", "MultiLineString", "MultiPolygon", "Collection"
    )),
    *("Int16", "Int32", "Int64", "SByte", "Single", "Stream", "String", "Time", "TimeOfDay"),
})  # fmt: skip
_V4_PARTS = frozenset({"Action", "TypeDefinition"})
_V3_PARTS = frozenset({"EnumType"})


def natural_name(document: str) -> str:
    """Gives the name of the service that a document describes, as its file tells it.

    >>> natural_name("erp/API_SALES_ORDER_SRV.metadata.xml"), natural_name("erp/PURCHASING/$metadata")
    ('API_SALES_ORDER_SRV', 'PURCHASING')
    """
    path = PurePosixPath(document.replace("\\\\", "/"))
    name = path.name
    while (suffix := PurePosixPath(name).suffix) and suffix.lower() in _SUFFIXES:
        name = name.removesuffix(suffix)
    return path.parent.name if name in {"$metadata", "metadata"} and path.parent.name else name


class _Reader(NodeStream):
    """Reads one document, once."""

    def __init__(self, text: bytes, names: Names, document: str, naming: Naming, limits: XmlLimits) -> None:
        super().__init__(special_attributes(text), document=document, limits=limits)
        self.assembly = Assembly(document, names)
        self.assembly.undeclared = self.undeclared
        self.begin_expression = Expressions(self, self.assembly, self.special, limits.depth).begin
        self.edmx_version = ""
        self.versions: dict[str, str] = {}
        self.schema_namespaces: list[str] = []
        self.has_v4_parts = False
        self.has_v3_parts = False
        self._naming = naming

    def open_frame(self, node: Node, stack: list[Node]) -> None:
        """Takes the start of a frame, or of a root that is none."""
        if node.name == "Schema":
            self._open_schema(node)
        elif node.name == "ssdl:Schema":
            message = "The storage model is no part of the service; it is not read."
            self.assembly.note("odata-storage-model", message, node.line)
        elif node.name == "Edmx":
            self.edmx_version = node.get("Version")
        elif node.name == "DataServices":
            self.versions = node.attributes
        elif len(stack) == 1:
            raise MalformedText("odata-no-metadata", f"is no OData metadata: its root is <{node.name}>", node.line)

    def _open_schema(self, node: Node) -> None:
        assembly = self.assembly
        namespace = node.get("Namespace")
        assembly.schema = namespace
        assembly.names.namespaces.setdefault(namespace, node.line)
        if alias := node.get("Alias"):
            assembly.names.declare_alias(alias, namespace)
        self.schema_namespaces.append(self.frame_namespace)
        for name, value in node.attributes.items():
            if name not in {"Namespace", "Alias"}:
                assembly.service_opaque.append(assembly.opaque(name, value))

    def complete_part(self, node: Node, stack: list[Node]) -> None:
        """Takes a complete part of the frame at the end of `stack`."""
        frame = stack[-1].name if stack else ""
        if frame == "ssdl:Schema" or not frame:
            return
        if frame == "Schema":
            self._read_part(node, stack[-1])
        elif node.name == "Reference":
            self._read_reference(node)
        else:
            self.assembly.service_opaque.append(self.assembly.keep_unknown(node, stack[-1]))

    def _read_part(self, node: Node, schema: Node) -> None:
        assembly = self.assembly
        read = _SERVICE_PARTS.get(node.name)
        if read is not None:
            self._require_service()
            self.has_v4_parts |= node.name in _V4_PARTS
            self.has_v3_parts |= node.name in _V3_PARTS
            read(node, assembly)
        elif node.name == "Annotations":
            self._read_annotations(node)
        elif node.name == "Annotation":
            assembly.state_target(assembly.schema, read_annotation(node, assembly), node.line)
        elif node.name == "Term":
            self._require_service()
            term = assembly.qualified(node.get("Name"))
            stated = {f"@{name}": text for name, text in node.attributes.items()}
            value = encode_value({**stated, **annotations_within(node, assembly)})
            assembly.service_opaque.append(Annotation(term="edm:Term", value=value, qualifier=term))
        elif node.name == "Using":
            assembly.names.included.add(node.get("Namespace"))
            assembly.names.declare_alias(node.get("Alias"), node.get("Namespace"))
        elif node.name not in {"Documentation", "atom:link"}:
            assembly.service_opaque.append(assembly.keep_unknown(node, schema))
        else:
            value = encode_value(foreign_value(node))
            assembly.service_opaque.append(Annotation(term=node.name, value=value))

    def _require_service(self) -> None:
        if not self.assembly.service:
            self.assembly.service = self._naming(natural_name(self.assembly.document))

    def _read_annotations(self, node: Node) -> None:
        assembly = self.assembly
        target = assembly.names.resolve_target(node.get("Target"))
        qualifier = node.get("Qualifier")
        for child in node.children or ():
            if child.name == "Annotation":
                stated = read_annotation(child, assembly)
                if qualifier:
                    for item in stated:
                        item.qualifier = item.qualifier or qualifier
                assembly.state_target(target, stated, node.line)
            else:
                assembly.service_opaque.append(assembly.keep_unknown(child, node))

    def _read_reference(self, node: Node) -> None:
        assembly = self.assembly
        assembly.references.append(node.get("Uri") or node.get("Url"))
        for child in node.children or ():
            if child.name == "Include":
                assembly.names.included.add(child.get("Namespace"))
                if alias := child.get("Alias"):
                    assembly.names.declare_alias(alias, child.get("Namespace"))
            else:
                value = encode_value(foreign_value(child))
                assembly.service_opaque.append(Annotation(term=f"edmx:{child.name}", value=value))

    def evidence(self) -> Evidence:
        """Gives what was seen of the document's version."""
        assembly = self.assembly
        pending = [item for structure in assembly.structures.values() for item in structure.pending]
        operations = assembly.operations.values()
        return Evidence(
            edmx_version=self.edmx_version,
            data_service_version=self.versions.get("m:DataServiceVersion", ""),
            max_data_service_version=self.versions.get("m:MaxDataServiceVersion", ""),
            schema_namespaces=tuple(dict.fromkeys(self.schema_namespaces)),
            has_associations=bool(assembly.associations) or any(item.relationship for item in pending),
            has_v4_parts=self.has_v4_parts
            or bool(assembly.imports)
            or any(item.is_singleton for item in assembly.sets)
            or any(item.type for item in pending),
            has_v3_parts=self.has_v3_parts or any(item.binding_parameter for item in operations),
        )


def read_csdl(data: bytes, *, document: str, naming: Naming, limits: XmlLimits = XmlLimits()) -> SourceFacts | Refused:
    """Reads an OData metadata or annotation document, V1 to V4.01, in XML.

    `naming` is called once, with the natural name of the service, unless the document holds annotations only.
    """
    name_service = cache(naming)
    aliases: Mapping[str, str] = {}
    replaced: Mapping[str, str] = {}
    while True:
        names = Names(aliases, replaced)
        build = partial(_Reader, names=names, document=document, naming=name_service, limits=limits)
        scanned = scan_xml(data, build, document=document, limits=limits)
        if isinstance(scanned, Refused):
            return scanned
        reader, scan = scanned
        qualified = _qualify([name for name in names.unqualified() if name not in replaced], reader.assembly)
        # Names that were used before it was known what they stand for are read again, now that it is known.
        if not names.late_aliases and not qualified:
            reader.assembly.issues[:0] = [*scan.issues, *reader.issues]
            return _finish(reader, len(data))
        aliases, replaced = names.aliases, {**replaced, **qualified}


def _qualify(unqualified: list[str], assembly: Assembly) -> dict[str, str]:
    """Gives what unqualified names stand for: a declared element of that name, or a primitive type."""
    if not unqualified:
        return {}
    declared: dict[str, str] = {}
    for name in (*assembly.structures, *assembly.enums, *assembly.definitions, *assembly.associations):
        declared.setdefault(name.rpartition(".")[2], name)
    found: dict[str, str] = {}
    for name in unqualified:
        if qualified := declared.get(name) or (f"Edm.{name}" if name in _PRIMITIVES else ""):
            found[name] = qualified
    return found


def _refuse_miscased(assembly: Assembly) -> Refused | None:
    """Refuses a document that names its own alias or namespace in another case (CSDL 4.01, clauses 3.1 and 5.1).

    Such a name can mean nothing else, and means nothing, since names are case-sensitive.
    """
    names = assembly.names
    known = {name.casefold(): name for name in (*names.namespaces, *names.aliases)}
    for name in names.referenced():
        namespace, _, local = name.rpartition(".")
        meant = known.get(namespace.casefold())
        if namespace and meant and namespace not in names.namespaces and namespace not in names.included:
            place, line = lines_of([name], assembly).get(name, ("", 0))
            message = f"The type {name!r} of {place or 'this document'} is not declared: names are case-sensitive."
            suggestion = Suggestion(value=f"{meant}.{local}", score=0.95)
            where = Place(document=assembly.document, line=line)
            return Refused(issue=Issue(code="odata-miscased", message=message, place=where, suggestions=(suggestion,)))
    return None


def _finish(reader: _Reader, size_bytes: int) -> SourceFacts | Refused:
    assembly = reader.assembly
    version = detect_version(reader.evidence())
    targets = Targets(assembly)
    targets.apply()
    name_sets(assembly)
    nodes: list[GraphNode] = []
    overlays = targets.overlays
    if assembly.service:
        nodes = make_nodes(assembly, targets.service, version)
    elif assembly.service_opaque or targets.service.texts:
        overlays.append(_schema_overlay(assembly, targets))
    if (refused := _refuse_miscased(assembly)) is not None:
        return refused
    _note_references(assembly)
    report = report_document(
        assembly, version=version, namespaces=reader.namespaces_seen, overlays=len(overlays), size_bytes=size_bytes
    )
    if assembly.service:
        report = msgspec.structs.replace(report, owners=(nodes[0].id,))
    if report.kind == "empty":
        message = "The document describes nothing: it has no schema, or none with anything in it."
        assembly.warn("odata-empty", message, 1)
    return SourceFacts(report=report, nodes=tuple(nodes), overlays=tuple(overlays), issues=tuple(assembly.issues))


def _schema_overlay(assembly: Assembly, targets: Targets) -> Overlay:
    """Gives what an annotation document says of its own schema."""
    return Overlay(
        target=next(iter(assembly.names.namespaces), ""),
        texts=tuple(targets.service.texts.items()),
        opaque=tuple(assembly.service_opaque),
        line=1,
    )


def _note_references(assembly: Assembly) -> None:
    """Tells which documents this one refers to, other than vocabularies: they are listed and never fetched.

    One outside the service's own host is worth a warning.
    """
    others = [uri for uri in dict.fromkeys(assembly.references) if not _VOCABULARY.search(uri)]
    if others:
        shown = ", ".join(assembly.shown(uri[:120], 0) for uri in others[:5])
        more = f" and {len(others) - 5} more" if len(others) > 5 else ""
        severity = Severity.WARNING if any(_ABSOLUTE.match(uri) for uri in others) else Severity.NOTE
        message = f"References are listed and not fetched: {shown}{more}."
        assembly.warn("odata-reference", message, 1, severity=severity)
