"""Evidence made up for measuring: the same for the same number of operations, ten lines each, out of order.

Four operations of five go well; the others lose a response, charge twice, report what did not happen, are rejected, or
are never heard of again. About a fifth of the lines were sent before. Some 2,000 operations are open at a time.
"""

import random
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from hashlib import sha256

import orjson

LINES_PER_OPERATION = 10
OPEN = 2_000

_START = datetime(2026, 1, 1, tzinfo=UTC)
Record = dict[str, object]
Say = Callable[..., None]


def lines(operations: int, seed: int = 7) -> Iterator[bytes]:
    """Lines of evidence, without their line feeds."""
    chance = random.Random(seed)
    waiting: list[bytes] = []
    for number in range(operations):
        waiting += (orjson.dumps(record) for record in _operation(number, random.Random(seed * 1_000_003 + number)))
        if len(waiting) >= OPEN * LINES_PER_OPERATION:
            chance.shuffle(waiting)
            yield from waiting[: len(waiting) // 2]
            del waiting[: len(waiting) // 2]
    chance.shuffle(waiting)
    yield from waiting


def _operation(number: int, chance: random.Random) -> list[Record]:
    name = f"op-{sha256(str(number).encode()).hexdigest()[:16]}"
    at = _START + timedelta(milliseconds=36 * number)
    common: Record = {"operation_id": name, "process": f"worker-{number % 4}"}
    payload = {"payload_hash": "sha256:" + sha256(name.encode()).hexdigest()}
    key: Record = {"idempotency_key": f"key-{name}"} if chance.random() < 0.8 else {}
    records: list[Record] = []

    def say(kind: str, after_ms: int, **said: object) -> None:
        nonlocal at
        at += timedelta(milliseconds=after_ms)
        records.append({"kind": kind, **common, "observed_at": at.isoformat(timespec="milliseconds"), **said})

    def attempt(which: str, after_ms: int, transport: str, **said: object) -> None:
        say("attempt", after_ms, attempt_id=f"{name}-{which}", transport=transport, **payload, **key, **said)

    def receipt(ref: str, after_ms: int) -> None:
        hashed = payload["payload_hash"]
        source: Record = {"source": "provider_receipt", "authoritative": True, "matches_payload_hash": hashed}
        say("effect", after_ms, effect_ref=f"{ref}-{name}", **source)

    def probe(count: int, after_ms: int) -> None:
        say("effect", after_ms, source="probe", effect_ref=None, count=count, authoritative=True, settle_after_s=1)

    say("intent", 0, tool="payments.create_refund", side_effect=True, **payload, **key)
    attempt("a1", 5, "started")
    _story(chance, attempt, receipt, probe)
    while len(records) < LINES_PER_OPERATION:
        if chance.random() < 0.5:
            records.append(records[chance.randrange(len(records))])
        else:
            say("claim", 1, reported="accepted", by="model")
    return records


def _story(chance: random.Random, attempt: Say, receipt: Say, probe: Say) -> None:
    kind = chance.random()
    if kind < 0.80:  # it went well
        attempt("a1", chance.randrange(20, 2_000), "success", reported="success")
        receipt("e1", 4)
        probe(1, chance.randrange(1_500, 20_000))
    elif kind < 0.86:  # the response was lost, the retry had it
        attempt("a1", 3_000, "timeout")
        attempt("a2", 500, "started")
        attempt("a2", 90, "success")
        receipt("e1", 3)
    elif kind < 0.89:  # the response was lost, and it was done twice
        attempt("a1", 3_000, "timeout")
        receipt("e1", 30)
        attempt("a2", 500, "success")
        receipt("e2", 3)
    elif kind < 0.92:  # reported, and not there
        attempt("a1", 100, "success", reported="success")
        probe(0, 9_000)
    elif kind < 0.95:  # rejected
        attempt("a1", 100, "http_status", http_status=422, executed=False, proof="provider_rejected")
    elif kind < 0.975:  # timed out, again and again
        attempt("a1", 3_000, "timeout")
        attempt("a2", 500, "started")
        attempt("a2", 3_000, "timeout")
    else:  # never heard of again
        attempt("a1", 3_000, "error")
