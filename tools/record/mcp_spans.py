# /// script
# requires-python = ">=3.11"
# dependencies = [
#   "mcp==2.3.0", "fastmcp==4.2.3", "uvicorn", "opentelemetry-exporter-otlp-proto-common", "opentelemetry-sdk",
# ]
# ///
"""Record what the two libraries of the Model Context Protocol emit, client and server, over HTTP.

Usage: uv run --script FILE OUT. ``recording.ran`` counts how often the server's tool began. Each pair of client and
server runs in a process of its own: whole, without trace context in its messages, and with the server alone traced.
"""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Awaitable, Callable
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path
from typing import Any

import uvicorn
from fastmcp import Client as FastClient
from fastmcp import FastMCP
from mcp import Client
from mcp.server.mcpserver import MCPServer
from opentelemetry import trace
from recording import Stories

HOW = ("whole", "apart", "server-alone")
PAIRS = {"mcp": ("mcp",), "fastmcp": ("fastmcp", "mcp"), "fastmcp-to-mcp": ("fastmcp", "mcp")}
CALL = {"amount": 5}


def serving(library: str, stories: Stories) -> str:
    """The address of a server with one tool; it fails for an amount of nothing."""
    server: Any = FastMCP("shop") if library == "fastmcp" else MCPServer("shop")

    async def charge(amount: int) -> str:
        stories.ran += 1
        if amount == 0:
            raise RuntimeError("the provider hung up")
        return f"ch_{stories.ran}"

    server.tool()(charge)
    app = server.http_app() if library == "fastmcp" else server.streamable_http_app()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    running = uvicorn.Server(uvicorn.Config(app, host="127.0.0.1", port=port, log_level="error"))
    threading.Thread(target=running.run, daemon=True).start()
    while not running.started:
        threading.Event().wait(0.01)
    return f"http://127.0.0.1:{port}/mcp"


async def calling(library: str, url: str, *calls: tuple[str, dict[str, Any]]) -> None:
    made: Any = FastClient(url) if library == "fastmcp" else Client(url)
    async with made as client:
        for tool, said in calls:
            with suppress(Exception):
                await client.call_tool(tool, said)


def recorded(out: Path, pair: str, how: str) -> None:
    client, _, server = pair.partition("-to-")
    stories = Stories(out, pair if how == "whole" else f"{pair}-{how}", *PAIRS[pair])
    trace.set_tracer_provider(stories.provider)
    url = serving(server or client, stories)
    tracer = trace.get_tracer("pydantic-ai")

    def elsewhere(*calls: tuple[str, dict[str, Any]]) -> None:
        """The same client, in a process in which nothing is instrumented."""
        said = repr((client, url, calls))
        code = f"import asyncio, mcp_spans; asyncio.run(mcp_spans.calling(*{said}[:2], *{said}[2]))"
        folder = str(Path(__file__).parent)
        subprocess.run([sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": folder}, check=True)

    async def bare(*calls: tuple[str, dict[str, Any]]) -> None:
        await calling(client, url, *calls)

    async def below(*calls: tuple[str, dict[str, Any]]) -> None:
        """As an agent calls: below its own tool's span, which has arguments and a result."""
        made: Any = FastClient(url) if client == "fastmcp" else Client(url)
        async with made as connected:
            for number, (tool, said) in enumerate(calls):
                about = {
                    "gen_ai.operation.name": "execute_tool",
                    "gen_ai.tool.name": tool,
                    "gen_ai.tool.call.id": f"call-{number}",
                    "gen_ai.tool.call.arguments": str(said).replace("'", '"'),
                    "gen_ai.conversation.id": "conversation-1",
                }
                with tracer.start_as_current_span(f"execute_tool {tool}", attributes=about) as span:
                    with suppress(Exception):
                        await connected.call_tool(tool, said)
                    span.set_attribute("gen_ai.tool.call.result", "ch")

    good, failing = ("charge", CALL), ("charge", {"amount": 0})
    if how == "server-alone":
        for story, calls in {"good": (good,), "fails": (failing,), "twice": (good, good)}.items():
            with stories.story(story):
                elsewhere(*calls)
        return
    told: dict[str, Callable[[], Awaitable[None]]] = {
        "agent-calls": lambda: below(good),
        "agent-calls-twice": lambda: below(good, good),
        "agent-calls-what-fails": lambda: below(failing),
        "bare-call": lambda: bare(good),
        "bare-calls": lambda: bare(good, good),
        "bare-call-fails": lambda: bare(failing),
    }
    for story, does in told.items():
        with stories.story(story):
            asyncio.run(does())  # type: ignore[arg-type]


if __name__ == "__main__" and len(sys.argv) > 2:
    recorded(Path(sys.argv[1]), sys.argv[2], sys.argv[3])
elif __name__ == "__main__":
    print({name: version(name) for name in ("mcp", "fastmcp")})
    for pair in PAIRS:
        for how in HOW:
            variables = {**os.environ, "OTEL_PROPAGATORS": "none" if how == "apart" else "tracecontext"}
            subprocess.run([sys.executable, __file__, sys.argv[1], pair, how], env=variables, check=True)
