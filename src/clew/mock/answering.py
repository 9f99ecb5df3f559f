"""One request answered: what it asks for is found, checked, done, and written in the version's own form."""

from clew.domain.errors import CallRefused, MalformedText
from clew.domain.ports import Response
from clew.domain.requests import Request
from clew.mock.addresses import resolve
from clew.mock.core import Core
from clew.mock.exchange import CHANGES, READS, Exchange
from clew.mock.reading import read
from clew.mock.writing import write
from clew.protocol.options import parse_options
from clew.protocol.urls import parse_path


def answer(core: Core, request: Request) -> Response:
    """Gives the response to a request; a refusal is one, too, and leaves the state as it was."""
    exchange = Exchange(core, request)
    known = len(core.writes)
    try:
        with core.state.transaction():
            return _answer(exchange)
    except CallRefused as error:
        del core.writes[known:]
        return exchange.refusal(error)
    except MalformedText as error:
        del core.writes[known:]
        return exchange.refusal(CallRefused(400, error.code, str(error)))


def _answer(exchange: Exchange) -> Response:
    schema, method = exchange.schema, exchange.method
    if method not in (*READS, *CHANGES):
        raise CallRefused(501, "METHOD", f"the method {method} is not implemented")
    if method == "MERGE" and schema.view.is_v4:
        raise CallRefused(405, "METHOD", "V4 updates by PATCH; MERGE is of V2 and V3")
    exchange.check_token()
    address = resolve(schema, exchange.core.state, parse_path(exchange.request.path), exchange.aliases)
    options = parse_options(exchange.request.query, schema.version)
    exchange.check_format(options)
    if method in READS:
        return read(exchange, address, options)
    return write(exchange, address, options)
