"""`MockDesk`: the mock services of a workspace, made when they are first called, their state kept in the database."""

from collections.abc import Callable, Mapping, Sequence

import msgspec

from clew.domain.clocks import Clock
from clew.domain.errors import ClewError, UnknownReference
from clew.domain.ports import Database, Response, Transaction
from clew.domain.records import JsonObject
from clew.domain.requests import Request
from clew.graph.service_view import ServiceView
from clew.mock import MockService
from clew.protocol.json import parse_json, write_json

Seeds = Mapping[str, Mapping[str, Sequence[JsonObject]]]
"""Entities that services begin with: by service, then by entity set."""


class MockDesk:
    """Carries requests to mock services; implements `clew.domain.ports.Transport`.

    What a call changed is in the database before its response is given, so that a receipt never tells of a write that
    is not there. A call that may write has the database's turn from reading the state until it is kept: no other
    process writes in between, and what one wrote before is seen.
    """

    def __init__(
        self, database: Database, views: Callable[[str], ServiceView], *, seeds: Callable[[], Seeds], clock: Clock
    ) -> None:
        """Makes nothing yet."""
        self._database = database
        self._views = views
        self._seeds = seeds
        self._clock = clock
        self._services: dict[str, MockService] = {}
        self._kept: dict[str, str] = {}

    def send(self, request: Request) -> Response:
        """Gives the mock service's response.

        Raises:
            UnknownReference: the workspace has no such service.
        """
        service = self.service(request.service)
        if request.method.upper() == "GET":
            return service.send(request)
        try:
            with self._database.write() as transaction:
                self._restore(service, request.service, transaction)
                response = service.send(request)
                if response.status < 400:
                    text = _keep(service)
                    transaction.execute("put_mock_state", {"service": request.service, "state": text})
                    self._kept[request.service] = text
        except ClewError:
            # What could not be kept has not happened: the mock is made anew from what is kept.
            self._services.pop(request.service, None)
            raise
        return response

    def service(self, name: str) -> MockService:
        """Gives the mock of a service in its kept state; one whose description changed begins anew from its seed."""
        found = self._services.get(name)
        view = self._views(name)
        if found is None or found.view.version != view.version:
            found = MockService(view, seed=self._seeds().get(name, {}), clock=self._clock)
            self._services[name] = found
            self._kept.pop(name, None)
        with self._database.read() as transaction:
            self._restore(found, name, transaction)
        return found

    def entities(self, service: str, entity_set: str) -> list[JsonObject]:
        """Gives the entities that a mock service holds, in JSON terms."""
        return self.service(service).entities(entity_set)

    def _restore(self, service: MockService, name: str, transaction: Transaction) -> None:
        """Gives a service the state that is kept, where that is not the one it has."""
        row = transaction.one("get_mock_state", {"service": name})
        if row is None or (text := str(row[0])) == self._kept.get(name):
            return
        kept = msgspec.json.decode(text, type=dict[str, str])
        if kept["version"] == service.view.version:
            service.load(kept["state"])
            self._kept[name] = text


def _keep(service: MockService) -> str:
    return msgspec.json.encode({"version": service.view.version, "state": service.dump()}).decode()


def read_seeds(text: str) -> dict[str, dict[str, list[JsonObject]]]:
    """Reads a seed file: `{"SERVICE": {"EntitySet": [{…}, …]}}`.

    Raises:
        MalformedText: it is not JSON within the usual bounds.
        UnknownReference: it has another shape.
    """
    value = parse_json(text)
    if not isinstance(value, dict):
        raise UnknownReference("object of services in the seed", type(value).__name__)
    seeds: dict[str, dict[str, list[JsonObject]]] = {}
    for service, sets in value.items():
        if not isinstance(sets, dict):
            continue
        for name, entries in sets.items():
            if isinstance(entries, list):
                rows = [entry for entry in entries if isinstance(entry, dict)]
                seeds.setdefault(service, {}).setdefault(name, []).extend(rows)
    return seeds


def merge_seeds(texts: Sequence[str]) -> dict[str, dict[str, list[JsonObject]]]:
    """Reads several seed files into one."""
    merged: dict[str, dict[str, list[JsonObject]]] = {}
    for text in texts:
        for service, sets in read_seeds(text).items():
            for name, entries in sets.items():
                merged.setdefault(service, {}).setdefault(name, []).extend(entries)
    return merged


def seed_text(seeds: Seeds) -> str:
    """Writes seeds as `read_seeds` reads them."""
    return write_json({service: {name: list(rows) for name, rows in sets.items()} for service, sets in seeds.items()})
