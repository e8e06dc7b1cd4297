"""The wire: a small HTTP proxy between agents and providers that fails as planned, and notes what passed.

A plan's faults meet the requests for its reference in order of arrival. The note is taken before anything else, so
that it holds what agents sent, whether or not the provider heard of it.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import json
import os
import signal
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from prove.plan import CLIENT_LIMIT_S, Plan

PID = "x-agent-pid"
"""A header in which an agent says which process it is, so that the wire can kill it."""


@dataclass(frozen=True, slots=True)
class Message:
    """An HTTP message as bytes, with the little of it that matters here."""

    first: str
    headers: Mapping[str, str]
    body: bytes
    raw: bytes


async def message(reader: asyncio.StreamReader) -> Message | None:
    """The next message of a connection; None at its end."""
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except (asyncio.IncompleteReadError, ConnectionError):
        return None
    lines = head.decode("latin-1").split("\r\n")
    pairs = (line.partition(":") for line in lines[1:] if line)
    headers = {name.strip().lower(): value.strip() for name, _, value in pairs}
    body = await reader.readexactly(int(headers.get("content-length", 0)))
    return Message(lines[0], headers, body, head + body)


class Wire:
    """One proxy for a run."""

    def __init__(self, upstream: int, plans: Mapping[str, Plan], notes: Path) -> None:
        self._upstream, self._plans = upstream, plans
        self._notes = notes.open("w", encoding="utf-8", buffering=1)
        self._arrived: Counter[str] = Counter()
        self._serving: set[asyncio.Task[None] | None] = set()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection of an agent, until either side ends it."""
        serving = asyncio.current_task()
        self._serving.add(serving)  # the loop itself holds tasks but weakly
        upstream: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None
        try:
            while (asked := await message(reader)) is not None:
                upstream = upstream or await asyncio.open_connection("127.0.0.1", self._upstream)
                answer = await self._pass(asked, *upstream)
                if answer is None:
                    break
                writer.write(answer)
                await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            self._serving.discard(serving)
            for one in (writer, upstream[1] if upstream else None):
                if one is not None:
                    one.close()

    async def _pass(self, asked: Message, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bytes | None:
        """The answer to give; None where the connection dies."""
        method, path, _ = asked.first.split(" ", 2)
        if method != "POST":
            return await _ask(asked, reader, writer)
        reference = parse_qs(urlsplit(path).query).get("reference", [""])[0]
        plan, number = self._plans.get(reference), self._arrived[reference]
        self._arrived[reference] += 1
        fault = plan.wire[number] if plan is not None and number < len(plan.wire) else "ok"
        self._note(asked, path, reference, fault)
        if fault == "cut_before":
            return None
        if fault == "error_before":
            return _status("503 Service Unavailable")
        if plan is not None and number == 0 and plan.kill == "at_provider":
            _kill(asked)
        if fault == "late":
            await asyncio.sleep(1.25 * CLIENT_LIMIT_S)
        if fault == "resend":
            await _ask(asked, reader, writer)
        answer = await _ask(asked, reader, writer)
        if plan is not None and number == 0 and plan.kill == "after_commit":
            _kill(asked)
        if fault == "slow":
            await asyncio.sleep(1.25 * CLIENT_LIMIT_S)
        return None if fault == "cut_after" else _status("502 Bad Gateway") if fault == "error_after" else answer

    def _note(self, asked: Message, path: str, reference: str, fault: str) -> None:
        contract, account, _ = urlsplit(path).path.strip("/").split("/")
        payload = hashlib.sha256(json.dumps(json.loads(asked.body), sort_keys=True).encode()).hexdigest()[:16]
        note: dict[str, object] = {
            "reference": reference,
            "contract": contract,
            "account": account,
            "payload": payload,
            "fault": fault,
        }
        note |= {"key": asked.headers.get("idempotency-key"), "at": time.time()}
        self._notes.write(f"{json.dumps(note)}\n")


async def _ask(asked: Message, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bytes | None:
    writer.write(asked.raw)
    await writer.drain()
    answer = await message(reader)
    return answer.raw if answer is not None else None


def _status(line: str) -> bytes:
    return f"HTTP/1.1 {line}\r\ncontent-length: 0\r\n\r\n".encode()


def _kill(asked: Message) -> None:
    pid = asked.headers.get(PID)
    if pid is not None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(int(pid), signal.SIGKILL)
