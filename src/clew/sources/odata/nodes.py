"""Elements of a CSDL document as they come, one part of a schema at a time, so that the whole tree is never held."""

import re
from collections.abc import Mapping
from typing import Any
from xml.parsers import expat

import msgspec
from msgspec import UNSET

from clew.domain.errors import MalformedText
from clew.domain.issues import Issue
from clew.sources.odata.namespaces import KNOWN_PREFIXES, attribute_name, element_name
from clew.sources.xml import XML_NAMESPACE, XmlLimits, declared_namespaces, undeclared_prefix

_DECLARATION = re.compile(rb"""xmlns:([^\s=<>/"']+)\s*=\s*(?:"([^"]*)"|'([^']*)')""")
# Elements that hold other parts and are not collected; their children are handed over one by one.
FRAMES = frozenset({"Edmx", "DataServices", "Schema", "Runtime", "ConceptualModels", "StorageModels", "ssdl:Schema"})
# Elements whose character data means something; that of others is layout.
_TEXTUAL = frozenset({
    *("String", "Bool", "Int", "Decimal", "Float", "Date", "DateTimeOffset", "Duration", "TimeOfDay", "Guid", "Binary"),
    *("EnumMember", "Path", "AnnotationPath", "PropertyPath", "NavigationPropertyPath", "ModelElementPath"),
    *("LabeledElementReference", "ValuePath", "Summary", "LongDescription"),
})  # fmt: skip

_VALUES = frozenset({"Record", "Collection"})
"""Elements that begin a value of more than one constant."""


class Node(msgspec.Struct, gc=False):
    """An element: its name and attributes (see `namespaces`), its line, its children in order, its text."""

    name: str
    attributes: dict[str, str]
    line: int
    children: "list[Node] | None" = None
    text: str = ""
    value: Any = UNSET
    """Of an annotation whose value was built while it was parsed."""

    def get(self, name: str, default: str = "") -> str:
        """Gives an attribute's value, `default` where it is missing."""
        return self.attributes.get(name, default)

    def add(self, child: "Node") -> None:
        """Adds a child."""
        if self.children:
            self.children.append(child)
        else:
            self.children = [child]

    def __str__(self) -> str:
        """Names the element for a message."""
        return f"<{self.name}> of line {self.line}"


class _Scope:
    """The namespaces in force and what names mean under them; each name is looked up once."""

    def __init__(self, namespaces: Mapping[str, str]) -> None:
        self.namespaces = namespaces
        self.elements: dict[str, str] = {}
        self.attributes: dict[str, str] = {}


class NodeStream:
    """Builds nodes from expat's events; a reader extends it and takes them part by part."""

    def __init__(self, special: frozenset[str], *, document: str, limits: XmlLimits) -> None:
        """Begins before the root; `special` names the attributes that need a look at the namespaces in force."""
        self.parser = expat.ParserCreate()
        self.open_elements: list[Node] = []
        self.issues: list[Issue] = []
        self.namespaces_seen: set[str] = set()
        self.frame_namespace = ""
        """Namespace of the frame that was opened last."""
        self.special = special
        self._document = document
        self._depth = limits.depth
        self._is_listening = False
        self._scope = _Scope({"": "", "xml": XML_NAMESPACE})
        self.element_names = self._scope.elements
        """Names of elements as they are known by, by the names as they are written, under the namespaces in force."""
        self._scopes: list[tuple[int, _Scope]] = []
        self._known_scopes: dict[frozenset[tuple[str, str]], _Scope] = {}
        self._frames = 0
        self.undeclared: set[str] = set()

    def open_frame(self, node: Node, stack: list[Node], /) -> None:
        """Takes the start of a frame, or of the root whatever it is, without its children; `stack` ends with it."""
        raise NotImplementedError

    def complete_part(self, node: Node, stack: list[Node], /) -> None:
        """Takes a complete part of the frame that `stack` ends with."""
        raise NotImplementedError

    def begin_expression(self, raw: str, attributes: dict[str, str], /) -> bool:
        """Takes an element that begins a value, and the handlers until the annotation ends, or gives false."""
        raise NotImplementedError

    def start_element(self, raw: str, attributes: dict[str, str]) -> None:
        """Takes a start tag."""
        stack = self.open_elements
        depth = len(stack)
        if not self.special.isdisjoint(attributes):
            attributes = self._customary(attributes, depth)
            name = self.element_names.get(raw) or self.name_element(raw)
        else:
            name = self.element_names.get(raw) or self.name_element(raw)
            if name in _VALUES and stack and self.begin_expression(raw, attributes):
                return
        node = Node(name, attributes, self.parser.CurrentLineNumber)
        if depth > self._frames:
            stack[-1].add(node)
        stack.append(node)
        if depth == self._frames and (depth == 0 or name in FRAMES):
            self._frames += name in FRAMES
            self.frame_namespace = self._scope.namespaces.get(raw.rpartition(":")[0], "")
            self.open_frame(node, stack)
        elif depth >= self._depth:
            raise MalformedText("xml-too-deep", f"is nested deeper than {self._depth} levels", node.line)
        if name in _TEXTUAL or ":" in name:
            self._is_listening = True
            self.parser.CharacterDataHandler = self.characters

    def end_element(self, raw: str) -> None:
        """Takes an end tag."""
        stack = self.open_elements
        node = stack.pop()
        depth = len(stack)
        if depth == self._frames:
            self.complete_part(node, stack)
        elif depth < self._frames:
            self._frames -= 1
        if self._scopes and self._scopes[-1][0] == depth:
            self._enter(self._scopes.pop()[1])
        if self._is_listening:
            self._is_listening = False
            self.parser.CharacterDataHandler = None

    def characters(self, text: str) -> None:
        """Takes character data of an element where it matters."""
        if self.open_elements:
            self.open_elements[-1].text += text

    def _customary(self, attributes: dict[str, str], depth: int) -> dict[str, str]:
        """Gives the attributes under their customary names, without namespace declarations, which come into force."""
        declared = declared_namespaces(attributes)
        if declared:
            self.namespaces_seen.update(declared.values())
            self._scopes.append((depth, self._scope))
            merged = {**self._scope.namespaces, **declared}
            key = frozenset(merged.items())
            scope = self._known_scopes.get(key)
            if scope is None:
                scope = self._known_scopes[key] = _Scope(merged)
            self._enter(scope)
        known = self._scope.attributes
        return {
            known.get(name) or self._attribute_name(name): value
            for name, value in attributes.items()
            if not (name.startswith("xmlns") and (len(name) == 5 or name[5] == ":"))
        }

    def _enter(self, scope: _Scope) -> None:
        self._scope = scope
        self.element_names = scope.elements

    def name_element(self, raw: str) -> str:
        """Gives the name of an element by its name as written."""
        prefix, _, local = raw.rpartition(":")
        namespace = self._namespace(prefix)
        # A prefix that stands for nothing known must not make a name of CSDL out of a foreign one.
        name = element_name(namespace, local) if namespace or not prefix else raw
        self._scope.elements[raw] = name
        return name

    def _attribute_name(self, raw: str) -> str:
        prefix, _, local = raw.rpartition(":")
        namespace = self._namespace(prefix) if prefix else ""
        name = attribute_name(namespace, local) if namespace else raw
        self._scope.attributes[raw] = name
        return name

    def _namespace(self, prefix: str) -> str:
        found = self._scope.namespaces.get(prefix)
        if found is None:
            found = KNOWN_PREFIXES.get(prefix, "")
            if prefix not in self.undeclared:
                self.undeclared.add(prefix)
                line = self.parser.CurrentLineNumber
                self.issues.append(undeclared_prefix(self._document, line, prefix, found))
        return found


def special_attributes(text: bytes) -> frozenset[str]:
    """Gives the attributes of a document whose names say nothing without the namespaces in force.

    These are declarations, and names whose prefix is not the customary one for its namespace or is declared nowhere.
    That few or no attributes are special is what makes the reader fast.
    """
    declarations: set[tuple[str, str]] = set()
    position = text.find(b"xmlns:")
    while position >= 0:
        if found := _DECLARATION.match(text, position):
            declarations.add((found[1].decode("utf-8"), (found[2] or found[3] or b"").decode("utf-8")))
        position = text.find(b"xmlns:", position + 6)
    declared = {prefix for prefix, _ in declarations}
    unusual = {
        prefix
        for prefix, namespace in declarations
        if element_name(namespace, "x") != "x" and attribute_name(namespace, "x") != f"{prefix}:x"
    }
    unusual |= {prefix for prefix in KNOWN_PREFIXES if prefix not in declared and f"{prefix}:".encode() in text}
    names = {f"xmlns:{prefix}" for prefix in declared} | {"xmlns"}
    for prefix in unusual:
        pattern = re.escape(prefix.encode()) + rb":[^\s=<>/\"']+"
        names.update(name.decode("utf-8") for name in re.findall(pattern, text))
    return frozenset(names)
