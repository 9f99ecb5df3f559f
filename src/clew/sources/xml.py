"""Safe reading of foreign XML: bounds, no document type, no entity, nothing fetched, one clear line for what is wrong.

Expat is driven without its own namespace handling, so that an undeclared prefix is a warning and not the end. Four
slips of real exporters are mended and reported: an undeclared prefix, a missing blank in the XML declaration, a bare
`&` or `<` in an attribute. Everything else that breaks XML 1.0 is refused.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Protocol, TypeVar
from xml.parsers import expat

from clew.domain.errors import MalformedText
from clew.domain.facts import Refused
from clew.domain.issues import Issue, Place, Severity
from clew.domain.records import Record
from clew.sources.xml_text import is_html, mend_markup, prepare_text, refuse

XML_NAMESPACE = "http://www.w3.org/XML/1998/namespace"


class XmlLimits(Record, frozen=True, kw_only=True):
    """Bounds for one document: bytes of it, levels of nesting, number of elements."""

    size_bytes: int = 128 * 1024 * 1024
    depth: int = 200
    elements: int = 5_000_000


class XmlHandler(Protocol):
    """What a scan feeds. Names come as written, prefix and all."""

    parser: expat.XMLParserType
    """Set before the scan begins; `parser.CurrentLineNumber` is the line (1-based) of the element at hand."""

    @property
    def open_elements(self) -> Sequence[object]:
        """The elements that have begun and not ended, innermost last; `str` of one names it for a message."""
        ...

    def start_element(self, name: str, attributes: dict[str, str], /) -> None:
        """Takes a start tag.

        Raises:
            MalformedText: the document cannot be what the handler reads; `code` becomes the issue's code.
        """
        ...

    def end_element(self, name: str, /) -> None:
        """Takes an end tag."""
        ...

    def characters(self, text: str, /) -> None:
        """Takes character data, in pieces of any length."""
        ...


Handler = TypeVar("Handler", bound=XmlHandler)


class XmlElement:
    """An element with its attributes (`{uri}local`, or `local` where unprefixed), children and line.

    `text` joins the character data directly inside it. `scope` maps the prefixes in force to namespaces; the default
    namespace is under the empty prefix.
    """

    __slots__ = ("attributes", "children", "line", "name", "namespace", "scope", "text")

    def __init__(self, namespace: str, name: str, line: int, scope: Mapping[str, str]) -> None:
        """Begins an element without attributes and children."""
        self.namespace = namespace
        self.name = name
        self.line = line
        self.scope = scope
        self.attributes: dict[str, str] = {}
        self.children: list[XmlElement] = []
        self.text = ""

    def __str__(self) -> str:
        """Names the element for a message."""
        return f"<{self.name}> of line {self.line}"

    def get(self, name: str, default: str = "") -> str:
        """Gives the value of an attribute, `default` where it is missing."""
        return self.attributes.get(name, default)

    def child(self, name: str, namespace: str | None = None) -> "XmlElement | None":
        """Gives the first child of this local name, in any namespace unless one is named."""
        return next(self.children_of(name, namespace), None)

    def children_of(self, name: str, namespace: str | None = None) -> "Iterator[XmlElement]":
        """Gives the children of this local name, in any namespace unless one is named."""
        return (
            child
            for child in self.children
            if child.name == name and (namespace is None or child.namespace == namespace)
        )

    def walk(self) -> "Iterator[XmlElement]":
        """Gives this element and all below it in document order."""
        waiting: list[XmlElement] = [self]
        while waiting:
            element = waiting.pop()
            yield element
            waiting += element.children[::-1]


class XmlDocument(Record, frozen=True, kw_only=True):
    """A document that was read, with what had to be mended."""

    document: str
    root: XmlElement
    issues: tuple[Issue, ...] = ()


class XmlScan(Record, frozen=True, kw_only=True):
    """The outcome of a scan: what had to be mended."""

    issues: tuple[Issue, ...] = ()


class _TreeBuilder:
    """Builds `XmlElement`s; declares namespaces as it meets them."""

    def __init__(self, document: str, limits: XmlLimits, known_prefixes: Mapping[str, str]) -> None:
        self.parser = expat.ParserCreate()
        self.open_elements: list[XmlElement] = []
        self.root: XmlElement | None = None
        self.issues: list[Issue] = []
        self._stack: list[XmlElement] = []
        self._texts: list[list[str]] = []
        self._document = document
        self._depth = limits.depth
        self._known = known_prefixes
        self._undeclared: set[str] = set()
        self._scope: Mapping[str, str] = {"": "", "xml": XML_NAMESPACE}

    def start_element(self, name: str, attributes: dict[str, str]) -> None:
        line = self.parser.CurrentLineNumber
        if len(self._stack) >= self._depth:
            raise MalformedText("xml-too-deep", f"is nested deeper than {self._depth} levels", line)
        scope = self._stack[-1].scope if self._stack else self._scope
        if declared := declared_namespaces(attributes):
            scope = {**scope, **declared}
        prefix, _, local = name.rpartition(":")
        element = XmlElement(self._namespace(prefix, scope, line), local, line, scope)
        for key, value in attributes.items():
            prefix, _, local = key.rpartition(":")
            if not prefix and key != "xmlns":
                element.attributes[key] = value
            elif prefix and prefix != "xmlns":
                namespace = self._namespace(prefix, scope, line)
                element.attributes[f"{{{namespace}}}{local}" if namespace else key] = value
        if self._stack:
            self._stack[-1].children.append(element)
        else:
            self.root = element
        self._stack.append(element)
        self.open_elements.append(element)
        self._texts.append([])

    def end_element(self, name: str) -> None:
        element = self._stack.pop()
        self.open_elements.pop()
        element.text = "".join(self._texts.pop())

    def characters(self, text: str) -> None:
        self._texts[-1].append(text)

    def _namespace(self, prefix: str, scope: Mapping[str, str], line: int) -> str:
        found = scope.get(prefix)
        if found is None:
            found = self._known.get(prefix, "")
            if prefix not in self._undeclared:
                self._undeclared.add(prefix)
                self.issues.append(undeclared_prefix(self._document, line, prefix, found))
        return found


def declared_namespaces(attributes: Mapping[str, str]) -> dict[str, str]:
    """Gives the namespaces that `xmlns` attributes declare by prefix; the default one is under the empty prefix."""
    return {
        "" if key == "xmlns" else key[6:]: value
        for key, value in attributes.items()
        if key.startswith("xmlns") and (len(key) == 5 or key[5] == ":")
    }


def undeclared_prefix(document: str, line: int, prefix: str, namespace: str) -> Issue:
    """Gives the warning for a prefix that no `xmlns:` declares; `namespace` is what it was taken for, if anything."""
    taken = f"; it was read as {namespace}" if namespace else ""
    return Issue(
        code="xml-undeclared-prefix",
        message=f"The prefix {prefix!r} is not declared{taken}. Declare xmlns:{prefix} on this element or above.",
        place=Place(document=document, line=line),
        severity=Severity.WARNING,
    )


def scan_xml(
    data: bytes, build: Callable[[bytes], Handler], *, document: str, limits: XmlLimits = XmlLimits()
) -> tuple[Handler, XmlScan] | Refused:
    """Feeds a document to a handler that `build` makes, and once more to another one if it had to be mended first.

    `build` gets the text that will be fed, in UTF-8.

    Depth is the handler's to bound (it keeps the nesting anyway): it raises `MalformedText`.
    """
    text = prepare_text(data, document=document, size_bytes=limits.size_bytes)
    if isinstance(text, Refused):
        return text
    # Every start tag, and perhaps a few more: what comments and CDATA sections hold counts as well.
    if text.count(b"<") - sum(text.count(mark) for mark in (b"</", b"<!", b"<?")) > limits.elements:
        return refuse(document, "xml-too-large", f"has more than the {limits.elements} elements that are allowed")
    handler, failure = _feed(text, build, document)
    if failure is None:
        return handler, XmlScan()
    mended, issues = mend_markup(text, document=document)
    if not issues:
        return failure
    handler, second = _feed(mended, build, document)
    return second or (handler, XmlScan(issues=issues))


def parse_xml(
    data: bytes,
    *,
    document: str,
    limits: XmlLimits = XmlLimits(),
    known_prefixes: Mapping[str, str] = {},
) -> XmlDocument | Refused:
    """Reads a document into a tree.

    `known_prefixes` says which namespaces customary prefixes stand for where a document forgot to declare them.
    """
    scanned = scan_xml(data, lambda _: _TreeBuilder(document, limits, known_prefixes), document=document, limits=limits)
    if isinstance(scanned, Refused):
        return scanned
    builder, scan = scanned
    if builder.root is None:
        return refuse(document, "xml-empty", "has no element")
    return XmlDocument(document=document, root=builder.root, issues=(*scan.issues, *builder.issues))


def _feed(text: bytes, build: Callable[[bytes], Handler], document: str) -> tuple[Handler, Refused | None]:
    handler = build(text)
    # The text is UTF-8 by now, whatever its declaration still says.
    parser = expat.ParserCreate("utf-8")
    parser.buffer_text = True
    handler.parser = parser
    parser.StartElementHandler = handler.start_element
    parser.EndElementHandler = handler.end_element
    parser.CharacterDataHandler = handler.characters
    parser.StartDoctypeDeclHandler = _refuse_doctype
    try:
        parser.Parse(text, True)  # noqa: FBT003 - expat takes it by position only
    except MalformedText as error:
        return handler, refuse(document, error.code, str(error), line=error.position)
    except expat.ExpatError as error:
        return handler, _explain(error, handler, document, text)
    return handler, None


def _refuse_doctype(*_: object) -> None:
    raise MalformedText("xml-doctype", "has a document type declaration (DTD), which is never read")


_TRUNCATED = {
    expat.errors.codes[expat.errors.XML_ERROR_NO_ELEMENTS],
    expat.errors.codes[expat.errors.XML_ERROR_UNCLOSED_TOKEN],
}
_SECOND = expat.errors.codes[expat.errors.XML_ERROR_JUNK_AFTER_DOC_ELEMENT]
_MISMATCH = expat.errors.codes[expat.errors.XML_ERROR_TAG_MISMATCH]


def _explain(error: expat.ExpatError, handler: XmlHandler, document: str, text: bytes) -> Refused:
    line, column = error.lineno, error.offset + 1
    innermost = handler.open_elements[-1] if handler.open_elements else None
    within = f"; the innermost open element is {innermost}" if innermost is not None else ""
    if is_html(text):
        return refuse(document, "xml-html", "is an HTML page (of a login or an error?) and not metadata", line=1)
    if error.code in _TRUNCATED:
        return refuse(
            document,
            "xml-truncated",
            f"ends too early, in line {line}: it is cut off{within}",
            line=line,
            column=column,
        )
    if error.code == _SECOND:
        return refuse(
            document,
            "xml-several",
            "goes on after its root element has ended: one document is wanted",
            line=line,
            column=column,
        )
    if error.code == _MISMATCH:
        return refuse(document, "xml-mismatch", f"has an end tag that closes nothing{within}", line=line, column=column)
    reason = expat.ErrorString(error.code)
    return refuse(document, "xml-malformed", f"is not well-formed XML: {reason}{within}", line=line, column=column)
