"""Seed data: rows of tables and single rows → entities of sets, typed as the mock reads them."""

import re
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

from .model import EntitySet, Field, Mistake, Service
from .reading import read_texts

_CELL = re.compile(r"\$(\w+)")

Entity = dict[str, Any]


def read_seed(folder: Path, services: dict[str, Service]) -> dict[str, dict[str, list[Entity]]]:
    """Gives entities by service and set, sets in the order of the service."""
    texts = [read_texts(path) for path in sorted(folder.glob("*.yaml"))]
    tables = {name: table for text in texts for name, table in text.get("tables", {}).items()}
    found: dict[str, dict[str, list[Entity]]] = {}
    for entry in (entry for text in texts for entry in text["rows"]):
        service, _, name = entry["into"].partition("/")
        entity_set = services[service].sets[name]
        for row in _rows(entry, tables):
            entity = _entity(row, entity_set, services[service])
            found.setdefault(service, {}).setdefault(name, []).append(entity)
    for service, sets in found.items():
        for name, entities in sets.items():
            _check_unique(services[service].sets[name], entities)
    return {
        service: {name: found[service][name] for name in services[service].sets if name in found[service]}
        for service in sorted(found)
    }


def _rows(entry: dict[str, Any], tables: dict[str, Any]) -> list[dict[str, str]]:
    if "rows" in entry:
        return entry["rows"]
    table = tables[entry["from"]]
    cells = [dict(zip(table["columns"], row, strict=True)) for row in table["rows"]]
    return [{name: _filled(text, row) for name, text in entry["with"].items()} for row in cells]


def _filled(text: str, row: dict[str, str]) -> str:
    return _CELL.sub(lambda match: row[match[1]], text)


def _entity(row: dict[str, str], entity_set: EntitySet, service: Service) -> Entity:
    place = f"{service.name}/{entity_set.name}"
    for name in row:
        if entity_set.field(name) is None:
            raise Mistake(f"{place} has no property {name!r}")
    missing = [item.name for item in entity_set.fields if (item.key or item.required) and item.name not in row]
    if missing:
        raise Mistake(f"{place}: a row lacks {missing}: {row}")
    ordered = [item for item in entity_set.fields if item.name in row]
    return {item.name: _value(item, row[item.name], place, service) for item in ordered}


def _value(item: Field, text: str, place: str, service: Service) -> Any:
    try:
        return _typed(item, text, service)
    except (ValueError, ArithmeticError) as error:
        raise Mistake(f"{place}/{item.name}: {text!r} is no {item.type.word} ({error})") from None


def _typed(item: Field, text: str, service: Service) -> Any:
    match item.type.word:
        case "flag":
            return {"true": True, "false": False}[text]
        case "number":
            return int(text)
        case "amount" | "price" | "quantity" | "percent":
            return str(Decimal(text))
        case "date":
            return date.fromisoformat(text).isoformat()
        case "moment":
            return datetime.fromisoformat(text).isoformat()
        case "enum":
            if text not in service.enums[item.type.name]:
                raise ValueError(f"{item.type.name} has no member {text}")
            return text
        case _:
            length = item.type.size or {"unit": 3, "currency": 5}.get(item.type.word, 0)
            if length and len(text) > length:
                raise ValueError(f"longer than {length}")
            if item.type.word == "digits" and not text.isdecimal():
                raise ValueError("not digits")
            return text


def _check_unique(entity_set: EntitySet, entities: list[Entity]) -> None:
    seen: set[tuple[Any, ...]] = set()
    for entity in entities:
        key = tuple(entity[item.name] for item in entity_set.keys)
        if key in seen:
            raise Mistake(f"{entity_set.name} has the key {key} twice")
        seen.add(key)
