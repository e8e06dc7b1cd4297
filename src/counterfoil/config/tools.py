"""What an operator may say of one tool."""

from __future__ import annotations

from dataclasses import dataclass

from counterfoil.config.lookups import Lookup, Volatile
from counterfoil.config.probes import ProbeConfig


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolConfig:
    """What an operator says of one tool. None where nothing is said. Times are seconds."""

    side_effect: bool | None = None
    operation_id: Lookup | None = None
    idempotency_key: Lookup | None = None
    effect_ref: Lookup | None = None
    effect_stage: str | None = None
    intent_ref: Lookup | None = None
    volatile: tuple[Volatile, ...] = ()
    key_scope: str | None = None
    key_ttl_s: float | None = None
    expected_count: int | None = None
    settle_after_s: float | None = None
    deadline_s: float | None = None
    probe: ProbeConfig | None = None
    expect: str | None = None
    idempotent: bool | None = None
    advice: str | None = None


UNKNOWN_TOOL = ToolConfig()
