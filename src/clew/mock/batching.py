"""`$batch`: each request answered in turn, a change set all or none (V2 Batch Processing; V4 Protocol, clause 11.7)."""

import re

import msgspec

from clew.domain.errors import CallRefused, MalformedText
from clew.domain.ports import Response
from clew.domain.requests import Request
from clew.mock.answering import answer
from clew.mock.core import Core
from clew.mock.exchange import Exchange
from clew.protocol.batch import BatchAnswer, BatchPart, format_answers, parse_batch
from clew.protocol.json_batch import format_json_answers, parse_json_batch
from clew.protocol.urls import split_url

BOUNDARY = "answers"

_REFERENCE = re.compile(r"\$([^/?]+)")


def is_batch(request: Request) -> bool:
    """Whether a request is a batch."""
    return request.path.strip("/") == "$batch" and request.method.upper() == "POST"


def answer_batch(core: Core, request: Request) -> Response:
    """Gives the response to a batch; a malformed one is refused as a whole."""
    exchange = Exchange(core, request)
    content_type = exchange.headers.get("content-type", "")
    is_json = "json" in content_type.lower()
    try:
        exchange.check_token()
        if is_json:
            parts = parse_json_batch(request.body or "")
        else:
            parts = parse_batch(request.body or "", content_type, core.schema.version)
    except CallRefused as error:
        return exchange.refusal(error)
    except MalformedText as error:
        return exchange.refusal(CallRefused(400, error.code, str(error)))
    answers = tuple(_Batch(core, request).run(parts))
    if is_json:
        return exchange.reply_text(format_json_answers(answers), "application/json;charset=utf-8")
    accepted = 202 if core.schema.version.startswith(("V1", "V2")) else 200
    body = format_answers(answers, BOUNDARY)
    return msgspec.structs.replace(exchange.reply_text(body, f"multipart/mixed; boundary={BOUNDARY}"), status=accepted)


class _Batch:
    """The parts of one batch, and what those before have created."""

    def __init__(self, core: Core, request: Request) -> None:
        self.core = core
        self.request = request
        self.locations: dict[str, str] = {}

    def run(self, parts: tuple[BatchPart, ...]) -> list[BatchAnswer]:
        answers: list[BatchAnswer] = []
        index = 0
        while index < len(parts):
            group = parts[index].change_set
            if not group:
                answers.append(self.one(parts[index]))
                index += 1
                continue
            end = index
            while end < len(parts) and parts[end].change_set == group:
                end += 1
            answers += self.change_set(parts[index:end])
            index = end
        return answers

    def one(self, part: BatchPart) -> BatchAnswer:
        response = self.send(part)
        location = dict(response.headers).get("Location")
        if part.content_id and location is not None:
            self.locations[part.content_id] = location.removeprefix(self.core.base_url)
        return BatchAnswer(
            status=response.status,
            headers=response.headers,
            body=response.body,
            content_id=part.content_id,
            change_set=part.change_set,
        )

    def change_set(self, parts: tuple[BatchPart, ...]) -> list[BatchAnswer]:
        """Gives the answers of a change set, or the one of the part that failed, after which nothing was changed."""
        known = len(self.core.writes)
        answers: list[BatchAnswer] = []
        try:
            with self.core.state.transaction():
                for part in parts:
                    answers.append(self.one(part))
                    _check_accepted(answers[-1])
        except CallRefused:
            del self.core.writes[known:]
            return [msgspec.structs.replace(answers[-1], change_set=0)]
        return answers

    def send(self, part: BatchPart) -> Response:
        url = _REFERENCE.sub(self._location, part.url, count=1) if part.url.startswith("$") else part.url
        try:
            path, query = split_url(url.removeprefix(self.core.base_url))
        except MalformedText as error:
            request = msgspec.structs.replace(self.request, method=part.method)
            return Exchange(self.core, request).refusal(CallRefused(400, error.code, str(error)))
        # the token of the batch is that of its parts
        outer = tuple(pair for pair in self.request.headers if pair[0].lower() in ("x-csrf-token", "cookie"))
        request = Request(
            method=part.method,
            service=self.request.service,
            path=path,
            query=query,
            headers=(*part.headers, *outer),
            body=part.body,
        )
        return answer(self.core, request)

    def _location(self, match: re.Match[str]) -> str:
        return self.locations.get(match[1], match[0])


def _check_accepted(part_answer: BatchAnswer) -> None:
    """Ends a change set of which a change was refused.

    Raises:
        CallRefused: it was.
    """
    if part_answer.status >= 400:
        raise CallRefused(part_answer.status, "CHANGE_SET", "a change of the set was refused")
