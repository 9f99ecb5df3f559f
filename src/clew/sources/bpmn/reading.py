"""What the passes of one reading share: the elements by id, the node ids given to them, facts and issues so far."""

from collections.abc import Callable, Iterator
from typing import TypeAlias

from clew.domain.facts import Edge, Node
from clew.domain.ids import element_id
from clew.domain.issues import Issue, Place, Severity
from clew.sources.bpmn.vocabulary import MODEL, NODES
from clew.sources.xml import XmlElement

Naming: TypeAlias = Callable[[str], str]
"""Gives the owner name for the natural name of a process, as the caller wants it in ids."""


def fold(text: str) -> str:
    """Gives a name on one line: line breaks and runs of blanks become one blank."""
    return " ".join(text.split())


def is_model(element: XmlElement) -> bool:
    """Whether an element is in the namespace of the BPMN 2.0 model."""
    return element.namespace == MODEL


def children(element: XmlElement, *names: str) -> Iterator[XmlElement]:
    """Gives the children in the model's namespace that have one of the local names."""
    return (child for child in element.children if child.name in names and child.namespace == MODEL)


class ElementIndex:
    """The model's elements by id, their parents, and an id for each of those that have none of their own."""

    def __init__(self, root: XmlElement) -> None:
        """Walks the document once."""
        self.parents: dict[int, XmlElement] = {}
        self.by_id: dict[str, list[XmlElement]] = {}
        self._owners: dict[str, XmlElement] = {}
        for element in root.walk():
            for child in element.children:
                self.parents[id(child)] = element
            name = element.get("id")
            if name and is_model(element):
                self.by_id.setdefault(name, []).append(element)
                if element.name in NODES:
                    self._owners.setdefault(name, element)

    def resolve(self, reference: str, kinds: frozenset[str]) -> XmlElement | None:
        """Gives the element of one of these kinds that a reference means: an id, or a QName of one (`p:id`)."""
        for name in dict.fromkeys((reference.strip(), reference.strip().rpartition(":")[2])):
            for element in self.by_id.get(name, ()):
                if element.name in kinds:
                    return element
        return None

    def name_of(self, element: XmlElement) -> str:
        """Gives the element's own id; a structural path where it has none or an earlier node already took it."""
        own = element.get("id")
        if own and self._owners.get(own, element) is element:
            return own
        return self.path_of(element)

    def path_of(self, element: XmlElement) -> str:
        """Gives the path below the process, e.g. `subProcess[1]/task[2]`, counting from 1 among equal names."""
        steps: list[str] = []
        here = element
        while (parent := self.parents.get(id(here))) is not None:
            twins = [child for child in parent.children if child.name == here.name]
            position = next(index for index, child in enumerate(twins, 1) if child is here)
            steps.append(f"{here.name}[{position}]")
            if parent.name == "process":
                break
            here = parent
        return "/".join(reversed(steps))


class Reading:
    """One reading: node ids by element, and the facts and issues gathered by the passes."""

    def __init__(self, document: str, root: XmlElement, naming: Naming) -> None:
        """Indexes the document; nothing is read yet."""
        self.document = document
        self.root = root
        self.naming = naming
        self.index = ElementIndex(root)
        self.nodes: list[Node] = []
        self.edges: list[Edge] = []
        self.issues: list[Issue] = []
        self.defects: dict[str, list[str]] = {}
        self.ids: dict[int, str] = {}
        self.processes: dict[int, str] = {}

    def node_id(self, element: XmlElement) -> str:
        """Gives the node id of an element that has become a node, the empty text for any other."""
        return self.ids.get(id(element), "")

    def place(self, element: XmlElement, process: str) -> str:
        """Gives an element its node id in a process, once."""
        found = self.ids.get(id(element))
        if found is None:
            found = self.ids[id(element)] = element_id(process, self.index.name_of(element))
        return found

    def find(self, reference: str, kinds: frozenset[str]) -> str:
        """Gives the node id that a reference means, the empty text where there is no such node."""
        element = self.index.resolve(reference, kinds)
        return self.node_id(element) if element is not None else ""

    def report(
        self,
        code: str,
        message: str,
        element: XmlElement,
        *,
        severity: Severity = Severity.WARNING,
        process: str = "",
        source: str = "",
    ) -> None:
        """Adds an issue at an element; an error is also a defect of the `process`, whose order is not enforced."""
        self.issues.append(
            Issue(
                code=code,
                message=message,
                place=Place(document=self.document, line=element.line, pointer=element.get("id")),
                severity=severity,
                source=source,
            )
        )
        if severity is Severity.ERROR and process and code not in self.defects.setdefault(process, []):
            self.defects[process].append(code)
