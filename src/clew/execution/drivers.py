"""The synchronous driver: carries the requests of a talking generator over a transport."""

from collections.abc import Generator
from typing import TypeVar

from clew.domain.errors import CallFailed
from clew.domain.ports import Response, Transport
from clew.domain.requests import Request

T = TypeVar("T")


def drive(exchange: Generator[Request, Response, T], transport: Transport) -> T:
    """Runs a generator to its end over `transport`; gives what it returns.

    A request that got no response is thrown into the generator as `CallFailed` at the place where it was yielded.
    """
    try:
        request = next(exchange)
        while True:
            try:
                response = transport.send(request)
            except CallFailed as error:
                request = exchange.throw(error)
            else:
                request = exchange.send(response)
    except StopIteration as end:
        return end.value
