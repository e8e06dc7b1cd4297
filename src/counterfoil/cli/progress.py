"""A progress bar on standard error, if somebody watches and there is something to watch."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

LONG = 16 * 1024 * 1024
"""So many bytes are read in a moment; more get a bar."""


@contextmanager
def reading(size: int) -> Iterator[Callable[[int], None]]:
    """Gives what to tell of every read. ``size``: bytes in all, as far as known."""
    if size < LONG or not sys.stderr.isatty():
        yield lambda read: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("reading"), BarColumn(), DownloadColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("reading", total=size)
        yield lambda read: bar.advance(task, read)
