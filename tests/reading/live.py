"""A real SDK pipeline whose spans go to the reader, and what the reader's facts come to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace

from opentelemetry import baggage
from opentelemetry.context import Context, attach, detach
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, Span, SpanProcessor, TracerProvider
from opentelemetry.trace import SpanKind, Status, StatusCode

from counterfoil.config import Config
from counterfoil.evidence import fold
from counterfoil.facts import Attempt, Fact, Intent
from counterfoil.judge import Judgement, judge_all
from counterfoil.reading.spans import Reading

Attributes = Mapping[str, object]


class Watched(SpanProcessor):
    """Hands every span on to the reader, as it starts and as it ends. ``captured``: the header that is shown."""

    def __init__(self, config: Config | None = None, *, captured: str = "idempotency-key") -> None:
        self.reading = Reading(replace(config or Config(), captured_headers=(captured,)))
        self.facts: list[Fact] = []
        self.provider = TracerProvider(resource=Resource.get_empty(), shutdown_on_exit=False)
        self.provider.add_span_processor(self)

    def on_start(self, span: Span, parent_context: Context | None = None) -> None:
        self.facts += self.reading.started(span, baggage.get_all(parent_context))

    def on_end(self, span: ReadableSpan) -> None:
        self.facts += self.reading.ended(span)

    @contextmanager
    def span(
        self, name: str, attributes: Attributes | None = None, *, scope: str = "app", kind: SpanKind = SpanKind.INTERNAL
    ) -> Iterator[Span]:
        tracer = self.provider.get_tracer(scope)
        with tracer.start_as_current_span(name, attributes=attributes, kind=kind) as span:  # type: ignore[arg-type]
            assert isinstance(span, Span)
            yield span

    @contextmanager
    def run(self, conversation: str = "conv-1", run: str = "run-1", **own: object) -> Iterator[Span]:
        """An agent's run."""
        about = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "clerk"}
        ids = {"gen_ai.conversation.id": conversation, "gen_ai.agent.call.id": run}
        with self.span("invoke_agent clerk", {**about, **ids, **_spelled(own)}, scope="pydantic-ai") as span:
            yield span

    @contextmanager
    def tool(
        self,
        tool: str = "charge_card",
        arguments: str | Mapping[str, object] | None = '{"amount":5}',
        *,
        call: str | None = "call-1",
        conversation: str | None = "conv-1",
        run: str | None = "run-1",
        result: object = "done",
        scope: str = "pydantic-ai",
        **own: object,
    ) -> Iterator[Span]:
        """A tool's span as Pydantic AI makes it; without a result it ends in silence."""
        about = {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": tool,
            "gen_ai.tool.call.id": call,
            "gen_ai.tool.call.arguments": arguments,
            "gen_ai.agent.name": "clerk",
            "gen_ai.agent.call.id": run,
            "gen_ai.conversation.id": conversation,
            **_spelled(own),
        }
        said = {name: value for name, value in about.items() if value is not None}
        with self.span(f"execute_tool {tool}", said, scope=scope) as span:
            yield span
            if result is not None and span.is_recording():
                span.set_attribute("gen_ai.tool.call.result", result)  # type: ignore[arg-type]

    def request(
        self,
        path: str = "/v1/charges",
        status: int | None = 201,
        *,
        method: str = "POST",
        key: str | None = None,
        error: str | None = None,
        server: str = "pay.example",
        **more: object,
    ) -> Span:
        """An HTTP request that has come back, or failed with the error of that name."""
        said: dict[str, object] = {"http.request.method": method, "url.full": f"https://{server}{path}"}
        if key is not None:
            said["http.request.header.idempotency_key"] = [key]
        with self.span(
            method, said | _spelled(more), scope="opentelemetry.instrumentation.httpx", kind=SpanKind.CLIENT
        ) as span:
            if error is not None:
                span.set_status(Status(StatusCode.ERROR, f"{error}: it failed"))
                span.set_attribute("error.type", error)
            elif status is not None:
                span.set_attribute("http.response.status_code", status)
        return span

    # ------------------------------------------------------------------ what it comes to

    def judged(self) -> dict[str, Judgement]:
        return judge_all(fold(self.facts))

    def the_one(self) -> Judgement:
        """The judgement on the only operation there is."""
        judged = self.judged()
        assert len(judged) == 1, sorted(judged)
        return next(iter(judged.values()))

    def attempts(self) -> dict[str, list[Attempt]]:
        """Views of attempts, by attempt."""
        found: dict[str, list[Attempt]] = {}
        for fact in self.facts:
            if isinstance(fact, Attempt):
                found.setdefault(fact.attempt_id, []).append(fact)
        return found

    def intents(self) -> list[Intent]:
        return [fact for fact in self.facts if isinstance(fact, Intent)]


@contextmanager
def carrying(**said: str) -> Iterator[None]:
    """Our names in baggage."""
    context: Context | None = None
    for name, value in _spelled(said).items():
        context = baggage.set_baggage(name, value, context)
    token = attach(context or Context())
    try:
        yield
    finally:
        detach(token)


def _spelled(own: Mapping[str, object]) -> dict[str, object]:
    """``operation_id`` is ``counterfoil.operation.id``, by the constant of that name; other names are as they are."""
    from counterfoil import names

    return {getattr(names, name.upper(), name): value for name, value in own.items()}
