"""The namespaces of CSDL and of the vendors, by URI: what a name means, whatever its prefix and its dialect."""

import re
from collections.abc import Mapping

from clew.sources.xml import XML_NAMESPACE

_EDM = re.compile(r"https?://schemas\.microsoft\.com/ado/\d{4}/\d{2}/edm|https?://docs\.oasis-open\.org/odata/ns/edm/?")
_EDMX = re.compile(
    r"https?://schemas\.microsoft\.com/ado/\d{4}/\d{2}/edmx|https?://docs\.oasis-open\.org/odata/ns/edmx/?"
)
OASIS_EDM = "http://docs.oasis-open.org/odata/ns/edm"
_STORAGE = re.compile(r"https?://schemas\.microsoft\.com/ado/\d{4}/\d{2}/edm/ssdl")
# Several publishers bind the prefix `m:` to other namespaces than the documented one; the local names agree.
_METADATA = re.compile(
    r"https?://schemas\.microsoft\.com/ado/\d{4}/\d{2}/(?:dataservices/metadata|edm/annotation)"
    r"|https?://docs\.oasis-open\.org/odata/ns/(?:dataservices/)?(?:metadata|data|edm/annotation)"
)
_VENDORS: Mapping[str, str] = {
    "http://www.sap.com/Protocols/SAPData": "sap",
    "http://www.successfactors.com/edm/sap": "sap",
    "http://www.sap.com/Protocols/C4CData": "c4c",
    "http://www.w3.org/2005/Atom": "atom",
    XML_NAMESPACE: "xml",
}
KNOWN_PREFIXES: Mapping[str, str] = {
    "edmx": "http://docs.oasis-open.org/odata/ns/edmx",
    "edm": OASIS_EDM,
    "m": "http://schemas.microsoft.com/ado/2007/08/dataservices/metadata",
    "sap": "http://www.sap.com/Protocols/SAPData",
    "c4c": "http://www.sap.com/Protocols/C4CData",
    "atom": "http://www.w3.org/2005/Atom",
}
PRODUCERS: Mapping[str, str] = {
    "http://www.sap.com/Protocols/C4CData": "SAP Cloud for Customer",
    "http://www.successfactors.com/edm/sap": "SAP SuccessFactors",
    "http://www.sap.com/Protocols/SAPData": "SAP",
    "http://aggregator.microsoft.com/internal": "Microsoft Graph",
    "http://schemas.microsoft.com/ado/2009/02/edm/annotation": "Entity Framework",
}
SAP_NAMESPACES = frozenset(uri for uri, prefix in _VENDORS.items() if prefix == "sap")


def is_edm(namespace: str) -> bool:
    """Whether a namespace is one of CSDL's own, of any version; some documents use none at all."""
    return not namespace or _EDM.fullmatch(namespace) is not None


def element_name(namespace: str, local: str) -> str:
    """Gives the plain local name of an element of CSDL or of its wrapper, and `{namespace}local` of any other.

    >>> element_name("http://schemas.microsoft.com/ado/2008/09/edm", "Schema")
    'Schema'
    >>> element_name("http://schemas.microsoft.com/ado/2009/02/edm/ssdl", "Schema")
    'ssdl:Schema'
    """
    if is_edm(namespace) or _EDMX.fullmatch(namespace):
        return local
    if _STORAGE.fullmatch(namespace):
        return "ssdl:" + local
    prefix = _VENDORS.get(namespace)
    return f"{prefix}:{local}" if prefix else f"{{{namespace}}}{local}"


def attribute_name(namespace: str, local: str) -> str:
    """Gives the name of an attribute with the customary prefix of its namespace, or `{namespace}local`.

    >>> attribute_name("http://www.successfactors.com/edm/sap", "label")
    'sap:label'
    """
    if is_edm(namespace):
        return local
    prefix = _VENDORS.get(namespace) or ("m" if _METADATA.fullmatch(namespace) else "")
    return f"{prefix}:{local}" if prefix else f"{{{namespace}}}{local}"
