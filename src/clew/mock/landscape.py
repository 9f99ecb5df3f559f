"""`MockLandscape`: the mock services of a whole landscape behind one transport."""

from collections.abc import Iterable, Mapping

from clew.domain.errors import CallFailed, InputRefused, MalformedText
from clew.domain.issues import Issue
from clew.domain.ports import Response
from clew.domain.records import JsonObject
from clew.domain.requests import Request
from clew.mock.core import Write
from clew.mock.service import MockService
from clew.mock.state import state_of_text, text_of_state


class MockLandscape:
    """Implements `clew.domain.ports.Transport`: a request goes to the service that it names."""

    def __init__(self, services: Iterable[MockService]) -> None:
        """Takes the services, each by the name of its view."""
        self.services: dict[str, MockService] = {service.view.id: service for service in services}

    def send(self, request: Request) -> Response:
        """Gives the response of the service that the request names.

        Raises:
            CallFailed: there is no such service here.
        """
        service = self.services.get(request.service)
        if service is None:
            raise CallFailed(0, f"no mock service is called {request.service!r}")
        return service.send(request)

    @property
    def writes(self) -> Mapping[str, tuple[Write, ...]]:
        """The changes that were carried out, by service; services without any are left out."""
        return {name: writes for name, service in self.services.items() if (writes := service.writes)}

    def reset(self) -> None:
        """Sets every service back to its seed."""
        for service in self.services.values():
            service.reset()

    def dump(self) -> str:
        """Gives the state of every service as one JSON text."""
        states: JsonObject = {name: service.dump() for name, service in self.services.items()}
        return text_of_state(states)

    def load(self, text: str) -> None:
        """Takes the dumped states; a service that they do not name keeps its own.

        Raises:
            InputRefused: it is no dumped landscape, or it names a service that is not here; nothing is changed then.
        """
        try:
            states = state_of_text(text)
        except MalformedText as error:
            raise InputRefused((Issue(code="mock-state", message=f"this is no dumped landscape: {error}"),)) from None
        unknown = [name for name in states if name not in self.services]
        if unknown:
            raise InputRefused((Issue(code="mock-state", message=f"there is no service {unknown[0]!r} here"),))
        before = {name: self.services[name].dump() for name in states}
        try:
            for name, state in states.items():
                self.services[name].load(str(state))
        except InputRefused:
            for name, state in before.items():
                self.services[name].load(state)
            raise

    def fork(self) -> "MockLandscape":
        """Gives independent copies of all services."""
        return MockLandscape([service.fork() for service in self.services.values()])
