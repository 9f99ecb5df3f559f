"""Rule: what `$select`, `$expand` and `$orderby` name is there, and may be selected, expanded, sorted by."""

from collections.abc import Iterable, Iterator

from clew.domain.errors import MalformedText
from clew.domain.services import Capabilities, NavigationProperty
from clew.grounding.faults import Fault, Repair, warning
from clew.grounding.rules.expressions import Typer
from clew.grounding.subject import Subject
from clew.grounding.suggestions import closest, safe_spelling
from clew.grounding.targets import Step, members_of
from clew.grounding.wording import simple
from clew.protocol.expand import ExpandItem, SelectItem
from clew.protocol.options import Options, parse_options

_DEEPEST = 10


def check_orderby(subject: Subject, step: Step, options: Options, capabilities: Capabilities) -> Iterable[Fault]:
    """Types what is sorted by, and says what may not be."""
    if options.orderby and not capabilities.sortable:
        yield Fault("NOT_SORTABLE", f"{step.segment.name} supports no $orderby", "url:$orderby")
        return
    text = dict(subject.request.query).get("$orderby", "")
    listed = set(capabilities.non_sortable)
    for item in options.orderby:
        typer = Typer(subject.view, step.type, option="$orderby", text=text)
        found = typer.type_of(item.expression)
        yield from typer.faults
        if found.type in subject.view.types and not found.many:
            yield Fault("SORT_TYPE", f"an object of {simple(found.type)} has no order", "url:$orderby")
        for path, node in typer.uses:
            sortable = getattr(node, "sortable", True)
            if path in listed or not sortable:
                message = f"{path} cannot be sorted by: the service states that it is not sortable"
                yield Fault("NOT_SORTABLE", message, "url:$orderby", "another property", source=f"line {node.line}")


def check_select(subject: Subject, step: Step, options: Options) -> Iterable[Fault]:
    """Follows every selected path."""
    expanded = {"/".join(item.path[:1]) for item in options.expand}
    yield from _selected(subject, step.type, options.select, expanded, prefix="$select")


def _selected(
    subject: Subject, type_name: str, items: Iterable[SelectItem], expanded: set[str], *, prefix: str
) -> Iterator[Fault]:
    for item in items:
        current = type_name
        for index, name in enumerate(item.path):
            if name.startswith(("*", "$")) or "." in name:
                break
            prop = subject.view.properties(current).get(name)
            navigation = subject.view.navigations(current).get(name)
            if navigation is not None and subject.view.is_v4 and index + 1 < len(item.path):
                rest = "/".join(item.path[index + 1 :])
                message = f"{prefix}: {name} is a navigation property, from which $expand selects"
                yield Fault("SELECT_PATH", message, f"url:{prefix}@{item.position}", f"$expand={name}($select={rest})")
                break
            if navigation is not None and index == 0 and len(item.path) > 1 and name not in expanded:
                message = f"{name} is selected from and not expanded"
                yield warning("SELECT_NOT_EXPANDED", message, expected=f"$expand={name}")._replace(
                    pointer="url:$select"
                )
            if prop is None and navigation is None:
                if not _is_open(subject, current):
                    yield _unknown(subject, current, name, item, prefix=prefix)
                break
            current = prop.type if prop is not None else navigation.target if navigation is not None else ""
            if current not in subject.view.types:
                if index + 1 < len(item.path):
                    message = f"{prefix}: {name} is a single value; nothing can be selected from it"
                    yield Fault("SELECT_PATH", message, f"url:{prefix}@{item.position}")
                break


def _is_open(subject: Subject, type_name: str) -> bool:
    return any(part.open for part in subject.view.lineage(type_name))


def _unknown(subject: Subject, type_name: str, name: str, item: SelectItem | ExpandItem, *, prefix: str) -> Fault:
    members = members_of(subject.view, type_name)
    right = safe_spelling(name, members)
    message = f"{prefix}: {simple(type_name)} has no property {name!r}"
    repair = _respelt(subject, name, right, prefix=prefix) if right else None
    suggestions = closest(name, members)
    return Fault("UNKNOWN_PROPERTY", message, f"url:{prefix}@{item.position}", suggestions=suggestions, repair=repair)


def _respelt(subject: Subject, name: str, right: str, *, prefix: str) -> Repair | None:
    """Replaces a name in an option of the top, where it stands once."""
    text = dict(subject.request.query).get(prefix, "")
    parts = text.split(",")
    if prefix not in ("$select", "$expand") or parts.count(name) != 1 or right in parts:
        return None
    return Repair("query", name=prefix, text=",".join(right if part == name else part for part in parts))


def check_expand(subject: Subject, step: Step, options: Options, capabilities: Capabilities) -> Iterable[Fault]:
    """Follows every expanded path, with its nested options."""
    if options.expand and not capabilities.expandable:
        yield Fault("NOT_EXPANDABLE", f"{step.segment.name} supports no $expand", "url:$expand")
        return
    refused = set(capabilities.non_expandable)
    for item in options.expand:
        if "/".join(item.path) in refused:
            message = f"{'/'.join(item.path)} cannot be expanded: the service states so"
            yield Fault("NOT_EXPANDABLE", message, f"url:$expand@{item.position}")
        yield from _expanded(subject, step.type, item, depth=1)


def _expanded(subject: Subject, type_name: str, item: ExpandItem, *, depth: int) -> Iterator[Fault]:
    current = type_name
    navigation: NavigationProperty | None = None
    for index, name in enumerate(item.path):
        if name.startswith(("*", "$")):
            return
        if "." in name:
            current = subject.view.qualified(name)
            continue
        navigation = subject.view.navigations(current).get(name)
        if navigation is None:
            prop = subject.view.properties(current).get(name)
            if prop is None or prop.type not in subject.view.types:
                yield from _unexpandable(subject, current, item, index)
                return
            current = prop.type
        else:
            if subject.view.is_v4 and (found := _v2_path(item, index)) is not None:
                yield found
                return
            current = navigation.target
    if navigation is not None:
        yield from _nested(subject, current, item, depth=depth)
    else:
        yield _scalar(subject, type_name, item.path[-1], item)


def _unexpandable(subject: Subject, type_name: str, item: ExpandItem, index: int) -> Iterator[Fault]:
    name = item.path[index]
    prop = subject.view.properties(type_name).get(name)
    if prop is not None:
        if prop.type != "Edm.Stream":
            yield _scalar(subject, type_name, name, item)
    elif not _is_open(subject, type_name):
        yield _unknown(subject, type_name, name, item, prefix="$expand")


def _v2_path(item: ExpandItem, index: int) -> Fault | None:
    """V4 nests what is expanded below a navigation property (URL Conventions 4.01, clause 5.1.3)."""
    following = item.path[index + 1 : index + 2]
    if not following or following[0].startswith(("*", "$")) or "." in following[0]:
        return None
    head, rest = "/".join(item.path[: index + 1]), "/".join(item.path[index + 1 :])
    message = f"$expand: {'/'.join(item.path)} is a path of V2; V4 nests what is expanded below {head}"
    return Fault("EXPAND_PATH", message, f"url:$expand@{item.position}", f"$expand={head}($expand={rest})")


def _scalar(subject: Subject, type_name: str, name: str, item: ExpandItem) -> Fault:
    message = f"$expand: {name} of {simple(type_name)} is no navigation property; it is selected by $select"
    navigations = {key: way.texts.label for key, way in subject.view.navigations(type_name).items()}
    expected = f"$select={name}"
    suggestions = closest(name, navigations)
    return Fault("EXPAND_SCALAR", message, f"url:$expand@{item.position}", expected, suggestions=suggestions)


def _nested(subject: Subject, type_name: str, item: ExpandItem, *, depth: int) -> Iterator[Fault]:
    if not item.options:
        return
    if depth > _DEEPEST:
        yield Fault("EXPAND_DEPTH", f"$expand is nested deeper than {_DEEPEST} levels", "url:$expand")
        return
    pairs = tuple(pair for pair in item.options if pair[0] not in ("$levels", "$compute"))
    way = "/".join(item.path)
    try:
        options = parse_options(pairs, subject.view.service.version)
    except MalformedText as error:
        yield Fault(error.code, f"$expand={way}: {error}", f"url:$expand@{item.position}")
        return
    if options.filter is not None:
        typer = Typer(subject.view, type_name, option=f"$expand={way}($filter)")
        typer.condition(options.filter)
        yield from typer.faults
    for order in options.orderby:
        typer = Typer(subject.view, type_name, option=f"$expand={way}($orderby)")
        typer.type_of(order.expression)
        yield from typer.faults
    expanded = {inner.path[0] for inner in options.expand}
    yield from _selected(subject, type_name, options.select, expanded, prefix=f"$expand={way}($select)")
    for inner in options.expand:
        yield from _expanded(subject, type_name, inner, depth=depth + 1)
