"""The providers' HTTP, as an ASGI application: `/<contract>/<account>/<resource>?reference=…`.

POST makes an object, GET counts what is held; `/lagging` in front of it is a read model that is `READ_MODEL_LAG_S`
behind, `/cached` one that never catches up in time.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any
from urllib.parse import parse_qs

from prove.plan import ASYNC, READ_MODEL_LAG_S, Plan
from prove.serving import body_of
from prove.world.contracts import Answer, Known, answer, name_space
from prove.world.truth import ACCEPTED, DIED, HELD, Asked, BookOfTruth
from prove.world.webhooks import Post, Postman

Send = Callable[[dict[str, Any]], Awaitable[None]]
ASKED_FOR = "shop"
"""The project that every request is about, and where what is made otherwise is not."""

FATE_AFTER_S = 0.05
"""So long after its 202 a job is done, or dies."""


class Provider:
    """All providers of a run behind one port; their contracts are in the path."""

    def __init__(self, book: BookOfTruth, plans: Mapping[str, Plan], postman: Postman) -> None:
        self._book, self._plans, self._postman = book, plans, postman
        self._later: set[asyncio.Task[None]] = set()

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Send) -> None:
        if scope["type"] != "http":
            return
        body = await body_of(receive)
        path = scope["path"].strip("/").split("/")
        reference = parse_qs(scope["query_string"].decode()).get("reference", [""])[0]
        headers = {name.decode(): value.decode() for name, value in scope["headers"]}
        match scope["method"], path:
            case "POST", [contract, account, resource]:
                key, payload = headers.get("idempotency-key"), _digest(body)
                asked = Asked(contract, account, resource, reference, key, payload, time.time())
                status, said, more = self._create(asked)
            case "POST", ["release"]:
                status, said, more = 200, {"released": await self._postman.release()}, []
            case "GET", ["cached", *_]:
                status, said, more = 200, {"count": 0, "objects": []}, []
            case "GET", ["lagging", _, _, _]:
                status, said, more = 200, self._found(reference, before=time.time() - READ_MODEL_LAG_S), []
            case "GET", [_, _, _]:
                status, said, more = 200, self._found(reference, before=time.time()), []
            case _:
                status, said, more = 404, {}, []
        raw = json.dumps(said).encode()
        length = (b"content-length", str(len(raw)).encode())
        kind = (b"content-type", b"application/json")
        await send({"type": "http.response.start", "status": status, "headers": [length, kind, *more]})
        await send({"type": "http.response.body", "body": raw})

    def _found(self, reference: str, before: float) -> dict[str, object]:
        held = [one for one in self._book.objects(reference) if one.state == HELD and one.at <= before]
        found = [{"id": one.ref, "project": ASKED_FOR if one.as_asked else "another"} for one in held]
        return {"count": len(held), "objects": found}

    def _create(self, asked: Asked) -> tuple[int, dict[str, object], list[tuple[bytes, bytes]]]:
        self._book.note(asked)
        space = name_space(asked.contract, asked.account)
        known = self._book.known(asked.contract, space, asked.key) if asked.key is not None else None
        status, state = (202, ACCEPTED) if asked.resource in ASYNC else (201, HELD)
        match answer(asked.contract, known, asked.payload, asked.at):
            case Answer.REFUSE:
                return 422, {"error": "this key came with another payload"}, []
            case Answer.REPLAY if known is not None:
                return status, {"id": known.ref}, [(b"idempotent-replayed", b"true")]
        plan = self._plans.get(asked.reference)
        ref = self._book.make(asked, state, as_asked=plan is None or plan.fate != "otherwise")
        if asked.key is not None:
            self._book.remember(asked.contract, space, asked.key, Known(asked.payload, ref, asked.at))
        self._after(ref, asked.reference, state)
        return status, {"id": ref}, []

    def _after(self, ref: str, reference: str, state: str) -> None:
        plan = self._plans.get(reference)
        if plan is None:
            return
        task = asyncio.create_task(self._unfold(plan, ref, reference, state))
        self._later.add(task)
        task.add_done_callback(self._later.discard)

    async def _unfold(self, plan: Plan, ref: str, reference: str, state: str) -> None:
        """What comes later: the fate of a promise, and word of it."""
        if state == ACCEPTED:
            await asyncio.sleep(FATE_AFTER_S)
            self._book.settle(ref, DIED if plan.fate == "dies" else HELD)
        promise = [Post(reference, ref, "accepted", plan.telemetry)] if state == ACCEPTED else []
        news = Post(reference, ref, "gone" if state == ACCEPTED and plan.fate == "dies" else "made", plan.telemetry)
        self._postman.post(plan.webhook, [*promise, news])


def _digest(body: bytes) -> str:
    return hashlib.sha256(json.dumps(json.loads(body), sort_keys=True).encode()).hexdigest()[:16]
