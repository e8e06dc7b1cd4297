"""Facts for measuring ledgers: four for each operation, with all the names that a tracing reader puts into them."""

from __future__ import annotations

import random
from collections.abc import Iterator

from counterfoil.facts import Attempt, Effect, Fact, Intent, Transport

FACTS_PER_OPERATION = 4
SECOND = 1_000_000_000
_BEGAN = 1_764_460_000 * SECOND


def operation(number: int, seed: int = 0) -> list[Fact]:
    """One operation as it is seen: meant, sent, answered, and shown by a receipt. The same for the same numbers."""
    chance = random.Random(seed << 40 | number)
    at = _BEGAN + number * 1_000_003
    trace, run, payload, key = (f"{chance.getrandbits(bits):0{bits // 4}x}" for bits in (128, 128, 256, 256))
    one, two = (f"{chance.getrandbits(64):016x}" for _ in range(2))
    common = {"operation_id": f"order-{chance.getrandbits(48):012x}", "process": "worker-3", "trace_id": trace}
    sent = {"payload_hash": f"sha256:{payload}", "idempotency_key": f"sha256:{key}"}
    call = {"tool_call_id": f"call_{chance.getrandbits(96):024x}", "run_id": run}
    receipt = {"source": "provider_receipt", "effect_ref": f"ticket-{two}", "authoritative": True}
    return [
        Intent(
            **common,
            **sent,
            **call,
            observed_at=at,
            span_id=one,
            tool="create_ticket",
            side_effect=True,
            agent="support",
            key_scope="tickets.example",
            conversation_id=f"{chance.getrandbits(128):032x}",
        ),
        Attempt(**common, **sent, **call, observed_at=at + 1_000, attempt_id=two, span_id=two, started_only=True),
        Attempt(
            **common,
            **sent,
            **call,
            observed_at=at + SECOND // 5,
            attempt_id=two,
            span_id=two,
            transport=Transport.HTTP_STATUS,
            http_status=201,
        ),
        Effect(**common, **receipt, payload_hash=sent["payload_hash"], observed_at=at + SECOND // 5 + 100, span_id=two),
    ]


def history(length: int) -> list[Fact]:
    """One operation that was tried again and again."""
    meant, _, answered, _ = operation(0, seed=length)
    assert isinstance(answered, Attempt)
    said = {name: getattr(answered, name) for name in answered.__dataclass_fields__}
    again = (
        Attempt(**said | {"observed_at": answered.observed_at + n, "attempt_id": f"attempt-{n}"})
        for n in range(length - 1)
    )
    return [meant, *again]


def batches(operations: range, seed: int = 0, size: int = 512) -> Iterator[list[Fact]]:
    """Facts in the order in which they are made, in batches."""
    waiting: list[Fact] = []
    for number in operations:
        waiting += operation(number, seed)
        while len(waiting) >= size:
            yield waiting[:size]
            waiting = waiting[size:]
    if waiting:
        yield waiting
