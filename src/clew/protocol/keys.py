"""Key predicates and the parameter lists of operations: `('1')`, `(A='1',B=datetime'2025-03-01T00:00:00')`, `()`.

The grammar is the same for both (OData ABNF 4.01, `keyPredicate` and `functionParameters`): no blanks, values are
literals or, in V4, parameter aliases such as `@p`. Only the reading for a type (`read_key`) tells what is missing.
"""

from collections.abc import Mapping
from urllib.parse import quote as percent_encode

from clew.domain.errors import MalformedText
from clew.domain.records import JsonObject, JsonValue, Record
from clew.protocol.literals import UrlLiteral, convert_literal, parse_literal
from clew.protocol.spelling import example_of, format_literal

__all__ = ["Key", "KeyPart", "format_key", "parse_key", "read_key", "read_parameters"]

# What may stand in a path segment as it is (RFC 3986, clause 3.3, `pchar`) and is kept readable; `/`, `?`, `#`, `%`
# and everything outside of ASCII is encoded, and `+` too: servers differ in what they make of a plus.
SAFE_IN_KEY = "'(),:;=@!$*-._~"


class KeyPart(Record, frozen=True, kw_only=True):
    """One part of a predicate: its name (empty for the single unnamed value), its value's text, percent-decoded.

    `position` is that of the value, 0-based in the decoded segment.
    """

    text: str
    name: str = ""
    position: int = 0

    @property
    def is_alias(self) -> bool:
        """Whether the value is a parameter alias, to be looked up among the query options."""
        return self.text.startswith("@")


class Key(Record, frozen=True, kw_only=True):
    """A parsed predicate; without parts it is `()`."""

    parts: tuple[KeyPart, ...] = ()
    position: int = 0

    @property
    def names(self) -> tuple[str, ...]:
        """The names given; a single unnamed value has the name ''."""
        return tuple(part.name for part in self.parts)


def parse_key(text: str, *, position: int = 0) -> Key:
    """Reads a predicate with its parentheses, percent-decoded; `position` is where it begins.

    >>> [(part.name, part.text) for part in parse_key("(A='x,1',B=2)").parts]
    [('A', "'x,1'"), ('B', '2')]

    Raises:
        MalformedText: `KEY_SYNTAX`, `KEY_QUOTE` (a quote inside a text is not doubled), `KEY_DUPLICATE`,
            `ALIAS_SYNTAX` (blanks in or around a parameter alias).
    """
    if not (text.startswith("(") and text.endswith(")")):
        raise MalformedText("KEY_SYNTAX", f"{text!r} is no key predicate; write ('value') or (Name='value')", position)
    parts: list[KeyPart] = []
    start = 1
    for end in _ends(text, position):
        if start != end or parts or end != len(text) - 1:
            parts.append(_part(text[start:end], position + start))
        start = end + 1
    _check_names(parts, position)
    return Key(parts=tuple(parts), position=position)


def read_key(
    key: Key, types: Mapping[str, str], version: str, *, aliases: Mapping[str, str] | None = None
) -> JsonObject:
    """Gives a key's values by name in JSON terms; `types` are the key's properties in order with their types.

    A single key needs no name. Aliases are looked up in `aliases` (`@p` → its literal).

    Raises:
        MalformedText: `KEY_NAME` (unknown), `KEY_INCOMPLETE`, `KEY_UNNAMED` (several properties, one bare value), or
            what the literal breaks.
    """
    names = list(types)
    if key.names == ("",):
        if len(names) != 1:
            message = f"the key has {len(names)} properties; name them: {_shape(types, version)}"
            raise MalformedText("KEY_UNNAMED", message, key.position)
        return {names[0]: _value(key.parts[0], types[names[0]], version, aliases)}
    unknown = [part for part in key.parts if part.name not in types]
    if unknown:
        message = f"{unknown[0].name!r} is no key property; the key is {_shape(types, version)}"
        raise MalformedText("KEY_NAME", message, unknown[0].position)
    missing = [name for name in names if name not in key.names]
    if missing:
        message = f"the key lacks {', '.join(missing)}; it is {_shape(types, version)}"
        raise MalformedText("KEY_INCOMPLETE", message, key.position)
    given = {part.name: _value(part, types[part.name], version, aliases) for part in key.parts}
    return {name: given[name] for name in names}


def read_parameters(
    key: Key, types: Mapping[str, str], version: str, *, aliases: Mapping[str, str] | None = None
) -> JsonObject:
    """Gives an operation's inline parameters by name in JSON terms; those that are not given are left out.

    Collections and structured values come as JSON text through an alias; they are given as the text itself.

    Raises:
        MalformedText: `KEY_NAME` (unknown parameter), or what the literal breaks.
    """
    given: JsonObject = {}
    for part in key.parts:
        if part.name not in types:
            known = ", ".join(types) or "none"
            raise MalformedText("KEY_NAME", f"{part.name!r} is no parameter here; there are: {known}", part.position)
        given[part.name] = _value(part, types[part.name], version, aliases)
    return given


def format_key(values: Mapping[str, JsonValue], types: Mapping[str, str], version: str) -> str:
    """Writes a key predicate, percent-encoded, in the order of `types`; a single key without its name.

    >>> format_key({"Name": "O'Neil/1"}, {"Name": "Edm.String"}, "V4")
    "('O''Neil%2F1')"

    Raises:
        MalformedText: `KEY_INCOMPLETE`, `KEY_NAME`, or what a value breaks.
    """
    missing = [name for name in types if name not in values]
    if missing:
        raise MalformedText("KEY_INCOMPLETE", f"the key lacks {', '.join(missing)}")
    unknown = [name for name in values if name not in types]
    if unknown:
        raise MalformedText("KEY_NAME", f"{unknown[0]!r} is no key property; there are: {', '.join(types)}")
    written = {name: format_literal(values[name], type, version) for name, type in types.items()}
    if len(written) == 1:
        inner = next(iter(written.values()))
    else:
        inner = ",".join(f"{name}={literal}" for name, literal in written.items())
    return "(" + percent_encode(inner, safe=SAFE_IN_KEY) + ")"


def _ends(text: str, position: int) -> list[int]:
    """Gives where each part ends: the commas outside of quotes and brackets, and the last parenthesis."""
    ends: list[int] = []
    depth = 0
    quoted = False
    last = len(text) - 1
    for index in range(1, last):
        letter = text[index]
        if letter == "'":
            quoted = not quoted
        elif quoted:
            continue
        elif letter in "([{":
            depth += 1
        elif letter in ")]}":
            depth -= 1
        elif letter == "," and not depth:
            ends.append(index)
        if depth < 0:
            raise MalformedText("KEY_SYNTAX", "a parenthesis is closed that was not opened", position + index)
    if quoted:
        raise MalformedText("KEY_QUOTE", "a quote inside a text is doubled: 'D''Arcy'", position + text.rindex("'"))
    return [*ends, last]


def _part(text: str, position: int) -> KeyPart:
    name, equals, value = text.partition("=") if not text.startswith("'") else ("", "", text)
    if not equals:
        name, value = "", text
    start = position + len(text) - len(value)
    if "@" in value[:2] and (" " in value or name != name.strip()):
        raise MalformedText("ALIAS_SYNTAX", "a parameter alias is written without blanks: Name=@p", start)
    if not value or value != value.strip() or (equals and not name.replace("_", "a").replace("/", "a").isalnum()):
        message = f"{text!r} is no part of a key; write Name='value' or 'value', without blanks"
        raise MalformedText("KEY_SYNTAX", message, position)
    if value.startswith("'"):
        _check_quotes(value, start)
    return KeyPart(name=name, text=value, position=start)


def _check_quotes(value: str, position: int) -> None:
    inner = value[1:-1]
    if not value.endswith("'") or len(value) < 2 or "'" in inner.replace("''", ""):
        fixed = "'" + inner.replace("''", "'").replace("'", "''") + "'"
        raise MalformedText("KEY_QUOTE", f"a quote inside a text is doubled: {fixed}", position)


def _check_names(parts: list[KeyPart], position: int) -> None:
    names = [part.name for part in parts]
    if len(names) > 1 and "" in names:
        raise MalformedText("KEY_SYNTAX", "a key of several values names each of them: (A='1',B='2')", position)
    doubled = [part for index, part in enumerate(parts) if part.name in names[:index]]
    if doubled:
        raise MalformedText("KEY_DUPLICATE", f"{doubled[0].name!r} is given twice", doubled[0].position)


def _value(part: KeyPart, type: str, version: str, aliases: Mapping[str, str] | None) -> JsonValue:
    text = part.text
    if part.is_alias:
        if aliases is None or part.text not in aliases:
            raise MalformedText("ALIAS_UNKNOWN", f"no query option gives the alias {part.text}", part.position)
        text = aliases[part.text]
    try:
        if text.startswith(("[", "{")):
            return text
        literal: UrlLiteral = parse_literal(text, version)
        return convert_literal(literal, type, version)
    except MalformedText as error:
        error.position += part.position
        raise


def _shape(types: Mapping[str, str], version: str) -> str:
    return "(" + ",".join(f"{name}={example_of(type, version)}" for name, type in types.items()) + ")"
