"""Diagram interchange (BPMN 2.0.2, clause 12): kept as opaque annotations, so that a process can be drawn.

Term `di`; the value of a node is `{"x", "y", "width", "height"}` and what else its shape says, that of a flow
`{"waypoints": [[x, y], …]}`; the qualifier is the diagram's id where a file has several. Numbers are as written.
"""

import re

from clew.domain.issues import Severity
from clew.domain.services import Annotation
from clew.sources.bpmn.reading import Reading
from clew.sources.bpmn.vocabulary import DIAGRAM
from clew.sources.xml import XmlElement

TERM = "di"
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_FLAGS = ("isHorizontal", "isExpanded", "isMarkerVisible")


def read_diagrams(reading: Reading) -> dict[str, list[Annotation]]:
    """Gives the annotations by the XML id of what is drawn."""
    drawn: dict[str, list[Annotation]] = {}
    diagrams = list(reading.root.children_of("BPMNDiagram", DIAGRAM))
    for diagram in diagrams:
        planes = list(diagram.children_of("BPMNPlane", DIAGRAM))
        qualifier = diagram.get("id") if len(diagrams) > 1 else ""
        if len(planes) != 1:
            _report(reading, diagram, f"has {len(planes) or 'no'} planes, where one is wanted")
        lost: list[str] = []
        for plane in planes:
            for shape in plane.children:
                if shape.namespace == DIAGRAM and shape.name in ("BPMNShape", "BPMNEdge"):
                    _read_shape(reading, shape, qualifier, drawn, lost)
        if lost:
            _report(reading, diagram, f"draws elements that are not there: {', '.join(map(repr, lost[:5]))}")
    return drawn


def _report(reading: Reading, diagram: XmlElement, what: str) -> None:
    message = f"The diagram {diagram.get('id')!r} {what}; the process itself was read."
    reading.report("bpmn-diagram", message, diagram, severity=Severity.WARNING)


def _read_shape(
    reading: Reading, shape: XmlElement, qualifier: str, drawn: dict[str, list[Annotation]], lost: list[str]
) -> None:
    written = shape.get("bpmnElement")
    known = next((name for name in (written, written.rpartition(":")[2]) if name in reading.index.by_id), None)
    if known is None:
        lost.append(written or shape.get("id"))
        return
    value = _bounds(shape) if shape.name == "BPMNShape" else _waypoints(shape)
    if value:
        drawn.setdefault(known, []).append(Annotation(term=TERM, qualifier=qualifier, value=value))


def _bounds(shape: XmlElement) -> str:
    bounds = shape.child("Bounds")
    if bounds is None:
        return ""
    parts = [f'"{name}":{_number(bounds.get(name))}' for name in ("x", "y", "width", "height")]
    flags = [f'"{name}":{shape.get(name)}' for name in _FLAGS if shape.get(name) in ("true", "false")]
    return "{" + ",".join(parts + flags) + "}"


def _waypoints(edge: XmlElement) -> str:
    points = [f"[{_number(point.get('x'))},{_number(point.get('y'))}]" for point in edge.children_of("waypoint")]
    return '{"waypoints":[' + ",".join(points) + "]}" if points else ""


def _number(text: str) -> str:
    return text if _NUMBER.fullmatch(text) else "0"
