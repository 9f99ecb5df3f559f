"""A document at hand: how its names resolve, what was wrong with it, and what is kept opaque of it."""

from collections import Counter

import msgspec

from clew.domain.issues import Issue, Place, Severity
from clew.domain.records import JsonValue
from clew.domain.services import Annotation
from clew.sources.odata.names import Names
from clew.sources.odata.namespaces import KNOWN_PREFIXES
from clew.sources.odata.nodes import Node
from clew.sources.odata.texts import clean_text
from clew.sources.xml import undeclared_prefix

_SHARED_OPAQUE_CHARS = 80
# Attributes of CSDL that say nothing which facts have a field for.
_UNTYPED = frozenset({"IncludeInServiceDocument", "Collation", "FixedLength", "Unicode", "SRID"})
_ENCODER = msgspec.json.Encoder(decimal_format="number")


def encode_value(value: JsonValue) -> str:
    """Gives a JSON value as text; decimals keep their digits."""
    return _ENCODER.encode(value).decode()


class Reading:
    """What every part of the reader needs."""

    def __init__(self, document: str, names: Names) -> None:
        """Begins a document."""
        self.document = document
        self.names = names
        self.issues: list[Issue] = []
        self.line = 0
        """Line of the annotation at hand, for what is found in its expressions."""
        self.undeclared: set[str] = set()
        """Prefixes that were reported as not declared."""
        self.opaque_counts: Counter[str] = Counter()
        """How often each term and each unknown attribute was kept opaque."""
        self._shared: dict[tuple[str, str], Annotation] = {}
        self._unknown: set[tuple[str, str]] = set()

    def warn(self, code: str, message: str, line: int, *, severity: Severity = Severity.WARNING) -> None:
        """Adds an issue."""
        self.issues.append(
            Issue(code=code, message=message, place=Place(document=self.document, line=line), severity=severity)
        )

    def note(self, code: str, message: str, line: int) -> None:
        """Adds an issue that only informs."""
        self.warn(code, message, line, severity=Severity.NOTE)

    def shown(self, text: str, line: int) -> str:
        """Gives a text without invisible characters and within bounds, and notes what was done to it."""
        cleaned, done = clean_text(text)
        if done:
            self.warn("odata-text", f"Of the text {cleaned[:40]!r}, {done}.", line or self.line)
        return cleaned

    def opaque(self, term: str, text: str) -> Annotation:
        """Gives an attribute as an opaque annotation; short ones are shared, since they repeat by the thousand."""
        key = (term, text)
        known = self._shared.get(key)
        if known is None:
            known = Annotation(term=term, value=encode_value(self.shown(text, 0)))
            if len(text) <= _SHARED_OPAQUE_CHARS:
                self._shared[key] = known
        return known

    def warn_of_prefix(self, node: Node, name: str) -> None:
        """Reports a prefix that no declaration explains, once per document."""
        prefix = name.partition(":")[0]
        if prefix not in KNOWN_PREFIXES and prefix != "xml" and prefix not in self.undeclared:
            self.undeclared.add(prefix)
            self.issues.append(undeclared_prefix(self.document, node.line, prefix, ""))

    def note_unknown_attribute(self, node: Node, name: str) -> None:
        """Reports an attribute without namespace that CSDL does not know on this element, once per document."""
        if name not in _UNTYPED and (node.name, name) not in self._unknown:
            self._unknown.add((node.name, name))
            self.note("odata-unknown-attribute", f"{node.name} has no attribute {name}; it is kept opaque.", node.line)
