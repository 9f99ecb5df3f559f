"""Ingests one state of a generated landscape after the other until somebody ends it: `endless_ingest.py FILE FIRST`.

Says the number of each ingest once it has been acknowledged.
"""

import sys
from collections.abc import Iterator
from pathlib import Path

from clew.domain.facts import Edge, SourceFacts, SourceReport
from clew.domain.ids import entity_set_id, service_id, type_id
from clew.domain.issues import Issue
from clew.domain.kinds import EdgeKind
from clew.domain.services import EntitySet, EntityType, Property, Service
from clew.graph import GraphStore
from clew.storage import SqliteDatabase

STATES = 3
SERVICES = 4
TYPES = 12
PROPERTIES = 40


def documents_of(number: int) -> Iterator[tuple[SourceFacts, str]]:
    """Gives the documents of the ingest `number`; ingests of the same remainder are the same."""
    state = number % STATES
    for service in range(state, state + SERVICES):
        yield facts_of(f"S{service}", state), f"state {state}"


def removed_by(number: int) -> list[str]:
    """Gives the documents that the ingest `number` takes out."""
    kept = {facts.report.document for facts, _ in documents_of(number)}
    return sorted({facts.report.document for facts, _ in documents_of(number - 1)} - kept)


def facts_of(service: str, state: int) -> SourceFacts:
    """Gives one service, a little different in each state."""
    types = [f"Ns.T{number}" for number in range(TYPES + state)]
    properties = tuple(Property(name=f"P{number}", max_length=state + 1) for number in range(PROPERTIES))
    sets = [
        EntitySet(id=entity_set_id(service, f"{name}Set"), service=service, name=f"{name}Set", type=name)
        for name in types
    ]
    return SourceFacts(
        report=SourceReport(document=f"{service}.xml", kind="odata", owners=(service_id(service),)),
        nodes=(
            Service(id=service_id(service), service=service, name=service, namespaces=("Ns",)),
            *(
                EntityType(id=type_id(service, name), service=service, name=name, properties=properties)
                for name in types
            ),
            *sets,
        ),
        edges=tuple(
            Edge(kind=EdgeKind.PERFORMED_BY, source=f"bpmn:p/{state}", target=each.id, method="POST") for each in sets
        ),
        issues=(Issue(code="generated", message=f"{service} in state {state}"),),
    )


def ingest(store: GraphStore, number: int) -> None:
    """Brings the graph from the state before to the state of `number`."""
    store.put_many(documents_of(number), remove=removed_by(number))


def main(path: Path, first: int) -> None:
    """Goes on until the process is ended."""
    store = GraphStore(SqliteDatabase(path))
    number = first
    while True:
        ingest(store, number)
        sys.stdout.write(f"{number}\n")
        sys.stdout.flush()
        number += 1


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
