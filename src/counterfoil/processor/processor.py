"""The span processor. Its callbacks run on the host's threads: they copy scalars into a queue, and never raise.

What is told comes out through the other processors of the same provider. Put it first in line, as `attach` does: a
processor that was added after a batch processor loses what it says at shutdown.
"""

from __future__ import annotations

import os
import time
import weakref
from collections.abc import Callable
from typing import Any

from opentelemetry import metrics
from opentelemetry._logs import LoggerProvider, get_logger_provider
from opentelemetry.baggage import get_all
from opentelemetry.context import Context
from opentelemetry.metrics import MeterProvider
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, SpanProcessor, TracerProvider
from opentelemetry.sdk.trace import Span as SdkSpan

from counterfoil import names
from counterfoil.config import Config
from counterfoil.processor.pipeline import Pipeline
from counterfoil.processor.relevance import attributes_of, begins_something, speaks_our_words
from counterfoil.reading.views import SpanSeen
from counterfoil.telling.meters import Meters
from counterfoil.telling.spans import Onward, Private, version
from counterfoil.telling.teller import Teller, Troubles, log

MAX_FOLLOWED = 100_000
"""So many open spans are followed at once; spans below others that began beyond that aren't seen."""


class CounterfoilProcessor(SpanProcessor):
    """Watches the spans of one provider and says verdicts through the processors that stand beside it.

    ``config``: by default the environment's; what is wrong there is logged once, and its default holds. ``clock``: the
    book's, in nanoseconds that never go back. The providers for metrics and events are the process's, if not given.
    """

    def __init__(
        self,
        config: Config | None = None,
        *,
        meter_provider: MeterProvider | None = None,
        logger_provider: LoggerProvider | None = None,
        clock: Callable[[], int] = time.monotonic_ns,
    ) -> None:
        self.config = config if config is not None else _configured()
        self._followed: set[int] = set()
        self._born = 0
        self._provider: weakref.ref[Any] | None = None
        self._logger_provider = logger_provider
        self._teller: Teller | None = None
        meters = Meters(meter_provider) if meter_provider is not None else process_meters()
        self.meters = meters
        self.troubles = Troubles(meters)
        self.pipeline = Pipeline(self.config, meters, self._telling, self.troubles, clock)
        if hasattr(os, "register_at_fork"):
            mine = weakref.WeakMethod(self._in_child)
            os.register_at_fork(after_in_child=lambda: (method := mine()) and method())

    def serve(self, provider: Any) -> None:
        """Say what is found through this provider's other processors."""
        self._provider = weakref.ref(provider)

    # --------------------------------------------------------------------- callbacks

    def on_start(self, span: SdkSpan, parent_context: Context | None = None) -> None:
        try:
            parent, followed = span.parent, self._followed
            attributes = attributes_of(span)
            below = parent is not None and parent.span_id in followed
            if not below and not begins_something(span, attributes, parent_context):
                return
            if len(followed) >= MAX_FOLLOWED or _is_ours(span):
                return
            followed.add(span.context.span_id)
            self.pipeline.put((False, _seen(span, dict(attributes)), get_all(parent_context)))
        except Exception as error:
            self.troubles.had("on_start", error)

    def on_end(self, span: ReadableSpan) -> None:
        try:
            context = span.context
            if context is None:
                return
            attributes = attributes_of(span)
            if context.span_id in self._followed:
                self._followed.discard(context.span_id)
            elif not speaks_our_words(attributes) or (span.start_time or 0) < self._born or _is_ours(span):
                return
            self.pipeline.put((True, _seen(span, dict(attributes)), None))
        except Exception as error:
            self.troubles.had("on_end", error)

    def force_flush(self, timeout_millis: int = 30_000) -> bool:
        """Tell all that is news, of operations whose spans have ended. Others are still on their way."""
        self._settle(running=False)
        return True

    def shutdown(self) -> None:
        """Tell all that is known, also of what was not seen to end."""
        self._settle(running=True)
        self.pipeline.stop()

    def settle(self) -> None:
        """The process ends: tell all that is known while everybody who exports it is still there."""
        self._settle(running=True)

    def _settle(self, *, running: bool) -> None:
        try:
            self.pipeline.settle(running=running)
        except Exception as error:
            self.troubles.had("settle", error)

    # ------------------------------------------------------------------------ inside

    def _telling(self) -> Teller | None:
        if self._teller is None:
            provider = self._provider() if self._provider is not None else _provider_with(self)
            if provider is None:
                return None
            self.serve(provider)
            resource = getattr(provider, "resource", None) or Resource.get_empty()
            private = Private(resource, Onward(lambda: _beside(self, self._provider)))
            logger = (self._logger_provider or get_logger_provider()).get_logger(names.SCOPE, version())
            self._teller = Teller(self.config, private, self.meters, logger, self.troubles)
        return self._teller

    def _in_child(self) -> None:
        """After a fork: the parent's operations and open spans are the parent's to tell of."""
        self._followed = set()
        self._born = time.time_ns()
        self._teller = None
        self.pipeline.begin()


def _seen(span: Any, attributes: dict[str, Any]) -> SpanSeen:
    return SpanSeen(
        context=span.context,
        parent=span.parent,
        name=span.name,
        kind=span.kind,
        attributes=attributes,
        start_time=span.start_time,
        end_time=span.end_time,
        status=span.status,
        events=span.events,
        instrumentation_scope=span.instrumentation_scope,
        resource=span.resource,
    )


def _is_ours(span: Any) -> bool:
    scope = span.instrumentation_scope
    return scope is not None and scope.name == names.SCOPE


def processors_of(provider: Any) -> tuple[SpanProcessor, ...]:
    """The processors of a provider, in line. Reads what the SDK keeps for itself; empty where it is kept otherwise."""
    return tuple(getattr(getattr(provider, "_active_span_processor", None), "_span_processors", ()))


def _beside(processor: CounterfoilProcessor, provider: weakref.ref[Any] | None) -> tuple[SpanProcessor, ...]:
    there = provider() if provider is not None else None
    return tuple(one for one in processors_of(there) if not isinstance(one, CounterfoilProcessor))


def _provider_with(processor: CounterfoilProcessor) -> TracerProvider | None:
    """The global provider, if this processor was added to it by hand."""
    from opentelemetry import trace

    provider: Any = trace.get_tracer_provider()
    provider = getattr(provider, "provider", provider)  # Logfire's stands in front of the SDK's
    return provider if processor in processors_of(provider) else None


def _configured() -> Config:
    config, problems = Config.load()
    for problem in problems:
        log.warning("%s", problem)
    return config


_METERS: list[Meters] = []


def process_meters() -> Meters:
    """One set of instruments for all pipelines of the process."""
    if not _METERS:
        _METERS.append(Meters(metrics.get_meter_provider()))
    return _METERS[0]
