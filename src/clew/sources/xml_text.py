"""The text of an XML document before it is parsed: its encoding, what else it may be, and slips that are mended."""

import codecs
import re

from clew.domain.facts import Refused
from clew.domain.issues import Issue, Place, Severity

_DECLARATION = re.compile(rb"""<\?xml\b[^>]{0,200}?\bencoding\s*=\s*["']([A-Za-z0-9._-]{1,40})["']""")
_DECLARATION_ENDS = re.compile(rb"""\A(<\?xml\b[^<>]{0,300}?["'])((?:encoding|standalone)\b)""")
_PROLOG = re.compile(rb"\A(?:\s++|<\?.*?\?>|<!--.*?-->)*+", re.DOTALL)
_SINGLE_BYTE = re.compile(r"iso8859-\d{1,2}|cp125\d|koi8-[ru]|ascii|utf-8|utf-8-sig|mac-roman|cp437|cp850")
_MULTI_BYTE = {"shift_jis", "euc_jp", "gbk", "gb2312", "gb18030", "big5", "euc_kr", "cp932", "cp936", "cp949", "cp950"}
_UTF16 = {"utf-16", "utf-16-le", "utf-16-be"}

_MARKUP = re.compile(
    rb"""<!--.*?-->|<!\[CDATA\[.*?\]\]>|<\?.*?\?>"""
    rb"""|<[A-Za-z_:\x80-\xff][^\s<>/="']*+(?:\s++[^\s<>/="']++\s*+=\s*+(?:"[^"\r\n]*+"|'[^'\r\n]*+'))*+\s*+/?>""",
    re.DOTALL,
)
_VALUE = re.compile(rb""""[^"]*+"|'[^']*+'""")
_BARE_AMPERSAND = re.compile(rb"&(?!(?:[A-Za-z_][\w.-]*|#\d+|#x[0-9a-fA-F]+);)")
_HTML = re.compile(rb"\A\s*(?:<!--.*?-->\s*)*(?:<!doctype\s+html|<html[\s>])", re.IGNORECASE | re.DOTALL)


def refuse(document: str, code: str, what: str, *, line: int = 0, column: int = 0) -> Refused:
    """Gives the refusal of a whole document; `what` goes on after "The document"."""
    place = Place(document=document, line=line, column=column)
    return Refused(issue=Issue(code=code, message=f"The document {what}.", place=place))


def is_html(text: bytes) -> bool:
    """Whether a text begins as an HTML page."""
    return _HTML.match(text[:4096]) is not None


def prepare_text(data: bytes, *, document: str, size_bytes: int) -> bytes | Refused:
    """Gives a document in UTF-8 without byte order mark, or says why it cannot be XML that is read here."""
    if len(data) > size_bytes:
        return refuse(document, "xml-too-large", f"has {len(data)} bytes; at most {size_bytes} are read")
    text = _decode(data, document)
    if isinstance(text, Refused):
        return text
    start = text[:64].lstrip()
    if not start and not text.strip():
        return refuse(document, "xml-empty", "is empty")
    if is_html(text):
        return refuse(document, "xml-html", "is an HTML page (of a login or an error?) and not metadata", line=1)
    if not start.startswith(b"<") and not text.lstrip().startswith(b"<"):
        return refuse(document, "xml-not-xml", f"is not XML: it begins with {_shown(start)}", line=1)
    prolog = _PROLOG.match(text)
    after = text[prolog.end() :] if prolog else text
    if after[:9].upper() == b"<!DOCTYPE":
        line = text.count(b"\n", 0, len(text) - len(after)) + 1
        return refuse(document, "xml-doctype", "has a document type declaration (DTD), which is never read", line=line)
    return text


def _decode(data: bytes, document: str) -> bytes | Refused:
    mark = next((name for bom, name in _MARKS if data.startswith(bom)), "")
    if mark == "utf-32":
        return refuse(document, "xml-encoding", "is in UTF-32, which is not read here; write it in UTF-8", line=1)
    wide = mark or _guess_wide(data)
    declared = _declared(data.decode(wide, "replace").encode() if wide in _UTF16 else data[:300])
    if wide in _UTF16:
        if declared and not declared.startswith("utf-16"):
            return refuse(document, "xml-encoding", f"declares {declared}, but its bytes are UTF-16", line=1)
        return _transcode(data, wide, document)
    if declared.startswith("utf-16"):
        return refuse(document, "xml-encoding", f"declares {declared}, but its bytes are not: write utf-8", line=1)
    if wide == "utf-8-sig":
        data = data[3:]
    if not declared or declared in ("utf-8", "utf-8-sig", "ascii"):
        return data if data.isascii() else _check_utf8(data, declared or "utf-8", document)
    if not (_SINGLE_BYTE.fullmatch(declared) or declared in _MULTI_BYTE):
        return refuse(document, "xml-encoding", f"declares the encoding {declared}, which is not read here", line=1)
    if wide == "utf-8-sig":
        return refuse(document, "xml-encoding", f"declares {declared}, but begins with UTF-8's mark", line=1)
    return _transcode(data, declared, document)


_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


def _guess_wide(data: bytes) -> str:
    if data.startswith(b"<\0"):
        return "utf-16-le"
    return "utf-16-be" if data.startswith(b"\0<") else ""


def _declared(head: bytes) -> str:
    found = _DECLARATION.match(head.lstrip(codecs.BOM_UTF8).lstrip())
    if found is None:
        return ""
    name = found[1].decode().lower()
    try:
        return codecs.lookup(name).name
    except LookupError:
        return name


def _transcode(data: bytes, encoding: str, document: str) -> bytes | Refused:
    try:
        return data.decode(encoding).removeprefix("\ufeff").encode("utf-8")
    except UnicodeError as error:
        line = data.count(b"\n", 0, getattr(error, "start", 0)) + 1
        return refuse(document, "xml-encoding", f"declares {encoding}, but its bytes are not", line=line)


def _check_utf8(data: bytes, declared: str, document: str) -> bytes | Refused:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        what = (
            f"is read as {declared}, but the byte 0x{data[error.start]:02X} in line {line} is not: declare its encoding"
        )
        return refuse(document, "xml-encoding", what, line=line)
    return data


def _shown(start: bytes) -> str:
    if start.startswith(b"PK"):
        return "a ZIP archive's mark"
    return repr(start[:20].decode("utf-8", "replace"))


def mend_markup(text: bytes, *, document: str) -> tuple[bytes, tuple[Issue, ...]]:
    """Gives the text with the slips mended that may be, and a warning for each; no warning, nothing changed."""
    issues: list[Issue] = []

    def warn(code: str, message: str, position: int) -> None:
        place = Place(document=document, line=text.count(b"\n", 0, position) + 1)
        issues.append(Issue(code=code, message=message, place=place, severity=Severity.WARNING))

    if blank := _DECLARATION_ENDS.match(text):
        warn("xml-missing-blank", f"A blank is missing before {blank[2].decode()!r} in the XML declaration.", 0)
        text = blank[1] + b" " + text[blank.end(1) :]

    def mend_value(value: re.Match[bytes], start: int) -> bytes:
        mended = value[0]
        if b"<" in mended:
            warn("xml-bare-less-than", "A bare '<' in an attribute was read as '&lt;'.", start + value.start())
            mended = mended.replace(b"<", b"&lt;")
        if _BARE_AMPERSAND.search(mended):
            warn("xml-bare-ampersand", "A bare '&' in an attribute was read as '&amp;'.", start + value.start())
            mended = _BARE_AMPERSAND.sub(b"&amp;", mended)
        return mended

    def mend_tag(tag: re.Match[bytes]) -> bytes:
        if tag[0][1:2] in (b"!", b"?"):
            return tag[0]
        return _VALUE.sub(lambda value: mend_value(value, tag.start()), tag[0])

    return _MARKUP.sub(mend_tag, text), tuple(issues)
