"""Looks at one self-contained page in Chromium: a picture of it, or what a script measures in it.

The page stands in a frame of the wanted width, since Chromium's own windows can't be as narrow as a phone. The frame
holds the page's text as it is, with its own policy: what is measured is measured from outside.
"""

from __future__ import annotations

import json
import re
import tempfile
from html import escape, unescape
from pathlib import Path
from typing import Any

from PIL import Image

from tools.chromium import headless

NARROWEST = 500
DARK = "--blink-settings=preferredColorScheme=0"
_FOUND = re.compile(r'<pre id="found">(.*?)</pre>', re.DOTALL)


def photograph(page: str, picture: Path, *, width: int, height: int, dark: bool = False) -> None:
    """Write a PNG of the top of a page. Raises `tools.chromium.NoBrowser` where there is no Chromium."""
    with tempfile.TemporaryDirectory() as folder:
        _run(folder, _framed(page, width, height), width, height, dark, f"--screenshot={picture.resolve()}")
    if width < NARROWEST:
        with Image.open(picture) as whole:
            frame = whole.crop((0, 0, width, height))
        frame.save(picture)


def measured(page: str, script: str, *, width: int, height: int = 1_000, dark: bool = False) -> Any:
    """What an expression in JavaScript, with the page's ``window`` as ``page``, comes to, by way of JSON."""
    asking = f"""<script>
    document.querySelector("iframe").addEventListener("load", event => {{
      const page = event.target.contentWindow;
      const found = document.createElement("pre");
      found.id = "found";
      found.textContent = JSON.stringify({script});
      document.body.append(found);
    }});
    </script>"""
    with tempfile.TemporaryDirectory() as folder:
        seen = _run(folder, _framed(page, width, height) + asking, width, height, dark, "--dump-dom")
    found = _FOUND.search(seen)
    if found is None:
        raise RuntimeError(f"nothing was measured:\n{seen[-2_000:]}")
    return json.loads(unescape(found[1]))


def _framed(page: str, width: int, height: int) -> str:
    frame = (
        f'<iframe srcdoc="{escape(page)}" width="{width}" height="{height}" style="border:0;display:block"></iframe>'
    )
    return f'<!doctype html><meta charset="utf-8"><body style="margin:0">{frame}'


def _run(folder: str, text: str, width: int, height: int, dark: bool, *wanted: str) -> str:
    page = Path(folder) / "page.html"
    page.write_text(text, encoding="utf-8", errors="replace")
    asked = ["--host-resolver-rules=MAP * ~NOTFOUND", *([DARK] if dark else []), *wanted]
    done = headless(page.as_uri(), f"{folder}/profile", max(width, NARROWEST), height, *asked)
    if done.returncode != 0:
        raise RuntimeError(f"the page was not drawn:\n{done.stderr}")
    return done.stdout
