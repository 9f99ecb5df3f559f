"""Qualified names: aliases resolved, collections taken apart, what is looked for and not there remembered."""

import re
from collections.abc import Iterable, Mapping

from clew.domain.services import Property

_DEFAULT_TYPE = Property(name="").type
COLLECTION = re.compile(r"\s*Collection\(\s*(.*?)\s*\)\s*")
_ALIAS_IN_PATH = re.compile(r"@([A-Za-z_][\w]*)\.(?=[A-Za-z_]\w*(?:[#/,)]|$))")

# Vocabularies that documents name by their customary alias without declaring it.
CUSTOMARY_VOCABULARIES: Mapping[str, str] = {
    "Core": "Org.OData.Core.V1",
    "Capabilities": "Org.OData.Capabilities.V1",
    "Validation": "Org.OData.Validation.V1",
    "Measures": "Org.OData.Measures.V1",
    "Aggregation": "Org.OData.Aggregation.V1",
    "Authorization": "Org.OData.Authorization.V1",
    "Common": "com.sap.vocabularies.Common.v1",
    "UI": "com.sap.vocabularies.UI.v1",
    "Communication": "com.sap.vocabularies.Communication.v1",
    "Analytics": "com.sap.vocabularies.Analytics.v1",
    "PersonalData": "com.sap.vocabularies.PersonalData.v1",
    "Session": "com.sap.vocabularies.Session.v1",
    "Hierarchy": "com.sap.vocabularies.Hierarchy.v1",
    "CodeList": "com.sap.vocabularies.CodeList.v1",
    "HTML5": "com.sap.vocabularies.HTML5.v1",
}


class Names:
    """Resolves names of one document. An alias that is declared after its first use shows in `late_aliases`."""

    def __init__(self, aliases: Mapping[str, str], replaced: Mapping[str, str]) -> None:
        """Begins with aliases that are known beforehand and with names that stand for others (unqualified ones)."""
        self.aliases: dict[str, str] = dict(aliases)
        self.declared: dict[str, str] = {}
        self.namespaces: dict[str, int] = {}
        """Namespaces of the document's own schemas with their lines."""
        self.included: set[str] = set()
        """Namespaces that references include."""
        # The record's own default, the very same text, is not written out when the record is stored.
        self.types: dict[str, tuple[str, bool]] = {_DEFAULT_TYPE: (_DEFAULT_TYPE, False)}
        """What each type expression was resolved to: the name, and whether it is a collection of it."""
        self.late_aliases: dict[str, str] = {}
        self._replaced = replaced
        self._plain: dict[str, str] = {}

    def declare_alias(self, alias: str, namespace: str) -> None:
        """Lets an alias stand for a namespace."""
        self.declared[alias] = namespace
        if self.aliases.get(alias) == namespace:
            return
        self.aliases[alias] = namespace
        if any(name.startswith(alias + ".") for name in self._plain):
            self.late_aliases[alias] = namespace

    def resolve(self, name: str) -> str:
        """Gives a qualified name with its alias replaced by the namespace.

        >>> names = Names({"self": "my.model"}, {})
        >>> names.resolve("self.Order")
        'my.model.Order'
        """
        known = self._plain.get(name)
        if known is None:
            known = self._plain[name] = self._resolve(name.strip())
        return known

    def resolve_type(self, expression: str) -> tuple[str, bool]:
        """Gives the element type of a type expression, and whether it is a collection."""
        known = self.types.get(expression)
        if known is None:
            inner = COLLECTION.fullmatch(expression)
            known = (self.resolve(inner[1] if inner else expression), inner is not None)
            self.types[expression] = known
        return known

    def resolve_term(self, name: str) -> str:
        """Gives a term's qualified name; customary aliases of the standard vocabularies hold without declaration."""
        resolved = self.resolve(name)
        namespace, _, term = name.rpartition(".")
        if resolved == name and namespace in CUSTOMARY_VOCABULARIES and namespace not in self.namespaces:
            return f"{CUSTOMARY_VOCABULARIES[namespace]}.{term}"
        return resolved

    def resolve_target(self, target: str) -> str:
        """Gives an annotation target with the aliases of its first segment and of a signature's types resolved."""
        head, slash, rest = split_target(target)
        name, paren, signature = head.partition("(")
        if "." not in name:
            # A set of the default container, perhaps with a path: no type is meant, even if one has the same name.
            return target
        resolved = self.resolve(name)
        if paren:
            types = signature.rstrip(")").split(",") if signature.rstrip(")") else []
            # A collection's own parenthesis went with the signature's last one.
            resolved += "(" + ",".join(self._signature_type(name) for name in types) + ")"
        return resolved + slash + rest

    def resolve_path(self, path: str) -> str:
        """Gives an annotation path with the aliases of its terms resolved."""
        if "@" not in path:
            return path
        return _ALIAS_IN_PATH.sub(lambda found: f"@{self._namespace(found[1])}.", path)

    def _signature_type(self, expression: str) -> str:
        text = expression.strip()
        is_collection = text.startswith("Collection(")
        name = self.resolve(text.removeprefix("Collection(").rstrip(")"))
        return f"Collection({name})" if is_collection else name

    def _namespace(self, prefix: str) -> str:
        return self.aliases.get(prefix) or CUSTOMARY_VOCABULARIES.get(prefix, prefix)

    def _resolve(self, name: str) -> str:
        replaced = self._replaced.get(name)
        if replaced is not None:
            return replaced
        prefix, _, local = name.rpartition(".")
        namespace = self.aliases.get(prefix)
        return f"{namespace}.{local}" if namespace is not None else name

    def unqualified(self) -> list[str]:
        """Gives the names that were looked up and have no namespace."""
        return [name for name in self._plain if name and "." not in name]

    def referenced(self) -> Iterable[str]:
        """Gives each type name that was looked up, resolved."""
        return dict.fromkeys(name for name, _ in self.types.values())


def split_target(target: str) -> tuple[str, str, str]:
    """Splits a target at the first `/` outside a signature's parentheses.

    >>> split_target("Ns.Close(Collection(Ns.Order))/note")
    ('Ns.Close(Collection(Ns.Order))', '/', 'note')
    """
    start = target.rfind(")") + 1 if "(" in target.partition("/")[0] else 0
    position = target.find("/", start)
    if position < 0:
        return target, "", ""
    return target[:position], "/", target[position + 1 :]
