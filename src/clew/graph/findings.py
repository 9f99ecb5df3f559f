"""Findings of the merge, as issues: contradictions, overlays without a target, bindings that lead nowhere."""

from collections import Counter
from collections.abc import Iterable, Iterator

from clew.domain.issues import Issue, Place, Severity
from clew.graph.loading import SERVICE, Loader
from clew.graph.merging import Contradiction
from clew.graph.relations import stored_edges
from clew.graph.rows import decode_issue, unit_of

_EXAMPLES = 3


def find_issues(loader: Loader) -> Iterator[Issue]:
    """Gives the issues of all documents as they were read, then those of the merge."""
    for (payload,) in loader.rows("list_issues"):
        yield decode_issue(payload)
    yield from _report_contradictions(find_contradictions(loader))
    yield from _report_unresolved(loader)
    yield from _report_dangling(loader)


def find_contradictions(loader: Loader) -> list[Contradiction]:
    """Gives every field on which documents disagree; loads only what several documents speak of."""
    keys = dict.fromkeys(unit_of(str(row[0])) for row in loader.rows("contested_nodes"))
    keys |= dict.fromkeys(_overlaid(loader))
    found = [contradiction for key in keys for contradiction in loader.unit(key).contradictions]
    sources = dict.fromkeys(str(row[1]) for row in loader.rows("contested_edges"))
    for source in sources:
        found.extend(stored_edges(loader.rows("edges_from", source=source))[1])
    return found


def _overlaid(loader: Loader) -> list[str]:
    return [SERVICE + name for name in loader.services if loader.has_overlays(SERVICE + name)]


def _report_contradictions(found: Iterable[Contradiction]) -> Iterator[Issue]:
    """Gives one issue for each pair of documents."""
    pairs: dict[tuple[str, str], list[Contradiction]] = {}
    for each in found:
        pairs.setdefault((each.kept_by, each.other_by), []).append(each)
    for (kept_by, other_by), listed in pairs.items():
        examples = "; ".join(
            f"{each.field} of {each.node} is {each.kept!r}, not {each.other!r}" for each in listed[:_EXAMPLES]
        )
        rest = f"; and {len(listed) - _EXAMPLES} more" if len(listed) > _EXAMPLES else ""
        yield Issue(
            code="graph-contradiction",
            message=f"{kept_by} and {other_by} disagree; the former is used: {examples}{rest}.",
            place=Place(document=other_by),
            severity=Severity.WARNING,
            source=kept_by,
        )


def _report_unresolved(loader: Loader) -> Iterator[Issue]:
    stated: Counter[str] = Counter()
    for place in loader.places:
        stated[place.document] += place.overlays
    resolved = {place for key in _overlaid(loader) for place in loader.unit(key).resolved}
    for document, _ in resolved:
        stated[document] -= 1
    for document, count in sorted(stated.items()):
        if count > 0:
            yield Issue(
                code="graph-unresolved-target",
                message=f"{count} annotation targets are in no service that was ingested; they wait for it.",
                place=Place(document=document),
                severity=Severity.NOTE,
            )


def _report_dangling(loader: Loader) -> Iterator[Issue]:
    missing: dict[str, list[str]] = {}
    for document, source, target in loader.rows("dangling_bindings"):
        missing.setdefault(str(document), []).append(f"{source} → {target}")
    for document, listed in missing.items():
        rest = f" and {len(listed) - _EXAMPLES} more" if len(listed) > _EXAMPLES else ""
        yield Issue(
            code="graph-dangling-binding",
            message=f"A binding leads to or from what no document describes: {', '.join(listed[:_EXAMPLES])}{rest}.",
            place=Place(document=document),
            severity=Severity.WARNING,
        )
