"""`python -m prove.world provider|wire|truth FOLDER …`: one process of the world, on a free port that it says."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from prove import plan
from prove.serving import served
from prove.world.provider import Provider
from prove.world.truth import BookOfTruth
from prove.world.webhooks import Postman
from prove.world.wire import Wire


def main() -> None:
    what, folder = sys.argv[1], Path(sys.argv[2])
    plans = plan.by_operation(plan.read(folder / "plans.jsonl"))
    if what == "provider":
        served(Provider(BookOfTruth(folder / "truth.db"), plans, Postman(sys.argv[3:])))
    else:
        asyncio.run(_wire(Wire(int(sys.argv[3]), plans, folder / "wire.jsonl")))


async def _wire(wire: Wire) -> None:
    server = await asyncio.start_server(wire.serve, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    loop = asyncio.get_running_loop()
    await loop.run_in_executor(None, sys.stdin.read)
    server.close()


if __name__ == "__main__":
    main()
