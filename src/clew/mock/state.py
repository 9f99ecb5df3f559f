"""The state of a mock service: rows in tables, links between rows, counters; exact, ordered, reversible.

A table is an entity set, or `#Ns.Type` for entities that no set holds (contained ones), or `=Name` for a singleton.
Values are in JSON terms (`clew.protocol`) and sparse: what a row does not hold is null. A row's `number` is its
identity inside of the state and never seen from outside, so that a key may change (a draft that is activated).
"""

from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from copy import deepcopy

from clew.domain.records import JsonObject, JsonValue
from clew.protocol.json import JsonLimits, parse_json, write_json

KeyTuple = tuple[JsonValue, ...]

_STATE_LIMITS = JsonLimits(size_bytes=2**31, string_characters=2**28)


class Row:
    """One entity: its table and type, its values, its version (the ETag), the rows that it is linked to."""

    __slots__ = ("key", "links", "number", "table", "type", "values", "version")

    def __init__(self, number: int, place: tuple[str, str], values: JsonObject, key: KeyTuple) -> None:
        self.number = number
        self.table, self.type = place
        self.values = values
        self.key = key
        self.version = 1
        self.links: dict[str, list[int]] = {}


class State:
    """All rows of one service. Every change inside of `transaction` is taken back if the block raises."""

    def __init__(self) -> None:
        self.rows: dict[int, Row] = {}
        self.counters: dict[str, int] = {}
        self._tables: dict[str, dict[int, None]] = {}
        self._index: dict[tuple[str, KeyTuple], int] = {}
        self._by_value: dict[str, dict[str, dict[JsonValue, dict[int, None]]]] = {}
        """By table and property, as far as somebody has asked: the rows with each value."""
        self._next = 1
        self._undo: list[Callable[[], None]] | None = None

    # -- reading

    def table(self, name: str) -> list[Row]:
        """Gives the rows of a table in the order in which they were created."""
        return [self.rows[number] for number in self._tables.get(name, {})]

    def find(self, table: str, key: KeyTuple) -> Row | None:
        """Gives the row with this key."""
        number = self._index.get((table, key))
        return None if number is None else self.rows[number]

    def having(self, table: str, name: str, value: JsonValue) -> list[Row]:
        """Gives the rows of a table with this value (a text, a number or a truth value), in the order of creation."""
        by_name = self._by_value.setdefault(table, {})
        if name not in by_name:
            by_name[name] = {}
            for row in self.table(table):
                _note(by_name[name], row.values.get(name), row.number)
        return [self.rows[number] for number in sorted(by_name[name].get(value, ()))]

    def linked(self, row: Row, navigation: str) -> list[Row]:
        """Gives the rows that `row` is linked to by `navigation`, in the order of linking."""
        return [self.rows[number] for number in row.links.get(navigation, ()) if number in self.rows]

    # -- changing

    @contextmanager
    def transaction(self) -> Generator[None]:
        """Keeps all changes of the block, or none of them where it raises; blocks may be nested, each for itself."""
        outermost = self._undo is None
        log = self._undo = [] if self._undo is None else self._undo
        begun = len(log)
        try:
            yield
        except BaseException:
            while len(log) > begun:
                log.pop()()
            raise
        finally:
            if outermost:
                self._undo = None

    def insert(self, place: tuple[str, str], key: KeyTuple, values: JsonObject) -> Row:
        """Adds a row at (table, type); the caller has looked that the key is free."""
        row = Row(self._next, place, values, key)
        self._next += 1
        self._add(row)
        self._remember(lambda: self._drop(row))
        return row

    def delete(self, row: Row) -> None:
        """Takes a row away; links to it lead nowhere from now on."""
        self._drop(row)
        self._remember(lambda: self._add(row))

    def change(self, row: Row, values: JsonObject, key: KeyTuple) -> None:
        """Gives a row other values and, where the key differs, another key."""
        before, old_key, version = row.values, row.key, row.version
        self._rekey(row, key)
        self._replace(row, values)
        row.version += 1

        def take_back() -> None:
            self._rekey(row, old_key)
            self._replace(row, before)
            row.version = version

        self._remember(take_back)

    def link(self, row: Row, navigation: str, target: Row) -> None:
        """Links two rows; a link that is there already stays one."""
        linked = row.links.setdefault(navigation, [])
        if target.number not in linked:
            linked.append(target.number)
            self._remember(lambda: linked.remove(target.number))

    def unlink(self, row: Row, navigation: str, targets: Iterable[Row]) -> None:
        """Takes links away."""
        before = list(row.links.get(navigation, ()))
        gone = {target.number for target in targets}
        row.links[navigation] = [number for number in before if number not in gone]

        def take_back() -> None:
            row.links[navigation] = before

        self._remember(take_back)

    def count(self, counter: str, first: int) -> int:
        """Gives the next number of a counter; numbers that a refused request took are not given again."""
        number = max(self.counters.get(counter, first), first)
        self.counters[counter] = number + 1
        return number

    def reserve(self, counter: str, following: int) -> None:
        """Lets a counter go on from `following`, or from where it is if that is further."""
        self.counters[counter] = max(self.counters.get(counter, 0), following)

    # -- as text

    def dump(self) -> JsonObject:
        """Gives the whole state as a JSON object that `load` takes."""
        rows: list[JsonValue] = [
            {
                "number": row.number,
                "table": row.table,
                "type": row.type,
                "key": list(row.key),
                "version": row.version,
                "values": row.values,
                "links": {navigation: list(numbers) for navigation, numbers in row.links.items() if numbers},
            }
            for row in self.rows.values()
        ]
        return {"rows": rows, "counters": dict(self.counters), "next": self._next}

    @classmethod
    def load(cls, content: JsonObject) -> "State":
        """Makes the state that `dump` gave.

        Raises:
            KeyError, TypeError: it is none; `MockService.load` says so in words.
        """
        state = cls()
        for entry in _objects(content["rows"]):
            values, links, key = entry["values"], entry["links"], entry["key"]
            if not (isinstance(values, dict) and isinstance(links, dict) and isinstance(key, list)):
                raise TypeError("values and links are objects, a key is a list")
            row = Row(_whole(entry["number"]), (str(entry["table"]), str(entry["type"])), values, tuple(key))
            row.version = _whole(entry["version"])
            row.links = {name: [_whole(n) for n in _list(numbers)] for name, numbers in links.items()}
            state._add(row)
        counters = content["counters"]
        state.counters = {name: _whole(n) for name, n in counters.items()} if isinstance(counters, dict) else {}
        state._next = _whole(content["next"])
        return state

    def copy(self) -> "State":
        """Gives an independent copy."""
        other = State()
        for row in self.rows.values():
            twin = Row(row.number, (row.table, row.type), deepcopy(row.values), row.key)
            twin.version = row.version
            twin.links = {navigation: list(numbers) for navigation, numbers in row.links.items()}
            other._add(twin)
        other.counters = dict(self.counters)
        other._next = self._next
        return other

    # -- inside

    def _remember(self, take_back: Callable[[], None]) -> None:
        if self._undo is not None:
            self._undo.append(take_back)

    def _add(self, row: Row) -> None:
        self.rows[row.number] = row
        table = self._tables.setdefault(row.table, {})
        is_last = not table or row.number > next(reversed(table))
        table[row.number] = None
        if not is_last:  # a deletion was taken back
            self._tables[row.table] = dict(sorted(table.items()))
        self._index[(row.table, row.key)] = row.number
        for name, by_value in self._by_value.get(row.table, {}).items():
            _note(by_value, row.values.get(name), row.number)

    def _drop(self, row: Row) -> None:
        del self.rows[row.number]
        del self._tables[row.table][row.number]
        self._index.pop((row.table, row.key), None)
        for name, by_value in self._by_value.get(row.table, {}).items():
            _forget(by_value, row.values.get(name), row.number)

    def _replace(self, row: Row, values: JsonObject) -> None:
        for name, by_value in self._by_value.get(row.table, {}).items():
            _forget(by_value, row.values.get(name), row.number)
            _note(by_value, values.get(name), row.number)
        row.values = values

    def _rekey(self, row: Row, key: KeyTuple) -> None:
        if key != row.key:
            self._index.pop((row.table, row.key), None)
            row.key = key
            self._index[(row.table, key)] = row.number


def _note(by_value: dict[JsonValue, dict[int, None]], value: JsonValue, number: int) -> None:
    if not isinstance(value, list | dict):
        by_value.setdefault(value, {})[number] = None


def _forget(by_value: dict[JsonValue, dict[int, None]], value: JsonValue, number: int) -> None:
    if not isinstance(value, list | dict):
        by_value.get(value, {}).pop(number, None)


def state_of_text(text: str) -> JsonObject:
    """Reads the text of a dumped state.

    Raises:
        MalformedText: it is no JSON.
    """
    content = parse_json(text, _STATE_LIMITS)
    return content if isinstance(content, dict) else {}


def text_of_state(content: JsonObject) -> str:
    """Writes a dumped state."""
    return write_json(content)


def _objects(value: JsonValue) -> list[JsonObject]:
    return [entry for entry in _list(value) if isinstance(entry, dict)]


def _list(value: JsonValue) -> list[JsonValue]:
    if not isinstance(value, list):
        raise TypeError("a list was expected")
    return value


def _whole(value: JsonValue) -> int:
    if not isinstance(value, int):
        raise TypeError("a whole number was expected")
    return value
