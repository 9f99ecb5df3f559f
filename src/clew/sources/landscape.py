"""`clew.yaml`: systems, services, processes, bindings, code lists, documents and settings of one landscape.

Files shaped like a bare list of services and processes (`set`, `services`, `processes`) are read as they are. Every
error refuses the whole landscape: a typing slip must not leave half of it in force.
"""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TypeVar

import msgspec

from clew.domain.facts import Refused
from clew.domain.landscape import (
    BindingRow,
    CodeListColumns,
    CodeListEntry,
    CodeListUse,
    Landscape,
    LandscapeSettings,
    ProcessEntry,
    ServiceEntry,
    System,
    WritePermission,
)
from clew.sources.bindings import read_binding_row
from clew.sources.credentials import check_url, read_auth
from clew.sources.file_places import locate, why_not_below
from clew.sources.landscape_shapes import (
    CODELIST,
    CODELIST_USE,
    COLUMNS,
    LANDSCAPE,
    PROCESS,
    SERVICE,
    SETTINGS,
    SYSTEM,
)
from clew.sources.yaml_fields import FieldValues, Notes, closest, collect_fields, read_fields, texts_of
from clew.sources.yaml_text import Fields, Items, Scalar, YamlNode, read_yaml

__all__ = ["file_folders", "read_landscape"]


_Entry = TypeVar("_Entry")


def read_landscape(
    data: bytes | str, *, document: str, folder: Path | None = None, root: Path | None = None
) -> Landscape | Refused:
    """Reads a landscape.

    `folder` is the one that `document` lies in; `root` is another one that its files may start from. Without a folder
    the files that it names are not looked for; they must still be names that stay below theirs.
    """
    node = read_yaml(data, document=document)
    if isinstance(node, Refused):
        return node
    notes = Notes(document)
    landscape = _landscape(collect_fields(node, LANDSCAPE, notes), document, notes)
    _check_names(landscape, notes)
    folders = () if folder is None else file_folders(landscape, folder=folder, root=root)
    _check_files(landscape, notes, folders, _file_lines(node))
    if errors := notes.errors:
        return Refused(issue=errors[0], others=errors[1:])
    return msgspec.structs.replace(landscape, issues=notes.in_order)


def file_folders(landscape: Landscape, *, folder: Path, root: Path | None = None) -> tuple[Path, ...]:
    """Gives the folders in which the landscape's files are looked up, first one first: see `file_places.locate`."""
    below = folder / landscape.files if landscape.files else None
    return tuple(place for place in (root, below, folder) if place is not None)


def _landscape(values: FieldValues, document: str, notes: Notes) -> Landscape:
    rows, files = _bindings(values.get("bindings"), notes)
    return Landscape(
        document=document,
        name=values.get("name", values.get("set", "")),
        about=values.get("about", ""),
        files=values.get("files", ""),
        systems=_entries("systems", values.get("systems"), _system, notes),
        services=_entries("services", values.get("services"), _service, notes),
        processes=_entries("processes", values.get("processes"), _process, notes),
        bindings=rows,
        binding_files=files,
        codelists=_entries("codelists", values.get("codelists"), _codelist, notes),
        annotations=values.get("annotations", ()),
        documents=values.get("documents", ()),
        policies=values.get("policies", ()),
        seeds=values.get("seeds", ()),
        settings=_settings(values.get("settings"), notes),
    )


def _entries(
    name: str, node: YamlNode | None, read: Callable[[YamlNode, Notes], _Entry | None], notes: Notes
) -> tuple[_Entry, ...]:
    if node is None:
        return ()
    if not isinstance(node, Items):
        notes.error("wrong-type", f"{name!r} of a landscape is a list; begin each entry with `-`.", node.line)
        return ()
    found = (read(item, notes) for item in node.items)
    return tuple(entry for entry in found if entry is not None)


def _system(node: YamlNode, notes: Notes) -> System | None:
    values = _with_auth(node, read_fields(node, SYSTEM, notes), notes)
    return None if values is None else System(**values, line=node.line)


def _service(node: YamlNode, notes: Notes) -> ServiceEntry | None:
    values = _with_auth(node, read_fields(node, SERVICE, notes), notes)
    if values is None:
        return None
    if "file" not in values and "url" not in values:
        notes.error("missing-key", f"Service {values['id']!r} needs 'file' or 'url' for its metadata.", node.line)
    return ServiceEntry(**values, line=node.line)


def _with_auth(node: YamlNode, values: FieldValues | None, notes: Notes) -> FieldValues | None:
    if values is None or not isinstance(node, Fields):
        return None
    for name in ("url", "base_url"):
        # A service's base URL may go on from its system's.
        if name in values and not (name == "base_url" and "system" in values and values[name].startswith("/")):
            check_url(name, values[name], node.key_lines[name], notes)
    if "auth" in values:
        values["auth"] = read_auth(values["auth"], notes)
    return values


def _process(node: YamlNode, notes: Notes) -> ProcessEntry | None:
    values = read_fields(node, PROCESS, notes)
    return None if values is None else ProcessEntry(**values, line=node.line)


def _bindings(node: YamlNode | None, notes: Notes) -> tuple[tuple[BindingRow, ...], tuple[str, ...]]:
    if isinstance(node, Fields):
        notes.error("wrong-type", "'bindings' of a landscape is a file's name, or a list of rows.", node.line)
        return (), ()
    items = () if node is None else node.items if isinstance(node, Items) else (node,)
    files = tuple(item.text for item in items if isinstance(item, Scalar))
    rows = (read_binding_row(item, notes) for item in items if not isinstance(item, Scalar))
    return tuple(row for row in rows if row is not None), files


def _codelist(node: YamlNode, notes: Notes) -> CodeListEntry | None:
    values = read_fields(node, CODELIST, notes)
    if values is None:
        return None
    if "columns" in values:
        columns = read_fields(values["columns"], COLUMNS, notes)
        values["columns"] = CodeListColumns(**(columns or {}))
    if "applies_to" in values:
        applies = values["applies_to"]
        items = applies.items if isinstance(applies, Items) else (applies,)
        uses = (_codelist_use(item, notes) for item in items)
        values["applies_to"] = tuple(use for use in uses if use is not None)
    return CodeListEntry(**values, line=node.line)


def _codelist_use(node: YamlNode, notes: Notes) -> CodeListUse | None:
    if isinstance(node, Scalar):
        return CodeListUse(property=node.text, line=node.line)
    values = read_fields(node, CODELIST_USE, notes)
    return None if values is None else CodeListUse(**values, line=node.line)


def _settings(node: YamlNode | None, notes: Notes) -> LandscapeSettings:
    if node is None:
        return LandscapeSettings()
    values = collect_fields(node, SETTINGS, notes)
    if "writes" in values:
        values["writes"] = _writes(values["writes"], notes)
    return LandscapeSettings(**values)


def _writes(node: YamlNode, notes: Notes) -> tuple[WritePermission, ...]:
    if not isinstance(node, Fields):
        message = (
            "'writes' of the settings maps a service's id to the entity sets and operations that may write, or to '*'."
        )
        notes.error("wrong-type", message, node.line)
        return ()
    found: list[WritePermission] = []
    for service, child in node.entries.items():
        items: Sequence[YamlNode] = child.items if isinstance(child, Items) else (child,)
        names = texts_of(items)
        if not names:
            notes.error("wrong-type", f"'writes' of service {service!r} is a list of names, or '*'.", child.line)
        else:
            found.append(WritePermission(service=service, operations=names, line=node.key_lines[service]))
    return tuple(found)


def _check_names(landscape: Landscape, notes: Notes) -> None:
    systems = [(system.id, system.line) for system in landscape.systems]
    services = [(service.id, service.line) for service in landscape.services]
    _check_unique("system", systems, notes)
    _check_unique("service", services, notes)
    _check_unique("process", [(process.id, process.line) for process in landscape.processes], notes)
    _check_unique("code list", [(codelist.name, codelist.line) for codelist in landscape.codelists], notes)
    known_systems = {name for name, _ in systems}
    for service in landscape.services:
        # Without a list of systems, `system` is a name in words.
        if known_systems and service.system and service.system not in known_systems:
            message = f"Service {service.id!r} is on system {service.system!r}, which is not listed under 'systems'."
            notes.error("unknown-system", message, service.line, closest(service.system, known_systems))
    known = {name for name, _ in services}
    for permission in landscape.settings.writes:
        if permission.service not in known:
            message = f"'writes' of the settings names service {permission.service!r}, which is not listed."
            notes.error("unknown-service", message, permission.line, closest(permission.service, known))


def _check_unique(what: str, names: Iterable[tuple[str, int]], notes: Notes) -> None:
    seen: dict[str, int] = {}
    for name, line in names:
        if name in seen:
            notes.error(
                "duplicate-id", f"There are two entries for {what} {name!r} (the first in line {seen[name]}).", line
            )
        seen.setdefault(name, line)


_FILE_LISTS = ("bindings", "annotations", "documents", "policies", "seeds")


def _file_lines(node: YamlNode) -> dict[tuple[str, str], int]:
    """Gives the line of each file in the lists of the landscape itself, by key and name."""
    lines: dict[tuple[str, str], int] = {}
    for key, child in node.entries.items() if isinstance(node, Fields) else ():
        for item in child.items if isinstance(child, Items) else (child,):
            if isinstance(item, Scalar):
                lines.setdefault((key, item.text), item.line)
    return lines


def _check_files(
    landscape: Landscape, notes: Notes, folders: Sequence[Path], lines: dict[tuple[str, str], int]
) -> None:
    if landscape.files and (problem := why_not_below(landscape.files)):
        message = f"'files' names {landscape.files!r}, which {problem}; name a folder elsewhere with --root."
        notes.error("file-outside", message, lines["files", landscape.files])
        return
    for what, file, line in _files(landscape, lines):
        if problem := why_not_below(file):
            notes.error("file-outside", f"{what} names {file!r}, which {problem}.", line)
        elif folders and locate(file, folders, folder=what == "'documents'") is None:
            notes.error("missing-file", f"{what} names {file!r}, which does not exist.", line)


def _files(landscape: Landscape, lines: dict[tuple[str, str], int]) -> Iterable[tuple[str, str, int]]:
    for service in landscape.services:
        for file in filter(None, (service.file, *service.annotations)):
            yield f"Service {service.id!r}", file, service.line
    for process in landscape.processes:
        yield f"Process {process.id!r}", process.file, process.line
    for codelist in landscape.codelists:
        yield f"Code list {codelist.name!r}", codelist.file, codelist.line
    listed = (
        landscape.binding_files,
        landscape.annotations,
        landscape.documents,
        landscape.policies,
        landscape.seeds,
    )
    for key, files in zip(_FILE_LISTS, listed, strict=True):
        for file in files:
            yield repr(key), file, lines[key, file]
