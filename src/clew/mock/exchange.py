"""One request with what it says, and the responses to it in the version's own form."""

from clew.domain.errors import CallRefused
from clew.domain.ports import Response
from clew.domain.records import JsonObject, JsonValue
from clew.domain.requests import Request
from clew.domain.services import Capabilities
from clew.mock.core import Core
from clew.mock.evaluation import Evaluation, Rehearsal, aliases_of
from clew.mock.intake import Purpose
from clew.mock.rendering import Rendering
from clew.protocol.faults import Fault, FaultDetail, format_fault
from clew.protocol.json import parse_json, write_json
from clew.protocol.options import Options

READS = ("GET", "HEAD")
CHANGES = ("POST", "PUT", "PATCH", "MERGE", "DELETE")
SESSION_COOKIE = "MOCK_SESSIONID"
OVERRIDES = ("x-http-method", "x-http-method-override", "x-method-override")


class Exchange:
    """One request and the making of its response."""

    def __init__(self, core: Core, request: Request) -> None:
        self.core = core
        self.schema = core.schema
        self.request = request
        self.headers = {name.lower(): value for name, value in request.headers}
        self.method = self._method()
        self.aliases = aliases_of(request.query)
        self.evaluation = Evaluation(core.schema, core.state, clock=core.clock, aliases=self.aliases)
        self.answer_headers: list[tuple[str, str]] = []

    # -- what the request says

    def _method(self) -> str:
        method = self.request.method.upper()
        overriding = next((self.headers[name] for name in OVERRIDES if name in self.headers), "")
        return overriding.upper() if method == "POST" and overriding else method

    @property
    def ieee754(self) -> bool:
        """Whether the body was announced with numbers as text."""
        return "ieee754compatible=true" in self.headers.get("content-type", "").replace(" ", "").lower()

    def body(self) -> JsonValue:
        """Gives the body, `None` where there is none.

        Raises:
            CallRefused: 415, it is announced as something else than JSON; 400, it is no JSON.
        """
        content_type = self.headers.get("content-type", "application/json").lower()
        if self.request.body is None or not self.request.body.strip():
            return None
        if "json" not in content_type:
            raise CallRefused(415, "CONTENT_TYPE", f"this service takes JSON, not {content_type}")
        return parse_json(self.request.body)

    def purpose(
        self, capabilities: Capabilities, *, entity_set: str = "", current: JsonObject | None = None
    ) -> Purpose:
        """Gives what a body is to be read for: a create, or an update of the `current` values."""
        return Purpose(
            create=current is None,
            entity_set=entity_set,
            current=current or {},
            ieee754=self.ieee754,
            capabilities=capabilities,
        )

    def check_format(self, options: Options) -> None:
        """Checks that JSON is asked for.

        Raises:
            CallRefused: 415.
        """
        if options.format and "json" not in options.format:
            raise CallRefused(415, "FORMAT", f"this service gives JSON, not {options.format}")

    def check_token(self) -> None:
        """Gives a CSRF token to who fetches one, and asks for it before a change.

        Raises:
            CallRefused: 403, the token is missing or belongs to another session.
        """
        if not self.core.options.csrf:
            return
        asked = self.headers.get("x-csrf-token", "")
        if self.method in READS:
            if asked.lower() == "fetch":
                number = self.core.state.count("csrf", 1)
                cookie, token = f"session-{number}", f"token-{number}"
                self.core.tokens[cookie] = token
                self.answer_headers += [
                    ("X-CSRF-Token", token),
                    ("Set-Cookie", f"{SESSION_COOKIE}={cookie}; path=/; HttpOnly"),
                ]
            return
        if not asked or self.core.tokens.get(self._session()) != asked:
            self.answer_headers.append(("X-CSRF-Token", "Required"))
            raise CallRefused(403, "CSRF", "CSRF token validation failed")

    def _session(self) -> str:
        for part in self.headers.get("cookie", "").split(";"):
            name, _, value = part.strip().partition("=")
            if name == SESSION_COOKIE:
                return value
        return ""

    # -- what the response says

    def rehearsal(self) -> Rehearsal:
        """Gives what evaluates expressions for entities that are not there."""
        return Rehearsal(self.schema, self.core.state, clock=self.core.clock, aliases=self.aliases)

    def rendering(self, entity_set: str, type_name: str) -> Rendering:
        """Gives what writes entities of a set."""
        accept = self.headers.get("accept", "").replace(" ", "").lower()
        return Rendering(
            self.evaluation,
            base_url=self.core.base_url,
            ieee754="ieee754compatible=true" in accept,
            with_etags=self.core.has_etags(entity_set, type_name),
        )

    def reply(self, status: int, body: JsonValue = None, *, headers: tuple[tuple[str, str], ...] = ()) -> Response:
        """Gives a response with a JSON body, or without one."""
        text = "" if body is None or self.method == "HEAD" else write_json(body)
        kind = (("Content-Type", "application/json;charset=utf-8"),) if text else ()
        return self._respond(status, text, (*kind, *headers))

    def reply_text(self, text: str, content_type: str = "text/plain;charset=utf-8") -> Response:
        """Gives a response with a body that is no JSON."""
        return self._respond(200, "" if self.method == "HEAD" else text, (("Content-Type", content_type),))

    def _respond(self, status: int, text: str, headers: tuple[tuple[str, str], ...]) -> Response:
        version = self.schema.version
        is_v4 = version.startswith("V4")
        stated = ("OData-Version", "4.0") if is_v4 else ("DataServiceVersion", f"{version[1:2]}.0")
        return Response(status=status, headers=(stated, *headers, *self.answer_headers), body=text)

    def refusal(self, error: CallRefused) -> Response:
        """Gives the response that says why a request was refused."""
        detail = FaultDetail(code=error.code, message=error.text, target=error.target, severity="error")
        fault = Fault(
            code=error.code,
            message=error.text,
            target=error.target,
            details=(detail,) if error.target and not self.schema.view.is_v4 else (),
        )
        body = format_fault(fault, self.schema.version)
        return self._respond(error.status, body, (("Content-Type", "application/json;charset=utf-8"),))
