"""Draws `docs/pictures/show.png` and `docs/pictures/show-phone.png`: `python -m tools.page_pictures`.

They show what `counterfoil show … --html` writes of an operation of a real run of the demo, in Chromium.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

from tools.browser import measured, photograph

PICTURES = Path(__file__).parents[1] / "docs" / "pictures"
OPERATION = "charge_card:order-8"
LOOKS = {"show.png": (1280, False), "show-phone.png": (390, True)}
HEIGHT = "Math.ceil(page.document.body.getBoundingClientRect().height)"


def page() -> str:
    """The page of an operation whose answer was lost, and which was then carried out twice."""
    with tempfile.TemporaryDirectory() as folder:
        for words in (["demo"], ["show", OPERATION, "--html", "page.html"]):
            command = [sys.executable, "-m", "counterfoil", *words, "--ledger", "sqlite:///ledger.db"]
            subprocess.run(command, cwd=folder, check=True, capture_output=True)
        return (Path(folder) / "page.html").read_text(encoding="utf-8")


if __name__ == "__main__":
    drawn = page()
    for name, (width, dark) in LOOKS.items():
        height = measured(drawn, HEIGHT, width=width)
        photograph(drawn, PICTURES / name, width=width, height=height, dark=dark)
        print(PICTURES / name)
