"""`compose`: a call in terms of the graph becomes a request, spelt as the service's version spells it.

Nothing is refused here: what is wrong with a call goes into the request as it is, where the validator finds it.
"""

from collections.abc import Mapping
from decimal import Decimal
from urllib.parse import quote as percent_encode

from clew.domain.errors import MalformedText
from clew.domain.records import JsonObject, JsonValue
from clew.domain.references import is_reference, unescape
from clew.domain.requests import Call, Request
from clew.domain.services import Operation, Parameter, Property
from clew.graph.service_view import ServiceView
from clew.grounding.signatures import operation_of, type_at_path
from clew.grounding.wording import simple
from clew.protocol.json import write_json
from clew.protocol.keys import SAFE_IN_KEY
from clew.protocol.literals import format_literal, quote
from clew.protocol.values import write_value

UPSERT = "upsert"
_JSON_HEADERS = (("Content-Type", "application/json"), ("Accept", "application/json"))
_FRACTIONS = {"Edm.Decimal", "Edm.Double", "Edm.Single"}
_ACCEPT = (("Accept", "application/json"),)


def compose(call: Call, view: ServiceView) -> Request:
    """Gives the request of a call.

    Values of key and payload are in JSON terms (ISO dates, numbers or their text) and come out in the JSON and the
    literals of the service's version. Operations of V1 and V2 take key and payload as query options at the root; those
    of V3 and V4 follow the set and key that they are bound to. References (`$1.Name`) are left as they are, also in
    keys, and `$$1.Name` becomes the text `$1.Name`: such a request is to be read, and not to be sent.
    """
    return _Composer(view, call).request()


class _Composer:
    def __init__(self, view: ServiceView, call: Call) -> None:
        self.view = view
        self.call = call
        self.version = view.service.version
        self.is_v2 = self.version in {"V1", "V2"}

    def request(self) -> Request:
        if self.call.operation:
            return self._operation(operation_of(self.call, self.view))
        if self.call.via == UPSERT:
            return self._upsert()
        body = None
        if self.call.payload is not None:
            body = write_json(self.members(self.call.payload, type_at_path(self.call, self.view)))
        return self._made(self.call.method, self._path(), self._query(), body)

    def _made(self, method: str, path: str, query: tuple[tuple[str, str], ...], body: str | None) -> Request:
        headers = _JSON_HEADERS if body is not None else _ACCEPT
        service = self.call.service
        return Request(method=method.upper(), service=service, path=path, query=query, headers=headers, body=body)

    def _query(self) -> tuple[tuple[str, str], ...]:
        return tuple((name, unescape(value)) for name, value in self.call.query.items())

    # -- paths

    def _path(self) -> str:
        path = percent_encode(self.call.entity_set, safe="$") + self.key(self.call.key, self._set_type())
        return f"{path}/{self.call.navigation.strip('/')}" if self.call.navigation else path

    def _set_type(self) -> str:
        node = self.view.sets.get(self.call.entity_set)
        return node.type if node else ""

    def key(self, values: Mapping[str, JsonValue], type_name: str) -> str:
        """Writes a key predicate in the order of the type's key; nothing where no values are given."""
        if not values:
            return ""
        names = [name for name in self.view.key(type_name) if name in values]
        names += [name for name in values if name not in names]
        properties = self.view.properties(type_name)
        written = {name: self.literal(values[name], properties.get(name)) for name in names}
        is_plain = len(written) == 1 and self.view.key(type_name) in ((names[0],), ())
        inner = written[names[0]] if is_plain else ",".join(f"{name}={text}" for name, text in written.items())
        return "(" + percent_encode(inner, safe=SAFE_IN_KEY) + ")"

    def literal(self, value: JsonValue, prop: Property | Parameter | None) -> str:
        """Writes a value as a literal of a property's type; a reference stands as it is."""
        if isinstance(value, str) and is_reference(value):
            return value
        if isinstance(value, str):
            value = unescape(value)
        try:
            return format_literal(_exact(value), self._literal_type(value, prop), self.version)
        except MalformedText:
            return quote(value) if isinstance(value, str) else write_json(_exact(value))

    def _literal_type(self, value: JsonValue, prop: Property | Parameter | None) -> str:
        if prop is not None:
            return self.view.underlying(prop.type)
        if isinstance(value, bool):
            return "Edm.Boolean"
        if isinstance(value, int):
            return "Edm.Int32"
        return "Edm.String" if isinstance(value, str) else "Edm.Decimal"

    # -- operations

    def _operation(self, node: Operation | None) -> Request:
        method = self.call.method or (node.method if node else "POST")
        given: JsonObject = dict(self.call.payload or {})
        if self.is_v2:
            query = self._parameters_as_query({**self.call.key, **given}, node)
            return self._made(method, simple(self.call.operation), query, None)
        name = simple(self.call.operation)
        if node is not None and self.view.is_v4:
            name = node.name if node.bound_to else next(iter(node.imports), name)
        base = f"{self._path()}/{name}" if self.call.entity_set else name
        if node is not None and (node.flavor == "function" or method.upper() == "GET"):
            inline, aliases = self._parameters_inline(given, node)
            return self._made(method, base + inline, aliases + self._query(), None)
        body = None if not given and self.call.payload is None else write_json(self._parameters(given, node))
        return self._made(method, base, self._query(), body)

    def _parameters_as_query(self, given: JsonObject, node: Operation | None) -> tuple[tuple[str, str], ...]:
        declared = {parameter.name: parameter for parameter in node.parameters} if node else {}
        pairs = tuple((name, self.literal(value, declared.get(name))) for name, value in given.items())
        return pairs + self._query()

    def _parameters_inline(self, given: JsonObject, node: Operation) -> tuple[str, tuple[tuple[str, str], ...]]:
        """Writes a function's parameters; structured values and collections go through aliases."""
        declared = {parameter.name: parameter for parameter in node.parameters}
        parts: list[str] = []
        aliases: list[tuple[str, str]] = []
        for name, value in given.items():
            if isinstance(value, dict | list):
                parts.append(f"{name}=@{name}")
                aliases.append((f"@{name}", write_json(self._parameters({name: value}, node).get(name))))
            else:
                parts.append(f"{name}={self.literal(value, declared.get(name))}")
        return "(" + percent_encode(",".join(parts), safe=SAFE_IN_KEY) + ")", tuple(aliases)

    def _parameters(self, given: JsonObject, node: Operation | None) -> JsonObject:
        declared = {parameter.name: parameter for parameter in node.parameters} if node else {}
        return {name: self.value(value, declared.get(name)) for name, value in given.items()}

    def _upsert(self) -> Request:
        """Writes an upsert: the entity's URI in `__metadata`, key properties left to it (SuccessFactors)."""
        payload: JsonObject = dict(self.call.payload or {})
        type_name = self._set_type()
        key = {name: self.call.key.get(name, payload.get(name)) for name in self.view.key(type_name)}
        known = {name: value for name, value in key.items() if value is not None}
        uri = self.call.entity_set + self.key(known, type_name)
        body: JsonObject = {"__metadata": {"uri": uri}, **self.members(payload, type_name)}
        return self._made("POST", UPSERT, self._query(), write_json(body))

    # -- bodies

    def members(self, members: JsonObject, type_name: str) -> JsonObject:
        """Writes the members of an object of a type, down through complex values and deep inserts."""
        properties = self.view.properties(type_name)
        navigations = self.view.navigations(type_name)
        written: JsonObject = {}
        for name, value in members.items():
            navigation = navigations.get(name)
            if navigation is not None:
                written[name] = self._entities(value, navigation.target)
            else:
                written[name] = self.value(value, properties.get(name))
        return written

    def _entities(self, value: JsonValue, type_name: str) -> JsonValue:
        if isinstance(value, dict):
            results = value.get("results")
            if isinstance(results, list) and len(value) == 1:
                return {"results": [self._entities(item, type_name) for item in results]}
            return self.members(value, type_name)
        if isinstance(value, list):
            return [self._entities(item, type_name) for item in value]
        return self.value(value, None)

    def value(self, value: JsonValue, prop: Property | Parameter | None) -> JsonValue:
        """Writes one value of a property; what does not fit its type stays as it is, for the validator to find."""
        if isinstance(value, list):
            return [self.value(item, prop) for item in value]
        if isinstance(value, dict):
            return self.members(value, prop.type if prop else "")
        if isinstance(value, str):
            if is_reference(value):
                return value
            value = unescape(value)
        if prop is None or value is None:
            return _exact(value)
        primitive = self.view.underlying(prop.type)
        exact = _exact(value)
        if primitive in _FRACTIONS and isinstance(exact, int) and not isinstance(exact, bool):
            exact = Decimal(exact)
        try:
            return write_value(exact, primitive, self.version)
        except MalformedText:
            return exact


def _exact(value: JsonValue) -> JsonValue:
    """Gives a number that came as a float by the digits that it was written with."""
    return Decimal(repr(value)) if isinstance(value, float) else value
