"""Reads answered: collections, entities, properties, counts, links, functions, the service document."""

from clew.domain.errors import CallRefused
from clew.domain.ports import Response
from clew.domain.records import JsonObject, JsonValue
from clew.domain.services import Capabilities
from clew.mock import invoking
from clew.mock.addresses import Address, Count, Invocation, Many, One, References, Root, Value
from clew.mock.exchange import Exchange
from clew.mock.queries import check_query, run_query
from clew.mock.rendering import Frame, etag_of
from clew.mock.shapes import Shape, shape_of
from clew.protocol.options import Options
from clew.protocol.urls import format_url


def read(exchange: Exchange, address: Address, options: Options) -> Response:
    """Answers a GET."""
    match address:
        case Root():
            return _root(exchange, address)
        case Many():
            return _collection(exchange, address, options)
        case One():
            return _entity(exchange, address, options)
        case Value():
            return _value(exchange, address)
        case Count():
            return _count(exchange, address, options)
        case References():
            return _references(exchange, address)
        case Invocation():
            return invoking.invoke(exchange, address, options)


def capabilities_of(exchange: Exchange, address: Many | One) -> Capabilities:
    """Gives what the set of an address allows, or what it allows along the navigation that led there."""
    view = exchange.schema.view
    if address.parent is not None and address.navigation is not None:
        origin = view.sets.get(address.parent.table.lstrip("="))
        stated = dict(origin.navigation_capabilities) if origin is not None else {}
        if address.navigation.name in stated:
            return stated[address.navigation.name]
    node = view.sets.get(address.entity_set)
    return node.capabilities if node is not None else Capabilities()


def _root(exchange: Exchange, root: Root) -> Response:
    if root.kind == "$metadata" and exchange.core.options.metadata:
        return exchange.reply_text(exchange.core.options.metadata, "application/xml;charset=utf-8")
    if root.kind:
        raise CallRefused(501, "NOT_IMPLEMENTED", f"{root.kind} is not implemented")
    sets = exchange.schema.view.sets.values()
    if exchange.schema.version.startswith(("V1", "V2")):
        return exchange.reply(200, {"d": {"EntitySets": [node.name for node in sets]}})
    entries: list[JsonValue] = [
        {"name": node.name, "kind": "Singleton" if node.singleton else "EntitySet", "url": node.name} for node in sets
    ]
    name = "@odata.context" if exchange.schema.view.is_v4 else "odata.metadata"
    return exchange.reply(200, {name: f"{exchange.core.base_url}$metadata", "value": entries})


def _collection(exchange: Exchange, many: Many, options: Options) -> Response:
    capabilities = capabilities_of(exchange, many)
    _check_readable(exchange, many, capabilities)
    check_query(exchange.rehearsal(), many.type, options, capabilities)
    shape = shape_of(exchange.schema, many.type, options, capabilities)
    _check_shape(exchange, many.type, shape)
    page = run_query(
        exchange.evaluation,
        list(many.rows),
        options,
        entity_set=many.entity_set,
        page_size=exchange.core.options.page_size,
    )
    rendering = exchange.rendering(many.entity_set, many.type)
    entries: list[JsonValue] = [rendering.entity(row, shape, many.entity_set) for row in page.rows]
    frame = Frame(
        context=many.entity_set or many.type,
        total=page.total if options.count else None,
        next_url=_next_url(exchange, page.next_from) if page.next_from else "",
    )
    return exchange.reply(200, rendering.collection_answer(entries, frame))


def _check_shape(exchange: Exchange, type_name: str, shape: Shape) -> None:
    """Checks the filters and orders of expanded navigations."""
    navigations = exchange.schema.view.navigations(type_name)
    for name, inner in shape.expand.items():
        if name in navigations:
            check_query(exchange.rehearsal(), navigations[name].target, inner.options, Capabilities())
            _check_shape(exchange, navigations[name].target, inner)


def _next_url(exchange: Exchange, next_from: int) -> str:
    kept = tuple(pair for pair in exchange.request.query if pair[0] != "$skiptoken")
    return exchange.core.base_url + format_url(exchange.request.path, (*kept, ("$skiptoken", str(next_from))))


def _check_readable(exchange: Exchange, address: Many | One, capabilities: Capabilities) -> None:
    node = exchange.schema.view.sets.get(address.entity_set)
    is_whole = isinstance(address, Many) and address.parent is None
    if node is not None and not node.addressable and is_whole:
        raise CallRefused(405, "NOT_ADDRESSABLE", f"{node.name} is read from the entity that it belongs to")
    readable = capabilities.readable if isinstance(address, Many) else capabilities.readable_by_key
    if not readable or not capabilities.readable:
        raise CallRefused(405, "NOT_READABLE", f"{address.entity_set} cannot be read")


def _entity(exchange: Exchange, one: One, options: Options) -> Response:
    capabilities = capabilities_of(exchange, one)
    _check_readable(exchange, one, capabilities)
    if one.row is None:
        if exchange.schema.view.is_v4:
            return exchange.reply(204)
        raise CallRefused(404, "NOT_FOUND", "there is no entity at this place")
    shape = shape_of(exchange.schema, one.row.type, options, capabilities)
    _check_shape(exchange, one.row.type, shape)
    rendering = exchange.rendering(one.entity_set, one.row.type)
    headers = (("ETag", etag_of(one.row)),) if rendering.with_etags else ()
    if headers and exchange.headers.get("if-none-match") == headers[0][1]:
        return exchange.reply(304, headers=headers)
    return exchange.reply(200, rendering.entity_answer(one.row, shape, one.entity_set), headers=headers)


def value_at(value: Value) -> JsonValue:
    """Gives what a property holds."""
    current: JsonValue = value.row.values
    for name in value.path:
        current = current.get(name) if isinstance(current, dict) else None
    return current


def _value(exchange: Exchange, value: Value) -> Response:
    held = value_at(value)
    rendering = exchange.rendering(value.entity_set, value.row.type)
    written = rendering.value(held, value.prop)
    if value.is_raw:
        if held is None:
            return exchange.reply(204)
        return exchange.reply_text(_raw(held))
    if held is None and exchange.schema.view.is_v4:
        return exchange.reply(204)
    context = f"{rendering.path_of(value.row, value.entity_set)}/{'/'.join(value.path)}"
    return exchange.reply(200, rendering.value_answer(value.prop.name, written, context))


def _raw(value: JsonValue) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict | list):
        raise CallRefused(400, "VALUE", "$value gives primitive values only")
    return str(value)


def _count(exchange: Exchange, count: Count, options: Options) -> Response:
    capabilities = capabilities_of(exchange, count.of)
    _check_readable(exchange, count.of, capabilities)
    check_query(exchange.rehearsal(), count.of.type, options, capabilities)
    if not capabilities.countable:
        raise CallRefused(400, "NOT_COUNTABLE", "nothing can be counted here")
    page = run_query(exchange.evaluation, list(count.of.rows), options, entity_set=count.of.entity_set)
    return exchange.reply_text(str(page.total))


def _references(exchange: Exchange, references: References) -> Response:
    target = references.of
    rendering = exchange.rendering(target.entity_set, target.type)
    rows = target.rows if isinstance(target, Many) else ((target.row,) if target.row else ())
    name = "@odata.id" if exchange.schema.view.is_v4 else "uri" if rendering.is_v2 else "url"
    entries: list[JsonObject] = [{name: rendering.url_of(row, target.entity_set)} for row in rows]
    if isinstance(target, Many):
        listed: list[JsonValue] = [*entries]
        return exchange.reply(200, rendering.collection_answer(listed, Frame(context="Collection($ref)")))
    if not entries:
        return exchange.reply(204)
    if rendering.is_v2:
        return exchange.reply(200, {"d": entries[0]})
    return exchange.reply(200, {"@odata.context": f"{exchange.core.base_url}$metadata#$ref", **entries[0]})
