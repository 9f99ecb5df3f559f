"""Where the sample landscape lies: in the package where Clew is installed, beside `src` in a checkout."""

from pathlib import Path

from clew.domain.errors import WorkspaceError

_PACKAGE = Path(__file__).resolve().parents[1]


def sample_folder() -> Path:
    """Gives the folder of the sample landscape.

    Raises:
        WorkspaceError: this installation has none.
    """
    for folder in (_PACKAGE / "samples", _PACKAGE.parents[1] / "samples"):
        if (folder / "clew.yaml").is_file():
            return folder
    raise WorkspaceError("This installation of Clew has no sample landscape.")
