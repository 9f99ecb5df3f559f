"""Endpoints that a model names itself: in vendors' extensions, service attributes and documentation, as written."""

import re
from collections.abc import Iterator, Mapping

from clew.sources.bpmn.reading import children
from clew.sources.bpmn.vocabulary import MODEL
from clew.sources.xml import XmlElement

_METHODS = "GET|POST|PUT|PATCH|MERGE|DELETE"
_URL = re.compile(r"https?://[^\s\"'<>]+[^\s\"'<>.,;:)\]]")
_DECLARATION = re.compile(r"""xmlns(?::[\w.-]+)?\s*=\s*(?:"[^"]*"|'[^']*')""")
_CALL = re.compile(rf"\b({_METHODS})\s+((?:https?://|/)?[A-Za-z{{$][^\s\"<>]*[^\s\"<>.,;:])")
_METHOD = re.compile(rf"\b({_METHODS})\b", re.IGNORECASE)
_ADDRESS_NAMES = frozenset(
    {"url", "uri", "endpoint", "endpointurl", "requesturl", "address", "httpaddresswithoutquery"}
)
_METHOD_NAMES = frozenset({"method", "httpmethod", "requestmethod", "verb", "operation"})
_RESOURCE_NAMES = frozenset({"resourcepath", "path", "resource", "entityset", "odataentity"})
_OWN_PARTS = ("extensionElements", "ioSpecification", "dataInputAssociation", "script")


def hints_of(element: XmlElement) -> tuple[str, ...]:
    """Gives the endpoints that an activity names, best first: method with address, calls in words, bare addresses."""
    pairs: dict[str, str] = {}
    texts: list[str] = []
    for name, value in element.attributes.items():
        if name not in ("id", "name", "implementation"):
            pairs.setdefault(_bare(name), value)
    for part in children(element, *_OWN_PARTS):
        for name, value in _named_values(part):
            pairs.setdefault(_bare(name), value)
            texts.append(value)
    texts += [part.text for part in children(element, "documentation")]
    texts += [value for value in pairs.values() if value not in texts]
    return endpoints(pairs, texts)


def adapter_hints(properties: Mapping[str, str]) -> tuple[str, ...]:
    """Gives the endpoint that the adapter of an SAP Cloud Integration message flow names."""
    return endpoints({_bare(name): value for name, value in properties.items()}, ())


def endpoints(pairs: Mapping[str, str], texts: "list[str] | tuple[str, ...]") -> tuple[str, ...]:
    """Gives the endpoints in named values (names in lower case without marks) and free texts."""
    address = _first(pairs, _ADDRESS_NAMES)
    resource = _first(pairs, _RESOURCE_NAMES)
    verb = _METHOD.search(_first(pairs, _METHOD_NAMES))
    target = f"{address.rstrip('/')}/{resource.lstrip('/')}" if address and resource else address or resource
    found: list[str] = []
    if target and (verb or "/" in target):
        found.append(f"{verb[1].upper()} {target}" if verb else target)
    for text in texts:
        found += [f"{method} {path}" for method, path in _CALL.findall(text)]
    known = " ".join(found)
    for text in texts:
        found += [url for url in _URL.findall(_DECLARATION.sub("", text)) if url not in known]
    return tuple(dict.fromkeys(found))


def _named_values(part: XmlElement) -> Iterator[tuple[str, str]]:
    """Gives (name, value) of everything that an extension says: attributes, key and value, name and text."""
    for element in part.walk():
        key, value = element.child("key"), element.child("value")
        if key is not None and value is not None:
            yield key.text, value.text.strip()
            continue
        named = element.get("name") or element.get("key")
        if named and element.get("value"):
            yield named, element.get("value")
        elif text := element.text.strip():
            yield named or element.name, text
        elif named and element.namespace != MODEL and (inner := _inner_text(element)):
            yield named, inner
        for name, written in element.attributes.items():
            if name not in ("id", "name", "value", "key"):
                yield name, written


def _inner_text(element: XmlElement) -> str:
    return next((text for part in element.walk() if (text := part.text.strip())), "")


def _first(pairs: Mapping[str, str], names: frozenset[str]) -> str:
    return next((value.strip() for name, value in pairs.items() if name in names and value.strip()), "")


def _bare(name: str) -> str:
    return name.rpartition("}")[2].rpartition(":")[2].lower().replace("-", "").replace("_", "")
