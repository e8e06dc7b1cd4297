"""A day of a small fleet, as Prometheus would have scraped it, with everything in it that somebody gets paged for.

Ordinary operations of three tools all day; then, in the last hour, trouble of every kind. Made from a fixed seed; only
the time that it ends at differs between runs.
"""

from __future__ import annotations

import random
import subprocess
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path

from counterfoil import instruments, names
from counterfoil.verdicts import PAGES

STEP_S = 120
LONG_S = 26 * 3600
DURATION = instruments.VERDICT_DURATION.name
BUCKETS = instruments.VERDICT_DURATION.buckets
METRICS = {metric.name: metric for metric in instruments.METRICS}
ENDINGS = {"counter": "_total", "histogram": "_bucket"}

SHOP, QUIET, GONE, STUCK = "acme/shop", "acme/quiet", "acme/gone", "acme/stuck"
TOOLS = {"charge": 0.8, "send_mail": 0.5, "create_ticket": 0.3}
"""Calls per minute."""

Labels = tuple[tuple[str, str], ...]


class History:
    """Series that grow step by step, and their samples."""

    def __init__(self, end: int) -> None:
        self._random = random.Random(7)
        self._end = end
        self._now: dict[str, dict[Labels, float]] = defaultdict(dict)
        self._samples: dict[str, dict[Labels, list[tuple[float, int]]]] = defaultdict(lambda: defaultdict(list))

    def write(self, file: Path) -> None:
        """All of it as OpenMetrics text with timestamps."""
        for at in range(self._end - LONG_S, self._end + 1, STEP_S):
            self._step(at, self._end - at)
        file.write_text("".join(self._text()))

    def _step(self, at: int, left: int) -> None:
        """What happened until `at`, which is `left` seconds before the end."""
        trouble = left < 3600
        for tool, per_minute in TOOLS.items():
            for _ in range(self._often(per_minute * STEP_S / 60)):
                self._operation(SHOP, tool, self._fate(trouble))
        if left in (5 * 3600, 4 * 3600, 2 * 3600, 1200):
            self._operation(QUIET, "export", ("indeterminate", "ambiguous"))
        if left == 600:
            self._operation(SHOP, "charge", ("duplicate_effect", ""))
            self._add("counterfoil.findings", SHOP, 1, {"counterfoil.finding": "unsafe_retry", **_tool("charge")})
            self._add("counterfoil.facts.dropped", SHOP, 3, {"error.type": "queue_full"})
            self._add("counterfoil.operations.forgotten", SHOP, 1, {})
            self._add("counterfoil.errors", SHOP, 1, {"error.type": "ProbeError"})
            self._add("counterfoil.errors", SHOP, 2, {"error.type": "ledger:LedgerFault"})
        if left % 5400 == 0:
            ended = "exhausted" if trouble else "answered"
            self._add("counterfoil.consults", SHOP, 1, {names.CONSULT_MODE: "local", names.CONSULT_RESULT: ended})
        if left % 7200 == 0:
            for verdict in ("ready", "interrupted_tool"):
                self._add("counterfoil.histories", SHOP, 1, {"counterfoil.verdict": verdict})
        for verdict in PAGES:
            there = verdict == "duplicate_effect" and left <= 600
            for job in (SHOP, QUIET, STUCK, *((GONE,) if left > 3600 else ())):
                self._set(
                    "counterfoil.incidents.open", job, float(there and job == SHOP), {"counterfoil.verdict": verdict}
                )
        for state, number in (("settling", 2.0), ("indeterminate", 9.0 if trouble else 1.0)):
            self._set("counterfoil.operations.open", SHOP, number, {"counterfoil.state": state})
        self._set("counterfoil.operation.oldest.age", SHOP, 3600.0 - left if trouble else 12.0, {})
        self._set("counterfoil.heartbeat.timestamp", SHOP, at, {})
        self._set("counterfoil.heartbeat.timestamp", QUIET, at, {})
        self._set("counterfoil.heartbeat.timestamp", STUCK, min(at, self._end - 1800), {})
        if left > 3600:
            self._set("counterfoil.heartbeat.timestamp", GONE, at, {})
        self._scrape(at, {GONE} if left <= 3600 else set())

    def _fate(self, trouble: bool) -> tuple[str, str]:
        """Verdict and reason of one operation."""
        bad = 0.4 if trouble else 0.012
        drawn = self._random.random()
        if drawn < bad:
            return "indeterminate", "ambiguous"
        if drawn < bad + 0.2:
            return "indeterminate", "unverified"
        return ("verified_applied", "") if drawn < 0.97 else ("healthy", "")

    def _operation(self, job: str, tool: str, fate: tuple[str, str]) -> None:
        verdict, reason = fate
        reasons = {"counterfoil.reason": reason} if reason else {}
        self._add("counterfoil.verdicts", job, 1, {"counterfoil.verdict": verdict, **reasons, **_tool(tool)})
        self._add("counterfoil.attempts", job, 1, {"counterfoil.transport": "success", **_tool(tool)})
        if reason == "ambiguous":
            self._add("counterfoil.attempts", job, 1, {"counterfoil.transport": "timeout", **_tool(tool)})
        self._add("counterfoil.facts", job, 3, {"counterfoil.reader": "genai"})
        took = self._random.lognormvariate(2.0, 0.6)
        for bound in (*map(_le, [each for each in BUCKETS if took <= each]), "+Inf"):
            self._add(DURATION, job, 1, {"counterfoil.verdict": verdict, **_tool(tool), "le": bound})

    def _often(self, wanted: float) -> int:
        return sum(self._random.random() < wanted / 6 for _ in range(6))

    def _add(self, metric: str, job: str, by: float, attributes: Mapping[str, str]) -> None:
        series = self._now[metric]
        key = _labels(job, attributes)
        series[key] = series.get(key, 0.0) + by

    def _set(self, metric: str, job: str, value: float, attributes: Mapping[str, str]) -> None:
        self._now[metric][_labels(job, attributes)] = value

    def _scrape(self, at: int, without: set[str]) -> None:
        for metric, series in self._now.items():
            for key, value in series.items():
                if dict(key)["job"] not in without:
                    self._samples[metric][key].append((value, at))

    def _text(self) -> Iterator[str]:
        for metric, series in self._samples.items():
            said = METRICS[metric]
            family = _label(metric) + ("_seconds" if said.unit == "s" else "")
            kind = "gauge" if said.kind == "updowncounter" else said.kind
            yield f"# TYPE {family} {kind}\n"
            for key, samples in series.items():
                written = ",".join(f'{name}="{value}"' for name, value in key)
                for value, at in samples:
                    yield f"{family}{ENDINGS.get(kind, '')}{{{written}}} {value} {at}\n"
        yield "# EOF\n"


def blocks(promtool: Path, folder: Path, end: int) -> None:
    """Lay a history that ends at `end` into a folder as Prometheus keeps it."""
    folder.mkdir(parents=True)
    text = folder.with_suffix(".txt")
    History(end).write(text)
    words = [promtool, "tsdb", "create-blocks-from", "openmetrics", "--quiet", text, folder]
    subprocess.run(words, check=True, capture_output=True)


def _label(attribute: str) -> str:
    return attribute.replace(".", "_")


def _tool(name: str) -> dict[str, str]:
    return {names.TOOL_NAME: name}


def _labels(job: str, attributes: Mapping[str, str]) -> Labels:
    named = {"job": job, "instance": "1", **{_label(name): value for name, value in attributes.items()}}
    return tuple(sorted(named.items()))


def _le(bound: float) -> str:
    return f"{bound:g}" if bound % 1 else f"{bound:.1f}"
