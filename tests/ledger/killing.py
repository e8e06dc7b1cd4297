"""Writers on one SQLite file, killed while they write: `python -m tests.ledger.killing FILE SEED KILLS`.

A writer says after each batch that it was kept. What it said must be there in whole, and of a batch of which it said
nothing, all or nothing. Prints what was found, as JSON.
"""

from __future__ import annotations

import json
import os
import random
import select
import signal
import sqlite3
import sys
from itertools import count

from counterfoil.facts import Attempt, Fact, Intent
from counterfoil.ledger import open_ledger

WRITERS = 4
BATCH = 24
"""Facts in a batch, about three operations, one of which all writers share."""


def batch(writer: int, number: int) -> list[Fact]:
    names = ("shared", f"w{writer}", f"w{writer}-b{number}")
    intents = [Intent(operation_id=name, observed_at=number, agent=f"{writer}/{number}") for name in names]
    return [
        *intents,
        *(
            Attempt(
                operation_id=names[n % 3], observed_at=number, attempt_id=f"{writer}/{number}/{n}", run_id="r" * (n + 1)
            )
            for n in range(BATCH - len(intents))
        ),
    ]


def write(path: str, writer: int, kept: int) -> None:
    """In a child: write until killed."""
    ledger = open_ledger(f"sqlite:///{path}?synchronous={'normal' if writer % WRITERS else 'full'}", patience_s=60)
    for number in count():
        ledger.add(batch(writer, number), due=number)
        os.write(kept, b".")


def start(path: str, writer: int) -> tuple[int, int]:
    """The writer's process, and where it says what it has kept."""
    heard, said = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            write(path, writer, said)
        finally:
            os._exit(1)
    os.close(said)
    return pid, heard


def kill_round(path: str, first: int, chance: random.Random) -> dict[int, int]:
    """Kill four writers, each at a moment of its own. How many batches each said were kept."""
    writers = {first + n: start(path, first + n) for n in range(WRITERS)}
    kept = dict.fromkeys(writers, 0)
    dies_after = {writer: chance.randint(1, 6) for writer in writers}
    living = {heard: writer for writer, (_, heard) in writers.items()}
    while living:
        ready, _, _ = select.select(list(living), [], [], 60)
        if not ready:
            raise TimeoutError("no writer has kept anything for a minute")
        for heard in ready:
            writer = living[heard]
            said = os.read(heard, 4_096)
            kept[writer] += len(said)
            if not said:
                del living[heard]
                os.close(heard)
            elif kept[writer] >= dies_after[writer]:
                select.select([], [], [], chance.random() * 0.004)  # anywhere between two batches
                os.kill(writers[writer][0], signal.SIGKILL)
    for pid, _ in writers.values():
        os.waitpid(pid, 0)
    return kept


def found(path: str, kept: dict[int, int]) -> dict[str, int]:
    """How many batches are missing although their writer said they were kept, and how many are there in part."""
    ledger = open_ledger(f"sqlite:///{path}")
    names = ledger.operations(limit=10**6)
    known = frozenset().union(*ledger.facts(names).operations.values())
    lost = torn = 0
    for writer, batches in kept.items():
        for number in range(batches + 1):
            there = sum(fact in known for fact in batch(writer, number))
            lost += number < batches and there < BATCH
            torn += 0 < there < BATCH
    expected = sum(kept.values()) * BATCH
    return {"lost": lost, "torn": torn, "facts": len(known), "kept": expected}


def main(path: str, seed: int, kills: int) -> None:
    chance = random.Random(seed)
    kept: dict[int, int] = {}
    damage: list[str] = []
    while len(kept) < kills:
        kept |= kill_round(path, len(kept), chance)
        with sqlite3.connect(path) as db:
            (checked,) = db.execute("PRAGMA quick_check").fetchone()
            damage += [] if checked == "ok" else [checked]
    with sqlite3.connect(path) as db:
        (checked,) = db.execute("PRAGMA integrity_check").fetchone()
        damage += [] if checked == "ok" else [checked]
    print(json.dumps({"kills": len(kept), "damage": damage, **found(path, kept)}))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
