"""The built-in functions of `$filter` in each version, with how many arguments they take."""

from clew.domain.errors import MalformedText
from clew.protocol.primitives import is_v4

__all__ = ["check_arity", "functions_of", "unknown_function"]

Arity = tuple[int, int]

_BOTH: dict[str, Arity] = {
    "endswith": (2, 2),
    "startswith": (2, 2),
    "length": (1, 1),
    "indexof": (2, 2),
    "substring": (2, 3),
    "tolower": (1, 1),
    "toupper": (1, 1),
    "trim": (1, 1),
    "concat": (2, 2),
    "year": (1, 1),
    "month": (1, 1),
    "day": (1, 1),
    "hour": (1, 1),
    "minute": (1, 1),
    "second": (1, 1),
    "round": (1, 1),
    "floor": (1, 1),
    "ceiling": (1, 1),
    "isof": (1, 2),
    "cast": (1, 2),
}
_V2: dict[str, Arity] = {**_BOTH, "substringof": (2, 2), "replace": (3, 3)}
# Standard V3 has no `contains`, but services that call themselves V3 (SAP Business One's Service Layer) document it.
_V3: dict[str, Arity] = {**_V2, "contains": (2, 2)}
_V4: dict[str, Arity] = {
    **_BOTH,
    "contains": (2, 2),
    "matchesPattern": (2, 2),
    "hassubset": (2, 2),
    "hassubsequence": (2, 2),
    "fractionalseconds": (1, 1),
    "totalseconds": (1, 1),
    "totaloffsetminutes": (1, 1),
    "date": (1, 1),
    "time": (1, 1),
    "now": (0, 0),
    "mindatetime": (0, 0),
    "maxdatetime": (0, 0),
    "case": (1, 1000),
}

_INSTEAD = {
    "substringof": "V4 writes contains(Name,'part')",
    "contains": "V2 and V3 write substringof('part',Name)",
    "replace": "V4 has no replace",
}


def functions_of(version: str) -> dict[str, Arity]:
    """Gives the functions of a version, each with the least and the most arguments it takes.

    The geospatial ones (`geo.distance` …) have a dot and are read like operations of a service.
    """
    if is_v4(version):
        return _V4
    return _V3 if version.startswith("V3") else _V2


def check_arity(name: str, count: int, version: str, position: int) -> None:
    """Checks how many arguments a function got.

    Raises:
        MalformedText: `FILTER_ARITY`.
    """
    least, most = functions_of(version)[name]
    if not least <= count <= most:
        wanted = str(least) if least == most else f"{least} or {most}"
        raise MalformedText("FILTER_ARITY", f"{name} takes {wanted} arguments, {count} were given", position)


def unknown_function(name: str, version: str, position: int) -> MalformedText:
    """Gives the error for a function that the version does not have, with what it has instead."""
    spelt = next((right for right in functions_of(version) if right.lower() == name.lower()), "")
    hint = f"it is written {spelt}" if spelt else _INSTEAD.get(name.lower(), "")
    message = f"{version} has no function {name!r}" + (f"; {hint}" if hint else "")
    return MalformedText("FILTER_FUNCTION", message, position)
