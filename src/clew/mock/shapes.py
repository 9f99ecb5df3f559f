"""What of an entity is to be shown: the selected properties and the expanded navigations, as a tree."""

from clew.domain.errors import CallRefused, MalformedText
from clew.domain.records import Record
from clew.domain.services import Capabilities, NavigationProperty
from clew.mock.schema import Schema
from clew.protocol.expand import ExpandItem, SelectItem
from clew.protocol.options import Options, parse_options

DEEPEST = 8


class Shape(Record, frozen=True, kw_only=True):
    """`select` are the names to show, `None` for all; `expand` the navigations to show inside, each with its own shape.

    `options` are those of an expanded navigation (V4): filter, order, paging, count.
    """

    select: frozenset[str] | None = None
    expand: dict[str, "Shape"] = {}
    options: Options = Options()
    as_references: bool = False


def shape_of(schema: Schema, type_name: str, options: Options, capabilities: Capabilities = Capabilities()) -> Shape:
    """Gives the shape that `$select` and `$expand` ask for.

    Raises:
        CallRefused: 400, a name that the type does not have, or a navigation that cannot be expanded.
    """
    if not capabilities.expandable and options.expand:
        raise CallRefused(400, "EXPAND", "nothing can be expanded here")
    barred = set(capabilities.non_expandable)
    for item in options.expand:
        if item.path[0] in barred:
            raise CallRefused(400, "EXPAND", f"{item.path[0]} cannot be expanded")
    if schema.view.is_v4:
        return _v4_shape(schema, type_name, options, 0)
    return _v2_shape(schema, type_name, [item.path for item in options.select], [item.path for item in options.expand])


def deep_shape(navigations: dict[str, "Shape"]) -> Shape:
    """Gives the shape that shows all properties and these navigations."""
    return Shape(expand=navigations)


# --- V2 and V3: paths


def _v2_shape(schema: Schema, type_name: str, select: list[tuple[str, ...]], expand: list[tuple[str, ...]]) -> Shape:
    navigations = schema.view.navigations(type_name)
    inner: dict[str, Shape] = {}
    for name in dict.fromkeys(path[0] for path in expand):
        navigation = _navigation(schema, type_name, name)
        deeper = [path[1:] for path in expand if path[0] == name and len(path) > 1]
        chosen = [path[1:] for path in select if path[0] == name and len(path) > 1]
        inner[name] = _v2_shape(schema, navigation.target, chosen, deeper)
    names = [path[0] for path in select]
    for name in names:
        if name != "*" and name not in navigations:
            _check_property(schema, type_name, name)
    if not names or "*" in names:
        return Shape(expand=inner)
    return Shape(select=frozenset(names), expand=inner)


# --- V4: options in brackets


def _v4_shape(schema: Schema, type_name: str, options: Options, depth: int) -> Shape:
    if depth > DEEPEST:
        raise CallRefused(400, "EXPAND", f"expanded deeper than the {DEEPEST} levels allowed")
    inner: dict[str, Shape] = {}
    for item in options.expand:
        for name in _expanded_names(schema, type_name, item):
            navigation = _navigation(schema, type_name, name)
            nested = _nested_options(schema, item)
            shape = _v4_shape(schema, navigation.target, nested, depth + 1)
            inner[name] = Shape(
                select=shape.select, expand=shape.expand, options=nested, as_references=item.path[-1] == "$ref"
            )
    return Shape(select=_v4_select(schema, type_name, options.select), expand=inner)


def _expanded_names(schema: Schema, type_name: str, item: ExpandItem) -> list[str]:
    names = [name for name in item.path if name not in ("$ref", "$count") and "." not in name]
    if names == ["*"]:
        return list(schema.view.navigations(type_name))
    if len(names) != 1:
        raise CallRefused(501, "NOT_IMPLEMENTED", f"expanding {'/'.join(item.path)} is not implemented")
    return names


def _nested_options(schema: Schema, item: ExpandItem) -> Options:
    try:
        return parse_options(item.options, schema.version)
    except MalformedText as error:
        raise CallRefused(400, error.code, str(error)) from None


def _v4_select(schema: Schema, type_name: str, select: tuple[SelectItem, ...]) -> frozenset[str] | None:
    names = [item.path[0] for item in select]
    for name in names:
        is_known = name in schema.view.navigations(type_name) or "." in name or name == "*"
        if not is_known:
            _check_property(schema, type_name, name)
    return None if not names or "*" in names else frozenset(names)


def _navigation(schema: Schema, type_name: str, name: str) -> NavigationProperty:
    found = schema.view.navigations(type_name).get(name)
    if found is None:
        found = next(
            (nav for part in schema.view.derived_of(type_name) for nav in part.navigations if nav.name == name), None
        )
    if found is None:
        short = type_name.rpartition(".")[2]
        raise CallRefused(400, "EXPAND", f"{short} has no navigation property {name!r}")
    return found


def _check_property(schema: Schema, type_name: str, name: str) -> None:
    if name in schema.view.properties(type_name) or any(part.open for part in schema.view.lineage(type_name)):
        return
    if any(prop.name == name for part in schema.view.derived_of(type_name) for prop in part.properties):
        return
    raise CallRefused(400, "UNKNOWN_PROPERTY", f"{type_name.rpartition('.')[2]} has no property {name!r}")
