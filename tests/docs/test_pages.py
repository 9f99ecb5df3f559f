"""Every page is true: the commands of its console blocks run, in order, and print what the page shows.

In a ```console block a line `$ clew …` is a command (a trailing `\\` continues it); the lines after it are what it
prints, where `…` stands for anything. `# exit 1` behind a command says that it is meant to find something. All blocks
of a page run in one empty folder, with the sample landscape at `samples/`. `<hash>`, `<case>` and `<run>` stand for
the last ones that were printed.
"""

import re
import shlex
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from clew.interfaces.cli.main import COMMANDS, main

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"^```console\n(.*?)^```", re.MULTILINE | re.DOTALL)

CAPTURES = {"hash": re.compile(r"hash ([0-9a-f]{16,64})"), "run": re.compile(r"run ([\w-]+): ")}


@dataclass
class Step:
    command: str
    code: int = 0
    shown: list[str] = field(default_factory=list)


def steps_of(page: Path) -> list[Step]:
    steps: list[Step] = []
    for block in BLOCK.findall(page.read_text(encoding="utf-8")):
        for line in block.replace("\\\n", " ").splitlines():
            if line.startswith("$ "):
                command, _, note = line[2:].partition("  # ")
                steps.append(Step(command, code=int(note.removeprefix("exit ")) if note.startswith("exit ") else 0))
            elif line.strip():
                steps[-1].shown.append(line)
    return steps


def folded(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_the_commands_of_a_page_print_what_it_shows(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "samples").symlink_to(ROOT / "samples")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "160")
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.delenv("CLEW_WORKSPACE", raising=False)
    captured: dict[str, str] = {}
    for step in steps_of(page):
        words = shlex.split(step.command)
        if words[0] != "clew":
            continue
        code = main([captured.get(word, word) for word in words[1:]])
        printed = capsys.readouterr()
        output = folded(printed.out + " " + printed.err)
        assert code == step.code, f"{step.command}\n{printed.out}{printed.err}"
        for line in step.shown:
            pattern = ".*?".join(re.escape(folded(part)) for part in line.split("…"))
            assert re.search(pattern, output), f"{step.command}\nshown:   {line}\nprinted: {output}"
        captured |= {f"<{name}>": found[-1] for name, pattern in CAPTURES.items() if (found := pattern.findall(output))}
        if words[1:3] == ["case", "open"]:
            captured["<case>"] = output.split()[0]


def test_every_command_is_documented() -> None:
    text = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")
    assert [name for name in COMMANDS if f"`clew {name}" not in text] == []


def test_the_paths_that_guides_name_are_there() -> None:
    missing: list[str] = []
    for guide in (*PAGES, ROOT / "ARCHITECTURE.md", ROOT / "CONTRIBUTING.md", ROOT / "SECURITY.md"):
        for path in re.findall(
            r"`((?:src|tests|docs|samples|requirements|bench)/[\w./-]*\w)`", guide.read_text(encoding="utf-8")
        ):
            if not (ROOT / path).exists():
                missing.append(f"{guide.name}: {path}")
        for link in re.findall(r"\]\((?!https?:)([^)#]+)\)", guide.read_text(encoding="utf-8")):
            if not (guide.parent / link).exists():
                missing.append(f"{guide.name}: {link}")
    assert missing == []


def test_the_help_of_each_command_is_the_line_of_the_table(capsys: pytest.CaptureFixture[str]) -> None:
    for name in COMMANDS:
        assert main([name, "--help"]) == 0
        assert name in capsys.readouterr().out
