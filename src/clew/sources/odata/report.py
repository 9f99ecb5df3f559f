"""What a document is: its OData version, its kind, who made it, how much is in it."""

from clew.domain.facts import SourceReport
from clew.domain.records import Record
from clew.sources.odata.assembly import Assembly
from clew.sources.odata.namespaces import OASIS_EDM, PRODUCERS

_SCHEMA_PRODUCERS = {
    "SAPB1": "SAP Business One",
    "microsoft.graph": "Microsoft Graph",
    "Microsoft.Dynamics.CRM": "Microsoft Dataverse",
    "Microsoft.NAV": "Microsoft Business Central",
    "SFOData": "SAP SuccessFactors",
}
_V3_NAMESPACE_YEAR = "/2009/11/"
_V1_NAMESPACE_YEARS = ("/2006/04/", "/2007/05/")


class Evidence(Record, frozen=True, kw_only=True):
    """What a document says about its version, none of which decides alone."""

    edmx_version: str = ""
    data_service_version: str = ""
    max_data_service_version: str = ""
    schema_namespaces: tuple[str, ...] = ()
    has_associations: bool = False
    has_v4_parts: bool = False
    """Actions, imports of them, singletons, navigation properties with a type."""
    has_v3_parts: bool = False
    """Bindable function imports, enumerations, collections, containment beside associations."""


def detect_version(evidence: Evidence) -> str:
    """Gives the OData version: V1, V2, V3, V4 or V4.01.

    What only one version has decides; the version attributes decide among what is left, since many documents carry
    wrong ones (`Edmx Version` is 1.0 for V1-V3, and 4.0 in some V2 documents).
    """
    is_oasis = any(namespace.rstrip("/") == OASIS_EDM for namespace in evidence.schema_namespaces)
    is_newest = evidence.edmx_version.startswith("4") and (is_oasis or not evidence.schema_namespaces)
    if not evidence.has_associations and (is_oasis or is_newest or evidence.has_v4_parts):
        return "V4.01" if evidence.edmx_version == "4.01" else "V4"
    stated = max(evidence.data_service_version, evidence.max_data_service_version)
    is_v3_schema = is_oasis or any(_V3_NAMESPACE_YEAR in namespace for namespace in evidence.schema_namespaces)
    if is_v3_schema or evidence.has_v3_parts or evidence.data_service_version.startswith("3"):
        return "V3"
    is_old = all(any(year in namespace for year in _V1_NAMESPACE_YEARS) for namespace in evidence.schema_namespaces)
    return "V1" if is_old and stated.startswith("1") else "V2"


def detect_producer(assembly: Assembly, namespaces: set[str]) -> str:
    """Gives the producer where the namespaces tell it, else nothing."""
    for schema in assembly.names.namespaces:
        for start, producer in _SCHEMA_PRODUCERS.items():
            if schema == start or schema.startswith(start + "."):
                return producer
    return next((producer for uri, producer in PRODUCERS.items() if uri in namespaces), "")


def count_parts(assembly: Assembly, overlays: int) -> tuple[tuple[str, int], ...]:
    """Gives how many elements of each kind were read; what is not there is left out."""
    entities = [item for item in assembly.structures.values() if item.kind == "EntityType"]
    complexes = [item for item in assembly.structures.values() if item.kind == "ComplexType"]
    operations = list(assembly.operations.values())
    counts = {
        "entity_sets": sum(not item.is_singleton for item in assembly.sets),
        "singletons": sum(item.is_singleton for item in assembly.sets),
        "entity_types": len(entities),
        "complex_types": len(complexes),
        "enum_types": len(assembly.enums),
        "enum_members": sum(len(item.members) for item in assembly.enums.values()),
        "type_definitions": len(assembly.definitions),
        "entity_properties": sum(len(item.properties) for item in entities),
        "complex_properties": sum(len(item.properties) for item in complexes),
        "keys": sum(len(item.fields.get("key", ())) for item in entities),
        "navigations": sum(len(item.navigations) for item in assembly.structures.values()),
        "function_imports": sum(item.flavor == "function_import" for item in operations),
        "actions": sum(item.flavor == "action" for item in operations),
        "functions": sum(item.flavor == "function" for item in operations),
        "associations": len(assembly.associations),
        "value_lists": len(assembly.helps),
        "overlays": overlays,
    }
    return tuple((name, count) for name, count in counts.items() if count)


def report_document(
    assembly: Assembly, *, version: str, namespaces: set[str], overlays: int, size_bytes: int
) -> SourceReport:
    """Gives the report of a document that was read."""
    is_service = bool(assembly.service)
    kept = assembly.opaque_counts.copy()
    for template in assembly.templates.values():
        for annotation in template.property.opaque:
            kept[annotation.term] += template.uses
    has_annotations = overlays > 0 or bool(assembly.targets)
    kind = "odata" if is_service else ("annotations" if has_annotations else "empty")
    return SourceReport(
        document=assembly.document,
        kind=kind,
        version=version,
        producer=detect_producer(assembly, namespaces),
        counts=count_parts(assembly, overlays),
        opaque=tuple(sorted(kept.items())),
        size_bytes=size_bytes,
    )
