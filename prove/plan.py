"""The plan of one operation: what an agent will do, and all that will go wrong. A pure value, made from a seed."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

RESOURCES = ("payments", "tickets", "mail", "jobs")
ASYNC = ("mail", "jobs")
"""Answered with 202: what comes of them, comes later."""

CONTRACTS = ("honoured", "compared", "ignored", "expiring", "scoped")
"""What a provider does with a key: replays its answer; refuses another payload under it; nothing; forgets it after
`KEY_TTL_S`; knows it within one account only."""

HABITS = (
    "honest",  # one key, at most three tries, only where the answer is missing
    "once",  # one try, and then it gives up
    "blind_retry",  # tries again without any key
    "new_key",  # tries again under a new key
    "key_redrawn",  # tries again under its key with another payload
    "key_reused",  # two operations under one key
    "claimed",  # says that it is done, and sent nothing
    "twins",  # the model makes the same call twice at once
    "failover",  # tries again with the same key at another account
    "read",  # only looks
)
WIRE = (
    "ok",
    "cut_before",  # the connection dies before the provider hears of it
    "cut_after",  # the provider commits, and the connection dies
    "slow",  # the provider commits, and the answer comes past the client's limit
    "late",  # the client has given up when the provider commits
    "error_before",  # 503, and the provider hears nothing of it
    "error_after",  # the provider commits, and a proxy answers 502
    "resend",  # a proxy sends it twice
)
FATES = ("done", "dies", "otherwise")
"""What becomes of what was made: it holds; it was only promised, and dies; it holds, and is not what was asked for."""

LOOKS = ("none", "count", "contract", "early", "lagging", "elsewhere", "cached")
"""Whether somebody asks the provider's book: at the end, and whether what is there is what was asked for; while the
agent works, by its own clock or by another host's, or a read model that lags; or only a cache that isn't believed."""

WEBHOOKS = ("none", "once", "twice", "late", "disordered", "never")
TELEMETRY = (
    "whole",
    "content_off",
    "sampled",
    "overflow",
    "down",
    "duplicated",
    "reordered",
    "split",
    "truncated",
    "gap",
    "ahead",
    "behind",
    "shared",
)
"""How the agent's telemetry travels. `gap`: for a while nothing of its process arrives, and the operator says so;
`shared`: facts are in a ledger as well, which processes share."""

FRAMEWORKS = ("pydantic", "mcp", "openai", "langgraph", "dbos")
KILLS = ("none", "before_call", "at_provider", "after_commit", "after_answer", "any")
"""Where SIGKILL meets the agent: in the tool, while the provider has the request, or wherever a clock says."""

CLIENT_LIMIT_S = 0.6
"""So long the agents' HTTP client waits for an answer."""

READ_LAG_S = 2.0
"""So long after an attempt the provider may not show what it did: promises, and requests that came late, take time."""

READ_MODEL_LAG_S = 1.0
"""So far the provider's read model lags behind its book: less than `READ_LAG_S`, as the operators allow."""

OTHERWISE_EVERY = 16
"""One provider in so many makes something else than it was asked for."""

SKEW_S = 180.0
"""How far some agents' clocks are off."""

KEY_TTL_S = 0.2
"""So long the expiring contract remembers a key; its clients wait longer before they try again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """One operation, or two that share a key. ``wire`` is what meets its requests, in order of arrival."""

    seed: int
    number: int
    resource: str = "payments"
    contract: str = "honoured"
    habit: str = "honest"
    wire: tuple[str, ...] = ()
    fate: str = "done"
    look: str = "none"
    webhook: str = "none"
    telemetry: str = "whole"
    framework: str = "pydantic"
    kill: str = "none"
    resumed: str = "none"  # by whom, after the kill: nobody, the same key, a new key
    amount: int = 100

    @property
    def name(self) -> str:
        """The caller's own reference, which is the operation's name too."""
        return f"{self.resource}-{self.seed}-{self.number}"

    @property
    def operations(self) -> tuple[str, ...]:
        return (self.name, f"{self.name}-b") if self.habit == "key_reused" else (self.name,)

    @property
    def read_lag_s(self) -> float:
        """The read lag that the operators of this agent allow for: where clocks are off, more than that."""
        return READ_LAG_S + (SKEW_S + 20 if self.telemetry in ("ahead", "behind") else 0)

    @property
    def key(self) -> str:
        return f"key-{self.seed}-{self.number}"

    @property
    def faults(self) -> tuple[str, ...]:
        """Every kind of fault that was planned for it, each under a name of its own."""
        found = [f"wire: {fault}" for fault in dict.fromkeys(self.wire) if fault != "ok"]
        found += [f"habit: {self.habit}"] if self.habit not in ("honest", "once", "read") else []
        found += [f"contract: {self.contract}"] if self.contract != "honoured" else []
        found += [f"telemetry: {self.telemetry}"] if self.telemetry != "whole" else []
        found += [f"webhook: {self.webhook}"] if self.webhook not in ("none", "once") else []
        found += [f"look: {self.look}"] if self.look in LOOKS[2:] else []
        found += ["job: dies"] if self.fate == "dies" else []
        found += ["made: otherwise"] if self.fate == "otherwise" else []
        found += [f"killed: {self.kill}", "process: forked"] if self.kill != "none" else []
        found += [f"resumed: {self.resumed}"] if self.resumed != "none" else []
        found += [f"agent: {self.framework}"] if self.framework != "pydantic" else []
        return tuple(found) or ("none",)

    def met(self, on_the_wire: Iterable[str]) -> tuple[str, ...]:
        """Every kind of fault that it met: of those of the wire, only what the wire noted. A request that was never
        sent can't be cut."""
        kept = [f"wire: {fault}" for fault in dict.fromkeys(on_the_wire) if fault != "ok"]
        others = [fault for fault in self.faults if not fault.startswith("wire: ") and fault != "none"]
        return (*kept, *others) or ("none",)


def written(plans: Iterable[Plan], path: Path) -> None:
    """Put plans into a file, one a line."""
    path.write_text("".join(f"{json.dumps(asdict(plan))}\n" for plan in plans), encoding="utf-8")


def read(path: Path) -> list[Plan]:
    """The plans of a file."""
    return [parsed(json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines()]


def parsed(row: Mapping[str, Any]) -> Plan:
    """A plan that was written down."""
    return Plan(**{**row, "wire": tuple(row["wire"])})


def by_operation(plans: Iterable[Plan]) -> dict[str, Plan]:
    """The plan of each operation's name."""
    return {name: plan for plan in plans for name in plan.operations}
