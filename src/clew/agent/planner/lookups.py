"""Lookups: names that people use become the keys of master records; several that fit are asked about."""

from collections.abc import Mapping, Sequence

import msgspec

from clew.agent.planner.evidence import Evidence, Reading
from clew.agent.planner.ports import Lookup
from clew.agent.planner.reading import RequestReading
from clew.agent.planner.vocabulary import Vocabulary
from clew.domain.plans import Question
from clew.domain.proposals import FillRule, MasterRecord, Mention


def look_up(
    reading: RequestReading, lookup: Lookup, vocabulary: Vocabulary, answers: Mapping[str, str]
) -> tuple[RequestReading, dict[int, FillRule], list[Question]]:
    """Gives the reading with names replaced by keys, which mentions those are, and what must be asked."""
    mentions, evidence = list(reading.mentions), list(reading.evidence)
    rules: dict[int, FillRule] = {}
    questions: list[Question] = []
    for index, mention in enumerate(reading.mentions):
        if mention.kind not in {"name", "quoted"} or evidence[index].kind == "quantity":
            continue
        records = _one_each(_of_kind(lookup.find(str(mention.value)), evidence[index], vocabulary))
        place = f"name@{mention.start}"
        chosen = records[0] if len(records) == 1 else next((r for r in records if r.key == answers.get(place)), None)
        if chosen is not None:
            mentions[index], evidence[index] = _as_key(mention, evidence[index], chosen, vocabulary)
            rules[index] = "lookup"
        elif records:
            questions.append(_which(mention, place, records))
    return msgspec.structs.replace(reading, mentions=tuple(mentions), evidence=tuple(evidence)), rules, questions


def _of_kind(records: Sequence[MasterRecord], evidence: Evidence, vocabulary: Vocabulary) -> list[MasterRecord]:
    """Keeps the records of the kind that the words say, where they say one."""
    listed = list(records)
    said = {term for reading in evidence.readings for term, _ in reading.terms}
    fitting = [r for r in listed if any(vocabulary.similarity(t, s) for t in vocabulary.terms(r.kind) for s in said)]
    return fitting or listed


def _one_each(records: list[MasterRecord]) -> list[MasterRecord]:
    """Keeps one record for each key: a supplier is a business partner, too, and the last kind listed is the nearer."""
    return list({record.key: record for record in records}.values())


def _as_key(
    mention: Mention, evidence: Evidence, record: MasterRecord, vocabulary: Vocabulary
) -> tuple[Mention, Evidence]:
    kind = dict.fromkeys(vocabulary.terms(record.kind), 1.0)
    direction = {t: w for reading in evidence.readings for t, w in reading.terms if t in {"from", "to"}}
    keyed = msgspec.structs.replace(mention, kind="identifier", value=record.key)
    reading = Reading(terms=tuple((direction | kind).items()))
    return keyed, msgspec.structs.replace(evidence, kind="identifier", readings=(reading,), keyed=tuple(kind))


def _which(mention: Mention, place: str, records: list[MasterRecord]) -> Question:
    named = ", ".join(f"{record.key} {record.name}" for record in records[:8])
    return Question(
        slot=place,
        question=f"Which {records[0].kind} is meant by {mention.text!r}: {named}?",
        allowed=tuple(record.key for record in records),
    )
