"""When to judge, as a cluster's workers are told: plain numbers, without the settings that nobody else may see."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from counterfoil.config import Config
from counterfoil.ledger.judging import SECOND, Timing


@dataclass(frozen=True, slots=True)
class Times:
    """``keep_s``: state of an operation is forgotten so many seconds after it was written, evidence and what was told.

    What is about an operation and comes later than that is judged without what was forgotten. So it is a bound on how
    late evidence may be, and not on how long an operation may take to settle.
    """

    usual: Timing = field(default_factory=Timing)
    by_tool: Mapping[str, Timing] = field(default_factory=dict)
    keep_s: int = 30 * 86_400

    def of(self, tool: str | None) -> Timing:
        return self.by_tool.get(tool or "", self.usual)

    @classmethod
    def from_config(cls, config: Config) -> Times:
        """The times of these settings, and nothing else of them: a key for hashing must not get into a query's plan."""
        return cls(_timing(config, None), {tool: _timing(config, tool) for tool in config.tools})


def _timing(config: Config, tool: str | None) -> Timing:
    return Timing(int(config.settle_after(tool) * SECOND), int(config.deadline(tool) * SECOND))
