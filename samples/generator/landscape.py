"""`clew.yaml`, the bindings and what operations do, from the services and processes."""

import re
from pathlib import Path
from typing import Any

import yaml

from .bpmn import Process, read_process
from .model import Mistake, Service
from .reading import read_typed

_CALL = re.compile(r"([A-Z]+) (\w+)([/.])(\w+)(?: on (\w+))?(?: with (.+))?")
_WIDE = 1 << 20

HEADER = "# Written by samples/generate.py from samples/landscape; change it there.\n"


def read_processes(folder: Path) -> list[Process]:
    return [read_process(read_typed(path)) for path in sorted(folder.glob("*.yaml"))]


def write_landscape(folder: Path, services: dict[str, Service], processes: list[Process], seeds: list[str]) -> str:
    described = read_typed(folder / "landscape.yaml")
    system = described["systems"][0]["id"]
    return HEADER + _dumped(
        {
            "$schema": "../src/clew/sources/landscape.schema.json",
            "name": described["name"],
            "about": described["about"],
            "systems": described["systems"],
            "services": [
                {
                    "id": service.name,
                    "file": f"services/{service.name}.xml",
                    "system": system,
                    "odata": service.odata,
                    "base_url": f"/odata/{service.odata.lower()}/{service.name}/",
                    "about": service.about,
                }
                for service in services.values()
            ],
            "processes": [
                {"id": process.id, "file": f"processes/{process.id}.bpmn", "name": process.name}
                for process in processes
            ],
            "bindings": "bindings.yaml",
            "codelists": [
                {"name": name, "file": f"codelists/{name}.csv", "applies_to": _uses(uses, services)}
                for name, uses in described["codelists"].items()
            ],
            "seeds": seeds,
            "settings": described["settings"] | {"writes": {service.name: "*" for service in services.values()}},
        }
    )


def _uses(text: str, services: dict[str, Service]) -> list[Any]:
    words = text.split()
    if words[0] == "type":
        return sorted(
            {
                item.name
                for service in services.values()
                for entity_set in service.sets.values()
                for item in entity_set.fields
                if item.type.word == words[1]
            }
        )
    uses: list[Any] = []
    for word in words:
        service, _, name = word.rpartition("/")
        _check_use(service, name, services)
        uses.append({"service": service, "property": name} if service else name)
    return uses


def _check_use(service: str, name: str, services: dict[str, Service]) -> None:
    meant = [services[service]] if service else list(services.values())
    if not any(entity_set.field(name) for item in meant for entity_set in item.sets.values()) and not any(
        field.name == name for item in meant for operation in item.operations for field, _ in operation.takes
    ):
        raise Mistake(f"a code list applies to {name!r}, which nothing has")


def write_bindings(processes: list[Process], services: dict[str, Service]) -> str:
    rows = [_binding(process, step, services) for process in processes for step in process.activities() if step.call]
    return HEADER + _dumped({"bindings": rows})


def _binding(process: Process, step: Any, services: dict[str, Service]) -> dict[str, Any]:
    row: dict[str, Any] = {"process": process.id, "activity": step.id, "activity_name": step.name}
    if step.call == "none":
        return row | {"unbound": True}
    match = _CALL.fullmatch(step.call)
    if match is None:
        raise Mistake(f"{process.id}/{step.id}: {step.call!r} is no call")
    method, service, kind, name, on, pairs = match.groups()
    known = services[service].sets if kind == "/" else {operation.name for operation in services[service].operations}
    if name not in known or (on and on not in services[service].sets):
        raise Mistake(f"{process.id}/{step.id}: {step.call!r} names what is not there")
    row |= {"service": service, "entity_set" if kind == "/" else "operation": name, "method": method}
    if on:
        row["bound_to"] = on
    if pairs:
        row["values"] = dict(pair.split("=", 1) for pair in pairs.split())
    return row


def effects(services: dict[str, Service]) -> dict[str, Any]:
    """What operations change in the entity that they are called on: property → value, or `$parameter`."""
    found = {
        service.name: {
            operation.name: {"entity_set": operation.on, "values": operation.effect}
            for operation in service.operations
            if operation.effect
        }
        for service in services.values()
    }
    return {service: operations for service, operations in found.items() if operations}


def _dumped(value: Any) -> str:
    return yaml.safe_dump(value, sort_keys=False, allow_unicode=True, width=_WIDE)
