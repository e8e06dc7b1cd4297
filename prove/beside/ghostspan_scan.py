"""ghostspan, a scanner of exported traces for failures that nobody saw, over the same OTLP JSON lines."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import orjson
from ghostspan.detect.base import Tier  # type: ignore[import-untyped]
from ghostspan.detect.runner import run_all  # type: ignore[import-untyped]
from ghostspan.ingest.loader import InputError, build_trace_set  # type: ignore[import-untyped]
from ghostspan.schema import Trace, TraceSet  # type: ignore[import-untyped]

from prove.beside.answers import Answer, Contender
from prove.beside.trails import VERDICTS, trails


def answers(folder: Path) -> Mapping[str, Answer]:
    """An operation is looked into if there is a finding, of tier medium or worse, in a trace that calls its tool."""
    with TemporaryDirectory() as scratch:
        for path in (folder / "telemetry").glob("*.jsonl"):
            _without_verdicts(path, Path(scratch) / path.name)
        try:
            everything = build_trace_set([scratch])
        except InputError:
            return {}
    found = {trace.trace_id for trace in everything.traces if _has_finding(everything, trace)}
    return {name: Answer.AMISS if trail.traces & found else Answer.UNKNOWN for name, trail in trails(folder).items()}


def _has_finding(everything: TraceSet, trace: Trace) -> bool:
    """As with `--fail-on medium`, of one trace."""
    results = run_all(replace(everything, traces=(trace,)))
    serious = (Tier.HIGH, Tier.MEDIUM)
    return any(one.gating and one.tier in serious for result in results for one in result.findings)


def _without_verdicts(path: Path, out: Path) -> None:
    with path.open("rb") as lines, out.open("wb") as kept:
        for line in lines:
            if orjson.loads(line)["resourceSpans"][0]["scopeSpans"][0]["scope"]["name"] != VERDICTS:
                kept.write(line)


CONTENDER = Contender(
    "ghostspan",
    "ghostspan",
    "Its own ingest and all of its detectors, as its command runs them with the defaults and `--fail-on medium`, over "
    "the recorded files; trace by trace, because its report names three examples of a kind at most. A finding counts "
    "for each operation whose tool is called in that trace. Findings about a whole tool (its rate of failures, cost, "
    "latency) name no operation and can't be held against one; they need twenty calls, so a trace alone has none.",
    "Needs nothing from the application; finds truncated and empty completions, swallowed errors, cost and latency "
    "outliers, for which Counterfoil has no eyes at all.",
    "Made for failures in traces, not for effects in the world; its own pages say that no finding proves nothing, so "
    "that counts as can't tell.",
    answers,
)
