"""`MockDesk`: the mock services of a workspace, made when they are first called, their state kept in the database."""

from collections.abc import Callable, Mapping, Sequence

import msgspec

from clew.domain.clocks import Clock
from clew.domain.errors import UnknownReference
from clew.domain.ports import Database, Response
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
    is not there.
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

    def send(self, request: Request) -> Response:
        """Gives the mock service's response.

        Raises:
            UnknownReference: the workspace has no such service.
        """
        service = self.service(request.service)
        response = service.send(request)
        if request.method.upper() != "GET" and response.status < 400:
            with self._database.write() as transaction:
                parameters = {"service": request.service, "state": _keep(service)}
                transaction.execute("put_mock_state", parameters)
        return response

    def service(self, name: str) -> MockService:
        """Gives the mock of a service in its kept state; one whose description changed begins anew from its seed."""
        found = self._services.get(name)
        view = self._views(name)
        if found is None or found.view.version != view.version:
            found = MockService(view, seed=self._seeds().get(name, {}), clock=self._clock)
            self._restore(found, name)
            self._services[name] = found
        return found

    def entities(self, service: str, entity_set: str) -> list[JsonObject]:
        """Gives the entities that a mock service holds, in JSON terms."""
        return self.service(service).entities(entity_set)

    def _restore(self, service: MockService, name: str) -> None:
        with self._database.read() as transaction:
            row = transaction.one("get_mock_state", {"service": name})
        if row is None:
            return
        kept = msgspec.json.decode(str(row[0]), type=dict[str, str])
        if kept["version"] == service.view.version:
            service.load(kept["state"])


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
