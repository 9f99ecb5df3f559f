"""What does not fit together in a document: names that lead nowhere, keys that are missing."""

from collections.abc import Iterator

from clew.sources.odata.assembly import Assembly, Structure

_ABSTRACT = frozenset({"Edm.ComplexType", "Edm.EntityType", "Edm.PrimitiveType"})


def check_document(assembly: Assembly, version: str) -> None:
    """Reports what is broken; the rest of the document is used."""
    _check_types(assembly)
    _check_bases(assembly)
    for item in assembly.sets:
        found = assembly.structures.get(item.type)
        if found is None or found.kind != "EntityType":
            if _namespace(item.type) not in assembly.names.included:
                message = f"The set {item.name!r} is broken: its type {item.type} is not declared in this document."
                assembly.warn("odata-missing-type", message, item.line)
        elif not has_key(found, assembly) and not (item.is_singleton and version == "V4.01"):
            message = (
                f"The type {item.type} of the {'singleton' if item.is_singleton else 'set'} {item.name!r} has no key."
            )
            assembly.warn("odata-missing-key", message, found.line)


def has_key(structure: Structure, assembly: Assembly) -> bool:
    """Whether a type or one that it extends declares a key; one that extends a type elsewhere may have one."""
    seen: set[str] = set()
    while True:
        if structure.fields.get("key"):
            return True
        seen.add(structure.name)
        base = structure.fields.get("base", "")
        if not base or base in seen:
            return False
        found = assembly.structures.get(base)
        if found is None:
            return True
        structure = found


def _check_types(assembly: Assembly) -> None:
    names = assembly.names
    known = assembly.structures.keys() | assembly.enums.keys() | assembly.definitions.keys()
    missing: list[str] = []
    for name in names.referenced():
        namespace = _namespace(name)
        if name in known or namespace in {"Edm", "Edmx"} or namespace in names.included:
            continue
        missing.append(name)
    lines = lines_of(missing, assembly)
    for name in missing:
        place, line = lines.get(name, ("", 0))
        if place:
            message = f"The type {name} of {place} is not declared in this document."
            assembly.warn("odata-missing-type", message, line)


def lines_of(missing: list[str], assembly: Assembly) -> dict[str, tuple[str, int]]:
    """Gives where each of the missing types is used first."""
    if not missing:
        return {}
    wanted = set(missing)
    found: dict[str, tuple[str, int]] = {}
    for name, place, line in _uses(assembly):
        if name in wanted:
            found.setdefault(name, (place, line))
    return found


def _uses(assembly: Assembly) -> Iterator[tuple[str, str, int]]:
    """Gives each use of a type: its name, where it is used, the line."""
    for structure in assembly.structures.values():
        for item in structure.properties:
            yield item.type, f"{structure.name}/{item.name}", item.line
        for item in structure.navigations:
            yield item.target, f"{structure.name}/{item.name}", item.line
    for operation in assembly.operations.values():
        for item in operation.parameters:
            yield item.type, f"{operation.name}/{item.name}", item.line
        yield operation.returns, operation.name, operation.line
        yield operation.bound_to, operation.name, operation.line


def _check_bases(assembly: Assembly) -> None:
    for structure in assembly.structures.values():
        base = structure.fields.get("base", "")
        if not base or base in _ABSTRACT:
            continue
        if base not in assembly.structures:
            if _namespace(base) not in assembly.names.included:
                message = f"The base type {base} of {structure.name} is not declared in this document."
                assembly.warn("odata-missing-type", message, structure.line)
        elif _is_circular(structure, assembly):
            message = f"The base types of {structure.name} lead back to it."
            assembly.warn("odata-circular-base", message, structure.line)


def _is_circular(structure: Structure, assembly: Assembly) -> bool:
    seen: set[str] = set()
    name = structure.name
    while name and name not in seen:
        seen.add(name)
        found = assembly.structures.get(name)
        name = found.fields.get("base", "") if found else ""
    return name == structure.name


def _namespace(name: str) -> str:
    return name.rpartition(".")[0]
