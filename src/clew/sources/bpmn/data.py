"""Data objects and stores, inputs and outputs, properties, and the associations that read and write them."""

from clew.domain.facts import Edge
from clew.domain.kinds import EdgeKind
from clew.domain.processes import DataObject
from clew.sources.bpmn.events import is_true
from clew.sources.bpmn.opaque import opaque_of
from clew.sources.bpmn.reading import Reading, children, fold
from clew.sources.bpmn.vocabulary import DATA
from clew.sources.xml import XmlElement

_ATTRIBUTES = frozenset({"isCollection", "dataObjectRef", "dataStoreRef"})
_REFERENCES = (("dataObjectRef", frozenset({"dataObject"})), ("dataStoreRef", frozenset({"dataStore"})))


def read_data_object(reading: Reading, element: XmlElement, process: str, parent: str) -> None:
    """Reads one data object, store, input, output or property, or a reference to one."""
    reading.nodes.append(
        DataObject(
            id=reading.place(element, process),
            process=process,
            name=fold(element.get("name")),
            type=element.name,
            parent=parent,
            collection=is_true(element.get("isCollection")),
            state=next((fold(state.get("name")) for state in children(element, "dataState")), ""),
            refers_to=_meant(reading, element),
            opaque=opaque_of(element, attributes=_ATTRIBUTES, elements=frozenset({"dataState"})),
            line=element.line,
        )
    )


def _meant(reading: Reading, element: XmlElement) -> str:
    for attribute, kinds in _REFERENCES:
        written = element.get(attribute)
        if not written:
            continue
        if found := reading.find(written, kinds):
            return found
        reading.report(
            "bpmn-dangling-reference",
            f"The {element.name} {reading.index.name_of(element)!r} refers to {written!r}, which is not there.",
            element,
        )
    return ""


def place_stores(reading: Reading) -> list[tuple[XmlElement, str]]:
    """Gives the data stores of the whole file, each with the process that it is shown in.

    A store belongs to no process in BPMN; here it goes to the first process that refers to it, else to the first one.
    Data objects that a tool wrote beside the processes, where the schema has no place for them, are treated alike.
    """
    owners = list(reading.processes.values())
    placed: list[tuple[XmlElement, str]] = []
    for store in children(reading.root, "dataStore", "dataObject"):
        process = next((owner for owner in _referring(reading, store)), owners[0])
        reading.place(store, process)
        placed.append((store, process))
    return placed


def _referring(reading: Reading, store: XmlElement) -> list[str]:
    found: list[str] = []
    for element in reading.root.walk():
        written = element.get("dataStoreRef") or element.get("dataObjectRef")
        if not written or reading.index.resolve(written, frozenset({store.name})) is not store:
            continue
        here: XmlElement | None = element
        while here is not None and id(here) not in reading.processes:
            here = reading.index.parents.get(id(here))
        if here is not None:
            found.append(reading.processes[id(here)])
    return found


def read_data_associations(reading: Reading, element: XmlElement, process: str) -> None:
    """Reads the data associations of an activity or event (BPMN 2.0.2, clause 10.4.2)."""
    for association in children(element, "dataInputAssociation", "dataOutputAssociation"):
        reads = association.name == "dataInputAssociation"
        names = ("sourceRef", "targetRef") if reads else ("targetRef", "sourceRef")
        ends = _ends(reading, association, names[0]) or _ends(reading, association, names[1])
        for end in ends:
            reading.edges.append(
                Edge(
                    kind=EdgeKind.READS if reads else EdgeKind.WRITES,
                    source=reading.node_id(element),
                    target=end,
                    key=association.get("id"),
                    opaque=opaque_of(association, elements=frozenset({"sourceRef", "targetRef"})),
                    line=association.line,
                )
            )
        if not ends:
            _report_loose(reading, association, process)


def _ends(reading: Reading, association: XmlElement, name: str) -> list[str]:
    found = [reading.find(reference.text, DATA) for reference in children(association, name)]
    return [node for node in found if node]


def _report_loose(reading: Reading, association: XmlElement, process: str) -> None:
    written = [part.text.strip() for part in children(association, "sourceRef", "targetRef") if part.text.strip()]
    lost = [name for name in written if name not in reading.index.by_id]
    if lost:
        message = f"A {association.name} refers to {', '.join(map(repr, lost))}, which is not there."
        reading.report("bpmn-dangling-reference", message, association, process=process)
