"""`python -m prove.desk FOLDER plain|ledger`: takes webhooks, and looks when it is told where: `/look?provider=PORT`."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

import httpx

import counterfoil
from prove import plan
from prove.desk.looking import look
from prove.plan import Plan
from prove.serving import served
from prove.telemetry.pipeline import pipeline
from prove.world.webhooks import Post

AT_ONCE = 16
WITH_LEDGER = ("shared", "down")


class Desk:
    """An ASGI application. ``plans`` are those whose operations this desk looks at."""

    def __init__(self, plans: list[Plan]) -> None:
        self._plans = plans

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        body = (await receive()).get("body", b"")
        if scope["path"] == "/hooks":
            self._take(Post(**json.loads(body)))
        else:
            await self._look(int(scope["query_string"].partition(b"=")[2]))
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"0")]})
        await send({"type": "http.response.body", "body": b""})

    def _take(self, post: Post) -> None:
        counterfoil.record_effect(
            post.ref,
            operation_id=post.reference,
            source="webhook",
            count=0 if post.event == "gone" else None,
            stage="accepted" if post.event == "accepted" else None,
        )

    async def _look(self, provider: int) -> None:
        room = asyncio.Semaphore(AT_ONCE)
        async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{provider}") as http:

            async def one(plan: Plan, operation: str) -> None:
                async with room:
                    await look(http, plan, operation)

            due = [plan for plan in self._plans if plan.look in ("count", "cached")]
            await asyncio.gather(*(one(plan, operation) for plan in due for operation in plan.operations))


def main() -> None:
    folder, keeps = Path(sys.argv[1]), sys.argv[2] == "ledger"
    mine = [one for one in plan.read(folder / "plans.jsonl") if (one.telemetry in WITH_LEDGER) == keeps]
    with pipeline():
        served(Desk(mine))


if __name__ == "__main__":
    main()
