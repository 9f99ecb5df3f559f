"""The names of BPMN 2.0.2 (Semantic.xsd, BPMNDI.xsd) that the reader knows, by what becomes of them."""

MODEL = "http://www.omg.org/spec/BPMN/20100524/MODEL"
DIAGRAM = "http://www.omg.org/spec/BPMN/20100524/DI"

TASKS = frozenset(
    {
        "task",
        "userTask",
        "serviceTask",
        "sendTask",
        "receiveTask",
        "scriptTask",
        "manualTask",
        "businessRuleTask",
    }
)
SUB_PROCESSES = frozenset({"subProcess", "adHocSubProcess", "transaction"})
ACTIVITIES = TASKS | SUB_PROCESSES | {"callActivity"}
GATEWAYS = frozenset({"exclusiveGateway", "inclusiveGateway", "parallelGateway", "eventBasedGateway", "complexGateway"})
EVENTS = frozenset(
    {
        "startEvent",
        "endEvent",
        "intermediateCatchEvent",
        "intermediateThrowEvent",
        "implicitThrowEvent",
        "boundaryEvent",
    }
)
FLOW_NODES = ACTIVITIES | GATEWAYS | EVENTS
CONTAINERS = SUB_PROCESSES | {"process"}
DATA = frozenset(
    {"dataObject", "dataObjectReference", "dataStore", "dataStoreReference", "dataInput", "dataOutput", "property"}
)
NODES = FLOW_NODES | DATA | {"lane"}

EVENT_DEFINITIONS = frozenset(
    f"{name}EventDefinition"
    for name in (
        "cancel",
        "compensate",
        "conditional",
        "error",
        "escalation",
        "link",
        "message",
        "signal",
        "terminate",
        "timer",
    )
)

CONTAINER_CHILDREN = NODES | {
    "artifact",
    "association",
    "auditing",
    "completionCondition",
    "correlationSubscription",
    "documentation",
    "extensionElements",
    "group",
    "humanPerformer",
    "incoming",
    "ioBinding",
    "ioSpecification",
    "laneSet",
    "dataInputAssociation",
    "dataOutputAssociation",
    "monitoring",
    "multiInstanceLoopCharacteristics",
    "outgoing",
    "performer",
    "potentialOwner",
    "resourceRole",
    "sequenceFlow",
    "standardLoopCharacteristics",
    "supports",
    "textAnnotation",
}
"""Children of a process or subprocess that are read or kept; any other one of the standard's own is reported."""

GLOBAL_TASKS = frozenset(
    {"globalTask", "globalUserTask", "globalManualTask", "globalScriptTask", "globalBusinessRuleTask"}
)
UNREAD_ROOTS = frozenset({"choreography", "globalChoreographyTask", "conversation", "globalConversation"})
"""Root elements whose content is not read."""
