"""Processes that serve: each says its port on standard output, and ends when its standard input does."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
from collections.abc import Awaitable, Callable, Iterator, Mapping, MutableMapping
from contextlib import contextmanager
from typing import Any, Literal

import uvicorn

ENDS_WITHIN_S = 60.0
IDLE_S = 3_600
"""Connections are kept: one that is closed for being idle would be a fault that nobody planned."""


def served(application: Any, lifespan: Literal["on", "off"] = "off") -> None:
    """Serve an ASGI application on a free port of the loopback until standard input ends."""
    listener = socket.create_server(("127.0.0.1", 0))
    print(listener.getsockname()[1], flush=True)
    config = uvicorn.Config(
        application, log_level="warning", access_log=False, lifespan=lifespan, http="h11", timeout_keep_alive=IDLE_S
    )
    server = uvicorn.Server(config)

    def wait() -> None:
        sys.stdin.read()
        server.should_exit = True

    threading.Thread(target=wait, daemon=True).start()
    server.run(sockets=[listener])


async def body_of(receive: Callable[[], Awaitable[MutableMapping[str, Any]]]) -> bytes:
    """The whole body of a request, as an ASGI application is given it."""
    body = b""
    while True:
        message = await receive()
        body += bytes(message.get("body", b""))
        if not message.get("more_body"):
            return body


@contextmanager
def process(module: str, *words: str, env: Mapping[str, str] | None = None) -> Iterator[int]:
    """A process of ours, for the time of the block; gives its port. It ends with us, whatever happens to us."""
    command = [sys.executable, "-m", module, *words]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env={**os.environ, **(env or {})}
    ) as running:
        assert running.stdin is not None
        assert running.stdout is not None
        first = running.stdout.readline()
        if not first:
            raise RuntimeError(f"it did not start; to see why, run: {' '.join(command)}")
        try:
            yield int(first)
        finally:
            running.stdin.close()
            running.wait(ENDS_WITHIN_S)
