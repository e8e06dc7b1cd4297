"""A real agent at work while one function of ours after the other fails. Prints what came of each, as JSON lines.

Run as a program with a folder for ledgers: it needs a meter provider and functions of its own.
"""

from __future__ import annotations

import json
import logging
import os
import re
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from types import CodeType, FunctionType
from typing import Any

from opentelemetry import metrics
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind
from pydantic_ai import Agent, ModelRetry
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.models.instrumented import InstrumentationSettings

from counterfoil.doors import boot
from tests.shell.faults import Injected, failing, functions, is_guard, reached

READER = InMemoryMetricReader()
TAKES_DOWN = "counterfoil.processor.pipeline.Pipeline.put"
"""Reached from every callback for a span."""
ENDS_WITHIN_S = 5.0
LEFT: set[threading.Thread] = set()
"""Threads that were waited for. One whose end was made to fail goes on."""
CHANGING = re.compile(r"[0-9a-f]{8}-[0-9a-f-]{27}|\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)")
"""Ids and times that are others in every run, with us and without."""


@dataclass
class Run:
    """What one run of the agent gave, and what was said about it."""

    answers: list[str]
    host: list[object]
    said: list[str]


def run(*, watched: bool) -> Run:
    """Let the agent work: it calls, is asked to try again, sends a request that is never answered, and fails."""
    if "COUNTERFOIL_LEDGER" in os.environ:  # one for each run: the operations have the same names in all
        os.environ["COUNTERFOIL_LEDGER"] = f"sqlite:///{tempfile.mkdtemp(dir=sys.argv[1])}/ledger"
    exporter, provider = InMemorySpanExporter(), TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    if watched:
        boot.attach(provider)
    agent = _agent(provider)
    answers = [_answer(agent, prompt) for prompt in ("well", "badly")]
    provider.force_flush()
    provider.shutdown()
    for thread in threading.enumerate():  # or a fault that is meant for the next pipeline is met by this one
        if thread.name == "counterfoil" and thread not in LEFT:
            thread.join(ENDS_WITHIN_S)
            LEFT.add(thread)
    spans = exporter.get_finished_spans()
    ours = [span for span in spans if span.instrumentation_scope and span.instrumentation_scope.name == "counterfoil"]
    host = [_comparable(span) for span in spans if span not in ours]
    return Run(answers, host, [_verdict(span.attributes or {}) for span in ours])


def _verdict(attributes: Mapping[str, Any]) -> str:
    return f"{attributes['counterfoil.verdict']} {attributes.get('counterfoil.reason', '')}".strip()


def _agent(provider: TracerProvider) -> Agent[None, str]:
    def model(messages: list[ModelMessage], _info: AgentInfo) -> ModelResponse:
        calls = sum(isinstance(message, ModelResponse) for message in messages)
        if calls == 2:
            return ModelResponse(parts=[TextPart("done")])
        how = str(messages[0].parts[0].content)  # type: ignore[union-attr]
        return ModelResponse(parts=[ToolCallPart("charge", {"how": how, "time": calls}, tool_call_id=f"call-{calls}")])

    agent = Agent(FunctionModel(model), name="payer")
    agent.instrument = InstrumentationSettings(tracer_provider=provider)

    @agent.tool_plain(retries=3)
    def charge(how: str, time: int) -> dict[str, str]:
        client, sent = provider.get_tracer("client"), {"http.request.method": "POST", "url.full": "http://shop/charges"}
        with client.start_as_current_span("POST", kind=SpanKind.CLIENT, attributes=sent) as span:
            span.set_attribute("http.response.status_code", 201)
            span.set_attribute("counterfoil.effect.ref", f"ch-{how}")
            span.set_attribute("counterfoil.effect.authoritative", True)
        if how == "badly":
            raise RuntimeError("declined")
        if time == 0:
            raise ModelRetry("again")
        return {"id": "ch-1"}

    return agent


def _answer(agent: Agent[None, str], prompt: str) -> str:
    try:
        return agent.run_sync(prompt, conversation_id="c-1").output
    except Exception as error:
        return repr(error)


def _comparable(span: ReadableSpan) -> object:
    """All that an exporter would send but ids and times."""
    text = {
        "name": span.name,
        "kind": str(span.kind),
        "status": [str(span.status.status_code), span.status.description],
        "attributes": {name: str(value) for name, value in (span.attributes or {}).items()},
        "events": [[event.name, {k: str(v) for k, v in (event.attributes or {}).items()}] for event in span.events],
        "links": len(span.links),
        "is_root": span.parent is None,
    }
    return json.loads(CHANGING.sub("*", json.dumps(text)))


def counted(metric: str) -> int:
    """The metric's sum over all attributes, since the process began."""
    data = READER.get_metrics_data()
    return sum(
        int(point.value)  # type: ignore[union-attr]
        for resource in (data.resource_metrics if data is not None else ())
        for scope in resource.scope_metrics
        for one in scope.metrics
        if one.name == metric
        for point in one.data.data_points
    )


class Heard(logging.Handler):
    """Keeps what is logged below `counterfoil`, but not by a thread that an earlier run left behind."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        if threading.current_thread() not in LEFT:
            self.lines.append(record.getMessage())


@contextmanager
def listening() -> Iterator[Heard]:
    heard, log = Heard(), logging.getLogger("counterfoil")
    log.addHandler(heard)
    log.propagate = False
    try:
        yield heard
    finally:
        log.removeHandler(heard)


def harmed(function: FunctionType, plain: Run) -> dict[str, Any]:
    """What a run comes to in which this function fails."""
    before = counted("counterfoil.errors")
    boot.tell.told = False  # type: ignore[attr-defined]
    with listening() as heard, failing(function) as calls:
        try:
            found, raised = run(watched=True), ""
        except Injected:
            found, raised = Run([], [], []), "into the host"
    return {
        "function": name(function),
        "calls": len(calls),
        "raised": raised,
        "answers": found.answers == plain.answers,
        "host": found.host == plain.host,
        "errors": counted("counterfoil.errors") - before,
        "not_attached": boot.tell.told,  # type: ignore[attr-defined]
        "said": found.said,
        "logged": heard.lines,
    }


def name(function: FunctionType) -> str:
    return f"{function.__module__}.{function.__qualname__}"


def main() -> None:
    metrics.set_meter_provider(MeterProvider([READER]))
    boot.has_options = lambda: True  # so that the settings are read anew each time, which can fail too
    plain, watched = run(watched=False), run(watched=True)
    found = reached(lambda: run(watched=True))
    first = {"entries": [name(each) for each in functions(found.entries)], "said": watched.said}
    print(json.dumps(first | {"answers": plain.answers == watched.answers, "host": plain.host == watched.host}))
    inner = to_break(found.inner)
    for function in inner:
        print(json.dumps(harmed(function, plain)))
    (broken,) = (each for each in inner if name(each) == TAKES_DOWN)
    with failing(broken):  # every callback fails, and then also what is done about that
        about = reached(lambda: run(watched=True))
        for function in to_break(about.inner - found.inner - {broken.__code__}):
            print(json.dumps(harmed(function, plain)))
    os.environ["COUNTERFOIL_LEDGER"] = "sqlite:"
    kept = reached(lambda: run(watched=True))
    for function in to_break(kept.inner - found.inner - about.inner):
        print(json.dumps(harmed(function, plain)))


def to_break(codes: set[CodeType]) -> list[FunctionType]:
    return [each for each in functions(codes) if not is_guard(each)]


if __name__ == "__main__":
    main()
