"""Collections queried: filtered, searched, ordered, cut into pages."""

from clew.domain.errors import CallRefused
from clew.domain.records import Record
from clew.domain.services import Capabilities, NavigationProperty
from clew.mock.evaluation import Evaluation, Rehearsal
from clew.mock.operands import Item, Operand, order_key
from clew.mock.schema import Schema
from clew.mock.state import Row
from clew.protocol.filter_tree import Expression, Path, walk
from clew.protocol.options import Options


class Page(Record, frozen=True, kw_only=True):
    """The rows to show, how many match in all, and where the next page begins (0: there is none)."""

    rows: tuple[Row, ...]
    total: int
    next_from: int = 0


def run_query(
    evaluation: Evaluation, rows: list[Row], options: Options, *, entity_set: str = "", page_size: int = 0
) -> Page:
    """Gives the page of `rows` that the options ask for.

    Raises:
        CallRefused: 400 or 501, from the filter, the order or the search.
    """
    chosen = [row for row in rows if _is_chosen(evaluation, row, options, entity_set)]
    for order in reversed(options.orderby):
        chosen.sort(
            key=lambda row: order_key(evaluation.operand(order.expression, _item(row, entity_set), {})),
            reverse=order.descending,
        )
    total = len(chosen)
    start = _start_of(options.skiptoken) if options.skiptoken else options.skip or 0
    end = total if options.top is None else min(total, (options.skip or 0) + options.top)
    if page_size and end - start > page_size:
        return Page(rows=tuple(chosen[start : start + page_size]), total=total, next_from=start + page_size)
    return Page(rows=tuple(chosen[start:end]), total=total)


def check_query(rehearsal: Rehearsal, type_name: str, options: Options, capabilities: Capabilities) -> None:
    """Refuses a query that no entity of the type could be asked, or that the set does not allow.

    Raises:
        CallRefused: 400, unknown names, types that do not fit, what cannot be filtered or sorted by, a filter that is
            missing; 501 for a search and for what the mock does not have.
    """
    if options.apply:
        raise CallRefused(501, "NOT_IMPLEMENTED", "$apply is not implemented")
    if options.filter is not None:
        operand = rehearsal.check(options.filter, type_name)
        if operand.type not in ("Edm.Boolean", ""):
            raise CallRefused(400, "FILTER_TYPE", "a condition was expected, true or false")
    for order in options.orderby:
        if not isinstance(rehearsal.result(order.expression, Item({}, type_name), {}), Operand):
            raise CallRefused(400, "SORT_TYPE", "only single values of primitive types have an order")
    _check_restrictions(rehearsal.schema, type_name, options, capabilities)


def _check_restrictions(schema: Schema, type_name: str, options: Options, capabilities: Capabilities) -> None:
    if options.filter is None and (capabilities.requires_filter or capabilities.required_in_filter):
        raise CallRefused(400, "FILTER_REQUIRED", "a $filter is required here")
    if options.filter is not None:
        if not capabilities.filterable:
            raise CallRefused(400, "NOT_FILTERABLE", "nothing can be filtered here")
        _check_filter(schema, type_name, options.filter, capabilities)
    if options.orderby and not capabilities.sortable:
        raise CallRefused(400, "NOT_SORTABLE", "nothing can be sorted here")
    for order in options.orderby:
        for name in _leading_names(order.expression):
            prop = schema.view.properties(type_name).get(name)
            if prop is not None and (not prop.sortable or name in capabilities.non_sortable):
                raise CallRefused(400, "NOT_SORTABLE", f"{name} cannot be sorted by")
    if options.search and not capabilities.searchable:
        raise CallRefused(501, "NOT_IMPLEMENTED", "nothing can be searched here")
    if options.count and not capabilities.countable:
        raise CallRefused(400, "NOT_COUNTABLE", "nothing can be counted here")


def _check_filter(schema: Schema, type_name: str, expression: Expression, capabilities: Capabilities) -> None:
    for name in capabilities.non_filterable:
        if name in _leading_names(expression):
            raise CallRefused(400, "NOT_FILTERABLE", f"{name} cannot be filtered by")
    for node in walk(expression):
        if isinstance(node, Path):
            _check_filterable(schema, type_name, node)
    required = {name for name, prop in schema.view.properties(type_name).items() if prop.required_in_filter}
    for name in {*capabilities.required_in_filter, *required}:
        if name not in _leading_names(expression):
            raise CallRefused(400, "FILTER_REQUIRED", f"{name} is required in $filter")


def _check_filterable(schema: Schema, type_name: str, path: Path) -> None:
    """Refuses a path that goes through what cannot be filtered by, as far as it can be followed from the entity."""
    current = type_name
    for name in path.names:
        member = schema.view.properties(current).get(name) or schema.view.navigations(current).get(name)
        if member is None:
            if name != "$it":
                return
            continue
        if not member.filterable:
            raise CallRefused(400, "NOT_FILTERABLE", f"{name} cannot be filtered by")
        current = member.target if isinstance(member, NavigationProperty) else schema.view.underlying(member.type)


def _leading_names(expression: Expression) -> set[str]:
    """Gives the properties of the entity itself that an expression speaks of."""
    found: set[str] = set()
    for node in walk(expression):
        if isinstance(node, Path):
            names = [name for name in node.names if name != "$it"]
            found.update(names[:1])
    return found


def _is_chosen(evaluation: Evaluation, row: Row, options: Options, entity_set: str) -> bool:
    if options.search and not _is_found(row, options.search):
        return False
    return options.filter is None or evaluation.holds(options.filter, _item(row, entity_set))


def _item(row: Row, entity_set: str) -> Item:
    return Item(row.values, row.type, row, entity_set)


def _is_found(row: Row, search: str) -> bool:
    """Whether every word or phrase of a search stands in a text of the row, in whatever case."""
    texts = "\n".join(value for value in row.values.values() if isinstance(value, str)).lower()
    words = search.replace('"', " ").split()
    if any(word in ("OR", "NOT") or "(" in word for word in words):
        raise CallRefused(501, "NOT_IMPLEMENTED", "searches with OR, NOT and brackets are not implemented")
    return all(word.lower() in texts for word in words if word != "AND")


def _start_of(skiptoken: str) -> int:
    if not (skiptoken.isascii() and skiptoken.isdigit()) or len(skiptoken) > 18:
        raise CallRefused(400, "SKIPTOKEN", f"{skiptoken!r} is no $skiptoken that this service gave")
    return int(skiptoken)
