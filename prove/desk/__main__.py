"""`python -m prove.desk FOLDER plain|ledger`: takes webhooks, and looks when it is told where.

`/look?provider=PORT` is for all that is due at the end, `/look?provider=PORT&reference=…` for one operation at once.
"""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import httpx

import counterfoil
from prove import plan
from prove.desk.looking import look
from prove.plan import Plan
from prove.serving import body_of, served
from prove.telemetry.pipeline import pipeline
from prove.world.webhooks import Post

AT_ONCE = 16
WITH_LEDGER = ("shared", "down")


class Desk:
    """An ASGI application. ``plans`` are those whose operations this desk looks at, by name."""

    def __init__(self, plans: dict[str, Plan]) -> None:
        self._plans = plans

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        body = await body_of(receive)
        if scope["path"] == "/hooks":
            self._take(Post(**json.loads(body)))
        else:
            asked = parse_qs(scope["query_string"].decode())
            await self._look(int(asked["provider"][0]), asked.get("reference", []))
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

    async def _look(self, provider: int, references: list[str]) -> None:
        due = [plan for plan in dict.fromkeys(self._plans.values()) if plan.look in ("count", "contract", "cached")]
        pairs = [(plan, operation) for plan in due for operation in plan.operations]
        if references:
            pairs = [(self._plans[one], one) for one in references]
        room = asyncio.Semaphore(AT_ONCE)
        async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{provider}") as http:

            async def one(plan: Plan, operation: str) -> None:
                async with room:
                    await look(http, plan, operation)

            await asyncio.gather(*(one(*pair) for pair in pairs))


def main() -> None:
    folder, keeps = Path(sys.argv[1]), sys.argv[2] == "ledger"
    mine = [one for one in plan.read(folder / "plans.jsonl") if (one.telemetry in WITH_LEDGER) == keeps]
    with pipeline():
        served(Desk(plan.by_operation(mine)))


if __name__ == "__main__":
    main()
