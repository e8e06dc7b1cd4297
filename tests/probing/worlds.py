"""A worker's prober on a ledger, by a clock that a test sets, and probes that are plain functions of its own."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from counterfoil.config import Config, Limit, Pace, ProbeConfig, ToolConfig
from counterfoil.ledger.looking import look_up
from counterfoil.ledger.protocol import Ledger
from counterfoil.probing.asking import Asking
from counterfoil.probing.prober import Prober
from counterfoil.testing import story

SECOND = 1_000_000_000
SLOW = Limit()
BELIEVED = 60.0
"""So long a test waits for a thread, in seconds, before it takes it for stuck."""

answers: dict[str, Callable[[object], object]] = {}


def probe(question: object) -> object:
    """What the settings name. What it does is each test's."""
    return answers["now"](question)


def settings(pace: Pace, *, lag_s: float | None = None, expect: str | None = None, limit: Limit = SLOW) -> Config:
    found = ProbeConfig(function="tests.probing.worlds:probe", target="shop", pace=pace, limit=limit)
    return Config(tools={"pay": ToolConfig(probe=found, settle_after_s=lag_s, expect=expect)})


@dataclass
class Worker:
    """``at`` is its wall clock, in seconds after the start of the story; ``ahead`` is how far that clock is wrong."""

    ledger: Ledger
    config: Config
    host: str = "host-a"
    ahead: float = 0.0
    at: float = 0.0
    faults: list[Exception] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.prober = Prober(
            self.config,
            self.ledger,
            self.faults.append,
            host=self.host,
            asking=Asking(4),
            clock=lambda: self.at,
            now=lambda: int((self.at + self.ahead) * SECOND),
        )

    def works(self, at: float) -> None:
        """One look for work at this time, and whatever was asked answered."""
        self.at = at
        self.prober.tick()
        for _ in range(2):  # a first tick may only take down that it noticed the operation
            self.until_answered()
            self.prober.tick()

    def until_answered(self) -> None:
        for out in [*self.prober._out.values()]:
            assert out.asked.came.wait(BELIEVED)


def learns(ledger: Ledger, text: str) -> None:
    ledger.add(story(text), due=0)


def verdict(ledger: Ledger, operation: str = "op-1") -> str:
    judgement = look_up(ledger, operation)
    assert judgement is not None
    return str(judgement.verdict if judgement.reason is None else judgement.reason)


def until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + BELIEVED
    while not holds():
        assert time.monotonic() < deadline
        threading.Event().wait(0.01)
