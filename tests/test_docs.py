"""What the documents show is run: every block marked `runnable`, in the README and in `docs/`.

A block begins with ```` ```python runnable ```` or ```` ```console runnable ````. The Python blocks of one document are
one program. In a console block a line with `$ ` is a command that must succeed, unless a line `# exit N` follows it.
The lines below are its output, where `…` stands for anything.
"""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
DOCUMENTS = sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])
BLOCK = re.compile(r"^```(python|console) runnable\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FENCE = re.compile(r"^```(.*)$", re.MULTILINE)
LINK = re.compile(r"\]\((?!https?://|#)([^)#\s]+)")


@dataclass
class Command:
    line: str
    exit: int = 0
    output: list[str] = field(default_factory=list)


def blocks(document: Path, language: str) -> list[str]:
    return [text for kind, text in BLOCK.findall(document.read_text(encoding="utf-8")) if kind == language]


def commands(block: str) -> Iterator[Command]:
    command: Command | None = None
    for line in block.splitlines():
        if line.startswith("$ "):
            if command is not None:
                yield command
            command = Command(line.removeprefix("$ "))
        elif command is None:
            raise ValueError(f"output before any command: {line}")
        elif match := re.fullmatch(r"# exit (\d+)", line):
            command.exit = int(match[1])
        else:
            command.output.append(line)
    if command is not None:
        yield command


def as_pattern(lines: list[str]) -> str:
    """The shown output as a regular expression; what is left of a line's end doesn't matter."""
    shown = "\n".join(lines).strip()
    return "[\\s\\S]*?".join(re.escape(part.strip()) for part in shown.split("…"))


def without_margins(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.splitlines())


def named(documents: list[Path]) -> list[Any]:
    return [pytest.param(path, id=str(path.relative_to(ROOT))) for path in documents]


def with_runnable(language: str) -> list[Any]:
    return named([path for path in DOCUMENTS if blocks(path, language)])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder that looks like the project's root, in which a command may write what it likes."""
    for entry in ROOT.iterdir():
        if not entry.name.startswith("."):
            (tmp_path / entry.name).symlink_to(entry)
    return tmp_path


@pytest.mark.parametrize("document", with_runnable("python"))
def test_the_python_of_a_document_runs(document: Path, folder: Path) -> None:
    program = "\n".join(blocks(document, "python"))
    done = subprocess.run(
        [sys.executable, "-"], input=program, cwd=folder, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("document", with_runnable("console"))
def test_the_commands_of_a_document_do_what_it_says(document: Path, folder: Path) -> None:
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    environment = {**os.environ, "PATH": path, "COLUMNS": "100", "NO_COLOR": "1"}
    for block in blocks(document, "console"):
        for command in commands(block):
            done = subprocess.run(
                command.line,
                shell=True,
                cwd=folder,
                env=environment,
                capture_output=True,
                text=True,
                timeout=120,
                check=False,
            )
            assert done.returncode == command.exit, f"$ {command.line}\n{done.stdout}{done.stderr}"
            said = without_margins(done.stdout)
            assert re.search(as_pattern(command.output), said), f"$ {command.line}\nsays:\n{said}"


@pytest.mark.parametrize("document", named(DOCUMENTS))
def test_no_document_points_at_nothing(document: Path) -> None:
    text = document.read_text(encoding="utf-8")
    missing = [target for target in LINK.findall(text) if not (document.parent / target).exists()]
    assert not missing


@pytest.mark.parametrize("document", named(DOCUMENTS))
def test_a_marked_block_is_one_that_is_run(document: Path) -> None:
    text = document.read_text(encoding="utf-8")
    marked = [info for info in FENCE.findall(text) if "runnable" in info]
    assert len(marked) == len(BLOCK.findall(text)), f"only python and console can be runnable: {marked}"
