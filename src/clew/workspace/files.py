"""Files to read: found below the paths that a person names, loaded within bounds, keyed by their place."""

import hashlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path, PurePosixPath
from typing import TypeAlias

from clew.domain.issues import Issue, Place
from clew.domain.records import Record
from clew.workspace.results import DocumentOutcome

Progress: TypeAlias = Callable[[int, int, str], None]
"""Told how many documents are done, of how many, and which one comes next."""

LANDSCAPE = "clew.yaml"
SIZE_LIMIT_BYTES = 256 * 1024 * 1024
READABLE = frozenset({".xml", ".edmx", ".bpmn", ".bpmn2", ".iflw", ".yaml", ".yml", ".json", ".csv", ".tsv"})


def hear_nothing(done: int, total: int, what: str) -> None:
    """The progress that nobody follows."""
    del done, total, what


class Found(Record, frozen=True, kw_only=True):
    """A file to read: its place, and the key it has in the graph (its path relative to the workspace)."""

    path: Path
    key: str


def find_files(paths: Iterable[Path], *, folder: Path) -> tuple[list[Found], list[DocumentOutcome]]:
    """Gives the files that `paths` name, folders searched below in order of their names, and what could not be found.

    A folder that holds a `clew.yaml` stands for that landscape.
    Links are not followed out of the folder that was named.
    """
    found: dict[str, Found] = {}
    missing: list[DocumentOutcome] = []
    for path in paths:
        if (path / LANDSCAPE).is_file():
            # A folder with a landscape is what the landscape says it is.
            files: Iterable[Path] = [path / LANDSCAPE]
        elif path.is_dir():
            files = sorted(_below(path))
        elif path.is_file():
            files = [path]
        else:
            missing.append(refusal(document_key(path, folder), "MISSING_FILE", "There is no such file or folder."))
            continue
        for file in files:
            key = document_key(file, folder)
            found[key] = Found(path=file, key=key)
    return list(found.values()), missing


def _below(folder: Path) -> Iterator[Path]:
    root = folder.resolve()
    for path in folder.rglob("*"):
        hidden = any(part.startswith(".") for part in path.relative_to(folder).parts)
        if hidden or path.suffix.lower() not in READABLE or not path.is_file():
            continue
        if path.resolve().is_relative_to(root):
            yield path


def document_key(path: Path, folder: Path) -> str:
    """Gives the key of a file: its path relative to the workspace's folder, with `/`."""
    return PurePosixPath(_relative(path.resolve(), folder.resolve())).as_posix()


def _relative(path: Path, folder: Path) -> Path:
    for ups, parent in enumerate((folder, *folder.parents)):
        if path.is_relative_to(parent):
            return Path(*[".."] * ups, path.relative_to(parent))
    return path


def refusal(document: str, code: str, message: str) -> DocumentOutcome:
    """Makes the outcome of a document that cannot be read."""
    issue = Issue(code=code, message=message, place=Place(document=document))
    return DocumentOutcome(document=document, outcome="refused", issues=(issue,))


def read_bytes(found: Found) -> bytes | DocumentOutcome:
    """Gives a file's bytes, or why they cannot be had."""
    try:
        size = found.path.stat().st_size
        if size > SIZE_LIMIT_BYTES:
            text = f"The file has {size:,} bytes; at most {SIZE_LIMIT_BYTES:,} are read."
            return refusal(found.key, "FILE_TOO_LARGE", text)
        return found.path.read_bytes()
    except OSError as error:
        return refusal(found.key, "UNREADABLE_FILE", f"The file cannot be read: {error.strerror or error}.")


def hash_content(data: bytes, *settings: str) -> str:
    """Gives the hash that tells whether a document changed: of its bytes, and of what a landscape says of it."""
    digest = hashlib.sha256(data)
    for setting in settings:
        digest.update(b"\0" + setting.encode())
    return digest.hexdigest()
