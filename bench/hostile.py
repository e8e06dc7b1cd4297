"""Evidence made to be slow to judge: everything shares one thing, or one operation has everything.

Each shape has as many facts as asked for, give or take one in a hundred.
"""

from collections.abc import Callable, Iterator, Mapping

import orjson

Record = dict[str, object]
PAYLOAD = "sha256:" + "a" * 64


def lines(shape: str, facts: int) -> Iterator[bytes]:
    """Lines of evidence, without their line feeds."""
    return (orjson.dumps(record) for record in SHAPES[shape](facts))


def _at(number: int) -> str:
    return f"2026-01-01T{number // 3_600 % 24:02d}:{number // 60 % 60:02d}:{number % 60:02d}.{number % 1_000:03d}Z"


def _intent(operation: str, number: int, **said: object) -> Record:
    return {"kind": "intent", "operation_id": operation, "observed_at": _at(number), "tool": "t", **said}


def _attempt(operation: str, number: int, **said: object) -> Record:
    timed_out: Record = {"attempt_id": f"a{number}", "transport": "timeout"}
    return {"kind": "attempt", "operation_id": operation, "observed_at": _at(number), **timed_out, **said}


def _effect(operation: str, number: int, **said: object) -> Record:
    source: Record = {"source": "probe", "authoritative": True}
    return {"kind": "effect", "operation_id": operation, "observed_at": _at(number), **source, **said}


def _one_key(facts: int) -> Iterator[Record]:
    return (_attempt(f"op-{n}", n, idempotency_key="k", payload_hash=PAYLOAD) for n in range(facts))


def _one_key_two_payloads(facts: int) -> Iterator[Record]:
    hashes = (PAYLOAD, PAYLOAD.replace("a", "b"))
    return (_attempt(f"op-{n}", n, idempotency_key="k", payload_hash=hashes[n % 2]) for n in range(facts))


def _one_key_many_payloads(facts: int) -> Iterator[Record]:
    return (_attempt(f"op-{n}", n, idempotency_key="k", payload_hash=f"sha256:{n:064x}") for n in range(facts))


def _one_reference(facts: int) -> Iterator[Record]:
    return (_effect(f"op-{n}", n, effect_ref="r") for n in range(facts))


def _one_intent(facts: int) -> Iterator[Record]:
    for n in range(facts // 2):
        yield _intent(f"op-{n}", n, intent_ref="i")
        yield _effect(f"op-{n}", n, effect_ref=f"r{n}")


def _many_intents_each(facts: int) -> Iterator[Record]:
    """Every two operations share an intent with their neighbours, so that all hang together."""
    for n in range(facts // 2):
        yield _intent(f"op-{n}", n, intent_ref=f"i{n}")
        yield _intent(f"op-{n + 1}", n, intent_ref=f"i{n}")


def _attempts(facts: int) -> Iterator[Record]:
    return (_attempt("op", n) for n in range(facts))


def _attempts_with_keys(facts: int) -> Iterator[Record]:
    return (_attempt("op", n, idempotency_key=f"k{n}", payload_hash=PAYLOAD) for n in range(facts))


def _views_of_one_attempt(facts: int) -> Iterator[Record]:
    return (_attempt("op", n, attempt_id="a") for n in range(facts))


def _one_activity(facts: int) -> Iterator[Record]:
    return (_attempt("op", n, dispatch_ref="d") for n in range(facts))


def _activities_joined_in_pairs(facts: int) -> Iterator[Record]:
    return (_attempt("op", n, attempt_id=f"a{n // 2}", dispatch_ref=f"d{(n + 1) // 2}") for n in range(facts))


def _two_scopes(facts: int) -> Iterator[Record]:
    return (_attempt("op", n, scope=f"s{n % 2}", tool_call_id="c", run_id="r") for n in range(facts))


def _replays(facts: int) -> Iterator[Record]:
    return (_attempt("op", n, replay=n > 0) for n in range(facts))


def _at_one_time(facts: int) -> Iterator[Record]:
    return (_attempt("op", 0, attempt_id=f"a{n}") for n in range(facts))


def _intents(facts: int) -> Iterator[Record]:
    return (_intent("op", n, payload_hash=f"sha256:{n:064x}", id_source="tool_call_id") for n in range(facts))


def _intents_alike(facts: int) -> Iterator[Record]:
    """A derived name, and nothing in which two of its intents differ."""
    return (_intent("op", n, tool=None, process=f"p{n}", id_source="tool_call_id") for n in range(facts))


def _lending_intents(facts: int) -> Iterator[Record]:
    for n in range(facts // 2):
        yield _intent("op", n, idempotency_key=f"k{n}")
        yield _attempt("op", n, payload_hash=f"sha256:{n:064x}")


def _approvals(facts: int) -> Iterator[Record]:
    for n in range(facts // 2):
        yield _intent("op", n, approved=True, payload_hash=f"sha256:{n:064x}")
        yield _attempt("op", n, payload_hash=PAYLOAD.replace("a", "c"), idempotency_key="k")


def _effects(facts: int) -> Iterator[Record]:
    return (_effect("op", n, effect_ref=f"r{n}") for n in range(facts))


def _mismatching_receipts(facts: int) -> Iterator[Record]:
    yield _intent("op", 0, expected_count=10 * facts, payload_hash=PAYLOAD)
    for n in range(facts):
        yield _effect("op", n, effect_ref=f"r{n}", matches_payload_hash=f"sha256:{n:064x}")


def _looks_at_one_effect(facts: int) -> Iterator[Record]:
    return (_effect("op", n, effect_ref="r", conforms=bool(n % 2)) for n in range(facts))


def _claims(facts: int) -> Iterator[Record]:
    for n in range(facts):
        time: Record = {"observed_at": _at(n), "process": f"p{n}"}
        yield {"kind": "claim", "operation_id": "op", "reported": "success", **time}


def _gaps(facts: int) -> Iterator[Record]:
    for n in range(facts // 2):
        yield {"kind": "gap", "what": "dropped", "process": f"g{n}", "observed_at": _at(n)}
        yield _intent(f"op-{n}", n, process=f"p{n}")


def _unreadable(facts: int) -> Iterator[Record]:
    yield _intent("op", 0)
    for n in range(facts):
        yield {"kind": "attempt", "operation_id": "op", "observed_at": n}


SHAPES: Mapping[str, Callable[[int], Iterator[Record]]] = {
    name.removeprefix("_").replace("_", " "): shape
    for name, shape in list(globals().items())
    if callable(shape) and getattr(shape, "__annotations__", {}) == {"facts": int, "return": Iterator[Record]}
}
