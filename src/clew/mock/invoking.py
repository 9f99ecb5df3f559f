"""Operations carried out and their results written."""

from clew.domain.errors import CallRefused
from clew.domain.ports import Response
from clew.domain.records import JsonObject, JsonValue
from clew.domain.services import EntityType, Operation, Property
from clew.mock.addresses import Invocation
from clew.mock.core import Write
from clew.mock.desk import Desk
from clew.mock.exchange import Exchange
from clew.mock.operations import Incoming, OperationDesk, Prepared, run_by_convention
from clew.mock.preconditions import check_preconditions
from clew.mock.rendering import Frame
from clew.mock.seeding import intake_of
from clew.mock.shapes import Shape, shape_of
from clew.mock.state import Row
from clew.protocol.options import Options


def invoke(exchange: Exchange, invocation: Invocation, options: Options) -> Response:
    """Answers the call of an operation: by the user's handler, else by the convention of its name."""
    core = exchange.core
    incoming = Incoming(
        method="POST" if exchange.method == "POST" else "GET",
        custom=options.custom,
        aliases=exchange.aliases,
        body=exchange.body() if exchange.method == "POST" else None,
        ieee754=exchange.ieee754,
    )
    prepared = OperationDesk(core.schema, core.state).prepare(invocation, incoming)
    operation = prepared.call.operation
    if prepared.row is not None and exchange.method == "POST":
        check_preconditions(exchange, prepared.row, prepared.row_set, required=False)
    handler = core.handler(prepared.call.entity_set, prepared.call.name)
    if handler is not None:
        answer = _answer_of_handler(exchange, prepared, handler(Desk(core.creation()), prepared.call), options)
    else:
        answer = _answer_by_convention(exchange, prepared, options)
    status = 204 if answer is None else 200
    if exchange.method == "POST":
        key = core.schema.key_values(prepared.row) if prepared.row and prepared.row.number in core.state.rows else {}
        write = Write(
            method="POST",
            entity_set=prepared.call.entity_set,
            operation=operation.name.rpartition(".")[2],
            key=key or prepared.call.key,
            payload=prepared.call.parameters,
            status=status,
        )
        core.writes.append(write)
    return exchange.reply(status, answer)


def _answer_by_convention(exchange: Exchange, prepared: Prepared, options: Options) -> JsonObject | None:
    core = exchange.core
    operation = prepared.call.operation
    row = prepared.row
    if exchange.method == "POST":
        where = core.surroundings(row.table if row is not None else "")
        row = run_by_convention(where, prepared)
    if not operation.returns:
        return None
    fits = row is not None and core.schema.view.is_derived(row.type, operation.returns)
    if fits and row is not None:
        entries = [row]
    elif isinstance(core.schema.view.types.get(operation.returns), EntityType):
        entries = []
    else:
        return _plain_answer(exchange, operation, _nothing(exchange, operation))
    return _entity_answer(exchange, prepared, entries, options)


def _answer_of_handler(
    exchange: Exchange, prepared: Prepared, result: JsonValue, options: Options
) -> JsonObject | None:
    operation = prepared.call.operation
    if not operation.returns:
        return None
    if not isinstance(exchange.schema.view.types.get(operation.returns), EntityType):
        return _plain_answer(exchange, operation, result)
    listed = result if isinstance(result, list) else [] if result is None else [result]
    rows = [_row_of(exchange, prepared, entry) for entry in listed if isinstance(entry, dict)]
    return _entity_answer(exchange, prepared, rows, options)


def _row_of(exchange: Exchange, prepared: Prepared, values: JsonObject) -> Row:
    """Gives the stored entity with these values' key, or one that exists for this answer only."""
    schema = exchange.schema
    operation = prepared.call.operation
    read = intake_of(schema, values, operation.returns).values
    key = schema.key_tuple(operation.returns, read)
    for node in schema.view.sets_of_type.get(operation.returns, []):
        found = exchange.core.state.find(schema.table_of(node.name), key)
        if found is not None and node.name in (prepared.call.entity_set, operation.entity_set):
            return found
    return Row(0, (prepared.call.entity_set or "#" + operation.returns, operation.returns), read, key)


def _entity_answer(exchange: Exchange, prepared: Prepared, rows: list[Row], options: Options) -> JsonObject | None:
    operation = prepared.call.operation
    entity_set = _set_of_result(exchange, prepared)
    shape = shape_of(exchange.schema, operation.returns, options) if options.select or options.expand else Shape()
    rendering = exchange.rendering(entity_set, operation.returns)
    if operation.returns_collection:
        entries: list[JsonValue] = [rendering.entity(row, shape, entity_set) for row in rows]
        return rendering.collection_answer(entries, Frame(context=entity_set or operation.returns))
    return rendering.entity_answer(rows[0], shape, entity_set) if rows else None


def _set_of_result(exchange: Exchange, prepared: Prepared) -> str:
    sets = exchange.schema.view.sets
    if prepared.call.operation.entity_set in sets:
        return prepared.call.operation.entity_set
    bound = sets.get(prepared.call.entity_set)
    return bound.name if bound is not None and bound.type == prepared.call.operation.returns else ""


def _plain_answer(exchange: Exchange, operation: Operation, result: JsonValue) -> JsonObject | None:
    prop = Property(name=operation.name, type=operation.returns, collection=operation.returns_collection)
    rendering = exchange.rendering("", "")
    if result is None and not rendering.is_v2:
        return None
    written = rendering.value(result, prop)
    name = operation.name.rpartition(".")[2]
    if rendering.is_v2 and operation.returns_collection:
        return {"d": written}
    suffix = f"Collection({operation.returns})" if operation.returns_collection else operation.returns
    is_object = isinstance(written, dict) and exchange.schema.view.is_v4
    if is_object and isinstance(written, dict):
        return {"@odata.context": f"{exchange.core.base_url}$metadata#{suffix}", **written}
    return rendering.value_answer(name, written, suffix)


def _nothing(exchange: Exchange, operation: Operation) -> JsonValue:
    """Gives the result of an operation that nobody described: empty, and where it says so, successful."""
    if operation.returns_collection:
        return []
    members = exchange.schema.view.properties(operation.returns)
    if not members:
        if operation.returns == "Edm.Boolean":
            return True
        if operation.returns_nullable or operation.returns == "Edm.Stream":
            return None
        raise CallRefused(501, "NO_HANDLER", f"{operation.name} needs a handler that says what it gives")
    return {
        name: True if prop.type == "Edm.Boolean" and "succe" in name.lower() else exchange.schema.initial(prop)
        for name, prop in members.items()
    }
