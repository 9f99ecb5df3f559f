"""`<Annotations Target>`: finds what is annotated, in this document or, as an overlay, in another one."""

import msgspec

from clew.domain.facts import Overlay
from clew.domain.services import Annotation, Operation, ValueHelp
from clew.sources.odata.assembly import Assembly, PendingSet, Structure, Target
from clew.sources.odata.containers import SET_FIELDS
from clew.sources.odata.names import split_target
from clew.sources.odata.operations import OPERATION_FIELDS, PARAMETER_FIELDS
from clew.sources.odata.properties import PROPERTY_FIELDS, require_help
from clew.sources.odata.statements import Statement, finish_capabilities
from clew.sources.odata.structures import (
    COMPLEX_FIELDS,
    ENTITY_FIELDS,
    ENUM_FIELDS,
    NAVIGATION_FIELDS,
)
from clew.sources.odata.valuehelps import located_help

SERVICE_FIELDS = frozenset({"texts"})


class Targets:
    """Applies what targets state to an assembly's elements; what is not found here becomes an overlay."""

    def __init__(self, assembly: Assembly) -> None:
        """Indexes what can be a target."""
        self.service = Statement(SERVICE_FIELDS)
        self.overlays: list[Overlay] = []
        self._assembly = assembly
        self._sets = {(item.container.name, item.name): item for item in assembly.sets}
        self._containers = {item.name for item in assembly.containers}
        self._operations: dict[str, list[str]] = {}
        for identifier, operation in assembly.operations.items():
            self._operations.setdefault(operation.name, []).append(identifier)
        self._positions: dict[str, dict[str, int]] = {}

    def apply(self) -> None:
        """Applies everything."""
        for target, stated in self._assembly.targets.items():
            head, _, rest = split_target(target)
            if "." not in head and head not in self._assembly.names.namespaces:
                head = self._qualified(head)
            if not self._apply(head, rest, stated):
                self._report_missing(target, head, stated)
                self.overlays.append(self._overlay(target, stated))

    def _qualified(self, head: str) -> str:
        """Gives the qualified name that a target without namespace must mean, itself where there is none."""
        candidates = [f"{namespace}.{head}" for namespace in self._assembly.names.namespaces]
        return next((name for name in candidates if name in self._assembly.structures), head)

    def _apply(self, head: str, rest: str, target: Target) -> bool:
        assembly = self._assembly
        if structure := assembly.structures.get(head):
            return self._apply_to_structure(structure, rest, target)
        if head in assembly.enums:
            return self._apply_to_enum(head, rest, target)
        if head in self._containers:
            return self._apply_to_container(head, rest, target)
        if head in assembly.names.namespaces or head in assembly.definitions:
            self._keep_on_service(head if head in assembly.definitions else rest, target)
            return True
        name, paren, _ = head.partition("(")
        found = self._operations.get(name, [])
        if paren:
            found = [identifier for identifier in found if self._has_signature(identifier, head)]
        return self._apply_to_operations(found, rest, target)

    def _has_signature(self, identifier: str, head: str) -> bool:
        """Whether a target means this overload: by all parameter types, or by the binding one alone if there is one."""
        operation = self._assembly.operations[identifier]
        bound = f"Collection({operation.bound_to})" if operation.bound_to_collection else operation.bound_to
        return identifier.endswith("#" + head) or head == f"{operation.name}({bound})"

    def _apply_to_operations(self, identifiers: list[str], rest: str, target: Target) -> bool:
        """Applies to each overload; gives whether there is any, and each has the parameter that is meant."""
        applied = [self._apply_to_operation(identifier, rest, target) for identifier in identifiers]
        return bool(applied) and all(applied)

    def _stated(self, target: Target, allowed: frozenset[str] | None) -> Statement:
        statement = Statement(allowed, target.line)
        self._assembly.state(statement, target.stated)
        statement.opaque.extend(target.opaque)
        return statement

    def _apply_to_structure(self, structure: Structure, rest: str, target: Target) -> bool:
        if not rest:
            allowed = ENTITY_FIELDS if structure.kind == "EntityType" else COMPLEX_FIELDS
            self._stated(target, allowed).merge_into(structure.fields)
            return True
        position = self._position(structure, rest)
        if position is not None:
            self._apply_to_property(structure, position, target)
            return True
        for pending in structure.pending:
            if pending.fields["name"] == rest:
                self._stated(target, NAVIGATION_FIELDS).merge_into(pending.fields)
                return True
        member = rest.partition("/")[0]
        known = {item.fields["name"] for item in structure.pending}
        if rest.startswith("@") or ("/" in rest and (member in known or self._position(structure, member) is not None)):
            structure.fields["opaque"] = [*structure.fields.get("opaque", ()), *self._prefixed(rest, target)]
            return True
        return False

    def _position(self, structure: Structure, name: str) -> int | None:
        known = self._positions.get(structure.name)
        if known is None:
            known = {item.name: position for position, item in enumerate(structure.properties)}
            self._positions[structure.name] = known
        return known.get(name)

    def _apply_to_property(self, structure: Structure, position: int, target: Target) -> None:
        known = structure.properties[position]
        statement = self._stated(target, PROPERTY_FIELDS)
        changes: dict[str, object] = {"texts": known.texts, "opaque": known.opaque}
        statement.merge_into(changes)
        changes["opaque"] = tuple(changes["opaque"])  # pyright: ignore[reportArgumentType] - a list of annotations
        if statement.value_help is not None:
            changes["value_help"] = require_help(
                self._assembly, structure.name, known.name, statement.value_help, target.line
            )
        structure.properties[position] = msgspec.structs.replace(known, **changes)

    def _apply_to_enum(self, name: str, rest: str, target: Target) -> bool:
        enum = self._assembly.enums[name]
        statement = self._stated(target, ENUM_FIELDS)
        if not rest:
            changes: dict[str, object] = {"texts": enum.texts, "opaque": enum.opaque}
            statement.merge_into(changes)
            changes["opaque"] = tuple(changes["opaque"])  # pyright: ignore[reportArgumentType]
            self._assembly.enums[name] = msgspec.structs.replace(enum, **changes)
            return True
        if all(member.name != rest for member in enum.members):
            return False
        members = tuple(
            msgspec.structs.replace(member, texts=msgspec.structs.replace(member.texts, **statement.texts))
            if member.name == rest
            else member
            for member in enum.members
        )
        opaque = tuple(msgspec.structs.replace(item, term=f"{rest}@{item.term}") for item in statement.opaque)
        self._assembly.enums[name] = msgspec.structs.replace(enum, members=members, opaque=(*enum.opaque, *opaque))
        return True

    def _apply_to_container(self, container: str, rest: str, target: Target) -> bool:
        if not rest:
            self._merge_service(self._stated(target, SERVICE_FIELDS))
            return True
        name, _, path = rest.partition("/")
        found = self._sets.get((container, name)) or next(
            (item for (_, known), item in self._sets.items() if known == name), None
        )
        if found is not None:
            self._apply_to_set(found, path, target)
            return True
        namespace = container.rpartition(".")[0]
        operations = self._operations.get(f"{namespace}.{name}", [])
        if operations:
            return self._apply_to_operations(operations, path, target)
        return self._apply_to_import(name, path, target)

    def _apply_to_set(self, found: PendingSet, path: str, target: Target) -> None:
        if not path:
            self._stated(target, SET_FIELDS).merge_into(found.fields)
            return
        statement = self._stated(target, frozenset({"capabilities"}))
        if statement.capabilities:
            statement.navigation_capabilities[path] = dict(statement.capabilities)
            statement.capabilities.clear()
        statement.opaque = [msgspec.structs.replace(item, term=f"{path}@{item.term}") for item in statement.opaque]
        statement.merge_into(found.fields)

    def _apply_to_import(self, name: str, path: str, target: Target) -> bool:
        for item in self._assembly.imports:
            if item.name == name and not path:
                self._stated(target, OPERATION_FIELDS).merge_into(item.fields)
                return True
        return False

    def _apply_to_operation(self, identifier: str, rest: str, target: Target) -> bool:
        operation = self._assembly.operations[identifier]
        if rest and not rest.startswith("$ReturnType"):
            return self._apply_to_parameter(operation, rest, target)
        if rest:
            opaque = tuple(self._prefixed(rest, target))
            changed = msgspec.structs.replace(operation, opaque=(*operation.opaque, *opaque))
        else:
            statement = self._stated(target, OPERATION_FIELDS)
            changes: dict[str, object] = {"texts": operation.texts, "opaque": operation.opaque}
            statement.merge_into(changes)
            changes["opaque"] = tuple(changes["opaque"])  # pyright: ignore[reportArgumentType]
            changed = msgspec.structs.replace(operation, **changes)
        self._assembly.operations[identifier] = changed
        return True

    def _apply_to_parameter(self, operation: Operation, name: str, target: Target) -> bool:
        if name == operation.binding_parameter:
            opaque = tuple(self._prefixed(name, target))
            changed = msgspec.structs.replace(operation, opaque=(*operation.opaque, *opaque))
            self._assembly.operations[operation.id] = changed
            return True
        parameters = list(operation.parameters)
        for position, known in enumerate(parameters):
            if known.name == name:
                statement = self._stated(target, PARAMETER_FIELDS)
                changes: dict[str, object] = {"texts": known.texts, "opaque": known.opaque}
                statement.merge_into(changes)
                changes["opaque"] = tuple(changes["opaque"])  # pyright: ignore[reportArgumentType]
                if statement.value_help is not None:
                    changes["value_help"] = require_help(
                        self._assembly, operation.name, name, statement.value_help, target.line
                    )
                parameters[position] = msgspec.structs.replace(known, **changes)
                changed = msgspec.structs.replace(operation, parameters=tuple(parameters))
                self._assembly.operations[operation.id] = changed
                return True
        return False

    def _prefixed(self, path: str, target: Target) -> list[Annotation]:
        """Gives everything stated as opaque annotations of what is at `path` below the element that keeps them."""
        stated = [*(self._assembly.keep_stated(item) for item in target.stated), *target.opaque]
        return [msgspec.structs.replace(item, term=f"{path}@{item.term}") for item in stated]

    def _keep_on_service(self, path: str, target: Target) -> None:
        self._assembly.service_opaque.extend(self._prefixed(path, target) if path else [])
        if not path:
            self._merge_service(self._stated(target, SERVICE_FIELDS))

    def _merge_service(self, statement: Statement) -> None:
        self.service.texts = {**statement.texts, **self.service.texts}
        self._assembly.service_opaque.extend(statement.opaque)

    def _report_missing(self, target: str, head: str, stated: Target) -> None:
        assembly = self._assembly
        namespace = head.partition("(")[0].rpartition(".")[0]
        if assembly.service and namespace in assembly.names.namespaces:
            message = f"The annotation target {target} is not in this document; it was kept for another one."
            assembly.note("odata-missing-target", message, stated.line)

    def _overlay(self, target: str, stated: Target) -> Overlay:
        statement = self._stated(stated, None)
        help_fields = statement.value_help
        if help_fields is not None:
            help_fields = located_help(help_fields, target.rpartition("/")[2])
            help_fields.setdefault("name", help_fields.get("collection", ""))
        return Overlay(
            target=target,
            attributes=tuple((name, msgspec.to_builtins(value)) for name, value in statement.fields.items()),
            texts=tuple(statement.texts.items()),
            capabilities=finish_capabilities(statement.capabilities) if statement.capabilities else None,
            navigation_capabilities=tuple(
                (path, finish_capabilities(fields)) for path, fields in statement.navigation_capabilities.items()
            ),
            draft=statement.draft,
            value_help=ValueHelp(id="", line=stated.line, **help_fields) if help_fields is not None else None,
            opaque=tuple(statement.opaque),
            line=stated.line,
        )
