"""The whole demo: start the provider, tell the stories to it through a real pipeline, read back what was exported."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import httpx

from counterfoil.demo.launch import Provider, provider
from counterfoil.demo.pipeline import pipeline
from counterfoil.demo.report import Row, rows
from counterfoil.demo.stories import STORIES
from counterfoil.demo.world import World


def run(
    out: Path, book: Path, *, ledger: str = "memory:", on_story: Callable[[str], None] = lambda name: None
) -> list[Row]:
    """Tell every story, and give what came of each. ``on_story`` is called with the name of the one that begins.

    Telemetry is written to ``out``, the provider's book to ``book``, which must not exist yet.
    """
    with provider(book) as outside, pipeline(out, ledger):
        asyncio.run(_tell(outside, on_story))
    return rows([(story.__name__, task) for story, task in STORIES], book, out)


async def _tell(outside: Provider, on_story: Callable[[str], None]) -> None:
    async with httpx.AsyncClient(base_url=outside.url) as http:
        world = World(outside, http)
        for story, task in STORIES:
            on_story(story.__name__)
            await story(world, task)
