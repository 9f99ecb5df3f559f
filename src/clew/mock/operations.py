"""Function imports, actions and functions called: the overload, the parameters, the bound entity, the result."""

from collections.abc import Mapping

from clew.domain.errors import CallRefused, MalformedText
from clew.domain.records import JsonObject, JsonValue, Record
from clew.domain.services import EntitySet, Operation, Parameter, Property
from clew.mock.addresses import Invocation, Many, One
from clew.mock.desk import OperationCall
from clew.mock.handlers import effect_of
from clew.mock.intake import read_typed
from clew.mock.numbering import Surroundings
from clew.mock.schema import Schema
from clew.mock.state import Row, State
from clew.protocol.facets import check_facets
from clew.protocol.json import parse_json
from clew.protocol.keys import Key, KeyPart, read_parameters
from clew.protocol.literals import convert_literal, parse_literal
from clew.protocol.values import read_enum


class Prepared(Record, frozen=True, kw_only=True):
    """A call whose overload, parameters and entity are settled; `row` is `None` where it is about no one entity."""

    call: OperationCall
    row: Row | None = None
    row_set: str = ""


class Incoming(Record, frozen=True, kw_only=True):
    """What a request gives to an operation."""

    method: str
    custom: tuple[tuple[str, str], ...] = ()
    aliases: Mapping[str, str] = {}
    body: JsonValue = None
    ieee754: bool = False


class OperationDesk:
    """Settles the calls of one service's operations."""

    def __init__(self, schema: Schema, state: State) -> None:
        self.schema = schema
        self.view = schema.view
        self.state = state

    def prepare(self, invocation: Invocation, incoming: Incoming) -> Prepared:
        """Chooses the overload, reads the parameters, finds the entity.

        Raises:
            CallRefused: 405 (another method), 400 (a parameter is unknown, missing or malformed), 404 (no such entity).
        """
        operation = self._overload(invocation, incoming)
        parameters = self._parameters(operation, invocation, incoming)
        self._check_required(operation, parameters)
        row, entity_set = self._entity(operation, invocation, parameters)
        call = OperationCall(
            operation=operation,
            name=operation.name.rpartition(".")[2],
            parameters=parameters,
            entity_set=entity_set,
            key=self.schema.key_values(row) if row is not None else {},
        )
        return Prepared(call=call, row=row, row_set=entity_set)

    def _overload(self, invocation: Invocation, incoming: Incoming) -> Operation:
        allowed = [op for op in invocation.overloads if op.method == incoming.method]
        if not allowed:
            methods = ", ".join(dict.fromkeys(op.method for op in invocation.overloads))
            name = invocation.overloads[0].name.rpartition(".")[2]
            raise CallRefused(405, "METHOD", f"{name} is called by {methods}")
        if len(allowed) == 1 or invocation.inline is None:
            return allowed[0]
        given = set(invocation.inline.names)
        exact = [op for op in allowed if {p.name for p in op.parameters} == given]
        return (exact or allowed)[0]

    # -- parameters

    def _parameters(self, operation: Operation, invocation: Invocation, incoming: Incoming) -> JsonObject:
        if operation.flavor == "function" or (operation.method == "GET" and self.view.is_v4):
            return self._inline(operation, invocation, incoming)
        in_url = operation.flavor == "function_import" and not operation.binding_parameter
        if in_url and not (self.schema.version == "V3" and incoming.method == "POST"):
            return self._from_query(operation, incoming)
        return self._from_body(operation, incoming)

    def _inline(self, operation: Operation, invocation: Invocation, incoming: Incoming) -> JsonObject:
        """Reads the parameters of a function: in brackets, or in V4.01 as query options."""
        types = {
            p.name: p.type if p.type.startswith("Edm.") else self.view.underlying(p.type) for p in operation.parameters
        }
        inline = invocation.inline or Key()
        implicit = tuple(
            KeyPart(name=name, text=text)
            for name, text in incoming.custom
            if name in types and name not in inline.names
        )
        whole = Key(parts=(*inline.parts, *implicit), position=inline.position)
        try:
            read = read_parameters(whole, types, self.schema.version, aliases=incoming.aliases)
            return {name: self._checked(operation, name, value) for name, value in read.items()}
        except MalformedText as error:
            raise CallRefused(400, error.code, str(error)) from None

    def _checked(self, operation: Operation, name: str, value: JsonValue) -> JsonValue:
        parameter = next(p for p in operation.parameters if p.name == name)
        self._check_facets(parameter, value)
        enum = self.view.enums.get(parameter.type)
        if isinstance(value, str) and (parameter.collection or parameter.type in self.view.types):
            return read_typed(self.schema, parse_json(value), _as_property(parameter))
        return read_enum(value, enum) if enum is not None and value is not None else value

    def _from_query(self, operation: Operation, incoming: Incoming) -> JsonObject:
        known = {parameter.name: parameter for parameter in operation.parameters}
        read: JsonObject = {}
        for name, text in incoming.custom:
            if name.startswith("sap-"):
                continue
            if name not in known:
                listed = ", ".join(known) or "none"
                raise CallRefused(400, "PARAMETER", f"there is no parameter {name!r}; there are: {listed}", name)
            kind = self.view.underlying(known[name].type)
            try:
                literal = parse_literal(text, self.schema.version)
                value = convert_literal(literal, kind, self.schema.version)
            except MalformedText as error:
                raise CallRefused(400, error.code, f"{name}: {error}", name) from None
            self._check_facets(known[name], value)
            read[name] = value
        return read

    def _check_facets(self, parameter: Parameter, value: JsonValue) -> None:
        kind = self.view.underlying(parameter.type)
        for breach in check_facets(value, parameter, kind, self.schema.version):
            raise CallRefused(400, breach.code, f"{parameter.name}: {breach.message}", parameter.name)

    def _from_body(self, operation: Operation, incoming: Incoming) -> JsonObject:
        body = {} if incoming.body is None else incoming.body
        if not isinstance(body, dict):
            raise CallRefused(400, "BODY", "an object of parameters was expected")
        known = {parameter.name: parameter for parameter in operation.parameters}
        read: JsonObject = {}
        for name, value in body.items():
            if name.startswith(("@", "odata.")):
                continue
            if name not in known:
                listed = ", ".join(known) or "none"
                raise CallRefused(400, "PARAMETER", f"there is no parameter {name!r}; there are: {listed}", name)
            read[name] = self._body_value(known[name], value, incoming)
        return read

    def _body_value(self, parameter: Parameter, value: JsonValue, incoming: Incoming) -> JsonValue:
        kind = self.view.types.get(parameter.type)
        if kind is not None and parameter.type in {node.type for node in self.view.sets.values()}:
            return value  # an entity as a parameter is taken as it is
        return read_typed(self.schema, value, _as_property(parameter), ieee754=incoming.ieee754)

    def _check_required(self, operation: Operation, parameters: JsonObject) -> None:
        is_v2 = self.schema.version.startswith(("V1", "V2"))
        key = self.view.key(operation.bound_to) if operation.bound_to else ()
        for parameter in operation.parameters:
            optional = parameter.optional or parameter.nullable
            if parameter.name not in parameters and (not optional or (is_v2 and parameter.name in key)):
                raise CallRefused(400, "PARAMETER", f"the parameter {parameter.name} is missing", parameter.name)

    # -- the entity

    def _entity(self, operation: Operation, invocation: Invocation, parameters: JsonObject) -> tuple[Row | None, str]:
        bound = invocation.bound
        if isinstance(bound, One):
            if bound.row is None:
                raise CallRefused(404, "NOT_FOUND", "there is no entity to call this on")
            return bound.row, bound.entity_set
        if isinstance(bound, Many):
            return None, bound.entity_set
        if operation.flavor != "function_import":
            return None, operation.entity_set
        node = self._set_by_parameters(operation, parameters)
        if node is None:
            return None, operation.entity_set
        return self._row_by_parameters(node, parameters), node.name

    def _set_by_parameters(self, operation: Operation, parameters: JsonObject) -> EntitySet | None:
        """Finds the set whose key the parameters of a V2 function import give."""
        if operation.bound_to:
            candidates = list(self.view.sets_of_type.get(operation.bound_to, []))
        elif operation.entity_set in self.view.sets:
            candidates = [self.view.sets[operation.entity_set]]
        else:
            candidates = list(self.view.sets.values())
        fitting = [
            node
            for node in candidates
            if (key := self.schema.own_key(node.type)) and all(name in parameters for name in key)
        ]
        return max(fitting, key=lambda node: len(self.schema.own_key(node.type)), default=None)

    def _row_by_parameters(self, node: EntitySet, parameters: JsonObject) -> Row:
        names = [name for name in self.view.key(node.type) if name in parameters]
        wanted = {name: parameters[name] for name in names}
        table = self.schema.table_of(node.name)
        found = self.state.find(table, self.schema.key_tuple(node.type, wanted))
        for row in [found] if found is not None else self.state.table(table):
            if self.schema.key_tuple(row.type, {**row.values, **wanted}) == row.key:
                return row
        shown = ", ".join(f"{name}={value!r}" for name, value in wanted.items())
        raise CallRefused(404, "NOT_FOUND", f"{node.name} has no entity with {shown}")


def run_by_convention(where: Surroundings, prepared: Prepared) -> Row | None:
    """Does what the operation's name says; gives the entity that it leaves, `None` where there is none."""
    if prepared.row is None:
        return None
    node = where.schema.view.sets.get(prepared.row_set)
    effect = effect_of(prepared.call.name, node.draft if node is not None else None)
    return effect(where, prepared.row)


def _as_property(parameter: Parameter) -> Property:
    return Property(
        name=parameter.name,
        type=parameter.type,
        collection=parameter.collection,
        nullable=parameter.nullable,
        max_length=parameter.max_length,
        precision=parameter.precision,
        scale=parameter.scale,
        scale_kind="variable" if parameter.scale is None else "fixed",
        value_help=parameter.value_help,
    )
