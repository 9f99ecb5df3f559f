"""The sections of nodes other than entity sets: operations, types, properties, enumerations, code lists, services."""

from clew.domain.records import JsonObject
from clew.domain.services import ComplexType, EntityType, EnumType, Operation, Property, ValueHelp
from clew.domain.specifications import Section
from clew.graph.service_view import ServiceView
from clew.grounding.rendering import listing, quoted, sanitise
from clew.grounding.sections import allowed_methods, lookup_text, operations_on
from clew.grounding.wording import (
    codes_text,
    enum_codes,
    example_of,
    is_omissible,
    multiplicity_text,
    property_line,
    simple,
    type_text,
)


def operation_sections(view: ServiceView, node: Operation) -> list[Section]:
    """Gives the sections of an operation: how it is called, its parameters, what comes back."""
    sections = [Section(name="about", title="call", lines=tuple(_call_lines(view, node)))]
    lines: list[str] = []
    content: JsonObject = {}
    for parameter in node.parameters:
        need = "may be left out" if is_omissible(parameter) else "needed"
        label = quoted(parameter.texts.label or parameter.texts.description)
        enum = view.enums.get(parameter.type)
        codes = f"; one of {enum_codes(enum)}" if enum else ""
        lines.append(f"{parameter.name}: {type_text(view, parameter)}, {need}{codes} {label}".rstrip())
        content[parameter.name] = type_text(view, parameter)
    if lines:
        sections.append(
            Section(name="parameters", title="parameters", lines=tuple(lines), content=content, untrusted=True)
        )
    if node.texts.description or node.texts.long_description:
        words = quoted(node.texts.description or node.texts.long_description, 400)
        sections.append(Section(name="texts", title="texts", lines=(words,), untrusted=True))
    return sections


def _call_lines(view: ServiceView, node: Operation) -> list[str]:
    name = simple(node.name)
    if view.service.version in {"V1", "V2"} or not node.bound_to:
        given = "in the query" if node.method == "GET" or view.service.version in {"V1", "V2"} else "in the body"
        path = name
    else:
        bound = view.sets_of_type.get(node.bound_to, [])
        place = bound[0].name if bound else simple(node.bound_to)
        key = "" if node.bound_to_collection else "(key)"
        qualified = node.name if view.is_v4 else name
        given = "in the body" if node.flavor == "action" or node.method == "POST" else "in the parentheses"
        path = f"{place}{key}/{qualified}"
    lines = [f"{node.method} {path}, parameters {given}" if node.parameters else f"{node.method} {path}"]
    if node.returns:
        many = "a collection of " if node.returns_collection else ""
        where = f" in {node.entity_set}" if node.entity_set else ""
        lines.append(f"gives {many}{simple(node.returns)}{where}")
    if node.applicable_path:
        lines.append(f"only where {node.applicable_path} of the entity is true")
    return lines


def type_sections(view: ServiceView, node: EntityType | ComplexType) -> list[Section]:
    """Gives the sections of a type: where it is used, its properties, its navigation."""
    about: list[str] = []
    if node.base:
        about.append(f"extends {node.base}")
    if node.abstract:
        about.append("abstract: only its derived types have instances")
    sets = [found.name for found in view.sets_of_type.get(node.name, [])]
    if sets:
        about.append(f"sets: {listing(sets, 12)}")
    key = set(view.key(node.name))
    lines = [
        property_line(view, prop) + (" key" if name in key else "") for name, prop in view.properties(node.name).items()
    ]
    ways = [
        f"{name} → {simple(way.target)} ({multiplicity_text(way)})" for name, way in view.navigations(node.name).items()
    ]
    return [
        Section(name=name, title=title, lines=tuple(found), untrusted=untrusted)
        for name, title, found, untrusted in (
            ("about", "about", about, False),
            ("properties", "properties", lines, True),
            ("navigation", "navigation", ways, False),
            ("operations", "operations", operations_on(view, node.name), True),
        )
        if found
    ]


def property_sections(view: ServiceView, node: Property) -> list[Section]:
    """Gives the sections of a property: type, example, what a caller may do with it, its codes."""
    facts = [f"{type_text(view, node)}, for example {example_of(view, node)}"]
    facts.append("may be null" if node.nullable else "never null")
    flags = (
        ("computed by the server", node.computed),
        ("not given on create", not node.creatable),
        ("not changed later", node.immutable or not node.updatable),
        ("not in $filter", not node.filterable),
        ("upper case", node.uppercase),
    )
    facts += [text for text, is_set in flags if is_set]
    if node.unit:
        facts.append(f"its unit is in {node.unit}")
    sections = [Section(name="about", title="about", lines=tuple(facts))]
    words = [quoted(text, 400) for text in (node.texts.quickinfo, node.texts.description, node.texts.long_description)]
    if any(words):
        sections.append(Section(name="texts", title="texts", lines=tuple(filter(None, words)), untrusted=True))
    found = view.value_help_of(node)
    enum = view.enums.get(node.type)
    if enum is not None:
        sections += enum_sections(enum)
    elif found is not None:
        sections += code_sections(found)
    return sections


def enum_sections(node: EnumType) -> list[Section]:
    """Gives the section of an enumeration: its members, and whether they may be combined."""
    combined = ["members may be combined with commas"] if node.flags else []
    lines = [
        f"{member.name} ({member.value}) {quoted(member.texts.label or member.texts.description)}".rstrip()
        for member in node.members
    ]
    return [Section(name="codes", title="members", lines=(*combined, *lines), untrusted=True)]


def code_sections(node: ValueHelp) -> list[Section]:
    """Gives the section of a code list: its codes, or where they are to be found."""
    if not node.codes:
        return [Section(name="codes", title="codes", lines=(lookup_text(node),))]
    closing = [] if node.closed else ["other values are allowed, too"]
    lines: list[str] = []
    for code in node.codes:
        text = f"{sanitise(code.code, 60)} {quoted(code.text)}".rstrip()
        if code.valid_from or code.valid_to:
            text += f" valid {code.valid_from or '…'} to {code.valid_to or '…'}"
        if code.inputs:
            text += " if " + ", ".join(f"{name} is {sanitise(value, 40)}" for name, value in code.inputs)
        lines.append(text)
    return [Section(name="codes", title="codes", lines=(*closing, *lines), untrusted=True)]


def service_sections(view: ServiceView) -> list[Section]:
    """Gives the sections of a service: what it is, its sets, its unbound operations."""
    service = view.service
    about = (
        [quoted(service.about or service.texts.description, 400)] if service.about or service.texts.description else []
    )
    if service.system:
        about.append(f"system {sanitise(service.system, 80)}")
    sets = [
        f"{node.name}: {listing(allowed_methods(view, node))} {quoted(node.texts.label)}".rstrip()
        for node in view.sets.values()
    ]
    operations = [
        f"{node.method} {name}" for name, group in view.operations.items() for node in group if not node.bound_to
    ]
    lists = [f"{node.name}: {codes_text(node, limit=6)}" for node in view.value_helps.values() if node.codes]
    return [
        Section(name=name, title=title, lines=tuple(found), untrusted=True)
        for name, title, found in (
            ("about", "about", about),
            ("sets", "entity sets", sets),
            ("operations", "operations", operations),
            ("codes", "code lists", lists),
        )
        if found
    ]
