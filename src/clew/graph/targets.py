"""Finds what an annotation target names among a service's records (CSDL 4.01, clause 14.2.2)."""

from collections.abc import Mapping

from clew.domain.facts import Node
from clew.domain.ids import entity_set_id, type_id
from clew.domain.services import EntitySet, Operation, Service
from clew.graph.rows import split_target


class Targets:
    """A service's records by the names that targets use."""

    def __init__(self, service: Service, records: Mapping[str, Node]) -> None:
        """Indexes the records; they may be replaced later, their names stay."""
        self._service = service
        self._records = records
        self._definitions = frozenset(name for name, _ in service.type_definitions)
        self._operations: dict[str, list[str]] = {}
        self._imports: dict[str, list[str]] = {}
        for node_id, node in records.items():
            if isinstance(node, Operation):
                self._operations.setdefault(node.name, []).append(node_id)
                for name in dict.fromkeys((*node.imports, node.name.rpartition(".")[2])):
                    self._imports.setdefault(name, []).append(node_id)

    def resolve(self, target: str) -> list[tuple[str, str]]:
        """Gives (id of a stored record, path inside it) of what is meant; an operation's name means each overload."""
        head, rest = split_target(target)
        if head in self._service.namespaces:
            return [(self._service.id, rest)]
        if head in self._service.containers:
            return self._in_container(rest)
        if head in self._definitions:
            return [(self._service.id, f"{head}/{rest}" if rest else head)]
        node_id = type_id(self._service.service, head)
        if node_id in self._records:
            return [(node_id, rest)]
        return [(operation, rest) for operation in self._operations.get(head, [])]

    def _in_container(self, path: str) -> list[tuple[str, str]]:
        if not path:
            return [(self._service.id, "")]
        name, _, rest = path.partition("/")
        node_id = entity_set_id(self._service.service, name)
        if isinstance(self._records.get(node_id), EntitySet):
            return [(node_id, rest)]
        return [(operation, rest) for operation in self._imports.get(name, [])]
