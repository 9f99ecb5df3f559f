"""Any valid payload of a type passes; with one fault in it, it does not, and the fault is told where it is."""

import json
from collections.abc import Callable
from decimal import Decimal
from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.domain.issues import Severity
from clew.domain.requests import Call
from clew.domain.services import Property
from clew.graph.service_view import ServiceView
from clew.grounding import Grounding, compose
from clew.grounding.requirements import is_settable
from clew.protocol.json import parse_json, write_json

SETS = [("workshop_v4.csdl.xml", "Jobs"), ("workshop_v4.csdl.xml", "Customers"), ("depot_v2.csdl.xml", "Requisitions")]
LETTERS = st.characters(codec="utf-8", exclude_categories=["Cs"])


def _values(view: ServiceView, prop: Property) -> st.SearchStrategy[Any]:
    enum = view.enums.get(prop.type)
    found = view.value_help_of(prop)
    if enum is not None:
        names = st.sampled_from([member.name for member in enum.members])
        return st.lists(names, min_size=1, unique=True).map(",".join) if enum.flags else names
    if found is not None and found.codes:
        return st.sampled_from([code.code for code in found.codes])
    if prop.type in view.types:
        return _objects(view, prop.type)
    by_type: dict[str, st.SearchStrategy[Any]] = {
        "Edm.String": _texts(prop),
        "Edm.Boolean": st.booleans(),
        "Edm.Byte": st.integers(0, 255),
        "Edm.Int16": st.integers(-(2**15), 2**15 - 1),
        "Edm.Int32": st.integers(-(2**31), 2**31 - 1),
        "Edm.Int64": st.integers(-(2**63), 2**63 - 1),
        "Edm.Decimal": _decimals(prop),
        "Edm.Double": st.decimals(allow_nan=False, allow_infinity=False, places=3, min_value=-1000, max_value=1000),
        "Edm.Guid": st.uuids().map(str),
        "Edm.Date": st.dates().map(str),
        "Edm.DateTime": st.datetimes().map(lambda moment: moment.replace(microsecond=0).isoformat()),
        "Edm.DateTimeOffset": st.datetimes().map(lambda moment: moment.replace(microsecond=0).isoformat() + "Z"),
        "Edm.TimeOfDay": st.times().map(lambda time: time.replace(microsecond=0).isoformat()),
        "Edm.Time": st.integers(0, 86_399).map(lambda seconds: f"PT{seconds}S"),
        "Edm.Duration": st.integers(0, 10**6).map(lambda seconds: f"PT{seconds}S"),
        "Edm.Binary": st.sampled_from(["", "AQ", "T0Rh", "T0RhdA"]),
    }
    return by_type[prop.type]


def _texts(prop: Property) -> st.SearchStrategy[str]:
    if prop.digits_only:
        return st.text("0123456789", min_size=1, max_size=prop.max_length or 5)
    texts = st.text(LETTERS, max_size=min(prop.max_length or 30, 30)).filter(lambda text: not text.startswith("$"))
    return texts.map(lambda text: text.upper()[: prop.max_length]) if prop.uppercase else texts


def _decimals(prop: Property) -> st.SearchStrategy[Decimal]:
    scale = prop.scale or 0
    digits = (prop.precision or 9) - scale
    return st.decimals(
        min_value=-(10**digits) + 1, max_value=10**digits - 1, places=scale, allow_nan=False, allow_infinity=False
    )


@cache
def _objects(view: ServiceView, type_name: str) -> st.SearchStrategy[dict[str, Any]]:
    required: dict[str, st.SearchStrategy[Any]] = {}
    optional: dict[str, st.SearchStrategy[Any]] = {}
    key = view.key(type_name)
    for name, prop in view.properties(type_name).items():
        if not is_settable(prop) or (name in key and not prop.creatable):
            continue
        values = _values(view, prop)
        if prop.collection:
            values = st.lists(values, max_size=3)
        must = not prop.nullable and prop.default is None and not prop.collection
        (required if must or name == "DueOn" else optional)[name] = values
    for name, way in view.navigations(type_name).items():
        if way.multiplicity == "*":
            optional[name] = st.lists(_objects(view, way.target), max_size=2)
    return st.fixed_dictionaries(required, optional=optional)


@pytest.mark.parametrize(("file", "entity_set"), SETS)
@given(data=st.data())
def test_every_payload_made_from_the_type_is_allowed(
    view: Callable[[str], ServiceView],
    grounding: Callable[[str], Grounding],
    file: str,
    entity_set: str,
    data: st.DataObject,
) -> None:
    service = view(file)
    payload = data.draw(_objects(service, service.sets[entity_set].type))
    call = Call(method="POST", service=service.id, entity_set=entity_set, payload=payload)
    verdict = grounding(file).validate(compose(call, service))
    assert verdict.allowed, (payload, verdict.problems)


def _misspell(name: str, data: st.DataObject) -> str:
    position = data.draw(st.integers(0, len(name) - 1))
    return name[:position] + data.draw(st.sampled_from("xqz")) + name[position:]


FAULTS = ("misspelt name", "object for a value", "unknown code", "too long", "too many decimals", "not this calendar")


def _break(view: ServiceView, type_name: str, members: dict[str, Any], fault: str, data: st.DataObject) -> str | None:
    """Puts one fault into the members of an object; gives the name that it is at, `None` where it has no place."""
    properties = view.properties(type_name)
    names = [name for name in members if name in properties and not properties[name].collection]
    fitting = [name for name in names if _takes(view, properties[name], fault)]
    if not fitting:
        return None
    name = data.draw(st.sampled_from(fitting))
    prop = properties[name]
    if fault == "misspelt name":
        wrong = _misspell(name, data)
        members[wrong] = members.pop(name)
        return wrong
    members[name] = {
        "object for a value": {"value": members[name]},
        "unknown code": "?!",
        "too long": "x" * ((prop.max_length or 0) + 1),
        "too many decimals": f"0.{'1' * ((prop.scale or 0) + 1)}",
        "not this calendar": "2025-02-29",
    }[fault]
    if fault == "too many decimals" and view.is_v4:
        members[name] = Decimal(members[name])
    return name


def _takes(view: ServiceView, prop: Property, fault: str) -> bool:
    found = view.value_help_of(prop)
    match fault:
        case "unknown code":
            return prop.type in view.enums or (found is not None and bool(found.codes))
        case "too long":
            return prop.type == "Edm.String" and prop.max_length is not None and not (found and found.codes)
        case "too many decimals":
            return prop.type == "Edm.Decimal"
        case "not this calendar":
            return prop.type == "Edm.Date"
        case "object for a value":
            return prop.type not in view.types
        case _:
            return True


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize(("file", "entity_set"), SETS)
@settings(max_examples=25)
@given(data=st.data())
def test_one_fault_anywhere_is_caught_where_it_is(
    view: Callable[[str], ServiceView],
    grounding: Callable[[str], Grounding],
    file: str,
    entity_set: str,
    fault: str,
    data: st.DataObject,
) -> None:
    service = view(file)
    type_name = service.sets[entity_set].type
    payload = data.draw(_objects(service, type_name))
    call = Call(method="POST", service=service.id, entity_set=entity_set, payload=payload)
    request = compose(call, service)
    body = parse_json(request.body or "")
    assert isinstance(body, dict)
    nested = [
        (name, index, way.target)
        for name, way in service.navigations(type_name).items()
        if isinstance(entries := body.get(name), list)
        for index in range(len(entries))
    ]
    place = data.draw(st.sampled_from([None, *nested]))
    holder: Any = body if place is None else body[place[0]][place[1]]  # pyright: ignore[reportIndexIssue]
    broken = _break(service, type_name if place is None else place[2], holder, fault, data)
    if broken is None:
        return
    prefix = "" if place is None else f"/{place[0]}/{place[1]}"
    wrong = {"method": "POST", "url": entity_set, "body": write_json(body)}
    verdict = grounding(file).validate_text(json.dumps(wrong))
    assert not verdict.allowed
    errors = [problem for problem in verdict.problems if problem.severity is Severity.ERROR]
    assert any(problem.pointer == f"{prefix}/{broken}" for problem in errors), (fault, broken, errors)
