"""Annotation values built while they are parsed: records and collections of constants, which nearly all of them are.

What is rarer (conditions, nested annotations, elements of another vocabulary) is collected as nodes and read by
`annotations`, with the same outcome.
"""

from typing import Any, TypeAlias

from msgspec import UNSET

from clew.domain.errors import MalformedText
from clew.domain.records import JsonObject, JsonValue
from clew.sources.odata.annotations import CONSTANTS, TEXT_CONSTANTS, keep_in_record, members_of, read_expression
from clew.sources.odata.nodes import Node, NodeStream
from clew.sources.odata.reading import Reading


class _Constant:
    """An element whose text is a constant."""

    __slots__ = ("kind", "texts")

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.texts: list[str] = []


Frame: TypeAlias = dict[str, Any] | list[Any] | str | _Constant | None
"""A record, a collection, the name of a property value in the record before it, a constant; `None`: the annotation."""


class Expressions:
    """Takes over the events below an `Annotation` and puts the value into its node."""

    def __init__(self, stream: NodeStream, reading: Reading, special: frozenset[str], depth: int) -> None:
        """Keeps where the events come from; `special` as the stream knows it, `depth` bounds the nesting."""
        self._stream = stream
        self._reading = reading
        self._special = special
        self._depth = depth
        self._annotation = Node("", {}, 0)
        self._frames: list[Frame] = []
        self._nested = 0
        """How many elements are open that the stream collects as nodes."""
        self._kinds: dict[str, str] = {}

    def begin(self, raw: str, attributes: dict[str, str]) -> bool:
        """Begins with the first element below an annotation, which is the innermost open element of the stream.

        Gives false where there is no annotation to begin, or where one is open already.
        """
        annotation = self._stream.open_elements[-1]
        if self._nested or annotation.name != "Annotation" or annotation.children is not None:
            return False
        self._annotation = annotation
        self._reading.line = self._annotation.line
        self._kinds = self._stream.element_names
        self._frames = [None]
        parser = self._stream.parser
        parser.StartElementHandler = self.start
        parser.EndElementHandler = self.end
        self.start(raw, attributes)
        return True

    def start(self, raw: str, attributes: dict[str, str]) -> None:
        """Takes a start tag."""
        if self._nested or not self._special.isdisjoint(attributes):
            self._start_node(raw, attributes)
            return
        kind = self._kinds.get(raw) or self._stream.name_element(raw)
        frames = self._frames
        parent = frames[-1]
        if kind == "PropertyValue" and type(parent) is dict:
            value: JsonValue = True
            for key, text in attributes.items():
                read = CONSTANTS.get(key)
                if read is not None:
                    value = read(text, self._reading)
                    break
            name = attributes.get("Property", "")
            parent[name] = value
            frames.append(name)
        elif kind == "Record":
            record: JsonObject = {}
            if "Type" in attributes:
                record["@type"] = self._reading.names.resolve(attributes["Type"])
            self._attach(record, parent)
            frames.append(record)
        elif kind == "Collection":
            items: list[JsonValue] = []
            self._attach(items, parent)
            frames.append(items)
        elif kind in TEXT_CONSTANTS and type(parent) is not _Constant:
            frames.append(_Constant(kind))
            self._stream.parser.CharacterDataHandler = self.characters
        else:
            self._start_node(raw, attributes)

    def end(self, raw: str) -> None:
        """Takes an end tag; that of the annotation goes back to the stream."""
        if self._nested:
            self._end_node(raw)
            return
        frames = self._frames
        frame = frames.pop()
        if frame is None:
            parser = self._stream.parser
            parser.StartElementHandler = self._stream.start_element
            parser.EndElementHandler = self._stream.end_element
            self._stream.end_element(raw)
        elif type(frame) is _Constant:
            self._stream.parser.CharacterDataHandler = None
            self._attach(CONSTANTS[frame.kind]("".join(frame.texts), self._reading), frames[-1])
        elif len(frames) > self._depth:
            raise MalformedText("xml-too-deep", f"is nested deeper than {self._depth} levels", self._annotation.line)

    def characters(self, text: str) -> None:
        """Takes character data of a constant."""
        frame = self._frames[-1]
        if type(frame) is _Constant:
            frame.texts.append(text)

    def _attach(self, value: JsonValue, parent: Frame) -> None:
        if type(parent) is list:
            parent.append(value)
        elif type(parent) is str and type(record := self._frames[-2]) is dict:
            known = record[parent]
            record[parent] = value if known is True else self._keep_both(known, value, parent)
        elif parent is None:
            known = self._annotation.value
            self._annotation.value = value if known is UNSET else self._keep_both(known, value, "Annotation")

    def _keep_both(self, known: JsonValue, value: JsonValue, where: str) -> JsonValue:
        message = f"{where} has more than one value without a Collection; they were read as one."
        self._reading.warn("odata-unknown-element", message, self._annotation.line)
        return [*known, value] if isinstance(known, list) else [known, value]

    def _start_node(self, raw: str, attributes: dict[str, str]) -> None:
        stream = self._stream
        if not self._nested:
            stream.open_elements.append(Node("Annotation", {}, self._annotation.line))
        self._nested += 1
        stream.start_element(raw, attributes)

    def _end_node(self, raw: str) -> None:
        self._stream.end_element(raw)
        self._nested -= 1
        if not self._nested:
            collected = self._stream.open_elements.pop()
            for node in collected.children or ():
                self._take_node(node)

    def _take_node(self, node: Node) -> None:
        """Takes an element that was collected as a node into the value."""
        parent = self._frames[-1]
        reading = self._reading
        if type(parent) is _Constant:
            message = f"{node.name} inside {parent.kind} is foreign to it and was not read."
            reading.warn("odata-foreign-element", message, node.line)
        elif node.name != "Annotation":
            if type(parent) is dict:
                keep_in_record(parent, node, reading)
            else:
                self._attach(read_expression(node, reading), parent)
        elif parent is None:
            self._annotation.add(node)
        elif type(parent) is dict:
            parent.update(members_of(node, reading, ""))
        elif type(parent) is str and type(record := self._frames[-2]) is dict:
            record.update(members_of(node, reading, parent))
        else:
            reading.warn("odata-unknown-element", "An Annotation inside a Collection says nothing.", node.line)
