"""Stable, readable node ids, which survive re-ingestion.

    odata:SVC                       a service              openapi:SVC
    odata:SVC/Set                   an entity set or singleton
    odata:SVC#Ns.Type               an entity, complex or enum type
    odata:SVC#Ns.Type/Property      a property             (also a parameter, below its operation)
    odata:SVC#Ns.Operation(over)    an operation; `over` names the overload's parameter types, comma-separated
    openapi:SVC#VERB /path          an OpenAPI operation
    bpmn:PROCESS                    a process
    bpmn:PROCESS/element            a flow node, lane, data object
    codes:NAME                      a closed code list;  codes:NAME/CODE one of its codes

Ids are case-sensitive and in Unicode normal form C. In an owner (SVC, PROCESS, NAME of a code list) the characters
`/`, `#`, `%` and white space are percent-encoded, so that the first `/` or `#` always ends it.
"""

import unicodedata
from urllib.parse import unquote

_RESERVED = {"%": "%25", "/": "%2F", "#": "%23", " ": "%20", "\t": "%09", "\n": "%0A", "\r": "%0D"}
_TABLE = str.maketrans(_RESERVED)


def owner_name(name: str) -> str:
    """Gives `name` in normal form C with the id grammar's reserved characters percent-encoded."""
    return unicodedata.normalize("NFC", name).translate(_TABLE)


def service_id(service: str, *, scheme: str = "odata") -> str:
    """Gives the node id of a service.

    >>> service_id("API_SALES_ORDER_SRV")
    'odata:API_SALES_ORDER_SRV'
    """
    return f"{scheme}:{owner_name(service)}"


def entity_set_id(service: str, name: str) -> str:
    """Gives the node id of an entity set or singleton.

    >>> entity_set_id("API_SALES_ORDER_SRV", "A_SalesOrder")
    'odata:API_SALES_ORDER_SRV/A_SalesOrder'
    """
    return f"odata:{owner_name(service)}/{unicodedata.normalize('NFC', name)}"


def type_id(service: str, qualified_name: str) -> str:
    """Gives the node id of an entity, complex or enum type from its namespace-qualified name."""
    return f"odata:{owner_name(service)}#{unicodedata.normalize('NFC', qualified_name)}"


def member_id(parent: str, name: str) -> str:
    """Gives the node id of a property, parameter or code below `parent`'s id."""
    return f"{parent}/{unicodedata.normalize('NFC', name)}"


def operation_id(service: str, qualified_name: str, overload: tuple[str, ...] = ()) -> str:
    """Gives the node id of an operation; `overload` are its parameter types in order (empty for V2 function imports).

    >>> operation_id("SRV", "Ns.Close", ("Ns.Order",))
    'odata:SRV#Ns.Close(Ns.Order)'
    """
    return f"odata:{owner_name(service)}#{unicodedata.normalize('NFC', qualified_name)}({','.join(overload)})"


def process_id(process: str) -> str:
    """Gives the node id of a process."""
    return f"bpmn:{owner_name(process)}"


def element_id(process: str, element: str) -> str:
    """Gives the node id of an element of a process; `element` is its id, or a structural path where it has none."""
    return f"bpmn:{owner_name(process)}/{unicodedata.normalize('NFC', element)}"


def value_help_id(name: str) -> str:
    """Gives the node id of a closed code list."""
    return f"codes:{owner_name(name)}"


def scheme_of(node_id: str) -> str:
    """Gives the part before the first colon: `odata`, `openapi`, `bpmn`, `codes`, `doc`, `atom`."""
    return node_id.partition(":")[0]


def owner_of(node_id: str) -> str:
    """Gives the service, process or code list that a node id belongs to, as it was named (percent-decoded).

    >>> owner_of("odata:SRV#Ns.Type/Name"), owner_of("bpmn:p%2F1/a1")
    ('SRV', 'p/1')
    """
    rest = node_id.partition(":")[2]
    ends = [position for position in (rest.find("/"), rest.find("#")) if position >= 0]
    return unquote(rest[: min(ends)] if ends else rest)


def local_part(node_id: str) -> str:
    """Gives what follows the owner: `/Set` → `Set`, `#Ns.Type/P` → `Ns.Type/P`, nothing for an owner itself."""
    rest = node_id.partition(":")[2]
    ends = [position for position in (rest.find("/"), rest.find("#")) if position >= 0]
    return rest[min(ends) + 1 :] if ends else ""
