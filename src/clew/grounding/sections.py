"""The sections of an entity set's specification, from its metadata alone."""

from collections.abc import Iterable

from clew.domain.records import JsonObject
from clew.domain.services import Capabilities, EntitySet, EntityType, Property, ValueHelp
from clew.domain.specifications import Detail, Section
from clew.graph.service_view import ServiceView
from clew.grounding.rendering import listing, quoted
from clew.grounding.requirements import has_initial_values, is_settable, required_on_create
from clew.grounding.wording import (
    codes_text,
    enum_codes,
    example_of,
    multiplicity_text,
    operation_line,
    property_line,
    simple,
    type_text,
)

_ELSEWHERE = "list that is not in this metadata"
PACKED = 6
"""Names on one line where each needs no line of its own."""


def set_sections(view: ServiceView, node: EntitySet, detail: Detail) -> list[Section]:
    """Gives the sections of an entity set, most important first; empty ones are left out."""
    writer = _SetWriter(view, node, detail)
    sections = [
        writer.about(),
        writer.key(),
        writer.create(),
        writer.update(),
        writer.navigation(),
        writer.codes(),
        writer.queries(),
        writer.operations(),
    ]
    return [section for section in sections if section is not None]


class _SetWriter:
    """Writes the sections of one set at one level of detail."""

    def __init__(self, view: ServiceView, node: EntitySet, detail: Detail) -> None:
        self.view = view
        self.node = node
        self.type = node.type
        self.brief = detail is Detail.BRIEF
        self.properties = view.properties(node.type)
        self.key_names = view.key(node.type)
        self.capabilities = node.capabilities

    def about(self) -> Section | None:
        found = self.view.types.get(self.type)
        allowed = listing(allowed_methods(self.view, self.node))
        lines = [f"Type {simple(self.type)}; allowed: {allowed or 'nothing'}"]
        texts = found.texts if isinstance(found, EntityType) else self.node.texts
        words = self.node.texts.description or texts.description or texts.quickinfo or texts.long_description
        if words and not self.brief:
            lines.append(quoted(words, 400))
        if self.node.draft is not None:
            lines.append(_draft_line(self.node))
        return Section(name="about", title="about", lines=tuple(lines), untrusted=len(lines) > 1)

    def key(self) -> Section | None:
        if not self.key_names:
            return None
        parts = [self.properties[name] for name in self.key_names if name in self.properties]
        lines = [property_line(self.view, prop, with_label=False) + self._origin(prop) for prop in parts]
        if self.brief:
            lines = [listing(lines)]
        content: JsonObject = {prop.name: type_text(self.view, prop) for prop in parts}
        return Section(name="key", title="key", lines=tuple(lines), content=content)

    def _origin(self, prop: Property) -> str:
        by_server = not is_settable(prop) or prop.computed_default
        return " (numbered by the server)" if by_server else ""

    def create(self) -> Section | None:
        if not self.capabilities.insertable:
            return None
        required = required_on_create(self.view, self.type, self.capabilities)
        needed = [r.name for r in required if r.binding]
        refused = set(self.capabilities.non_insertable)
        settable = [p for n, p in self.properties.items() if is_settable(p) and n not in refused and n not in needed]
        fixed = [n for n, p in self.properties.items() if not is_settable(p) or n in refused]
        lines = [f"! {line}" for line in self._lines(self.properties[n] for n in needed if n in self.properties)]
        maybe = [r.name for r in required if r.reason in {"nullable_v2", "draft", "asked_for"}]
        if maybe:
            lines.append(f"probably needed: {listing(maybe, 12)}")
        lines += self._lines(settable)
        if fixed:
            lines.append(f"set by the server: {listing(fixed, PACKED if self.brief else 30)}")
        if has_initial_values(self.view.service) and not needed:
            lines.append("The metadata names no field as required; the server may still ask for some")
        content: JsonObject = {
            "needs": list(needed),
            "allows": [prop.name for prop in settable],
            "server": list(fixed),
        }
        labels = not self.brief
        title = "create (POST), ! = needed" if needed else "create (POST)"
        return Section(name="create", title=title, lines=tuple(lines), content=content, untrusted=labels)

    def _lines(self, properties: Iterable[Property]) -> list[str]:
        listed = list(properties)
        if not self.brief and any(prop.texts.label for prop in listed):
            return [property_line(self.view, prop) for prop in listed]
        short = [f"{prop.name} {type_text(self.view, prop)}" for prop in listed]
        return [", ".join(short[start : start + PACKED]) for start in range(0, len(short), PACKED)]

    def update(self) -> Section | None:
        if not self.capabilities.updatable:
            return None
        refused = [n for n, p in self.properties.items() if not self._is_updatable(n, p)]
        method = "PATCH" if self.view.is_v4 else "PATCH or MERGE"
        kept = len(self.properties) - len(refused)
        lines = [f"{method} on a key changes {kept} of {len(self.properties)} properties"]
        if self.capabilities.required_on_update:
            lines.append(f"needs {listing(self.capabilities.required_on_update)}")
        only = [n for n in refused if is_settable(self.properties[n]) and n not in self.key_names]
        if only:
            lines.append(f"given on create, not changed later: {listing(only, 30)}")
        return Section(name="update", title="update", lines=tuple(lines), content={"refuses": list(refused)})

    def _is_updatable(self, name: str, prop: Property) -> bool:
        return (
            prop.updatable
            and not prop.computed
            and not prop.immutable
            and name not in self.key_names
            and name not in self.capabilities.non_updatable
            and prop.field_control not in {"ReadOnly", "Hidden", "Inapplicable"}
        )

    def navigation(self) -> Section | None:
        navigations = self.view.navigations(self.type)
        if not navigations:
            return None
        lines = [
            f"{name} → {self._target(name)} ({multiplicity_text(navigation)}){self._nesting(name)}"
            for name, navigation in navigations.items()
        ]
        if self.brief:
            lines = [", ".join(lines[start : start + 4]) for start in range(0, len(lines), 4)]
        content: JsonObject = {name: simple(nav.target) for name, nav in navigations.items()}
        return Section(name="navigation", title="navigation", lines=tuple(lines), content=content)

    def _target(self, name: str) -> str:
        found = self.view.target_set(self.node.name, name)
        return found.name if found else simple(self.view.navigations(self.type)[name].target)

    def _nesting(self, name: str) -> str:
        navigation = self.view.navigations(self.type)[name]
        refused = name in self.capabilities.non_insertable_navigations or not navigation.creatable
        refused = refused or any(path == name and not c.insertable for path, c in self.node.navigation_capabilities)
        nested = navigation.multiplicity == "*" or navigation.contains
        return ", nested create" if nested and self.capabilities.insertable and not refused else ""

    def codes(self) -> Section | None:
        by_line: dict[str, list[str]] = {}
        content: JsonObject = {}
        for name, prop in self.properties.items():
            line = self._codes_line(prop)
            if line:
                by_line.setdefault(line, []).append(name)
                found = self.view.value_help_of(prop)
                content[name] = [code.code for code in found.codes] if found else []
        if not by_line:
            return None
        lines = [f"{listing(names)}: {line}" for line, names in by_line.items()]
        lines.sort(key=lambda line: line.endswith(_ELSEWHERE))
        return Section(name="codes", title="codes", lines=tuple(lines), content=content, untrusted=True)

    def _codes_line(self, prop: Property) -> str:
        enum = self.view.enums.get(prop.type)
        if enum is not None:
            return enum_codes(enum)
        found = self.view.value_help_of(prop)
        if found is None:
            return f"a fixed {_ELSEWHERE}" if prop.value_list == "fixed-values" else ""
        return codes_text(found) if found.closed and found.codes else lookup_text(found)

    def queries(self) -> Section | None:
        if not self.capabilities.readable:
            return None
        capabilities = self.capabilities
        lines = query_lines(self.view, self.type, capabilities)
        if not self.node.pageable:
            lines.append("no $top and $skip")
        if not self.node.addressable:
            lines.append("read by navigation only")
        return Section(name="queries", title="read (GET)", lines=tuple(lines))

    def operations(self) -> Section | None:
        bound = operations_on(self.view, self.type)
        if not bound:
            return None
        return Section(name="operations", title="operations", lines=tuple(bound), untrusted=True)


def allowed_methods(view: ServiceView, node: EntitySet) -> list[str]:
    """Gives the ways in which a set may be used, by its own capabilities."""
    capabilities = node.capabilities
    return [
        word
        for word, is_allowed in (
            ("read", capabilities.readable),
            ("create", capabilities.insertable and not node.singleton),
            ("update", capabilities.updatable),
            ("delete", capabilities.deletable and not node.singleton),
            ("upsert", capabilities.upsertable),
        )
        if is_allowed
    ]


def lookup_text(value_help: ValueHelp) -> str:
    """Says where the values of a list that is not here are to be found."""
    if not value_help.collection:
        return _ELSEWHERE
    place = f" of {value_help.collection_service}" if value_help.collection_service else ""
    column = f", column {value_help.key_property}" if value_help.key_property else ""
    inputs = [p.local for p in value_help.parameters if p.direction in {"In", "InOut"} and p.local]
    given = f", given {listing(inputs, 4)}" if len(inputs) > 1 else ""
    return f"look up in {value_help.collection}{place}{column}{given}"


def query_lines(view: ServiceView, type_name: str, capabilities: Capabilities) -> list[str]:
    """Says what may be filtered, must be filtered, sorted, expanded and searched."""
    properties = view.properties(type_name)
    wanted = set(capabilities.required_in_filter).union(n for n, p in properties.items() if p.required_in_filter)
    unfiltered = set(capabilities.non_filterable).union(n for n, p in properties.items() if not p.filterable)
    unsorted = set(capabilities.non_sortable).union(n for n, p in properties.items() if not p.sortable)
    lines: list[str] = []
    if wanted or capabilities.requires_filter:
        lines.append(f"needs $filter{' on ' + listing(sorted(wanted)) if wanted else ''}")
    lines.append(_option_line("$filter", unfiltered, len(properties), is_allowed=capabilities.filterable))
    lines.append(_option_line("$orderby", unsorted, len(properties), is_allowed=capabilities.sortable))
    if not capabilities.expandable:
        lines.append("no $expand")
    elif capabilities.non_expandable:
        lines.append(f"$expand: all but {listing(capabilities.non_expandable, 12)}")
    if not (capabilities.top_supported and capabilities.skip_supported):
        lines.append("no $top and $skip")
    return lines


def _option_line(option: str, refused: set[str], total: int, *, is_allowed: bool) -> str:
    if not is_allowed or len(refused) >= total:
        return f"no {option}"
    return f"{option}: all but {listing(sorted(refused), 12)}" if refused else f"{option}: every property"


def operations_on(view: ServiceView, type_name: str) -> list[str]:
    """Gives a line for each operation that is bound to the type or one that it extends."""
    lines: dict[str, str] = {}
    for group in view.operations.values():
        for operation in group:
            if operation.bound_to and view.is_derived(type_name, operation.bound_to):
                where = " on the collection" if operation.bound_to_collection else ""
                lines[operation.id] = operation_line(view, operation) + where
    return list(lines.values())


def _draft_line(node: EntitySet) -> str:
    draft = node.draft
    named = () if draft is None else (draft.edit, draft.preparation, draft.activation)
    actions = [simple(name) for name in named if name]
    steps = f": {', '.join(actions)}" if actions else ""
    return f"Drafts: POST makes a draft, which is activated afterwards{steps}"


def example_key(view: ServiceView, type_name: str) -> str:
    """Gives a key predicate with example values."""
    properties = view.properties(type_name)
    names = [name for name in view.key(type_name) if name in properties]
    return ",".join(f"{name}={example_of(view, properties[name])}" for name in names)
