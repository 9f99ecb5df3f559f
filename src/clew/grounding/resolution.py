"""References put in: by the results of earlier steps, or by stand-ins where a step has not been carried out yet."""

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import Final

import msgspec

from clew.domain.errors import MalformedText
from clew.domain.issues import Issue, Place
from clew.domain.plans import Earlier
from clew.domain.records import JsonObject, JsonValue, Record
from clew.domain.references import Reference, escape, is_reference, parse_reference, value_at
from clew.domain.requests import Call
from clew.domain.services import Parameter, Property
from clew.graph.service_view import ServiceView
from clew.grounding.signatures import operation_of, property_at, result_type
from clew.grounding.suggestions import closest
from clew.grounding.targets import members_of
from clew.protocol.primitives import INTEGER_RANGES

_ABSENT: Final[JsonObject] = {}
_NUMBERS = {*INTEGER_RANGES, "Edm.Decimal", "Edm.Double", "Edm.Single"}
_DATES = {"Edm.Date", "Edm.DateTime", "Edm.DateTimeOffset"}
_TIMES = {"Edm.Time", "Edm.TimeOfDay", "Edm.Duration"}
_SAMPLES: Mapping[str, JsonValue] = {
    "Edm.Boolean": True,
    "Edm.Guid": "3f2504e0-4f89-41d3-9a0c-0305e82c3301",
    "Edm.Date": "2025-01-01",
    "Edm.DateTime": "2025-01-01T00:00:00",
    "Edm.DateTimeOffset": "2025-01-01T00:00:00Z",
    "Edm.Time": "PT12H",
    "Edm.TimeOfDay": "12:00:00",
    "Edm.Duration": "PT12H",
    "Edm.Binary": "",
}


class Resolution(Record, frozen=True, kw_only=True):
    """A call with its references put in; `stood_in` are the places where only a stand-in could be put."""

    call: Call
    issues: tuple[Issue, ...] = ()
    stood_in: frozenset[str] = frozenset()


def resolve(
    call: Call,
    earlier: Sequence[Earlier],
    view: ServiceView,
    *,
    views: Callable[[str], ServiceView] | None = None,
    codes: Callable[[Property | Parameter], str] | None = None,
) -> Resolution:
    """Puts earlier results in the place of references, converted where the types ask for it (`17` for text, `"17"`).

    A step that has not been carried out gives a stand-in of the type that its place wants, after the types were
    compared by `views`, which gives the description of a service. `codes` gives a valid code for a property that keeps
    to a list. A reference to what is not there is an issue, and stays.
    """
    return _Resolver(call, earlier, view, views, codes).resolve()


class _Resolver:
    def __init__(
        self,
        call: Call,
        earlier: Sequence[Earlier],
        view: ServiceView,
        views: Callable[[str], ServiceView] | None,
        codes: Callable[[Property | Parameter], str] | None,
    ) -> None:
        self.call = call
        self.earlier = earlier
        self.view = view
        self.views = views if views is not None else self._own_view
        self.codes = codes
        self.operation = operation_of(call, view) if call.operation else None
        self.issues: list[Issue] = []
        self.stood_in: set[str] = set()

    def _own_view(self, service: str) -> ServiceView:
        del service  # a caller with one service says nothing of others
        return self.view

    def resolve(self) -> Resolution:
        key: JsonObject = {name: self._value(value, f"key/{name}") for name, value in self.call.key.items()}
        query = {name: self._text(value, f"query/{name}") for name, value in self.call.query.items()}
        payload = self.call.payload
        if payload is not None:
            payload = {name: self._value(value, f"/{name}") for name, value in payload.items()}
        call = msgspec.structs.replace(self.call, key=key, query=query, payload=payload)
        return Resolution(call=call, issues=tuple(self.issues), stood_in=frozenset(self.stood_in))

    def _value(self, value: JsonValue, place: str) -> JsonValue:
        if isinstance(value, dict):
            return {name: self._value(inner, f"{place}/{_token(name)}") for name, inner in value.items()}
        if isinstance(value, list):
            return [self._value(inner, f"{place}/{index}") for index, inner in enumerate(value)]
        if not isinstance(value, str) or not is_reference(value):
            return value
        return self._put_in(value, place)

    def _text(self, value: str, place: str) -> str:
        if not is_reference(value):
            return value
        found = self._put_in(value, place)
        return found if isinstance(found, str) else str(found)

    def _put_in(self, text: str, place: str) -> JsonValue:
        try:
            reference = parse_reference(text)
        except MalformedText as error:
            return self._report(error.code, str(error), text, place)
        if reference.step > len(self.earlier):
            message = f"{text} refers to step {reference.step}, of which there is no result yet"
            return self._report("REFERENCE_STEP", message, text, place)
        step = self.earlier[reference.step - 1]
        wanted = property_at(self.call, self.operation, place, self.view)
        if not step.carried_out:
            return self._stand_in(reference, step, wanted, text, place)
        found = follow(step.result, reference)
        if isinstance(found, Issue):
            self.issues.append(msgspec.structs.replace(found, place=Place(pointer=place)))
            return text
        return _escaped(self._converted(found, wanted))

    def _report(self, code: str, message: str, text: str, place: str) -> JsonValue:
        self.issues.append(Issue(code=code, message=message, place=Place(pointer=place)))
        return text

    def _converted(self, value: JsonValue, wanted: Property | Parameter | None) -> JsonValue:
        if wanted is None:
            return value
        primitive = self.view.underlying(wanted.type)
        if primitive == "Edm.String" and isinstance(value, int | Decimal) and not isinstance(value, bool):
            return str(value)
        if primitive in INTEGER_RANGES and isinstance(value, str) and value.isascii() and value.isdigit():
            return int(value)
        return value

    # -- stand-ins

    def _stand_in(
        self, reference: Reference, step: Earlier, wanted: Property | Parameter | None, text: str, place: str
    ) -> JsonValue:
        source = self._source(reference, step, place)
        if source is None:
            return text
        self.stood_in.add(place)
        if wanted is None:
            return "1"
        view = self.views(step.call.service)
        given, taken = view.underlying(source.type), self.view.underlying(wanted.type)
        if source.collection or source.type in view.types:
            self._report("REFERENCE_TYPE", f"{text} is no single value", text, place)
        elif not is_assignable(given, taken):
            message = f"{text} is {given}, {wanted.name} takes {taken}"
            self._report("REFERENCE_TYPE", message, text, place)
        return self._sample(wanted, taken)

    def _source(self, reference: Reference, step: Earlier, place: str) -> Property | None:
        """Gives the property that a reference leads to in the type that its step gives; reports what is not there."""
        view = self.views(step.call.service)
        type_name = result_type(step.call, view)
        if not type_name:
            return Property(name="", type="Edm.Untyped")
        current, found = type_name, None
        for part in reference.path:
            if isinstance(part, int):
                continue
            found = view.properties(current).get(part)
            navigation = view.navigations(current).get(part)
            if found is None and navigation is None:
                if any(known.open for known in view.lineage(current)):
                    return Property(name=part, type="Edm.Untyped")
                self._missing(reference, part, current, view, place)
                return None
            current = found.type if found is not None else navigation.target if navigation is not None else ""
        return found or Property(name=str(reference), type=current, collection=True)

    def _missing(self, reference: Reference, name: str, type_name: str, view: ServiceView, place: str) -> None:
        suggestions = closest(name, members_of(view, type_name))
        message = f"{reference}: the result of step {reference.step} is a {type_name}, which has no {name!r}"
        issue = Issue(code="REFERENCE_PROPERTY", message=message, place=Place(pointer=place), suggestions=suggestions)
        self.issues.append(issue)

    def _sample(self, wanted: Property | Parameter, primitive: str) -> JsonValue:
        enum = self.view.enums.get(wanted.type)
        if enum is not None:
            return enum.members[0].name if enum.members else ""
        if self.codes is not None and (code := self.codes(wanted)):
            return code
        return 1 if primitive in _NUMBERS else _SAMPLES.get(primitive, "1")


def follow(result: JsonObject | list[JsonObject] | None, reference: Reference) -> JsonValue | Issue:
    """Gives the value that a reference leads to in a result, or the issue of what is not there."""
    if isinstance(result, list) and not isinstance(reference.path[0], int):
        if len(result) != 1:
            message = f"{reference}: the result has {len(result)} entries; name one, as in $1[0].Name"
            return Issue(code="REFERENCE_MANY", message=message)
        result = result[0]
    found = value_at([*result] if isinstance(result, list) else result, reference.path, _ABSENT)
    if found is _ABSENT:
        message = f"{reference} is not in the result of step {reference.step}"
        return Issue(code="REFERENCE_PROPERTY", message=message)
    if found is None:
        return Issue(code="REFERENCE_NULL", message=f"{reference} is null in the result of step {reference.step}")
    return found


def is_assignable(given: str, taken: str) -> bool:
    """Whether a value of one primitive type may stand where another is wanted, perhaps converted."""
    if given == taken or "Edm.Untyped" in (given, taken) or taken == "Edm.String":
        return True
    if given == "Edm.String":
        return taken in INTEGER_RANGES or not taken.startswith("Edm.")
    return any({given, taken} <= family for family in (_NUMBERS, _DATES, _TIMES))


def _escaped(value: JsonValue) -> JsonValue:
    return escape(value) if isinstance(value, str) else value


def _token(name: str) -> str:
    return name.replace("~", "~0").replace("/", "~1")
