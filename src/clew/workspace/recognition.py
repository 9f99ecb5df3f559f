"""What kind of document some bytes are, told from the bytes themselves: names of files lie too often."""

import re
from typing import Literal, TypeAlias

from clew.workspace.files import LANDSCAPE

DocumentKind: TypeAlias = Literal["odata", "bpmn", "landscape", "bindings", "codelist", "openapi", "unknown"]

_PROLOG = re.compile(r"\s*(?:<\?.*?\?>\s*|<!--.*?-->\s*|<!DOCTYPE[^>\[]*(?:\[.*?\])?\s*>\s*)*", re.DOTALL)
_ROOT = re.compile(r"<(?:[\w.-]+:)?([\w.-]+)")
_XML_ROOTS: dict[str, DocumentKind] = {"edmx": "odata", "schema": "odata", "definitions": "bpmn"}
_HEAD_BYTES = 64 * 1024


def recognise(data: bytes, name: str) -> DocumentKind:
    """Gives the kind of a document; `name` (a file's name) decides only between YAML, JSON and CSV.

    A `clew.yaml` is a landscape whatever is in it.

    An HTML page, and XML that is cut off before its root element, count as OData: that reader says best what is wrong.
    """
    text = _head(data)
    if text.lstrip().startswith("<"):
        root = _ROOT.match(text, _PROLOG.match(text).end())  # type: ignore[union-attr]
        return _XML_ROOTS.get(root[1].lower(), "odata") if root else "odata"
    ending = name.lower().rpartition(".")[2]
    if ending in ("yaml", "yml"):
        return "landscape" if name == LANDSCAPE else _kind_of_yaml(text)
    if ending == "json":
        return "openapi" if re.search(r'"(openapi|swagger)"\s*:', text) else "codelist"
    if ending in ("csv", "tsv"):
        return "codelist"
    return "odata" if ending in ("edmx", "xml") else "bpmn" if ending in ("bpmn", "bpmn2", "iflw") else "unknown"


def _kind_of_yaml(text: str) -> DocumentKind:
    keys = set(re.findall(r"^([\w-]+)\s*:", text, re.MULTILINE))
    if keys & {"openapi", "swagger"}:
        return "openapi"
    if keys & {"services", "processes", "systems", "codelists", "seeds", "settings"}:
        return "landscape"
    return "bindings" if "bindings" in keys else "codelist"


def _head(data: bytes) -> str:
    head = data[:_HEAD_BYTES]
    for mark, encoding in ((b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"), (b"\xef\xbb\xbf", "utf-8-sig")):
        if head.startswith(mark):
            return head.decode(encoding, errors="replace").lstrip("\ufeff")
    return head.decode("utf-8", errors="replace")
