"""Error bodies and messages of services: JSON of V2, V3 and V4 (OData JSON 4.01, clause 21), XML, `sap-message`.

Reading is tolerant, since a service in trouble answers in whatever form it can; what is in none of the forms is `None`.
"""

import re

from clew.domain.errors import MalformedText
from clew.domain.records import JsonObject, JsonValue, Record
from clew.protocol.json import parse_json, write_json

__all__ = ["Fault", "FaultDetail", "format_fault", "parse_fault", "parse_sap_message"]

LONGEST_TEXT_CHARACTERS = 10_000

_XML_CODE = re.compile(r"<(?:\w+:)?code\b[^>]*>([^<]*)</")
_XML_MESSAGE = re.compile(r"<(?:\w+:)?message\b[^>]*>([^<]*)</")


class FaultDetail(Record, frozen=True, kw_only=True):
    """One message below the leading one; `target` is the property that it is about, `severity` as the service says."""

    code: str = ""
    message: str = ""
    target: str = ""
    severity: str = ""


class Fault(Record, frozen=True, kw_only=True):
    """What a service says went wrong."""

    code: str = ""
    message: str = ""
    target: str = ""
    details: tuple[FaultDetail, ...] = ()
    lang: str = "en"
    transaction: str = ""
    """The service's own id of the failure, for its operators."""


def parse_fault(body: str) -> Fault | None:
    """Reads an error body of any version, `None` where it holds none."""
    if body.lstrip("\ufeff \t\r\n").startswith("<"):
        return _parse_xml(body[:LONGEST_TEXT_CHARACTERS])
    try:
        content = parse_json(body)
    except MalformedText:
        return None
    if not isinstance(content, dict):
        return None
    error = content.get("error", content.get("odata.error"))
    if isinstance(error, str):
        return Fault(message=error)
    if not isinstance(error, dict):
        return None
    message, lang = _message(error.get("message"))
    inner = _object(error.get("innererror"))
    return Fault(
        code=_text(error.get("code")),
        message=message,
        target=_text(error.get("target")),
        details=(*_details(error.get("details")), *_details(inner.get("errordetails"))),
        lang=lang,
        transaction=_text(inner.get("transactionid")),
    )


def format_fault(fault: Fault, version: str) -> str:
    """Writes the error body of a version: details as `innererror.errordetails` in V2, as `details` in V4."""
    if version.startswith("V4"):
        error: JsonObject = {"code": fault.code, "message": fault.message}
        if fault.target:
            error["target"] = fault.target
        if fault.details:
            error["details"] = [_v4_detail(detail) for detail in fault.details]
        return write_json({"error": error})
    error = {"code": fault.code, "message": {"lang": fault.lang, "value": fault.message}}
    if version.startswith("V3"):
        return write_json({"odata.error": error})
    inner: JsonObject = {"transactionid": fault.transaction} if fault.transaction else {}
    if fault.details:
        inner["errordetails"] = [
            {"code": detail.code, "message": detail.message, "propertyref": detail.target, "severity": detail.severity}
            for detail in fault.details
        ]
    if inner:
        error["innererror"] = inner
    return write_json({"error": error})


def parse_sap_message(header: str) -> tuple[FaultDetail, ...]:
    """Reads the header `sap-message` of a success: its leading message first; nothing where it is no JSON object."""
    try:
        content = parse_json(header)
    except MalformedText:
        return ()
    if not isinstance(content, dict):
        return ()
    return (_detail(content), *_details(content.get("details")))


def _v4_detail(detail: FaultDetail) -> JsonObject:
    written: JsonObject = {"code": detail.code, "message": detail.message}
    if detail.target:
        written["target"] = detail.target
    if detail.severity:
        written["@Common.numericSeverity"] = {"error": 4, "warning": 3, "info": 2, "success": 1}.get(detail.severity, 4)
    return written


def _parse_xml(body: str) -> Fault | None:
    message = _XML_MESSAGE.search(body)
    code = _XML_CODE.search(body)
    if message is None and code is None:
        return None
    return Fault(code=code[1].strip() if code else "", message=message[1].strip() if message else "")


def _message(value: JsonValue) -> tuple[str, str]:
    if isinstance(value, dict):
        return _text(value.get("value")), _text(value.get("lang")) or "en"
    return _text(value), "en"


def _details(value: JsonValue) -> tuple[FaultDetail, ...]:
    listed = value if isinstance(value, list) else []
    return tuple(_detail(entry) for entry in listed if isinstance(entry, dict))


def _detail(entry: JsonObject) -> FaultDetail:
    return FaultDetail(
        code=_text(entry.get("code")),
        message=_message(entry.get("message"))[0],
        target=_text(entry.get("target")) or _text(entry.get("propertyref")),
        severity=_text(entry.get("severity")),
    )


def _object(value: JsonValue) -> JsonObject:
    return value if isinstance(value, dict) else {}


def _text(value: JsonValue) -> str:
    return "" if value is None or isinstance(value, dict | list) else str(value)[:LONGEST_TEXT_CHARACTERS]
