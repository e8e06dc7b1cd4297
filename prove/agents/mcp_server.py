"""An MCP server, whose tools are the same clients of the providers: `python -m prove.agents.mcp_server PLANS WIRE`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import httpx
from fastmcp import FastMCP
from fastmcp.exceptions import ToolError

from prove import plan
from prove.agents.client import Client, NoAnswer
from prove.plan import Plan
from prove.serving import served
from prove.telemetry.pipeline import pipeline


def server(plans: dict[str, Plan], wire: int) -> FastMCP[Any]:
    """The tools of all resources. Who calls which, the plan of the reference says."""
    made: FastMCP[Any] = FastMCP("shop")

    async def make(reference: str, amount: int) -> dict[str, object]:
        """Make one object."""
        async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{wire}") as http:
            try:
                return await Client(http, plans[reference]).make(reference, amount)
            except NoAnswer as problem:
                raise ToolError(str(problem)) from None

    for resource in plan.RESOURCES:
        made.tool(make, name=f"remote_{resource}")
    return made


def main() -> None:
    plans = plan.by_operation(plan.read(Path(sys.argv[1])))
    with pipeline():
        served(server(plans, int(sys.argv[2])).http_app(), lifespan="on")


if __name__ == "__main__":
    main()
