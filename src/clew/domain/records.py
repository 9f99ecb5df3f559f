"""`Record`, the base of everything that travels: frozen, cheap to make and to store.

Records are msgspec structs and not dataclasses because the readers make hundreds of thousands of them: a frozen
dataclass costs several times as much to create, and msgspec writes and reads records without a schema of its own.
"""

from decimal import Decimal
from typing import TYPE_CHECKING, Any, TypeAlias

import msgspec

if TYPE_CHECKING:
    JsonValue: TypeAlias = "bool | int | float | Decimal | str | list[JsonValue] | dict[str, JsonValue] | None"
    JsonObject: TypeAlias = dict[str, JsonValue]
else:
    # msgspec cannot resolve a recursive alias, and takes any JSON value for `Any`.
    JsonValue = Any
    JsonObject = dict[str, Any]

# As `clew.protocol.json` reads it: numbers with a fraction or an exponent are `Decimal`, never `float`.


class Record(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """A frozen value; fields that hold their default are left out when it is stored.

    Subclasses say `kw_only=True` themselves: msgspec does not inherit it.
    """
