"""How long the audit of a message list takes, and how that grows: `python -m bench.history`.

Half of the calls go into a side effect, each with a signed receipt, as a server would have stored them. The aim is
1,000 messages in under 50 ms, and growth in proportion to the list. Beside it stands what reading such a list takes
Pydantic AI alone, which is part of every audit. Exit code 1 if an aim is missed.
"""

import gc
import json
import math
import platform
import statistics
import sys
import time
from collections.abc import Callable, Iterator

from pydantic_ai.messages import (
    ModelMessage,
    ModelMessagesTypeAdapter,
    ModelRequest,
    ModelResponse,
    SystemPromptPart,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)

from counterfoil.config import Config
from counterfoil.histories.pydantic_audit import audit_history
from counterfoil.reading.hashing import payload_hash
from counterfoil.reading.identity import derived_operation_id
from counterfoil.receipts import RECEIPT, Receipt, sign

KEY = b"only for the benchmark"
CONFIG = Config(hash_key=KEY)
CONTRACT: dict[str, object] = {
    "conversation_id": "conversation",
    "provenance": "server_store",
    "expects_system_prompt": True,
    "side_effect_tools": ["send_payment"],
}
SIZES = (100, 316, 1_000, 3_162, 10_000)
AIM_AT, AIM_MS, AIM_GROWTH = 1_000, 50.0, 1.15
LEAST_RUNS, LEAST_SECONDS = 7, 1.0


def messages(size: int) -> list[ModelMessage]:
    """Turns of four messages: a prompt, a call, its result, an answer."""
    made = [message for turn in range(size // 4 + 1) for message in _turn(turn)][:size]
    return made[: size - size % 4] or made


def _turn(number: int) -> Iterator[ModelMessage]:
    ids = {"conversation_id": "conversation", "run_id": f"run-{number}"}
    first = [SystemPromptPart("You settle invoices. " * 10)] if number == 0 else []
    yield ModelRequest(parts=[*first, UserPromptPart("Please settle the invoice that came today. " * 3)], **ids)  # type: ignore[arg-type]
    tool, call = ("send_payment", "find_invoice")[number % 2], f"call_{number}"
    arguments = {"amount": number, "currency": "EUR", "to": "a supplier", "memo": "x" * 40}
    yield ModelResponse(parts=[ToolCallPart(tool, arguments, tool_call_id=call)], model_name="model", **ids)
    request = payload_hash(arguments, KEY) or ""
    operation = derived_operation_id("conversation", call, request) or ""
    receipt = sign(Receipt(operation_id=operation, payload_hash=request, effect_ref=f"payment-{number}"), KEY)
    beside = {RECEIPT: receipt} if tool == "send_payment" else None
    result = ToolReturnPart(tool, {"id": number, "state": "settled"}, tool_call_id=call, metadata=beside)
    yield ModelRequest(parts=[result], **ids)
    yield ModelResponse(parts=[TextPart("It is settled, and here is what I did. " * 3)], model_name="model", **ids)


def milliseconds(what: Callable[[], object]) -> float:
    """The median of at least `LEAST_RUNS` runs and `LEAST_SECONDS` seconds, after one that doesn't count.

    In time of this thread, since nothing here waits, and as `timeit` does it without the garbage collector, whose
    passes cost by what else the process holds.
    """
    what()
    taken: list[float] = []
    while len(taken) < LEAST_RUNS or sum(taken) < LEAST_SECONDS:
        gc.collect()
        gc.disable()
        try:
            begin = time.thread_time()
            what()
            taken.append(time.thread_time() - begin)
        finally:
            gc.enable()
    return statistics.median(taken) * 1_000


def measure(size: int) -> dict[str, float]:
    made = messages(size)
    stored = ModelMessagesTypeAdapter.dump_json(made)

    def audit(given: list[ModelMessage] | bytes) -> None:
        assert audit_history(given, contract=CONTRACT, config=CONFIG).ready

    return {
        "messages": len(made),
        "list_ms": milliseconds(lambda: audit(made)),
        "json_ms": milliseconds(lambda: audit(stored)),
        "reading_alone_ms": milliseconds(lambda: ModelMessagesTypeAdapter.validate_json(stored)),
    }


def growth(measured: list[dict[str, float]], what: str) -> float:
    """The exponent from 1,000 to 10,000 messages: 1 is in proportion, 2 is quadratic."""
    one, other = (next(row for row in measured if row["messages"] == size) for size in (1_000, 10_000))
    return math.log(other[what] / one[what]) / math.log(other["messages"] / one["messages"])


def main() -> int:
    measured = [measure(size) for size in SIZES]
    aimed = next(row for row in measured if row["messages"] == AIM_AT)
    exponents = {what: growth(measured, what) for what in ("list_ms", "json_ms")}
    held = max(aimed["list_ms"], aimed["json_ms"]) < AIM_MS and max(exponents.values()) < AIM_GROWTH
    if "--json" in sys.argv[1:]:
        print(json.dumps({"sizes": measured, "growth": exponents, "held": held}))
        return 0 if held else 1
    print(f"Audit of a message list. Python {platform.python_version()}, {platform.machine()}, {platform.system()}.")
    print(f"{'messages':>9} {'a list':>10} {'stored JSON':>12} {'reading alone':>14}   milliseconds of CPU, median")
    for row in measured:
        print(f"{row['messages']:>9,} {row['list_ms']:>10.1f} {row['json_ms']:>12.1f} {row['reading_alone_ms']:>14.1f}")
    print(f"growth from 1,000 to 10,000: n^{exponents['list_ms']:.2f} and n^{exponents['json_ms']:.2f}")
    print(f"aim: {AIM_AT:,} messages in {AIM_MS:.0f} ms, n^{AIM_GROWTH} at most: {'held' if held else 'missed'}")
    return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main())
