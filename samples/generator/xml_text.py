"""XML written line by line, so that a change in the description is a small change in the files."""

from collections.abc import Mapping
from xml.sax.saxutils import quoteattr


class Lines:
    """The lines of a document; `open` and `close` keep the indentation."""

    def __init__(self) -> None:
        self._lines: list[str] = ['<?xml version="1.0" encoding="utf-8"?>']
        self._open: list[str] = []

    def open(self, name: str, /, **attributes: str | None) -> None:
        self._add(f"<{name}{_written(attributes)}>")
        self._open.append(name)

    def close(self) -> None:
        name = self._open.pop()
        self._add(f"</{name}>")

    def empty(self, name: str, /, **attributes: str | None) -> None:
        self._add(f"<{name}{_written(attributes)}/>")

    def text(self, name: str, text: str, /, **attributes: str | None) -> None:
        escaped = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
        self._add(f"<{name}{_written(attributes)}>{escaped}</{name}>")

    def done(self) -> str:
        while self._open:
            self.close()
        return "\n".join(self._lines) + "\n"

    def _add(self, line: str) -> None:
        self._lines.append("  " * len(self._open) + line)


def _written(attributes: Mapping[str, str | None]) -> str:
    """Writes attributes; in a keyword a double underscore stands for the colon, `None` leaves the attribute out."""
    return "".join(
        f" {name.replace('__', ':')}={quoteattr(value)}" for name, value in attributes.items() if value is not None
    )
