"""What can be set, with its defaults. Frozen: one processor judges by one set of settings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields

from counterfoil.config import values
from counterfoil.config.load import read
from counterfoil.config.probes import Limit
from counterfoil.config.tools import UNKNOWN_TOOL, ToolConfig
from counterfoil.errors import ConfigError, SecretError


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """All settings. ``hash_key`` is never shown; with it, hashes of requests and keys are HMACs.

    ``captured_headers`` is no setting of ours: the patterns of the headers that OpenTelemetry's instrumentations were
    told to show of a request. ``hashed_headers`` are those that a door asked for, so that their values must not leave.
    """

    enabled: bool = False
    ledger: str = "memory:"
    settle_after_s: float = 5.0
    deadline_s: float = 300.0
    hash_key: bytes | None = field(default=None, repr=False)
    instrument_pydantic_ai: bool = False
    emit: frozenset[str] = frozenset({"spans", "metrics", "events"})
    verdict_spans: str = "all"
    max_operations: int = 10_000
    record_all: bool = False
    capture_keys: bool = True
    probe_in_process: bool = False
    captured_headers: tuple[str, ...] = ()
    hashed_headers: tuple[str, ...] = ()
    tools: Mapping[str, ToolConfig] = field(default_factory=dict)
    targets: Mapping[str, Limit] = field(default_factory=dict)

    def tool(self, name: str | None) -> ToolConfig:
        """What is said of this tool; nothing, for one that isn't named."""
        return self.tools.get(name or "", UNKNOWN_TOOL)

    def settle_after(self, tool: str | None) -> float:
        """How long an operation of this tool must be quiet before it is judged, in seconds."""
        own = self.tool(tool).settle_after_s
        return self.settle_after_s if own is None else own

    def deadline(self, tool: str | None) -> float:
        """After how many seconds an ambiguous operation of this tool is overdue."""
        own = self.tool(tool).deadline_s
        return self.deadline_s if own is None else own

    def validate(self) -> Config:
        """This configuration, if all values can be used; a `ConfigError` names the first that can't."""
        for one in fields(self):
            check = _CHECKS.get(one.name)
            value = getattr(self, one.name)
            if check is None or value is None:
                continue
            try:
                check(value)
            except ValueError as wrong:
                if one.name == "hash_key":
                    raise SecretError(one.name, str(wrong)) from None
                fit = values.shown(value) if one.name == "ledger" and isinstance(value, str) else value
                raise ConfigError(one.name, fit, str(wrong)) from None
        return self

    @classmethod
    def load(cls, environ: Mapping[str, str] | None = None) -> tuple[Config, tuple[ConfigError, ...]]:
        """Read the environment and the TOML file that it names. What is wrong is left at its default and told.

        A hash key that can't be used is replaced by a random one: hashes then don't compare with those of other
        processes, but they don't give small requests away either.
        """
        settings, problems = read(environ)
        return cls(**settings), tuple(problems)  # type: ignore[arg-type]

    @classmethod
    def from_env(cls, environ: Mapping[str, str] | None = None) -> Config:
        """The same for who would rather stop: a `ConfigError` for the first thing that is wrong."""
        config, problems = cls.load(environ)
        if problems:
            raise problems[0]
        return config


_CHECKS = {
    "ledger": values.ledger,
    "settle_after_s": values.seconds,
    "deadline_s": values.seconds,
    "hash_key": values.secret,
    "emit": lambda value: value and values.signals(value),
    "verdict_spans": values.verdict_spans,
    "max_operations": values.operations,
}
