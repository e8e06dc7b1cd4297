"""The one thing that every shape is tested for: each operation was told once, in all three ways."""

from __future__ import annotations

from tests.shapes.received import Received


def assert_told(received: Received, operations: int) -> None:
    """Every one of the application's operations got one verdict: as a span, in the metric and as an event.

    Call it when the application has ended. A server's children may outlive it for a moment, so this waits for them.
    """
    received.sink.wait(
        lambda: (
            len(received.operations()) == len(received.verdicts()) == len(received.events()) == operations
            and received.total("counterfoil.verdicts") >= operations
        ),
        f"{operations} operations and their verdicts",
    )
    assert set(received.verdicts()) == set(received.events()) == set(received.operations())
    for said in (received.verdicts(), received.events()):
        for operation, tellings in said.items():
            assert [told["counterfoil.revision"] for told in tellings] == [1], (operation, tellings)
            assert tellings[0]["counterfoil.verdict"] == "verified_applied"
            assert tellings[0]["counterfoil.attempt.count"] == 1
    assert received.total("counterfoil.verdicts") == operations
    assert received.total("counterfoil.attempts") == operations
