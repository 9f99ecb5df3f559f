"""The kinds of nodes and edges of the typed property graph (specification 01)."""

from enum import StrEnum


class NodeKind(StrEnum):
    """What a node of the graph stands for; `EntitySet` includes singletons, `Operation` function imports, actions."""

    SERVICE = "Service"
    ENTITY_SET = "EntitySet"
    ENTITY_TYPE = "EntityType"
    COMPLEX_TYPE = "ComplexType"
    ENUM_TYPE = "EnumType"
    PROPERTY = "Property"
    OPERATION = "Operation"
    PARAMETER = "Parameter"
    VALUE_HELP = "ValueHelp"
    CODE = "Code"
    PROCESS = "Process"
    ACTIVITY = "Activity"
    EVENT = "Event"
    GATEWAY = "Gateway"
    LANE = "Lane"
    DATA_OBJECT = "DataObject"
    DOCUMENT = "Document"
    SECTION = "Section"
    POLICY_STEP = "PolicyStep"
    ATOM = "Atom"


class EdgeKind(StrEnum):
    """How two nodes of the graph relate; the arrow reads source → target."""

    EXPOSES = "EXPOSES"
    OF_TYPE = "OF_TYPE"
    HAS_PROPERTY = "HAS_PROPERTY"
    HAS_KEY = "HAS_KEY"
    EXTENDS = "EXTENDS"
    NAVIGATES_TO = "NAVIGATES_TO"
    BOUND_TO = "BOUND_TO"
    RETURNS = "RETURNS"
    TAKES = "TAKES"
    HAS_VALUE_HELP = "HAS_VALUE_HELP"
    HAS_CODE = "HAS_CODE"
    CONTAINS = "CONTAINS"
    HAS_NEXT = "HAS_NEXT"
    MESSAGES = "MESSAGES"
    CALLS_PROCESS = "CALLS_PROCESS"
    READS = "READS"
    WRITES = "WRITES"
    PERFORMED_BY = "PERFORMED_BY"
