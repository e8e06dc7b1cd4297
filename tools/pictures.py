"""Draws `docs/pictures/demo.svg` from a real run of the demo: `python -m tools.pictures`."""

import io
import os
import re
import tempfile
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import MONOKAI

from counterfoil.demo.run import run
from counterfoil.demo.table import COLUMNS, show

PICTURE = Path(__file__).parents[1] / "docs" / "pictures" / "demo.svg"
FILE = Path("counterfoil-demo.jsonl")


def drawn() -> str:
    """The demo's last page as SVG. It loads nothing from anywhere: the reader's own monospaced font is used."""
    console = Console(record=True, width=COLUMNS, force_terminal=True, file=io.StringIO())
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        show(run(FILE, Path("book.sqlite")), console, FILE)
    svg = console.export_svg(title="make demo", theme=MONOKAI, unique_id="demo")
    return re.sub(r"\s*@font-face\s*{[^}]*}|\s*<!--.*?-->", "", svg)


if __name__ == "__main__":
    PICTURE.parent.mkdir(parents=True, exist_ok=True)
    PICTURE.write_text(drawn(), encoding="utf-8")
    print(PICTURE)
