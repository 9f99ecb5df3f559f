"""Rows written as JSON of the service's version: with `__metadata` and deferred links in V2, bare in V3, as V4 says."""

from urllib.parse import quote as percent_encode

from clew.domain.errors import MalformedText
from clew.domain.records import JsonObject, JsonValue, Record
from clew.domain.services import NavigationProperty, Property
from clew.mock.evaluation import Evaluation
from clew.mock.queries import run_query
from clew.mock.relations import related
from clew.mock.schema import Schema
from clew.mock.shapes import Shape
from clew.mock.state import Row, State
from clew.protocol.keys import format_key
from clew.protocol.values import write_value

__all__ = ["Frame", "Rendering", "etag_of"]


class Frame(Record, frozen=True, kw_only=True):
    """How a collection is wrapped: its context, how many match, the URL of the next page."""

    context: str = ""
    total: int | None = None
    next_url: str = ""


class Rendering:
    """Writes rows of one service."""

    def __init__(self, evaluation: Evaluation, *, base_url: str, ieee754: bool, with_etags: bool) -> None:
        self.evaluation = evaluation
        self.schema: Schema = evaluation.schema
        self.state: State = evaluation.state
        self.version = self.schema.version
        self.is_v4 = self.schema.view.is_v4
        self.is_v2 = self.version.startswith(("V1", "V2"))
        self.base_url = base_url
        self.ieee754 = ieee754
        self.with_etags = with_etags

    # -- addresses

    def path_of(self, row: Row, entity_set: str = "") -> str:
        """Gives the path of an entity below the service's root, percent-encoded."""
        if row.table.startswith("="):
            return row.table[1:]
        name = entity_set or row.table
        types = self.schema.key_types(row.type)
        if not types or name.startswith("#"):
            return percent_encode(name.lstrip("#"))
        return percent_encode(name) + format_key(self.schema.key_values(row), types, self.version)

    def url_of(self, row: Row, entity_set: str = "") -> str:
        """Gives the URL of an entity."""
        return self.base_url + self.path_of(row, entity_set)

    # -- whole answers

    def entity_answer(self, row: Row, shape: Shape, entity_set: str = "") -> JsonObject:
        """Gives the body that holds one entity."""
        shown = self.entity(row, shape, entity_set)
        if self.is_v2:
            return {"d": shown}
        context = f"{self.base_url}$metadata#{entity_set or row.type}"
        if self.is_v4:
            suffix = "" if row.table.startswith("=") else "/$entity"
            return {"@odata.context": context + suffix, **shown}
        return {"odata.metadata": context + "/@Element", **shown}

    def collection_answer(self, entries: list[JsonValue], frame: Frame) -> JsonObject:
        """Gives the body that holds a collection."""
        if self.is_v2:
            inner: JsonObject = {"results": entries}
            if frame.total is not None:
                inner["__count"] = str(frame.total)
            if frame.next_url:
                inner["__next"] = frame.next_url
            return {"d": inner}
        sign = "@odata." if self.is_v4 else "odata."
        context_name = sign + ("context" if self.is_v4 else "metadata")
        answer: JsonObject = {context_name: f"{self.base_url}$metadata#{frame.context}"}
        if frame.total is not None:
            answer[sign + "count"] = frame.total if self.is_v4 else str(frame.total)
        answer["value"] = entries
        if frame.next_url:
            answer[sign + "nextLink"] = frame.next_url
        return answer

    def value_answer(self, name: str, value: JsonValue, context: str = "") -> JsonObject:
        """Gives the body that holds one property or the result of an operation."""
        if self.is_v2:
            return {"d": {name: value}}
        if self.is_v4:
            return {"@odata.context": f"{self.base_url}$metadata#{context}", "value": value}
        return {"odata.metadata": f"{self.base_url}$metadata#{context}", "value": value}

    # -- parts

    def entity(self, row: Row, shape: Shape, entity_set: str = "") -> JsonObject:
        """Gives one entity in its shape."""
        shown = self._head(row, entity_set)
        properties = self.schema.view.properties(row.type)
        for name, prop in properties.items():
            if shape.select is None or name in shape.select:
                shown[name] = self.value(row.values.get(name), prop)
        for name, value in row.values.items():  # of an open type
            if name not in properties and (shape.select is None or name in shape.select):
                shown[name] = value
        for name, navigation in self.schema.view.navigations(row.type).items():
            if name in shape.expand:
                self._expand(shown, row, navigation, shape.expand[name])
            elif self.is_v2 and (shape.select is None or name in shape.select):
                shown[name] = {"__deferred": {"uri": f"{self.url_of(row, entity_set)}/{name}"}}
        return shown

    def value(self, value: JsonValue, prop: Property) -> JsonValue:
        """Writes the value of a property."""
        if prop.collection:
            entries = [self._single(entry, prop) for entry in value] if isinstance(value, list) else []
            return {"results": entries} if self.is_v2 else entries
        return self._single(value, prop)

    def _single(self, value: JsonValue, prop: Property) -> JsonValue:
        kind = self.schema.view.underlying(prop.type)
        if isinstance(value, dict):
            members = self.schema.view.properties(kind)
            known = {name: self.value(value.get(name), member) for name, member in members.items()}
            return {**known, **{name: inner for name, inner in value.items() if name not in members}}
        try:
            return write_value(value, kind, self.version, ieee754=self.ieee754)
        except MalformedText:  # finer than the version can write: as it is stored
            return value

    def _head(self, row: Row, entity_set: str) -> JsonObject:
        if self.is_v2:
            url = self.url_of(row, entity_set)
            metadata: JsonObject = {"id": url, "uri": url, "type": row.type}
            if self.with_etags:
                metadata["etag"] = etag_of(row)
            return {"__metadata": metadata}
        head: JsonObject = {}
        if self.is_v4:
            declared = self.schema.view.sets.get(entity_set)
            if declared is not None and declared.type != row.type:
                head["@odata.type"] = f"#{row.type}"
            if self.with_etags:
                head["@odata.etag"] = etag_of(row)
        elif self.with_etags:
            head["odata.etag"] = etag_of(row)
        return head

    def _expand(self, shown: JsonObject, row: Row, navigation: NavigationProperty, shape: Shape) -> None:
        rows = related(self.schema, self.state, row, navigation)
        sets = self.schema.target_sets(row.table, row.type, navigation)
        target = sets[0] if sets else ""
        if navigation.multiplicity != "*":
            shown[navigation.name] = self.entity(rows[0], shape, target) if rows else None
            return
        page = run_query(self.evaluation, rows, shape.options, entity_set=target)
        if shape.options.count and self.is_v4:
            shown[f"{navigation.name}@odata.count"] = page.total
        if shape.as_references:
            entries: list[JsonValue] = [{"@odata.id": self.path_of(entry, target)} for entry in page.rows]
        else:
            entries = [self.entity(entry, shape, target) for entry in page.rows]
        shown[navigation.name] = {"results": entries} if self.is_v2 else entries


def etag_of(row: Row) -> str:
    """Gives the entity tag of a row's present version."""
    return f'W/"{row.version}"'
