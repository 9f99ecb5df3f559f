"""Fields of a YAML mapping read by a table of what it may hold; everything wrong becomes an issue with its line."""

from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from typing import Any, TypeAlias

from rapidfuzz import fuzz, process

from clew.domain.issues import Issue, Place, Severity, Suggestion
from clew.domain.records import Record
from clew.sources.yaml_text import Fields, Items, Scalar, YamlNode

FieldValues: TypeAlias = dict[str, Any]
"""Field values of a record in the making."""

_CLOSEST_SCORE = 60
_SHOWN_CHARACTERS = 60


class Form(StrEnum):
    """What a field may hold; `NODE` is left as it is for the caller to read."""

    TEXT = "a text"
    FLAG = "true or false"
    TEXTS = "a list of texts"
    PAIRS = "a mapping of texts"
    NODE = "anything"


class Shape(Record, frozen=True, kw_only=True):
    """What a mapping may hold: its fields with their forms, the required ones, the words a field is limited to."""

    what: str
    """How the mapping is called in a message: `a service`."""
    fields: Mapping[str, Form]
    required: tuple[str, ...] = ()
    words: Mapping[str, tuple[str, ...]] = {}


class Notes:
    """Collects the issues about one document."""

    def __init__(self, document: str) -> None:
        self.document = document
        self.issues: list[Issue] = []

    def error(self, code: str, message: str, line: int, suggestions: tuple[Suggestion, ...] = ()) -> None:
        """Adds an error: the document is not used."""
        self._add(code, message, line, suggestions, Severity.ERROR)

    def warn(self, code: str, message: str, line: int, suggestions: tuple[Suggestion, ...] = ()) -> None:
        """Adds a warning: the document is used."""
        self._add(code, message, line, suggestions, Severity.WARNING)

    @property
    def in_order(self) -> tuple[Issue, ...]:
        """All issues, in the order of their lines."""
        return tuple(sorted(self.issues, key=lambda issue: issue.place.line))

    @property
    def errors(self) -> tuple[Issue, ...]:
        """The errors, in the order of their lines."""
        return tuple(issue for issue in self.in_order if issue.severity is Severity.ERROR)

    def _add(self, code: str, message: str, line: int, suggestions: tuple[Suggestion, ...], severity: Severity) -> None:
        place = Place(document=self.document, line=line)
        issue = Issue(code=code, message=message, place=place, severity=severity, suggestions=suggestions)
        self.issues.append(issue)


def closest(name: str, known: Iterable[str], *, limit: int = 3) -> tuple[Suggestion, ...]:
    """Gives the names that are spelt most like `name`, best first."""
    choices = sorted(set(known))
    found = process.extract(
        name, choices, scorer=fuzz.WRatio, processor=str.casefold, score_cutoff=_CLOSEST_SCORE, limit=limit
    )
    return tuple(Suggestion(value=value, score=round(score / 100, 3)) for value, score, _ in found)


def read_fields(node: YamlNode, shape: Shape, notes: Notes) -> FieldValues | None:
    """Gives the fields that `node` states, `None` where it is no mapping, lacks a field or holds a wrong one.

    A field that is written without a value counts as not stated.
    """
    before = len(notes.errors)
    values = collect_fields(node, shape, notes)
    return values if len(notes.errors) == before else None


def collect_fields(node: YamlNode, shape: Shape, notes: Notes) -> FieldValues:
    """Gives the fields of `node` that can be used, even where others are wrong."""
    if not isinstance(node, Fields):
        found = "a list" if isinstance(node, Items) else f"the text {shown(node.text)}"
        notes.error("wrong-type", f"{_begun(shape.what)} is a mapping, not {found}.", node.line)
        return {}
    values: FieldValues = {}
    for name, child in node.entries.items():
        line = node.key_lines[name]
        if name not in shape.fields:
            message = f"{shown(name)} is no key of {shape.what}."
            notes.error("unknown-key", message, line, closest(name, shape.fields, limit=1))
        elif not (isinstance(child, Scalar) and child.is_null):
            _read_field(name, child, shape, notes, values)
    for name in shape.required:
        child = node.entries.get(name)
        if child is None:
            notes.error("missing-key", f"{_begun(shape.what)} needs the key {name!r}.", node.line)
        elif isinstance(child, Scalar) and child.is_null:
            notes.error("missing-value", f"{name!r} of {shape.what} needs a value.", node.key_lines[name])
    return values


def _begun(text: str) -> str:
    return text[:1].upper() + text[1:]


def _read_field(name: str, node: YamlNode, shape: Shape, notes: Notes, values: FieldValues) -> None:
    form = shape.fields[name]
    value = _value_of(node, form)
    if value is None:
        notes.error("wrong-type", f"{name!r} of {shape.what} is {form.value}{_instead(node, form)}.", node.line)
        return
    allowed = shape.words.get(name)
    if allowed and value not in allowed:
        choices = ", ".join(allowed)
        message = f"{name!r} of {shape.what} is one of {choices}, not {shown(str(value))}."
        notes.error("unknown-word", message, node.line, closest(str(value), allowed, limit=1))
        return
    values[name] = value


def _value_of(node: YamlNode, form: Form) -> object:
    match form, node:
        case Form.NODE, _:
            return node
        case Form.TEXT, Scalar():
            return node.text
        case Form.FLAG, Scalar():
            return node.flag
        case Form.TEXTS, Scalar():
            return (node.text,)
        case Form.TEXTS, Items():
            return texts_of(node.items)
        case Form.PAIRS, Fields():
            return pairs_of(node.entries)
        case _:
            return None


def texts_of(nodes: Sequence[YamlNode]) -> tuple[str, ...] | None:
    """Gives the texts of a list, `None` where one is none."""
    texts = tuple(node.text for node in nodes if isinstance(node, Scalar) and not node.is_null)
    return texts if len(texts) == len(nodes) else None


def pairs_of(entries: Mapping[str, YamlNode]) -> tuple[tuple[str, str], ...] | None:
    """Gives a mapping's (key, text) pairs, `None` where a value is no text."""
    pairs = tuple((name, node.text) for name, node in entries.items() if isinstance(node, Scalar))
    return pairs if len(pairs) == len(entries) else None


def shown(text: str) -> str:
    """Gives a text as a message may quote it: bounded, on one line, without control characters."""
    cut = text if len(text) <= _SHOWN_CHARACTERS else text[:_SHOWN_CHARACTERS] + "…"
    return repr("".join(letter if letter.isprintable() else " " for letter in cut))


def _instead(node: YamlNode, form: Form) -> str:
    if isinstance(node, Fields):
        return ", not a mapping"
    if isinstance(node, Items):
        return ", and so is each of its items" if form is Form.TEXTS else ", not a list"
    return f", not {shown(node.text)}"
