"""Chromium without a window: found, and run once on one page with a profile of its own."""

from __future__ import annotations

import shutil
import subprocess

from tools.missing import Missing

WITHIN_S = 120.0
"""How long one page may take, in seconds."""


class NoBrowser(Missing):
    """There is no Chromium on this machine."""

    def __init__(self) -> None:
        super().__init__("no Chromium: there is no `chromium` on PATH; on Debian: apt-get install chromium")


def find() -> str:
    """The `chromium` command. Raises NoBrowser where there is none."""
    for name in ("chromium", "chromium-browser", "google-chrome"):
        if found := shutil.which(name):
            return found
    raise NoBrowser


def headless(page: str, profile: str, width: int, height: int, *wanted: str) -> subprocess.CompletedProcess[str]:
    """Open the page at an address, do what is ``wanted`` of it, and end. ``profile``: a folder for what it keeps."""
    words = [
        find(),
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--hide-scrollbars",
        "--no-first-run",
        f"--user-data-dir={profile}",
        f"--window-size={width},{height}",
        *wanted,
        page,
    ]
    return subprocess.run(words, capture_output=True, text=True, timeout=WITHIN_S, check=False)
