"""Requests made at random from a service's description, right ones and slightly wrong ones; reproducible by seed.

The maker knows the metadata and the grammar, and nothing of what the validator or the mock thinks of a request.
"""

import copy
import random
from decimal import Decimal

from clew.domain.errors import MalformedText
from clew.domain.records import JsonObject, JsonValue
from clew.domain.requests import Request
from clew.domain.services import EntitySet, Operation, Property
from clew.graph.service_view import ServiceView
from clew.protocol.json import write_json
from clew.protocol.literals import format_literal
from clew.protocol.urls import split_url
from clew.protocol.values import write_value

GUID = "3f2504e0-4f89-41d3-9a0c-0305e82c3301"
EXAMPLES: dict[str, JsonValue] = {
    "Edm.String": "1",
    "Edm.Boolean": True,
    **dict.fromkeys(("Edm.Byte", "Edm.SByte", "Edm.Int16", "Edm.Int32", "Edm.Int64"), 1),
    **dict.fromkeys(("Edm.Decimal", "Edm.Double", "Edm.Single"), 1),
    "Edm.Guid": GUID,
    "Edm.DateTime": "2025-06-20",
    "Edm.Date": "2025-06-20",
    "Edm.DateTimeOffset": "2025-06-20T08:00:00Z",
    "Edm.Time": "PT8H",
    "Edm.TimeOfDay": "08:00:00",
    "Edm.Duration": "PT2H",
    "Edm.Binary": "AAAA",
}
WRONG: list[JsonValue] = [None, True, 5, -1, 10**12, Decimal("1.5"), {}, [], "", "x", "5", "x" * 100]
WRONG += ["2025-02-30", "2025-06-20", "/Date(0)/"]
OPERATORS = ("eq", "ne", "gt", "ge", "lt", "le")
UPDATES = ("PATCH", "MERGE", "PUT", "DELETE", "POST")


def example(view: ServiceView, prop: Property) -> JsonValue:
    """Gives a value of a property in JSON terms, `None` where there is no example of its type."""
    enum = view.enums.get(prop.type)
    return enum.members[0].name if enum is not None else EXAMPLES.get(view.underlying(prop.type))


def seed_of(view: ServiceView) -> dict[str, list[JsonObject]]:
    """Gives one entity for each set whose type is not abstract: just the key, so that requests find something."""
    found: dict[str, list[JsonObject]] = {}
    for node in view.sets.values():
        if not node.singleton and not view.types[node.type].abstract:
            properties = view.properties(node.type)
            found[node.name] = [{name: example(view, properties[name]) for name in view.key(node.type)}]
    return found


class Maker:
    """Makes requests to one service."""

    def __init__(self, view: ServiceView, seed: int) -> None:
        self.view = view
        self.random = random.Random(seed)  # noqa: S311
        self.sets = [node for node in view.sets.values() if not node.singleton]
        self.operations = [operation for group in view.operations.values() for operation in group]

    def request(self) -> Request | None:
        """Gives one request, `None` where the draw made none that can be written down."""
        kind = self.random.random()
        node = self.random.choice(self.sets)
        if kind < 0.35:
            return self.create(node)
        if kind < 0.65:
            return self.query(node)
        if kind < 0.8:
            return self.address(node)
        return self.update(node) if kind < 0.9 else self.call()

    def create(self, node: EntitySet) -> Request:
        body: JsonValue = self.entity(node.type)
        if self.random.random() < 0.7:
            body = self.mutated(body)
        return Request(method="POST", service=self.view.id, path=node.name, body=write_json(body))

    def update(self, node: EntitySet) -> Request | None:
        method = self.random.choice(UPDATES)
        body = self.entity(node.type, depth=1)
        for name in self.view.key(node.type):
            body.pop(name, None)
        changed = self.mutated(body) if self.random.random() < 0.5 else body
        return self.written(method, node.name + self.key(node.type), None if method == "DELETE" else changed)

    def query(self, node: EntitySet) -> Request:
        pairs: list[tuple[str, str]] = []
        names = list(self.view.properties(node.type))
        navigations = list(self.view.navigations(node.type))
        if self.random.random() < 0.7:
            pairs.append(("$filter", self.condition(node.type)))
        if names and self.random.random() < 0.2:
            pairs.append(("$orderby", self.random.choice(names) + self.random.choice(["", " desc"])))
        if names and self.random.random() < 0.2:
            pairs.append(("$select", self.random.choice(names)))
        if navigations and self.random.random() < 0.2:
            pairs.append(("$expand", self.random.choice(navigations)))
        if self.random.random() < 0.2:
            others = [("$top", "1"), ("$top", "x"), ("$count", "true"), ("$inlinecount", "allpages"), ("$skip", "-2")]
            pairs.append(self.random.choice(others))
        if pairs and self.random.random() < 0.25:
            index = self.random.randrange(len(pairs))
            pairs[index] = (pairs[index][0], self.typo(pairs[index][1]))
        return Request(method="GET", service=self.view.id, path=node.name, query=tuple(pairs))

    def address(self, node: EntitySet) -> Request | None:
        url = node.name + self.key(node.type)
        ways = [*self.view.navigations(node.type), *self.view.properties(node.type)]
        if ways and self.random.random() < 0.6:
            url += "/" + self.random.choice(ways)
        return self.written("GET", self.typo(url) if self.random.random() < 0.2 else url, None)

    def call(self) -> Request | None:
        if not self.operations:
            return None
        operation = self.random.choice(self.operations)
        method = operation.method if self.random.random() < 0.9 else self.random.choice(["GET", "POST"])
        url = self.operation_url(operation)
        if url is None:
            return None
        takes_body = operation.flavor == "action" or operation.binding_parameter
        given = [p for p in operation.parameters if p.type not in self.view.types and self.random.random() < 0.9]
        body: JsonValue = {p.name: self.value(Property(name=p.name, type=p.type)) for p in given}
        if self.random.random() < 0.3:
            body = self.mutated(body)
        return self.written(method, url, body if takes_body and method == "POST" else None)

    def operation_url(self, operation: Operation) -> str | None:
        simple = operation.name.rpartition(".")[2]
        named = [p for p in operation.parameters if self.random.random() < 0.9]
        arguments = [f"{p.name}={self.literal(Property(name=p.name, type=p.type))}" for p in named]
        if operation.flavor == "function_import" and not operation.binding_parameter:
            return f"{simple}?{'&'.join(arguments)}"
        base = ""
        if operation.bound_to:
            nodes = [node for node in self.sets if self.view.is_derived(node.type, operation.bound_to)]
            if not nodes:
                return None
            node = self.random.choice(nodes)
            base = node.name + ("" if operation.bound_to_collection else self.key(node.type)) + "/"
            simple = operation.name if self.view.is_v4 else simple
        return base + simple + (f"({','.join(arguments)})" if operation.flavor == "function" else "")

    # -- parts

    def written(self, method: str, url: str, body: JsonValue) -> Request | None:
        try:
            path, query = split_url(url)
        except MalformedText:
            return None
        text = None if body is None else write_json(body)
        headers = (("If-Match", "*"),)
        return Request(method=method, service=self.view.id, path=path, query=query, headers=headers, body=text)

    def entity(self, type_name: str, *, depth: int = 0) -> JsonObject:
        properties = self.view.properties(type_name)
        chosen = set(self.random.sample(list(properties), min(len(properties), self.random.randrange(6))))
        chosen |= {name for name, prop in properties.items() if prop.field_control == "Mandatory" or not prop.nullable}
        chosen |= set(self.view.key(type_name))
        body: JsonObject = {}
        for name, prop in properties.items():
            if name in chosen and prop.creatable and not prop.computed:
                value = self.value(prop)
                body[name] = [value] if prop.collection else value
        navigations = [nav for nav in self.view.navigations(type_name).values() if nav.creatable]
        if navigations and depth == 0 and self.random.random() < 0.4:
            navigation = self.random.choice(navigations)
            inner = self.entity(navigation.target, depth=1)
            body[navigation.name] = [inner] if navigation.multiplicity == "*" else inner
        return body

    def value(self, prop: Property) -> JsonValue:
        kind = self.view.underlying(prop.type)
        if prop.type in self.view.enums:
            return self.random.choice(self.view.enums[prop.type].members).name
        if kind in self.view.types:
            members = self.view.properties(kind)
            return {name: self.value(members[name]) for name in self.random.sample(list(members), min(2, len(members)))}
        listed = self.view.value_help_of(prop)
        if listed is not None and listed.closed and listed.codes:
            return self.random.choice(listed.codes).code
        value = EXAMPLES.get(kind)
        return None if value is None else write_value(value, kind, self.view.service.version)

    def literal(self, prop: Property) -> str:
        version = self.view.service.version
        kind = self.view.underlying(prop.type)
        if prop.type in self.view.enums:
            member = self.random.choice(self.view.enums[prop.type].members).name
            return f"{prop.type}'{member}'" if self.view.is_v4 else f"'{member}'"
        if self.random.random() < 0.12:
            kind = self.random.choice(list(EXAMPLES))
        if kind not in EXAMPLES or (self.view.is_v4 and kind in ("Edm.DateTime", "Edm.Time")):
            return "null"
        try:
            return format_literal(EXAMPLES[kind], kind, version)
        except MalformedText:
            return "'x'"

    def key(self, type_name: str) -> str:
        properties = self.view.properties(type_name)
        parts = [f"{name}={self.literal(properties[name])}" for name in self.view.key(type_name)]
        if self.random.random() < 0.1:
            parts = parts[:-1]
        elif self.random.random() < 0.05:
            parts.append("Extra=1")
        if len(parts) == 1 and self.random.random() < 0.8:
            parts = [parts[0].partition("=")[2]]
        return f"({','.join(parts)})"

    def condition(self, type_name: str, depth: int = 0) -> str:
        properties = list(self.view.properties(type_name).values())
        if not properties:
            return "true"
        prop = self.random.choice(properties)
        draw = self.random.random()
        if draw < 0.6:
            return f"{prop.name} {self.random.choice(OPERATORS)} {self.literal(prop)}"
        if draw < 0.7:
            function = self.random.choice(["startswith({},'a')", "contains({},'a')", "substringof('a',{})"])
            return function.format(prop.name)
        if draw < 0.8:
            return self.random.choice(["length({}) gt 2", "year({}) eq 2025", "{} eq null"]).format(prop.name)
        if draw < 0.9:
            return self.through_navigation(type_name)
        return f"({self.condition(type_name, depth + 1)}) and {prop.name} ne null" if depth < 3 else "true"

    def through_navigation(self, type_name: str) -> str:
        navigations = list(self.view.navigations(type_name).values())
        if not navigations:
            return "true"
        navigation = self.random.choice(navigations)
        inner = list(self.view.properties(navigation.target).values())
        if not inner:
            return "true"
        prop = self.random.choice(inner)
        if navigation.multiplicity == "*" and self.random.random() < 0.7:
            return f"{navigation.name}/any(x:x/{prop.name} eq {self.literal(prop)})"
        return f"{navigation.name}/{prop.name} eq {self.literal(prop)}"

    def mutated(self, body: JsonValue) -> JsonValue:
        """Gives a body with one thing changed somewhere in it."""
        if not isinstance(body, dict) or not body:
            return body
        changed = copy.deepcopy(body)
        name = self.random.choice(list(changed))
        inner = changed[name]
        if isinstance(inner, dict) and self.random.random() < 0.4:
            changed[name] = self.mutated(inner)
        elif isinstance(inner, list) and inner and self.random.random() < 0.4:
            changed[name] = [self.mutated(inner[0]), *inner[1:]]
        else:
            self.spoil(changed, name)
        return changed

    def spoil(self, body: JsonObject, name: str) -> None:
        draw = self.random.random()
        if draw < 0.6:
            body[name] = copy.deepcopy(self.random.choice(WRONG))
        elif draw < 0.75:
            body[name[:-1] + "q"] = body.pop(name)
        elif draw < 0.9:
            body.pop(name)
        else:
            body["Nonsense"] = 1

    def typo(self, text: str) -> str:
        if not text:
            return text
        index = self.random.randrange(len(text))
        instead = ["", text[index] * 2, "x", "'", " ", "/", "(", ")", ",", "="]
        return text[:index] + self.random.choice(instead) + text[index + 1 :]
