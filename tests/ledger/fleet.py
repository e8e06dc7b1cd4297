"""One of several processes on one ledger: `python -m tests.ledger.fleet LEDGER WORKER WORKERS TOLD SEED`.

It adds its share of what was seen of two thousand operations, judges whatever is due meanwhile, and writes every
revision that it tells as one line at the end of a file.
"""

from __future__ import annotations

import os
import random
import sys

from counterfoil.facts import Fact, Gap
from counterfoil.ledger import open_ledger
from counterfoil.ledger.judging import Telling, judge_due
from counterfoil.testing import story
from tests.ledger.worlds import AT_ONCE, LATE, judge_to_the_end

OPERATIONS = 2_000
PARCEL = 40

# What happens to ten operations in turn. {a} is this operation, {b} the one before it.
LIVES = (
    "intent pay op={a}; attempt success op={a}; receipt {a} op={a}",
    "intent pay op={a} key={a} payload=A; attempt success op={a} payload=A; receipt {a} op={a} payload=A",
    "intent pay op={a} key={a} payload=B; attempt success op={a} key={b} payload=B",
    "attempt timeout op={a}; attempt success op={a} key=k{a}; receipt {a} op={a}; receipt {a}x op={a}",
    "intent pay op={a} intent_ref={a}; attempt success op={a}; receipt {a} op={a}",
    "intent pay op={a} intent_ref={b}; attempt success op={a}; webhook {a} op={a}",
    "intent pay op={a} payload=A; attempt 503 op={a}; attempt success op={a}; receipt {a} op={a} payload=A",
    "intent pay op={a} payload=B; attempt success op={a}; receipt {b} op={a} replayed=true",
    "intent look op={a} side_effect=false; attempt success op={a}; attempt success op={a}",
    "intent pay op={a}; attempt timeout op={a}; probe 0 op={a} at=50",
)


def seen() -> list[Fact | Gap]:
    facts: list[Fact | Gap] = []
    for n in range(OPERATIONS):
        facts += story(LIVES[n % len(LIVES)].format(a=f"op-{n}", b=f"op-{n - 1}"))
    return facts


def main(url: str, worker: int, workers: int, told: str, seed: int) -> None:
    chance = random.Random(seed * workers + worker)
    share = seen()[worker::workers]
    chance.shuffle(share)
    ledger = open_ledger(url, patience_s=60)
    lines = os.open(told, os.O_WRONLY | os.O_APPEND | os.O_CREAT)

    def tell(telling: Telling) -> None:
        os.write(lines, f"{telling.told.operation_id} {telling.told.revision} {telling.told.said.verdict}\n".encode())

    for start in range(0, len(share), PARCEL):
        ledger.add(share[start : start + PARCEL], due=LATE)
        judge_due(ledger, tell, now=LATE, timing=lambda tool: AT_ONCE, limit=30)
    judge_to_the_end(ledger, tell)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4], int(sys.argv[5]))
