"""What literals and JSON values of primitive types share: ranges, GUIDs, binary, exact numbers."""

import base64
import binascii
import re
from decimal import Decimal, InvalidOperation

from clew.domain.errors import MalformedText

__all__ = [
    "INTEGER_RANGES",
    "SPECIAL_NUMBERS",
    "base64url_of_bytes",
    "base64url_of_hex",
    "bytes_of_base64url",
    "check_guid",
    "check_range",
    "is_v4",
    "read_decimal",
]

INTEGER_RANGES = {
    "Edm.Byte": (0, 255),
    "Edm.SByte": (-128, 127),
    "Edm.Int16": (-(2**15), 2**15 - 1),
    "Edm.Int32": (-(2**31), 2**31 - 1),
    "Edm.Int64": (-(2**63), 2**63 - 1),
}
"""Smallest and largest value of the integer types (CSDL 4.01, clause 3.3)."""

SPECIAL_NUMBERS = ("INF", "-INF", "NaN")
"""Values of `Edm.Double`, `Edm.Single` (and of decimals with floating scale) that are no numbers; held as text."""

LONGEST_NUMBER = 1000

_GUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_DECIMAL = re.compile(r"[+-]?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]{1,4})?")
_BASE64 = re.compile(r"[A-Za-z0-9_\-+/]*={0,2}")
_HEX = re.compile(r"(?:[0-9a-fA-F]{2})*")


def is_v4(version: str) -> bool:
    """Whether an OData version writes as V4 does; V1 and V3 write literals as V2 does."""
    return version.startswith("V4")


def check_guid(text: str) -> str:
    """Gives a GUID in lower case.

    Raises:
        MalformedText: `GUID_SYNTAX`.
    """
    if _GUID.fullmatch(text) is None:
        message = f"{text!r} is no GUID: 8-4-4-4-12 hexadecimal digits, 3f2504e0-4f89-41d3-9a0c-0305e82c3301"
        raise MalformedText("GUID_SYNTAX", message)
    return text.lower()


def check_range(value: int, type: str) -> int:
    """Gives an integer as it is.

    Raises:
        MalformedText: `LITERAL_RANGE`, it is out of the range of the integer type.
    """
    low, high = INTEGER_RANGES[type]
    if not low <= value <= high:
        raise MalformedText("LITERAL_RANGE", f"{value} is out of the range of {type} ({low} to {high})")
    return value


def read_decimal(text: str) -> Decimal:
    """Gives the number as written, digit for digit.

    Raises:
        MalformedText: `NUMBER_SYNTAX`, `NUMBER_SIZE` (more than 1,000 characters).
    """
    if len(text) > LONGEST_NUMBER:
        raise MalformedText("NUMBER_SIZE", f"a number has {len(text)} characters, {LONGEST_NUMBER} are allowed")
    if _DECIMAL.fullmatch(text) is None:
        raise MalformedText("NUMBER_SYNTAX", f"{text!r} is no number; write digits such as 12.50")
    try:
        return Decimal(text)
    except InvalidOperation:
        raise MalformedText("NUMBER_SYNTAX", f"{text!r} is no number; write digits such as 12.50") from None


def bytes_of_base64url(text: str) -> bytes:
    """Reads base64url or base64, padded or not.

    Raises:
        MalformedText: `BINARY_SYNTAX`.
    """
    bare = text.rstrip("=").replace("+", "-").replace("/", "_")
    if _BASE64.fullmatch(text) is None or len(bare) % 4 == 1:
        raise MalformedText("BINARY_SYNTAX", f"{text[:40]!r} is not base64url")
    try:
        return base64.urlsafe_b64decode(bare + "=" * (-len(bare) % 4))
    except binascii.Error:
        raise MalformedText("BINARY_SYNTAX", f"{text[:40]!r} is not base64url") from None


def base64url_of_bytes(content: bytes) -> str:
    """Writes bytes as base64url without padding."""
    return base64.urlsafe_b64encode(content).decode("ascii").rstrip("=")


def base64url_of_hex(text: str) -> str:
    """Gives the base64url form of hexadecimal digits.

    Raises:
        MalformedText: `BINARY_SYNTAX`.
    """
    if _HEX.fullmatch(text) is None:
        raise MalformedText("BINARY_SYNTAX", f"{text[:40]!r} is not an even number of hexadecimal digits")
    return base64url_of_bytes(bytes.fromhex(text))
