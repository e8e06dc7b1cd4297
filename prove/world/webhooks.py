"""Word of what a provider did, sent to whoever asked for it: once, twice, late, in the wrong order, or never."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import asdict, dataclass

import httpx


@dataclass(frozen=True, slots=True)
class Post:
    """One webhook. ``event``: accepted, made, gone. ``telemetry`` says at which desk it is awaited."""

    reference: str
    ref: str
    event: str
    telemetry: str


class Postman:
    """Delivers in order, and again where the desk doesn't answer. ``desks``: the one for ledgers is the last."""

    def __init__(self, desks: Sequence[str]) -> None:
        self._desks = desks
        self._queue: asyncio.Queue[Post] = asyncio.Queue()
        self._kept: list[Post] = []
        self._running: asyncio.Task[None] | None = None

    def post(self, manner: str, posts: Sequence[Post]) -> None:
        """Send them as planned."""
        if self._running is None:
            self._running = asyncio.create_task(self._deliver())
        match manner:
            case "once":
                order = list(posts)
            case "twice":
                order = [*posts, *posts]
            case "disordered":
                order = list(reversed(posts))
            case "late":
                self._kept += posts
                return
            case _:
                return
        for one in order:
            self._queue.put_nowait(one)

    async def release(self) -> int:
        """Send what is late, and wait until all is delivered."""
        if self._running is None:
            self._running = asyncio.create_task(self._deliver())
        released, self._kept = self._kept, []
        for one in released:
            self._queue.put_nowait(one)
        await self._queue.join()
        return len(released)

    async def _deliver(self) -> None:
        async with httpx.AsyncClient(timeout=30) as http:
            while True:
                one = await self._queue.get()
                desk = self._desks[-1 if one.telemetry in ("shared", "down") else 0]
                for _ in range(3):
                    try:
                        await http.post(f"{desk}/hooks", json=asdict(one))
                        break
                    except httpx.TransportError:
                        continue
                self._queue.task_done()
