"""The one thing that every shape is tested for: each operation was told once, in all three ways."""

from __future__ import annotations

from tests.shapes.received import Received


def assert_told(received: Received, operations: int) -> None:
    """Every one of the application's operations got one verdict: as a span, in the metric and as an event.

    Waits, since a server's process may outlive the client that asked it; what came once too often shows at the end of
    the process, so call this when that has come.
    """
    received.sink.wait(
        lambda: (
            len(received.operations()) == operations
            and len(received.verdicts()) == operations
            and len(received.events()) == operations
            and received.total("counterfoil.verdicts") >= operations
        ),
        f"{operations} operations below {received.prefix}, told in three ways; so far {_so_far(received)}",
    )
    assert set(received.verdicts()) == set(received.events()) == set(received.operations())
    for said in (received.verdicts(), received.events()):
        for operation, tellings in said.items():
            assert [told["counterfoil.revision"] for told in tellings] == [1], (operation, tellings)
            assert tellings[0]["counterfoil.verdict"] == "verified_applied"
            assert tellings[0]["counterfoil.attempt.count"] == 1
    assert received.total("counterfoil.verdicts") == operations
    assert received.total("counterfoil.attempts") == operations


def _so_far(received: Received) -> dict[str, object]:
    return {
        "operations": dict(received.operations()),
        "spans": list(received.verdicts()),
        "events": list(received.events()),
        "counted": received.total("counterfoil.verdicts"),
    }
