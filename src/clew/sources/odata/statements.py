"""What annotations state about one element: typed where its record has a field for it, opaque where not."""

from typing import Any

import msgspec

from clew.domain.services import Annotation, Capabilities, Draft, Texts
from clew.sources.odata.attributes import TEXT_FIELDS, Fields


class Statement:
    """Collects what is stated; `allowed` are the fields of the element's record, `None` where it is not known yet."""

    __slots__ = ("allowed", "capabilities", "draft", "fields", "line", "navigation_capabilities", "opaque", "texts",
                 "value_help")  # fmt: skip

    def __init__(self, allowed: frozenset[str] | None, line: int = 0) -> None:
        """Begins with nothing stated."""
        self.allowed = allowed
        self.line = line
        self.fields: Fields = {}
        self.texts: dict[str, str] = {}
        self.capabilities: Fields = {}
        self.navigation_capabilities: dict[str, Fields] = {}
        self.draft: Draft | None = None
        self.value_help: Fields | None = None
        self.opaque: list[Annotation] = []

    def allows(self, field: str) -> bool:
        """Whether the element's record has the field, as far as is known."""
        return self.allowed is None or field in self.allowed

    def set(self, field: str, value: object) -> bool:
        """States a field; gives whether the element has it."""
        if not self.allows(field):
            return False
        self.fields[field] = value
        return True

    def say(self, field: str, value: object) -> bool:
        """States a text; gives whether the element has texts and the value is one."""
        if field not in TEXT_FIELDS or not isinstance(value, str) or not self.allows("texts"):
            return False
        self.texts[field] = value.strip()
        return True

    def merge_into(self, fields: Fields) -> None:
        """Puts what is stated into the fields of a record in the making; it overrides what is there."""
        fields.update(self.fields)
        if self.texts:
            fields["texts"] = msgspec.structs.replace(fields.get("texts") or Texts(), **self.texts)
        if self.opaque:
            fields["opaque"] = [*fields.get("opaque", ()), *self.opaque]
        if self.capabilities:
            fields["capabilities"] = {**fields.get("capabilities", {}), **self.capabilities}
        if self.navigation_capabilities:
            known: dict[str, Fields] = fields.setdefault("navigation_capabilities", {})
            for path, stated in self.navigation_capabilities.items():
                known[path] = {**known.get(path, {}), **stated}
        if self.draft is not None:
            fields["draft"] = self.draft


def finish_capabilities(stated: Fields) -> Capabilities:
    """Gives the record of stated capabilities; what follows from them is added, what is stated is listed."""
    fields = dict(stated)
    if fields.get("readable") is False:
        fields.setdefault("readable_by_key", False)
    return Capabilities(**fields, stated=tuple(sorted(stated)))


def finish_fields(fields: Fields) -> dict[str, Any]:
    """Gives the arguments of a record from fields in the making: lists become tuples, stated capabilities a record."""
    if "opaque" in fields:
        fields["opaque"] = tuple(fields["opaque"])
    if "capabilities" in fields:
        fields["capabilities"] = finish_capabilities(fields["capabilities"])
    if "navigation_capabilities" in fields:
        fields["navigation_capabilities"] = tuple(
            (path, finish_capabilities(stated)) for path, stated in fields["navigation_capabilities"].items()
        )
    return fields
