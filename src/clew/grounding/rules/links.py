"""Rule: links to existing entities: `@odata.bind` (JSON Format 4.01, clause 8.5), `__metadata.uri` before V3."""

from collections.abc import Iterable

from clew.domain.errors import MalformedText
from clew.domain.records import JsonValue
from clew.domain.services import EntitySet, NavigationProperty
from clew.grounding.faults import Fault, Path, pointer_of, readable
from clew.grounding.rules.keys import key_types
from clew.grounding.subject import Entry, Subject
from clew.grounding.targets import Place, Step, resolve_path
from clew.protocol.keys import read_key
from clew.protocol.urls import parse_path


def check_links(subject: Subject) -> Iterable[Fault]:
    """Follows every link that the body makes."""
    for entry, name, value in subject.links:
        way = entry.table.ways.get(name.partition("@")[0])
        if way is None:
            continue
        if "@" in name:
            yield from _bind(subject, entry, name, value, way.navigation)
        elif isinstance(value, dict):
            yield from _nested(subject, entry, name, value, way.navigation)


def _bind(
    subject: Subject, entry: Entry, name: str, value: JsonValue, navigation: NavigationProperty
) -> Iterable[Fault]:
    path = (*entry.path, name)
    if subject.view.service.version in {"V1", "V2"}:
        message = f"{readable(path)}: OData V2 knows no odata.bind"
        expected = f'"{navigation.name}": {{"__metadata": {{"uri": "Set(key)"}}}}, or the foreign key itself'
        yield Fault("V2_NO_BIND", message, pointer_of(path), expected)
        return
    if navigation.multiplicity == "*":
        if not isinstance(value, list):
            yield Fault("BIND_SYNTAX", f"{readable(path)} binds many entities: an array", pointer_of(path), "[…]")
            return
        for index, item in enumerate(value):
            yield from _reference(subject, entry, item, navigation, (*path, index))
        return
    if value is None and subject.view.is_v4:
        return
    yield from _reference(subject, entry, value, navigation, path)


def _nested(
    subject: Subject, entry: Entry, name: str, value: dict[str, JsonValue], navigation: NavigationProperty
) -> Iterable[Fault]:
    control = value.get("__metadata")
    uri = control.get("uri") if isinstance(control, dict) else None
    if uri is not None and len(value) == 1:
        yield from _reference(subject, entry, uri, navigation, (*entry.path, name, "__metadata", "uri"))


def _reference(
    subject: Subject, entry: Entry, value: JsonValue, navigation: NavigationProperty, path: Path
) -> Iterable[Fault]:
    wanted = _wanted_set(subject, entry, navigation)
    shape = f"{wanted.name if wanted else 'Set'}(key)"
    at = pointer_of(path)
    if not isinstance(value, str):
        yield Fault("BIND_SYNTAX", f"{readable(path)} names an entity by its URL, as text", at, f'"{shape}"')
        return
    step = _resolve(subject, value)
    if isinstance(step, str):
        yield Fault("BIND_TARGET", f"{readable(path)}: {step}", at, shape)
        return
    fits = subject.view.is_derived(step.type, navigation.target)
    if not fits or (wanted is not None and step.entity_set is not None and step.entity_set.name != wanted.name):
        name = wanted.name if wanted is not None else navigation.target
        message = f"{readable(path)}: {navigation.name} links to {name}, not to {step.segment.name}"
        yield Fault("BIND_TARGET", message, at, shape)


def _wanted_set(subject: Subject, entry: Entry, navigation: NavigationProperty) -> EntitySet | None:
    scope = entry.table.scope
    node = subject.view.sets.get(scope.entity_set)
    if node is None:
        return None
    whole = f"{scope.path}/{navigation.name}".lstrip("/")
    for binding in node.bindings:
        if binding.path == whole:
            return subject.view.sets.get(binding.target.rpartition("/")[2])
    return None if scope.path else subject.view.target_set(node.name, navigation.name)


def _resolve(subject: Subject, url: str) -> Step | str:
    """Gives the entity that a URL names, or what is wrong with it. An absolute URL counts from its last segments."""
    relative = _below_root(subject, url)
    try:
        path = parse_path(relative)
        target = resolve_path(path, subject.view)
        if isinstance(target, Fault):
            return target.message
        step = target.last
        if step.place is not Place.ENTITY or step.segment.key is None:
            return f"{url!r} names no single entity; a key is needed"
        read_key(step.segment.key, key_types(subject, step), subject.view.service.version)
    except MalformedText as error:
        return str(error)
    return step


def _below_root(subject: Subject, url: str) -> str:
    root = subject.view.service.url.rstrip("/")
    if root and url.startswith(root + "/"):
        return url[len(root) + 1 :]
    if "://" not in url and not url.startswith("/"):
        return url
    segments = url.split("/")
    for index, segment in enumerate(segments):
        if segment.partition("(")[0] in subject.view.sets:
            return "/".join(segments[index:])
    return segments[-1]
