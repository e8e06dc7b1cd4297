"""What a rule is, before it is written for Prometheus or for Grafana."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

RUNBOOKS = "runbooks"
"""Where `runbook_url` points, relative to the folder of the exported rules. `counterfoil export` can replace it."""

Severity = Literal["page", "ticket", "none"]


@dataclass(frozen=True, slots=True)
class Recording:
    """A series that Prometheus keeps because rules ask for it every minute."""

    record: str
    expr: str

    def spelled(self) -> dict[str, Any]:
        """As Prometheus reads it."""
        return {"record": self.record, "expr": self.expr}


@dataclass(frozen=True, slots=True)
class Alert:
    """Something that a person should hear of."""

    name: str
    severity: Severity
    expr: str
    summary: str
    description: str
    wait: str | None = None
    """How long the expression must hold before it fires: `for`."""
    keep: str | None = None
    """How long it goes on firing after that: `keep_firing_for`."""
    labels: Mapping[str, str] = field(default_factory=dict)

    @property
    def runbook(self) -> str:
        """Path of the page that says what to look at and what not to do."""
        return f"{RUNBOOKS}/{self.name}.md"

    def spelled(self) -> dict[str, Any]:
        """As Prometheus reads it."""
        rule: dict[str, Any] = {"alert": self.name, "expr": self.expr}
        if self.wait:
            rule["for"] = self.wait
        if self.keep:
            rule["keep_firing_for"] = self.keep
        rule["labels"] = {"severity": self.severity, **self.labels}
        rule["annotations"] = {
            "summary": self.summary,
            "description": self.description,
            "runbook_url": self.runbook,
        }
        return rule


@dataclass(frozen=True, slots=True)
class Group:
    """Rules that Prometheus evaluates together, in their order."""

    name: str
    rules: tuple[Recording | Alert, ...]

    def spelled(self) -> dict[str, Any]:
        """As Prometheus reads it."""
        return {"name": self.name, "rules": [rule.spelled() for rule in self.rules]}
