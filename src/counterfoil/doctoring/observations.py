"""What a run of the application showed, as checks."""

from __future__ import annotations

from collections.abc import Iterator

from counterfoil import names
from counterfoil.config import CAPTURE
from counterfoil.doctoring.check import Check, contradiction, many, missing, ok
from counterfoil.doctoring.running import NOT_FOUND, Run
from counterfoil.doctoring.sources import KEY_HEADER, ON_SPANS
from counterfoil.doors.agents import CONTENT

SDK = "opentelemetry.sdk."
LOGFIRE = "logfire."


def observations(run: Run) -> Iterator[Check]:
    if run.exit_code == NOT_FOUND and not run.entered:
        yield contradiction("run", "the application can't be started", "<a command that can>")
        return
    if not run.entered:
        says = "no door opened in any process: is it another interpreter than this one?"
        yield contradiction("run: doors", says, "install counterfoil for the interpreter that runs the application")
        return
    if not run.reports:
        says = "no pipeline asked for a tracer: the application has no telemetry of its own"
        yield contradiction("run: pipelines", says, "opentelemetry-instrument <command>")
        return
    yield from _pipelines(run)
    yield from _tools(run)
    said = ", ".join(f"{count} {word}" for word, count in sorted(run.verdicts.items()))
    yield ok("run: verdicts", said) if said else missing("run: verdicts", "no verdict was said")


def _pipelines(run: Run) -> Iterator[Check]:
    doors = sorted({door for report in run.reports for door in report["doors"]})
    yield ok("run: doors", f"{many(run.entered, 'process was', 'processes were')} entered, by {', '.join(doors)}")
    for exporters, provider in sorted(
        {
            (tuple(one["exporters"]), one["provider"].rpartition(".")[2])
            for report in run.reports
            for one in report["pipelines"]
        }
    ):
        if exporters:
            yield ok("run: pipeline", f"{provider} exports by {', '.join(exporters)}")
        else:
            yield missing("run: pipeline", f"{provider} exports nothing: verdict spans stay in the process")
    for signal, what, variable in (("metrics", "metrics", "METRICS"), ("logs", "verdict events", "LOGS")):
        if not any(report[signal].startswith((SDK, LOGFIRE)) for report in run.reports):
            says = f"no provider for {signal} was set: {what} stay in the process"
            yield missing(f"run: {signal}", says, f"OTEL_{variable}_EXPORTER=otlp")


def _tools(run: Run) -> Iterator[Check]:
    tools = run.tools
    if not tools:
        says = "no call of a tool was seen"
        frameworks = f"{names.INSTRUMENT_PYDANTIC_AI_SETTING}=true, or another framework's instrumentation"
        yield missing("run: tools", says, f"{frameworks}; without a framework, counterfoil.operation(…) in the code")
    for name, tool in sorted(tools.items()):
        seen, what = tool.counts, f"run: {name[:60]}"
        calls = seen["calls"]
        if seen["with_arguments"] < calls:
            says = (
                f"{many(calls, 'call')}, {seen['with_arguments']:,} of them with arguments: the others can't be hashed"
            )
            way_out = f"include_content where the application sets its instrumentation up, or {CONTENT}={ON_SPANS[0]}"
            yield missing(what, says, way_out)
        else:
            yield ok(what, f"{many(calls, 'call')}, none without arguments")
        if not seen["requests"] and not seen["with_effect"]:
            yield missing(
                what, "no request and no effect below its calls", "instrument its client, or declare a receipt"
            )
        elif seen["requests"]:
            where = ", ".join(sorted(tool.hosts))[:200]
            says = f"{many(seen['requests'], 'request')} to {where}, {seen['requests_with_key']:,} of them with a key"
            if seen["requests_with_key"] < seen["requests"]:
                yield missing(what, says, f"{CAPTURE}REQUEST={KEY_HEADER}, if it sends one")
            else:
                yield ok(what, says)
