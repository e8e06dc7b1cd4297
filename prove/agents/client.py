"""The HTTP client behind the tools: what it does when an answer is missing is the habit."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import httpx

from prove.plan import CLIENT_LIMIT_S, KEY_TTL_S, Plan
from prove.world.wire import PID

TRIES = 3


class NoAnswer(Exception):
    """The provider didn't say yes. The text is for the model."""


@dataclass(frozen=True, slots=True)
class Client:
    """How one operation's tools talk to the provider. ``resumed``: this is the second life of a killed run."""

    http: httpx.AsyncClient
    plan: Plan
    resumed: bool = False

    async def make(self, reference: str, amount: int) -> dict[str, object]:
        """Make one object. Raises `NoAnswer` where nobody said that it was made."""
        habit, problem = self.plan.habit, ""
        self.die("before_call")
        if habit == "claimed":
            return {"status": "done"}
        for attempt in range(1 if habit in ("once", "key_redrawn") else TRIES):
            if attempt and self.plan.contract == "expiring":
                await asyncio.sleep(2 * KEY_TTL_S)
            try:
                answer = await self._send(reference, amount, attempt)
            except httpx.TransportError as error:
                problem = type(error).__name__
                continue
            self.die("after_answer")
            if answer.is_success:
                made: dict[str, object] = answer.json()
                return made
            problem = f"HTTP {answer.status_code}"
            if answer.status_code < 500:
                break
        raise NoAnswer(f"no answer: {problem}")

    async def find(self, reference: str) -> dict[str, object]:
        """What is held for a reference. Raises `NoAnswer`."""
        try:
            answer = await self.http.get(self._path(0), params={"reference": reference})
        except httpx.TransportError as error:
            raise NoAnswer(f"no answer: {type(error).__name__}") from None
        found: dict[str, object] = answer.raise_for_status().json()
        return found

    async def _send(self, reference: str, amount: int, attempt: int) -> httpx.Response:
        key = self._key(attempt)
        headers = {PID: str(os.getpid())} | ({"idempotency-key": key} if key is not None else {})
        return await self.http.post(
            self._path(attempt),
            params={"reference": reference},
            json={"reference": reference if self.plan.habit != "key_reused" else self.plan.name, "amount": amount},
            headers=headers,
            timeout=CLIENT_LIMIT_S,
        )

    def _key(self, attempt: int) -> str | None:
        match self.plan.habit:
            case "blind_retry":
                return None
            case "new_key":
                return f"{self.plan.key}-{attempt}"
        return f"{self.plan.key}-again" if self.resumed and self.plan.resumed == "new_key" else self.plan.key

    def _path(self, attempt: int) -> str:
        account = f"account-{attempt}" if self.plan.habit == "failover" else "account"
        return f"/{self.plan.contract}/{account}/{self.plan.resource}"

    def die(self, where: str) -> None:
        """The end of this process, where the plan says so."""
        if self.plan.kill == where and not self.resumed:
            os.kill(os.getpid(), signal.SIGKILL)


Run = Callable[[Client], Awaitable[object]]
"""One run of an agent, whichever framework it is made with."""
