"""Where the files that a landscape names may lie: below its own folder, or below the one that it or its user names."""

import re
from collections.abc import Sequence
from pathlib import Path, PurePosixPath

_ROOTED = re.compile(r"[/\\~]|[A-Za-z]:|[A-Za-z][A-Za-z0-9+.-]+:")


def why_not_below(file: str) -> str:
    """Says why a file name as written cannot lie below the folder that it starts from; nothing where it can.

    >>> why_not_below("services/orders.xml")
    ''
    >>> why_not_below("../orders.xml")
    'leaves its folder'
    """
    if "\0" in file or not file.strip():
        return "is no file name"
    if _ROOTED.match(file):
        return "is not relative to its folder"
    if "\\" in file:
        return "is written with backslashes; write `/`"
    depth = 0
    for part in PurePosixPath(file).parts:
        depth += -1 if part == ".." else 1
        if depth < 0:
            return "leaves its folder"
    return ""


def locate(file: str, folders: Sequence[Path], *, folder: bool = False) -> Path | None:
    """Gives the first place below one of `folders` where `file` exists (as a folder where `folder` is set).

    A link that leads out of the folder counts as not there.
    """
    if why_not_below(file):
        return None
    for base in folders:
        root = base.resolve()
        place = (root / file).resolve()
        if place.is_relative_to(root) and (place.is_dir() if folder else place.is_file()):
            return place
    return None
