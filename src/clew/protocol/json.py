"""JSON texts, read exactly (RFC 8259, RFC 7493): no number becomes a float, no duplicate name passes."""

import json
import re
from collections.abc import Iterator
from decimal import Decimal, InvalidOperation

import msgspec

from clew.domain.errors import MalformedText
from clew.domain.records import JsonObject, JsonValue, Record

__all__ = ["JsonLimits", "parse_json", "pointer_token", "write_json"]

LARGEST_EXPONENT = 6144
"""Of decimal128 (IEEE 754-2008); a text such as `1e999999999` would otherwise be small to send and huge to add."""

# An unterminated string is one token up to the end of the text, lest each of its quotes begins another search.
_TOKEN = re.compile(r'"(?:[^"\\]+|\\.)*+"?|[{}\[\],:]|[^\s{}\[\],:"]+', re.DOTALL)
_SURROGATE = re.compile("[\ud800-\udfff]")
_ESCAPED_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


class JsonLimits(Record, frozen=True, kw_only=True):
    """Bounds of a JSON text: nesting, bytes in UTF-8, characters in one string, digits in one number."""

    depth: int = 64
    size_bytes: int = 5 * 1024 * 1024
    string_characters: int = 1024 * 1024
    number_digits: int = 1000


class _Doubled(dict[str, JsonValue]):
    """An object in which a name came twice; the walk that reports it tells where."""


_ENCODER = msgspec.json.Encoder(decimal_format="number")


def parse_json(text: str, limits: JsonLimits = JsonLimits()) -> JsonValue:
    """Reads one JSON text; a byte order mark before it is ignored.

    Numbers with a fraction or an exponent become `Decimal` exactly as written, the others `int`.

    Raises:
        MalformedText: `JSON_SYNTAX`, `JSON_CONSTANT` (NaN, Infinity), `JSON_DUPLICATE_NAME`, `JSON_SURROGATE`,
            `JSON_DEPTH`, `JSON_SIZE`, `JSON_STRING_SIZE`, `JSON_NUMBER_SIZE`.
    """
    body = text.removeprefix("\ufeff")
    offset = len(text) - len(body)
    try:
        return _parse(body, limits)
    except MalformedText as error:
        error.position += offset
        raise


def write_json(value: JsonValue) -> str:
    """Writes `value` on one line; a `Decimal` is spelt with just its own digits.

    Raises:
        MalformedText: `JSON_CONSTANT` for a decimal that is not finite, `JSON_SURROGATE` for an unpaired surrogate.
    """
    try:
        return _ENCODER.encode(value).decode()
    except UnicodeEncodeError as error:
        raise MalformedText("JSON_SURROGATE", "an unpaired surrogate has no UTF-8 form", error.start) from None
    except ValueError as error:
        raise MalformedText("JSON_CONSTANT", str(error)) from None


def pointer_token(name: str) -> str:
    """Escapes a member's name for use in a JSON pointer (RFC 6901, clause 3)."""
    return name.replace("~", "~0").replace("/", "~1")


def _parse(text: str, limits: JsonLimits) -> JsonValue:
    _check_sizes(text, limits)
    doubled: list[_Doubled] = []

    def members(pairs: list[tuple[str, JsonValue]]) -> JsonObject:
        found = dict(pairs)
        if len(found) == len(pairs):
            return found
        doubled.append(_Doubled(pairs))
        return doubled[-1]

    decoder = json.JSONDecoder(object_pairs_hook=members, parse_float=_decimal, parse_constant=_refuse_constant)
    try:
        value: JsonValue = decoder.decode(text)
    except json.JSONDecodeError as error:
        raise MalformedText("JSON_SYNTAX", f"this is not JSON: {error.msg}", error.pos) from None
    except MalformedText as error:
        raise _number_error(text, str(error), limits) from None
    except ValueError:  # int() refuses more digits than the interpreter's own limit
        raise _number_error(text, "", limits) from None
    if doubled:
        raise _duplicate(text)
    if not text.isascii() or _ESCAPED_SURROGATE.search(text):
        _check_surrogates(text, value)
    return value


def _check_sizes(text: str, limits: JsonLimits) -> None:
    size = len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
    if size > limits.size_bytes:
        raise MalformedText("JSON_SIZE", f"the text has {size} bytes, {limits.size_bytes} are allowed")
    if text.count("[") + text.count("{") > limits.depth:
        _check_depth(text, limits.depth)
    if len(text) > limits.string_characters:
        _check_strings(text, limits.string_characters)
    if len(text) > limits.number_digits and re.search(f"[-+.eE0-9]{{{limits.number_digits + 1}}}", text):
        _check_numbers(text, limits.number_digits)


def _check_depth(text: str, allowed: int) -> None:
    depth = 0
    for match in _TOKEN.finditer(text):
        if match[0] in "{[":
            depth += 1
            if depth > allowed:
                raise MalformedText("JSON_DEPTH", f"nested deeper than the {allowed} levels allowed", match.start())
        elif match[0] in "}]":
            depth -= 1


def _check_strings(text: str, allowed: int) -> None:
    for match in _TOKEN.finditer(text):
        if len(match[0]) - 2 > allowed and match[0][0] == '"':
            message = f"a string has {len(match[0]) - 2} characters, {allowed} are allowed"
            raise MalformedText("JSON_STRING_SIZE", message, match.start())


def _check_numbers(text: str, allowed: int) -> None:
    for match in _TOKEN.finditer(text):
        if len(match[0]) > allowed and match[0][0] in "-0123456789":
            message = f"a number has {len(match[0])} characters, {allowed} are allowed"
            raise MalformedText("JSON_NUMBER_SIZE", message, match.start())


def _decimal(text: str) -> Decimal:
    try:
        value = Decimal(text)
    except InvalidOperation:
        raise MalformedText("JSON_NUMBER_SIZE", text) from None
    if abs(value.adjusted()) > LARGEST_EXPONENT:
        raise MalformedText("JSON_NUMBER_SIZE", text)
    return value


def _refuse_constant(text: str) -> None:
    raise MalformedText("JSON_CONSTANT", text)


def _number_error(text: str, number: str, limits: JsonLimits) -> MalformedText:
    position = next((m.start() for m in _TOKEN.finditer(text) if m[0] == number), 0)
    if number.endswith(("NaN", "Infinity")):
        return MalformedText("JSON_CONSTANT", f"{number} is no JSON value", position)
    message = f"the number is out of range: at most {limits.number_digits} digits, exponents up to {LARGEST_EXPONENT}"
    return MalformedText("JSON_NUMBER_SIZE", message, position)


def _duplicate(text: str) -> MalformedText:
    """Finds the first duplicate name of a text that is JSON otherwise."""
    for pointer, position in _names(text):
        return MalformedText("JSON_DUPLICATE_NAME", f"the name at {pointer} is given twice", position)
    return MalformedText("JSON_DUPLICATE_NAME", "a name is given twice")


def _names(text: str) -> Iterator[tuple[str, int]]:
    """Yields (JSON pointer, position) of every name that its object already had."""
    seen: list[set[str] | None] = []  # one entry a level: the names of an object, None for an array
    path: list[str] = []
    expects_name = False
    for match in _TOKEN.finditer(text):
        mark = match[0]
        if mark in "{[":
            seen.append(set() if mark == "{" else None)
            path.append("0")
            expects_name = mark == "{"
        elif mark in "}]":
            seen.pop()
            path.pop()
        elif mark == ",":
            names = seen[-1]
            expects_name = names is not None
            path[-1] = path[-1] if expects_name else str(int(path[-1]) + 1)
        elif expects_name and (names := seen[-1]) is not None:
            expects_name = False
            name: str = json.loads(mark)
            path[-1] = pointer_token(name)
            if name in names:
                yield "/" + "/".join(path), match.start()
            names.add(name)


def _check_surrogates(text: str, value: JsonValue) -> None:
    for part in _strings(value):
        if _SURROGATE.search(part):
            position = next((m.start() for m in _TOKEN.finditer(text) if _is_unpaired(m[0])), 0)
            raise MalformedText("JSON_SURROGATE", "a string holds an unpaired surrogate", position)


def _is_unpaired(quoted: str) -> bool:
    return quoted[0] == '"' and _SURROGATE.search(json.loads(quoted)) is not None


def _strings(value: JsonValue) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for name, inner in value.items():
            yield name
            yield from _strings(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _strings(inner)
