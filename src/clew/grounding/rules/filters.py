"""Rule: a filter's paths lead somewhere, its operands can be compared, and it keeps to what the service states.

Not filterable, required in filter, requires a filter: `sap:` attributes and `Capabilities.FilterRestrictions`.
"""

from collections import Counter
from collections.abc import Iterable, Iterator

from clew.domain.services import Capabilities, Property
from clew.grounding.faults import Fault, warning
from clew.grounding.rules.expressions import Typer, Use
from clew.grounding.subject import Subject
from clew.grounding.targets import Place, Step
from clew.protocol.filter_tree import Binary, Expression, Path, walk
from clew.protocol.options import Options

_SINGLE = {"SingleValue", "single-value"}
_RANGE_OPERATORS = {"eq", "ge", "gt", "le", "lt"}
_EXPRESSIONS = {
    "SingleValue": {"eq"},
    "single-value": {"eq"},
    "MultiValue": {"eq", "in"},
    "multi-value": {"eq", "in"},
    "SingleRange": _RANGE_OPERATORS,
    "interval": _RANGE_OPERATORS,
}


def check_filter(subject: Subject, step: Step, options: Options, capabilities: Capabilities) -> Iterable[Fault]:
    """Types the filter against the addressed type; says what must be filtered by and is not."""
    type_name = step.type if step.type in subject.view.types else _counted_type(subject)
    is_collection = step.place is Place.COLLECTION or step.segment.name == "$count"
    if options.filter is None:
        if is_collection:
            yield from _missing(subject, step, type_name, capabilities, set())
        return
    if not capabilities.filterable and is_collection:
        yield Fault("NOT_FILTERABLE", f"{_name(step)} supports no $filter", "url:$filter")
        return
    text = dict(subject.request.query).get("$filter", "")
    typer = Typer(subject.view, type_name, option="$filter", text=text)
    typer.condition(options.filter)
    yield from typer.faults
    yield from _restricted(typer.uses, capabilities)
    yield from _shapes(options.filter, typer.uses, capabilities)
    if is_collection:
        yield from _missing(subject, step, type_name, capabilities, {path for path, _ in typer.uses})


def _counted_type(subject: Subject) -> str:
    steps = subject.target.steps if subject.target is not None else []
    return steps[-2].type if len(steps) > 1 else ""


def _name(step: Step) -> str:
    return step.entity_set.name if step.entity_set is not None else step.segment.name


def _restricted(uses: Iterable[Use], capabilities: Capabilities) -> Iterator[Fault]:
    listed = set(capabilities.non_filterable)
    for path, node in dict(uses).items():
        if path in listed or not node.filterable:
            message = f"{path} cannot be filtered by: the service states that it is not filterable"
            yield Fault("NOT_FILTERABLE", message, "url:$filter", "another property", source=f"line {node.line}")


def _shapes(expression: Expression, uses: Iterable[Use], capabilities: Capabilities) -> Iterator[Fault]:
    """Warns of comparisons other than those that a property's filter restriction allows."""
    stated = dict(capabilities.filter_expressions)
    allowed = {path: stated.get(path) or _own(node) for path, node in uses}
    limited = {path: kind for path, kind in allowed.items() if kind in _EXPRESSIONS}
    if not limited:
        return
    counts: Counter[str] = Counter()
    for node in walk(expression):
        if isinstance(node, Binary) and isinstance(node.left, Path) and (path := "/".join(node.left.names)) in limited:
            counts[path] += 1
            if node.operator not in _EXPRESSIONS[limited[path]]:
                yield _unfit(path, limited[path])
    for path, count in counts.items():
        if count > 1 and limited[path] in _SINGLE:
            yield _unfit(path, limited[path])


def _own(node: object) -> str:
    return node.filter_restriction if isinstance(node, Property) else ""


def _unfit(path: str, kind: str) -> Fault:
    message = f"{path} is filtered by {kind} alone, as the service states"
    return warning("FILTER_EXPRESSION", message)._replace(pointer="url:$filter")


def _missing(
    subject: Subject, step: Step, type_name: str, capabilities: Capabilities, used: set[str]
) -> Iterator[Fault]:
    properties = subject.view.properties(type_name)
    wanted = [*capabilities.required_in_filter]
    wanted += [name for name, prop in properties.items() if prop.required_in_filter and name not in wanted]
    lacking = [name for name in wanted if name not in used]
    if lacking:
        message = f"{_name(step)} is read with a $filter on {', '.join(lacking)}"
        yield Fault("FILTER_REQUIRED", message, "url:$filter", f"$filter={lacking[0]} eq …")
    elif capabilities.requires_filter and not used:
        message = f"{_name(step)} cannot be read without a $filter"
        yield Fault("FILTER_REQUIRED", message, "url:$filter", "$filter=… on one of its properties")
