"""What has no typed attribute: kept as annotations, whose terms are names in Clark notation (`{namespace}name`).

The standard's own attributes and elements have the short prefix `bpmn:`. Values are JSON: a text, or the subtree as
`{"name", "attributes", "text", "children"}` with what is empty left out.
"""

import json
from collections.abc import Iterable

from clew.domain.services import Annotation
from clew.sources.bpmn.vocabulary import MODEL
from clew.sources.xml import XmlElement

_IDENTITY = frozenset({"id", "name"})
_NEVER = frozenset({"documentation", "incoming", "outgoing"})


def term_of(element: XmlElement) -> str:
    """Gives the term for an element."""
    return _term(element.namespace, element.name)


def opaque_of(
    element: XmlElement, *, attributes: frozenset[str] = frozenset(), elements: frozenset[str] = frozenset()
) -> tuple[Annotation, ...]:
    """Gives what an element says beyond the `attributes` and child `elements` that have been read."""
    found: list[Annotation] = []
    for name, value in element.attributes.items():
        if name not in _IDENTITY and name not in attributes:
            term = name if name.startswith("{") else f"bpmn:{name}"
            found.append(Annotation(term=term, value=json.dumps(value, ensure_ascii=False)))
    for child in element.children:
        if child.namespace == MODEL and (child.name in elements or child.name in _NEVER):
            continue
        kept = child.children if child.namespace == MODEL and child.name == "extensionElements" else [child]
        found.extend(_annotation(part) for part in kept)
    return tuple(found)


def _annotation(element: XmlElement) -> Annotation:
    key, value = element.child("key"), element.child("value")
    if key is not None and value is not None and not key.namespace:
        text = json.dumps(value.text, ensure_ascii=False)
        return Annotation(term=term_of(element), qualifier=key.text.strip(), value=text)
    return Annotation(term=term_of(element), value=json.dumps(_tree(element), ensure_ascii=False))


def _tree(element: XmlElement) -> object:
    text = element.text.strip()
    if not element.attributes and not element.children:
        return text
    tree: dict[str, object] = {}
    if element.attributes:
        tree["attributes"] = element.attributes
    if text:
        tree["text"] = text
    if element.children:
        tree["children"] = [{"name": term_of(child), "value": _tree(child)} for child in element.children]
    return tree


def _term(namespace: str, name: str) -> str:
    if namespace == MODEL:
        return f"bpmn:{name}"
    return f"{{{namespace}}}{name}" if namespace else name


def properties_of(annotations: Iterable[Annotation]) -> dict[str, str]:
    """Gives the key and value pairs (SAP's `ifl:property`) among annotations by key."""
    found: dict[str, str] = {}
    for annotation in annotations:
        if annotation.qualifier and annotation.value.startswith('"'):
            found[annotation.qualifier] = json.loads(annotation.value)
    return found
