"""The series of verdicts and findings, by tool: they exist with 0 before anything has happened, so many and no more."""

from __future__ import annotations

from collections.abc import Mapping

from opentelemetry.metrics import Counter

from counterfoil import names
from counterfoil.telling.words import clean
from counterfoil.verdicts import PAGES, WORST_FIRST, Finding

MAX_TOOLS = 200
"""So many tools have series of their own; the others share one."""

OTHER = "_OTHER"
NO_TOOL: Mapping[str, str] = {}
SEVERE = tuple(verdict for verdict in WORST_FIRST if verdict in PAGES)
"""Verdicts whose series exist with 0 from the start: a counter that is born at 1 shows no increase."""


class ToolSeries:
    """Brings the severe series of these two counters into being, for each tool when it is first named."""

    def __init__(self, verdicts: Counter, findings: Counter) -> None:
        self._verdicts = verdicts
        self._findings = findings
        self._tools: set[str] = set()
        self.start_at_zero()

    def start_at_zero(self, tool: Mapping[str, str] = NO_TOOL) -> None:
        for verdict in (*SEVERE, Finding.UNSAFE_RETRY):
            self._verdicts.add(0, {names.VERDICT: verdict.value, **tool})
        for finding in Finding:
            self._findings.add(0, {names.FINDING: finding.value, **tool})

    def named(self, tool: str | None) -> dict[str, str]:
        """The attribute that counts something for this tool; none where nobody names one."""
        if not tool:
            return {}
        named = {names.TOOL_NAME: str(clean(tool))}
        if tool not in self._tools:
            if len(self._tools) >= MAX_TOOLS:
                return {names.TOOL_NAME: OTHER}
            self._tools.add(tool)
            self.start_at_zero(named)
        return named
