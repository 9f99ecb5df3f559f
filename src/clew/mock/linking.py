"""Links between entities that exist: `@odata.bind`, `__metadata.uri`, `$ref`, `$links`."""

from clew.domain.errors import CallRefused, MalformedText
from clew.domain.records import JsonValue
from clew.domain.services import NavigationProperty
from clew.mock.addresses import One, resolve
from clew.mock.intake import Intake
from clew.mock.schema import Schema
from clew.mock.state import Row, State
from clew.protocol.urls import parse_path, split_url


class Linking:
    """Sets and cuts links; `base_url` is what absolute URLs begin with."""

    def __init__(self, schema: Schema, state: State, base_url: str) -> None:
        self.schema = schema
        self.state = state
        self.base_url = base_url

    def follow(self, intake: Intake, row: Row, entity_set: str) -> None:
        """Links a row to what its body named, the entities inside of it left out.

        Raises:
            CallRefused: 400, a URL leads nowhere or into another set.
        """
        for link in intake.links:
            for url in link.urls:
                self.connect(row, link.navigation, url, entity_set)

    def connect(self, row: Row, navigation: NavigationProperty, url: str, entity_set: str) -> None:
        """Links `row` to the entity at `url`: by the foreign key where there is one.

        Raises:
            CallRefused: 400, the URL leads nowhere or into another set.
        """
        target = self.entity_at(url, navigation, row, entity_set)
        if navigation.multiplicity != "*":
            self.state.unlink(row, navigation.name, self.state.linked(row, navigation.name))
        self.state.link(row, navigation.name, target)
        key = set(self.schema.view.key(row.type))
        target_key = set(self.schema.view.key(target.type))
        for own, other in self.schema.pairs(row.type, navigation):
            if navigation.multiplicity != "*" and own not in key:
                self._set(row, own, target.values.get(other))
            elif navigation.multiplicity == "*" and other not in target_key:
                self._set(target, other, row.values.get(own))

    def cut(self, row: Row, navigation: NavigationProperty, target: Row) -> None:
        """Takes a link away; a foreign key becomes null.

        Raises:
            CallRefused: 400, the foreign key cannot be null or is a part of the key.
        """
        self.state.unlink(row, navigation.name, [target])
        many = navigation.multiplicity == "*"
        for own, other in self.schema.pairs(row.type, navigation):
            holder, name = (target, other) if many else (row, own)
            prop = self.schema.view.properties(holder.type).get(name)
            if name in self.schema.view.key(holder.type) or (prop is not None and not prop.nullable):
                raise CallRefused(400, "LINK_REQUIRED", f"{name} cannot be empty, so the link cannot be cut")
            self._set(holder, name, None)

    def entity_at(self, url: str, navigation: NavigationProperty, row: Row, entity_set: str) -> Row:
        """Gives the entity that a URL names, which has to be in the navigation's own set.

        Raises:
            CallRefused: 400.
        """
        relative = url.removeprefix(self.base_url).lstrip("/")
        try:
            address = resolve(self.schema, self.state, parse_path(split_url(relative)[0]), {})
        except MalformedText as error:
            raise CallRefused(400, error.code, f"{navigation.name}: {error}", navigation.name) from None
        except CallRefused as error:
            raise CallRefused(400, "BIND_TARGET", f"{navigation.name}: {error.text}", navigation.name) from None
        sets = self.schema.target_sets(entity_set, row.type, navigation)
        if not isinstance(address, One) or address.row is None or (sets and address.entity_set not in sets):
            message = f"{navigation.name} leads to an entity of {' or '.join(sets) or navigation.target}, not to {url}"
            raise CallRefused(400, "BIND_TARGET", message, navigation.name)
        return address.row

    def _set(self, row: Row, name: str, value: JsonValue) -> None:
        if row.values.get(name) != value:
            values = {**row.values, name: value}
            self.state.change(row, values, row.key)
