"""Changes carried out: creates, updates, deletions, links, calls; each one noted in the log of writes."""

from clew.domain.errors import CallRefused
from clew.domain.ports import Response
from clew.domain.records import JsonObject, JsonValue
from clew.domain.services import Capabilities, EntityType
from clew.mock import invoking
from clew.mock.addresses import Address, Invocation, Many, One, References, Root, Value
from clew.mock.changes import delete_row, update_row
from clew.mock.core import Write
from clew.mock.creation import Place
from clew.mock.drafts import discard
from clew.mock.exchange import Exchange
from clew.mock.intake import Intake, read_body
from clew.mock.linking import Linking
from clew.mock.preconditions import check_preconditions
from clew.mock.reading import capabilities_of
from clew.mock.rendering import etag_of
from clew.mock.schema import ACTIVE
from clew.mock.shapes import Shape
from clew.mock.state import Row
from clew.protocol.options import Options


def write(exchange: Exchange, address: Address, options: Options) -> Response:
    """Answers a POST, PUT, PATCH, MERGE or DELETE."""
    method = exchange.method
    match address:
        case Invocation():
            return invoking.invoke(exchange, address, options)
        case Many() if method == "POST":
            return _create(exchange, address)
        case One() if method in ("PATCH", "MERGE", "PUT"):
            return _update(exchange, address)
        case One() if method == "DELETE":
            return _delete(exchange, address)
        case Value() if method in ("PUT", "PATCH", "MERGE", "DELETE") and len(address.path) == 1:
            return _update_property(exchange, address)
        case References():
            return _link(exchange, address)
        case Root() if address.kind:
            raise CallRefused(501, "NOT_IMPLEMENTED", f"{address.kind} is not implemented")
        case One() if _is_media(exchange, address):
            raise CallRefused(501, "NOT_IMPLEMENTED", "media streams are not implemented")
        case One():
            raise CallRefused(
                405, "METHOD", "an entity is created by POST to its collection; POST here calls operations"
            )
        case _:
            raise CallRefused(405, "METHOD", f"{method} is not possible here")


def _is_media(exchange: Exchange, one: One) -> bool:
    lineage = exchange.schema.view.lineage(one.type)
    return any(isinstance(part, EntityType) and part.has_stream for part in lineage)


# --- creating


def _create(exchange: Exchange, many: Many) -> Response:
    core = exchange.core
    capabilities = capabilities_of(exchange, many)
    along = many.parent is None or many.navigation is None
    if many.parent is not None and many.navigation is not None:
        along = core.schema.is_insertable_along(many.parent.table.lstrip("="), many.navigation)
    if not capabilities.insertable or not along:
        raise CallRefused(405, "NOT_CREATABLE", f"nothing can be created in {many.entity_set or many.type}")
    body = exchange.body()
    if body is None:
        raise CallRefused(400, "BODY", "a create needs a body")
    intake = read_body(core.schema, body, many.type, exchange.purpose(capabilities, entity_set=many.entity_set))
    place = Place(
        entity_set=many.entity_set,
        parent=many.parent,
        navigation=many.navigation,
        check_required=capabilities.required_on_insert,
    )
    row = core.creation().create(intake, place)
    Linking(core.schema, core.state, core.base_url).follow(intake, row, many.entity_set)
    core.writes.append(
        Write(
            method="POST",
            entity_set=many.entity_set,
            key=core.schema.key_values(row),
            payload=intake.as_json(),
            navigation=many.navigation.name if many.navigation else "",
            status=201,
        )
    )
    return _created(exchange, row, many, intake)


def _created(exchange: Exchange, row: Row, many: Many, intake: Intake) -> Response:
    rendering = exchange.rendering(many.entity_set, row.type)
    url = rendering.url_of(row, many.entity_set)
    headers = [("Location", url)]
    if rendering.with_etags:
        headers.append(("ETag", etag_of(row)))
    if "return=minimal" in exchange.headers.get("prefer", ""):
        return exchange.reply(
            204, headers=(*headers, ("OData-EntityId", url), ("Preference-Applied", "return=minimal"))
        )
    return exchange.reply(201, rendering.entity_answer(row, _shape_of(intake), many.entity_set), headers=tuple(headers))


def _shape_of(intake: Intake) -> Shape:
    """Gives the shape that shows what was created along: as deep as the body was."""
    inner: dict[str, Shape] = {}
    for part in intake.nested:
        deeper: dict[str, Shape] = {}
        for entity in part.entities:
            deeper.update(_shape_of(entity).expand)
        inner[part.navigation.name] = Shape(expand=deeper)
    return Shape(expand=inner)


# --- updating and deleting


def _changeable(exchange: Exchange, one: One) -> tuple[Row, Capabilities]:
    if one.row is None:
        raise CallRefused(404, "NOT_FOUND", "there is no entity at this place")
    capabilities = capabilities_of(exchange, one)
    name = one.entity_set or one.type
    if exchange.method == "DELETE":
        if not capabilities.deletable:
            raise CallRefused(405, "NOT_DELETABLE", f"entities of {name} cannot be deleted")
    elif not capabilities.updatable:
        raise CallRefused(405, "NOT_UPDATABLE", f"entities of {name} cannot be changed")
    check_preconditions(exchange, one.row, one.entity_set)
    return one.row, capabilities


def _update(exchange: Exchange, one: One) -> Response:
    row, capabilities = _changeable(exchange, one)
    body = exchange.body()
    if body is None:
        raise CallRefused(400, "BODY", "an update needs a body")
    return _apply(exchange, row, one.entity_set, (body, capabilities))


def _apply(exchange: Exchange, row: Row, entity_set: str, given: tuple[JsonValue, Capabilities]) -> Response:
    core = exchange.core
    body, capabilities = given
    intake = read_body(
        core.schema, body, row.type, exchange.purpose(capabilities, entity_set=entity_set, current=row.values)
    )
    update_row(core.schema, core.state, row, intake, clock=core.clock, replace=exchange.method == "PUT")
    Linking(core.schema, core.state, core.base_url).follow(intake, row, entity_set)
    returns = "return=representation" in exchange.headers.get("prefer", "")
    status = 200 if returns else 204
    core.writes.append(
        Write(
            method=exchange.method,
            entity_set=entity_set,
            key=core.schema.key_values(row),
            payload=intake.as_json(),
            status=status,
        )
    )
    rendering = exchange.rendering(entity_set, row.type)
    headers = (("ETag", etag_of(row)),) if rendering.with_etags else ()
    answer = rendering.entity_answer(row, Shape(), entity_set) if returns else None
    return exchange.reply(status, answer, headers=headers)


def _update_property(exchange: Exchange, value: Value) -> Response:
    one = One(type=value.row.type, row=value.row, entity_set=value.entity_set)
    method, exchange.method = exchange.method, "PATCH"
    row, capabilities = _changeable(exchange, one)
    name = value.prop.name
    if method == "DELETE":
        return _apply(exchange, row, value.entity_set, ({name: None}, capabilities))
    body = exchange.body()
    if not isinstance(body, dict):
        raise CallRefused(400, "BODY", "an object with the value was expected")
    wanted = "value" if not exchange.schema.version.startswith(("V1", "V2")) else name
    if wanted not in body:
        raise CallRefused(400, "BODY", f"an object with the member {wanted!r} was expected")
    return _apply(exchange, row, value.entity_set, ({name: body[wanted]}, capabilities))


def _delete(exchange: Exchange, one: One) -> Response:
    row, _ = _changeable(exchange, one)
    core = exchange.core
    if row.table.startswith("="):
        raise CallRefused(405, "METHOD", "a singleton cannot be deleted")
    write_entry = Write(method="DELETE", entity_set=one.entity_set, key=core.schema.key_values(row), status=204)
    if core.schema.is_draft(row.type) and row.values.get(ACTIVE) is False:
        discard(core.surroundings(row.table), row)
    else:
        delete_row(core.schema, core.state, row)
    core.writes.append(write_entry)
    return exchange.reply(204)


# --- links


def _link(exchange: Exchange, references: References) -> Response:
    core = exchange.core
    target = references.of
    parent, navigation = target.parent, target.navigation
    if parent is None or navigation is None:
        raise CallRefused(405, "METHOD", "links are changed from the entity that they start from")
    linking = Linking(core.schema, core.state, core.base_url)
    origin = parent.table.lstrip("=")
    if exchange.method == "DELETE":
        row = target.row if isinstance(target, One) else _named_by_id(exchange, linking, target)
        if row is not None:
            linking.cut(parent, navigation, row)
    elif (exchange.method == "POST") == isinstance(target, Many) and exchange.method in ("POST", "PUT"):
        linking.connect(parent, navigation, _url_in(exchange.body()), origin)
    else:
        raise CallRefused(405, "METHOD", "POST adds a link to a collection, PUT sets a single one")
    payload: JsonObject = {"url": _url_in(exchange.body())} if exchange.method != "DELETE" else {}
    core.writes.append(
        Write(
            method=exchange.method,
            entity_set=origin,
            key=core.schema.key_values(parent),
            payload=payload,
            navigation=navigation.name,
            status=204,
        )
    )
    return exchange.reply(204)


def _named_by_id(exchange: Exchange, linking: Linking, many: Many) -> Row | None:
    """Gives the entity that `$id` names, as V4 deletes one link of a collection."""
    named = dict(exchange.request.query).get("$id")
    if named is None or many.parent is None or many.navigation is None:
        raise CallRefused(400, "LINK", "$id says which link is to be deleted")
    return linking.entity_at(named, many.navigation, many.parent, many.parent.table.lstrip("="))


def _url_in(body: JsonValue) -> str:
    if isinstance(body, dict):
        for name in ("@odata.id", "@id", "uri", "url"):
            if isinstance(url := body.get(name), str):
                return url
    raise CallRefused(400, "BODY", "an object with the URL of the entity was expected")
