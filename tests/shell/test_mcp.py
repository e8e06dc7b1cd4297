"""A tool on a real FastMCP server, called by a real client in the same process: one call, and its own requests."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

SHOP = """
import asyncio, json, logging, sys
from opentelemetry import trace
from opentelemetry.trace import SpanKind
from tests.shell.watching import Watching

logging.disable(logging.CRITICAL)
app = Watching()
trace.set_tracer_provider(app.provider)
from fastmcp import Client, FastMCP

shop, mounting = FastMCP("shop"), FastMCP("mounting")

@shop.tool
def charge(status: int) -> dict[str, str]:
    app.request(status)
    return {"id": "ch_1"}

mounting.mount(shop)

async def call() -> None:
    async with Client(mounting if sys.argv[1] == "mounted" else shop) as client:
        for status in (201, 500):
            await client.call_tool("charge", {"status": status})

asyncio.run(call())
app.after(seconds=5)
said = [dict(span.attributes) for span in app.verdicts()]
print(json.dumps(sorted((one["gen_ai.tool.name"], one["counterfoil.reason"]) for one in said)))
"""


@pytest.mark.parametrize("server", ["alone", "mounted"])
def test_each_call_is_one_operation_and_its_request_is_the_attempt(server: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", SHOP, server],
        cwd=ROOT,
        env={"PATH": os.defpath},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == [["charge", "ambiguous"], ["charge", "unverified"]]
