"""Rule: query options are of the version, well formed, and allowed where they stand."""

import re
from collections.abc import Iterable

from clew.domain.errors import MalformedText
from clew.domain.issues import Suggestion
from clew.domain.services import Capabilities
from clew.grounding.faults import Fault, Repair, warning
from clew.grounding.rules.filters import check_filter
from clew.grounding.rules.methods import capabilities_at
from clew.grounding.rules.selection import check_expand, check_orderby, check_select
from clew.grounding.subject import READS, Subject
from clew.grounding.targets import Place, Step
from clew.protocol.options import Options, parse_options
from clew.protocol.urls import QueryPairs, check_options

_COLLECTION_ONLY = {"$filter", "$orderby", "$top", "$skip", "$count", "$inlinecount", "$search", "$apply"}
_UNDOLLARED = {"filter", "select", "expand", "orderby", "top", "skip", "count", "inlinecount"}
_QUOTED = re.compile(r"('(?:[^']|'')*')")


def check_query(subject: Subject) -> Iterable[Fault]:
    """Reads the query options of a read, and holds each against the place that is addressed."""
    step = subject.last
    query = subject.request.query
    if step is None or step.place in {Place.METADATA, Place.BATCH, Place.SERVICE}:
        return
    if subject.method not in READS:
        yield from _on_write(subject)
        return
    yield from _undollared(query)
    options = _parse(subject)
    if isinstance(options, Fault):
        yield options
        return
    yield from _places(subject, step, query)
    capabilities = capabilities_at(subject, step)
    is_many = step.place is Place.COLLECTION or step.segment.name == "$count"
    if is_many:
        yield from _paging(subject, step, options, capabilities)
    if step.type in subject.view.types or step.segment.name == "$count":
        yield from check_filter(subject, step, options, capabilities)
    if step.type in subject.view.types:
        yield from check_orderby(subject, step, options, capabilities)
        yield from check_select(subject, step, options)
        yield from check_expand(subject, step, options, capabilities)


def _on_write(subject: Subject) -> Iterable[Fault]:
    try:
        check_options(subject.request.query)
    except MalformedText as error:
        yield Fault(error.code, str(error), "url:")
    for name, _ in subject.request.query:
        if name in _COLLECTION_ONLY:
            yield warning("OPTION_NOT_HERE", f"{name} has no meaning with {subject.method}")._replace(
                pointer=f"url:{name}"
            )


def _undollared(query: QueryPairs) -> Iterable[Fault]:
    for name, _ in query:
        if name.casefold() in _UNDOLLARED:
            right = Suggestion(value=f"${name.casefold()}", reason="spelling")
            message = f"{name} is no system query option without its $; most services ignore it"
            fault = warning("OPTION_WITHOUT_DOLLAR", message, expected=f"${name.casefold()}", suggestions=(right,))
            yield fault._replace(pointer=f"url:{name}")


def _parse(subject: Subject) -> Options | Fault:
    version = subject.view.service.version
    try:
        return parse_options(subject.request.query, version)
    except MalformedText as error:
        name = str(error).partition(":")[0] if str(error).startswith("$") else ""
        pointer = f"url:{name}@{error.position}" if name else "url:"
        repair = _mended(subject, name) or _mended_name(subject, error)
        expected = f"{repair.name}={repair.text}" if repair is not None and repair.kind == "query" else ""
        suggestions: tuple[Suggestion, ...] = ()
        if error.code == "OFFSET_REQUIRED":
            # Which zone is meant, nobody can tell: a suggestion, and no repair.
            suggestions = (Suggestion(value="Z", reason="rule"),)
            expected = "Z for UTC, or the offset, right after the time"
        return Fault(error.code, str(error), pointer, expected, suggestions=suggestions, repair=repair)


def _mended(subject: Subject, name: str) -> Repair | None:
    """Spells the literals of a filter for this version, and blanks as blanks; kept where that can be read."""
    text = dict(subject.request.query).get(name, "")
    version = subject.view.service.version
    for candidate in (respell(text, is_v4=subject.view.is_v4), text.replace("+", " ")):
        if name != "$filter" or candidate == text:
            continue
        try:
            parse_options(((name, candidate),), version)
        except MalformedText:
            continue
        return Repair("query", name=name, text=candidate)
    return None


def _mended_name(subject: Subject, error: MalformedText) -> Repair | None:
    if error.code != "UNKNOWN_OPTION":
        return None
    query = dict(subject.request.query)
    if query.get("$count") == "true" and not subject.view.is_v4:
        return Repair("option", name="$count", text="$inlinecount=allpages")
    if query.get("$inlinecount") == "allpages" and subject.view.is_v4:
        return Repair("option", name="$inlinecount", text="$count=true")
    return None


_GUID = r"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}"
_TO_V2 = (
    (re.compile(rf"(?<![\w'-])({_GUID})(?![\w-])"), r"guid'\1'"),
    (re.compile(r"(?<![\w'-])(\d{4}-\d\d-\d\dT[\d:.]+)(?![\w:+-])"), r"datetime'\1'"),
    (re.compile(r"(?<![\w'-])(\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d))(?![\w-])"), r"datetimeoffset'\1'"),
    (re.compile(r"(?<![\w'-])(\d{4}-\d\d-\d\d)(?![\w-])"), r"datetime'\1T00:00:00'"),
)
_TO_V4 = (
    (re.compile(rf"\bguid'({_GUID})'"), r"\1"),
    (re.compile(r"\bdatetimeoffset'([^']+)'"), r"\1"),
    (re.compile(r"\b(\d+(?:\.\d+)?)[LlMmFfDd]\b"), r"\1"),
)


def respell(text: str, *, is_v4: bool) -> str:
    """Writes the literals of the other version as this one does, outside of quoted texts.

    >>> respell("N eq 5L and G eq guid'3f2504e0-4f89-41d3-9a0c-0305e82c3301'", is_v4=True)
    'N eq 5 and G eq 3f2504e0-4f89-41d3-9a0c-0305e82c3301'
    """
    if is_v4:
        for pattern, right in _TO_V4[:2]:
            text = pattern.sub(right, text)
    parts = _QUOTED.split(text)
    for index in range(0, len(parts), 2):
        for pattern, right in _TO_V4[2:] if is_v4 else _TO_V2:
            parts[index] = pattern.sub(right, parts[index])
    return "".join(parts)


def _places(subject: Subject, step: Step, query: QueryPairs) -> Iterable[Fault]:
    if step.place not in {Place.ENTITY, Place.VALUE} or step.segment.name == "$count":
        return
    for name, _ in query:
        if name in _COLLECTION_ONLY and not (step.prop is not None and step.prop.collection):
            message = f"{name} is for collections; {step.segment.name} is one here"
            yield warning("OPTION_NOT_HERE", message)._replace(pointer=f"url:{name}")


def _paging(subject: Subject, step: Step, options: Options, capabilities: Capabilities) -> Iterable[Fault]:
    name = step.entity_set.name if step.entity_set is not None else step.segment.name
    pageable = step.entity_set is None or step.entity_set.pageable
    for option, given, allowed in (
        ("$top", options.top is not None, pageable and capabilities.top_supported),
        ("$skip", options.skip is not None, pageable and capabilities.skip_supported),
    ):
        if given and not allowed:
            yield Fault("NOT_PAGEABLE", f"{name} is not read in pages: {option} is not supported", f"url:{option}")
    if options.count and not capabilities.countable:
        yield Fault("NOT_COUNTABLE", f"{name} is not counted", "url:$count")
    if options.search and not capabilities.searchable:
        yield Fault("NOT_SEARCHABLE", f"{name} does not support $search", "url:$search", "a $filter instead")
