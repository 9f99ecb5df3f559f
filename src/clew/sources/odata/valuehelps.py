"""Code lists of a document: enumerations, allowed values, and collections that list values."""

from collections.abc import Iterator

from clew.domain.ids import local_part
from clew.domain.services import Code, EnumType, Property, ValueHelp, ValueListParameter
from clew.sources.odata.assembly import Assembly, PendingHelp, PendingSet
from clew.sources.odata.attributes import Fields


def help_of_enum(enum: EnumType) -> ValueHelp:
    """Gives an enumeration as a closed code list; a member's name is its code (`codes:SVC#Ns.Enum`)."""
    codes = tuple(
        Code(code=member.name, text=member.texts.label or member.texts.description) for member in enum.members
    )
    return ValueHelp(
        id="codes:" + enum.id.partition(":")[2],
        service=enum.service,
        name=enum.name,
        origin="enum",
        codes=codes,
        line=enum.line,
    )


def located_help(fields: Fields, local: str) -> Fields:
    """Completes a stated value list: its key is what it gives back into the property that it is for."""
    fields = {name: value for name, value in fields.items() if name != "context"}
    parameters: tuple[ValueListParameter, ...] = fields.get("parameters", ())
    for parameter in parameters:
        if parameter.direction in {"InOut", "Out"} and parameter.local == local:
            fields["key_property"] = parameter.remote
            break
    return fields


def helps_of_document(assembly: Assembly, kinds: dict[str, str]) -> Iterator[ValueHelp]:
    """Gives the stated value lists as nodes; `kinds` tells the value-list kind of a property by the id of its list."""
    sets = {item.name: item for item in assembly.sets}
    for pending in assembly.helps.values():
        fields = located_help(pending.fields, pending.local)
        if "context" in pending.fields:
            fields |= _code_list(pending, sets.get(fields["collection"]), assembly)
        if fields["origin"] == "value_list" and kinds.get(pending.id) == "fixed-values":
            fields["closed"] = True
        fields.setdefault("name", fields.get("collection") or local_part(pending.id))
        yield ValueHelp(id=pending.id, service=assembly.service, line=pending.line, **fields)


def _code_list(pending: PendingHelp, found: PendingSet | None, assembly: Assembly) -> Fields:
    """Gives what a `c4c:value-help` leaves to be found out: the key of the collection, and where the context goes."""
    structure = assembly.structures.get(found.type) if found else None
    if found is None or structure is None:
        return {}
    key: tuple[str, ...] = structure.fields.get("key", ())
    if not key:
        return {}
    code = "Code" if "Code" in key else key[0]
    parameters = [ValueListParameter(direction="InOut", local=pending.local, remote=code)]
    rest = [name for name in _names(structure.properties) if name not in {code, "Description"}]
    if (context := pending.fields["context"]) and len(rest) == 1:
        parameters.append(ValueListParameter(direction="In", local=context, remote=rest[0]))
    is_fixed = found.fields.get("semantics") == "fixed-values"
    return {"key_property": code, "parameters": tuple(parameters), "closed": is_fixed}


def _names(properties: list[Property]) -> list[str]:
    return [item.name for item in properties]
