"""Masters: what rows of master data tell: which record a name means, and what goes with a supplier or a material."""

from collections.abc import Iterator, Mapping, Sequence

from clew.agent.planner.catalogue import Catalogue
from clew.agent.planner.vocabulary import Terms, Vocabulary
from clew.domain.proposals import MasterRecord
from clew.domain.records import JsonObject, JsonValue, Record
from clew.domain.services import EntityType, Property
from clew.graph.service_view import ServiceView

Seeds = Mapping[str, Mapping[str, Sequence[JsonObject]]]
"""Rows by entity set, by service."""

_LANGUAGE = "Language"
_NAMING = ("name", "fullname", "description", "text")


class Told(Record, frozen=True, kw_only=True):
    """A value that master data tells, and which rows tell it."""

    value: JsonValue
    words: str


class MasterRows:
    """Tells what goes with what is known, from rows of master data: `Defaults` for the planner.

    A row speaks where it agrees with all that is known and that it has too, and shares who, where or what with it. The
    rows that share most decide, and only where they agree with each other.
    """

    def __init__(self, vocabulary: Vocabulary, rows: Sequence[tuple[str, JsonObject]] = ()) -> None:
        """Takes (what the rows are of, row) pairs."""
        self._vocabulary = vocabulary
        self._rows = [(label, {self._canonical(name): value for name, value in row.items()}) for label, row in rows]

    def value(self, wanted: str, known: Mapping[str, JsonValue]) -> Told | None:
        """Gives the value of a property that goes with the known ones; `None` where the rows do not tell or differ."""
        name = self._canonical(wanted)
        held = {self._canonical(other): value for other, value in known.items() if other != wanted}
        identifying = {term: value for term, value in held.items() if term in self._vocabulary.carried}
        best, found = 0, list[tuple[str, JsonValue, tuple[Terms, ...]]]()
        for label, row in self._rows:
            shared = tuple(term for term in identifying if term in row)
            if not shared or row.get(name) in {None, ""} or any(row[term] != identifying[term] for term in shared):
                continue
            if len(shared) > best:
                best, found = len(shared), []
            if len(shared) == best:
                found.append((label, row[name], shared))
        values = {str(value) for _, value, _ in found}
        if len(values) != 1:
            return None
        label, value, shared = found[0]
        return Told(value=value, words=f"{label} of {', '.join(str(identifying[term]) for term in shared)}")

    def _canonical(self, name: str) -> Terms:
        terms = self._vocabulary.name_terms(name)
        heavy = tuple(term for term in terms if self._vocabulary.weight(term) >= 1)
        return heavy or terms


def master_rows(catalogue: Catalogue, seeds: Seeds) -> MasterRows:
    """Gives the rows of the seeds that are master data: of sets whose entities no step of a process creates."""
    made = {
        step.target for process in catalogue.processes for step in catalogue.bound(process) if step.method == "POST"
    }
    rows: list[tuple[str, JsonObject]] = []
    for service, sets in seeds.items():
        if service not in catalogue.services:
            continue
        cards = catalogue.sets(service)
        wholes = [set(card.wording.name) for card in cards.values() if card.id in made]
        for name, entries in sets.items():
            card = cards.get(name)
            if card is not None and not any(whole <= set(card.wording.name) for whole in wholes):
                rows.extend((name, entry) for entry in entries)
    return MasterRows(catalogue.vocabulary, rows)


def master_records(catalogue: Catalogue, seeds: Seeds) -> Iterator[MasterRecord]:
    """Gives the records that people call by name: rows with one key, but for the language, and a name beside it."""
    for service, sets in seeds.items():
        if service not in catalogue.services:
            continue
        view = catalogue.view(service)
        for name, entries in sets.items():
            if (found := view.type_of(name)) is not None:
                yield from named_records(view, found, entries)


def named_records(view: ServiceView, entity_type: EntityType, entries: Sequence[JsonObject]) -> Iterator[MasterRecord]:
    """Gives the records of one set's rows."""
    key = tuple(name for name in view.key(entity_type.name) if name != _LANGUAGE)
    properties = view.properties(entity_type.name)
    naming = _naming_property(key, properties)
    if naming is None:
        return
    kind = properties[key[0]].texts.label or key[0]
    for entry in entries:
        record_key, record_name = entry.get(key[0]), entry.get(naming)
        if isinstance(record_key, str) and isinstance(record_name, str) and record_name:
            yield MasterRecord(kind=kind, key=record_key, name=record_name)


def _naming_property(key: tuple[str, ...], properties: Mapping[str, Property]) -> str | None:
    """Finds the property that names an entity: the text of its one key, else one called name or description."""
    if len(key) != 1 or key[0] not in properties:
        return None
    if (text := properties[key[0]].text) in properties:
        return text
    return next((name for ending in _NAMING for name in properties if name.lower().endswith(ending)), None)
