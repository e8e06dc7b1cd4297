"""The span processor. Its callbacks run on the application's threads: they take scalars down, and never raise.

What is told comes out through the other processors of the same provider. Put it first in line, as `attach` does: a
processor that was added after a batch processor loses what it says at shutdown.
"""

from __future__ import annotations

import os
import time
import weakref
from collections.abc import Callable
from typing import Any

from opentelemetry._logs import LoggerProvider, get_logger_provider
from opentelemetry.context import Context
from opentelemetry.metrics import MeterProvider
from opentelemetry.sdk.trace import ReadableSpan, SpanProcessor
from opentelemetry.sdk.trace import Span as SdkSpan

from counterfoil import names
from counterfoil.config import Config
from counterfoil.processor.books import IN_MEMORY
from counterfoil.processor.hashed import attributes_of, hash_in_place
from counterfoil.processor.last_word import settle_in_time
from counterfoil.processor.line import Line
from counterfoil.processor.moments import (
    CLIENT,
    EFFECT_COUNT,
    EFFECT_REF,
    INTERNAL,
    METHOD,
    NOTHING,
    OLD_METHOD,
    OPERATION,
    OPERATION_ID,
    VERDICT,
    baggage_of,
    begins_something,
    carried,
    carried_below,
    ended,
    named_above,
    started,
)
from counterfoil.processor.pipeline import PATIENCE_S, Pipeline
from counterfoil.reading.genai import serves_a_call
from counterfoil.reading.views import Attributes
from counterfoil.reading.vocabularies import is_known
from counterfoil.telling.meters import meters_of
from counterfoil.telling.sending import Sender, sender_of
from counterfoil.telling.spans import Onward, Private, version
from counterfoil.telling.teller import Teller, Troubles, log

NOT_SENT = "not_sent"

MAX_FOLLOWED = 100_000
"""So many open spans are followed at once; spans below others that began beyond that aren't seen."""


class CounterfoilProcessor(SpanProcessor):
    """Watches the spans of one provider and says verdicts through the processors that stand beside it.

    ``config``: by default the environment's; what is wrong there is logged once, and its default holds. ``clock``: the
    book's, in nanoseconds that never go back. The providers for metrics and events are the process's, if not given.

    Added with ``provider.add_span_processor`` it works as well, but what is first told at ``provider.shutdown()`` is
    lost if it stands after a batch processor; `attach` sees to that. Within Logfire's ``additional_span_processors`` it
    sees what Logfire samples: with tail sampling only traces that are kept, so that it can't rescue one.
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
        self._hashed = attributes_of(self.config.hashed_headers)
        self._states_at_once = self.config.ledger != IN_MEMORY or "facts" in self.config.emit
        self._born = 0
        self._is_in_line = self._is_second = self._is_inside = False
        self._live: weakref.WeakValueDictionary[int, Any] = weakref.WeakValueDictionary()
        self._logger_provider = logger_provider
        self._teller: Teller | None = None
        self._sender: Sender | None = None
        self.line = Line(CounterfoilProcessor)
        self.meters = meters_of(meter_provider)
        self.troubles = Troubles(self.meters)
        self.pipeline = Pipeline(self.config, self.meters, self._telling, self.troubles, clock)
        if hasattr(os, "register_at_fork"):
            mine = weakref.WeakMethod(self._in_child)
            os.register_at_fork(after_in_child=lambda: (method := mine()) and method())

    # --------------------------------------------------------------------- callbacks

    # These two run for every span of the application, and most of them end in the first lines: they are written out.

    def on_start(self, span: SdkSpan, parent_context: Context | None = None) -> None:
        try:
            live: Any = span
            try:
                attributes, kind, parent = live._attributes._dict, live._kind, live._parent
                scope = live._instrumentation_scope._name
            except AttributeError:  # the SDK keeps its fields in another way
                attributes, kind, parent = live.attributes or NOTHING, live.kind, live.parent
                scope = getattr(live.instrumentation_scope, "name", None)
            followed = self._followed
            if followed and parent is not None and parent.span_id in followed:
                if kind is CLIENT and self._hashed:
                    hash_in_place(live, attributes, self._hashed, self.config.hash_key)
                outlives = kind is CLIENT and self._states_at_once
                self._follow(live, attributes, (carried_below if outlives else baggage_of)(parent_context))
                return
            if (
                OPERATION not in attributes
                and OPERATION_ID not in attributes
                and (kind is INTERNAL or (kind is CLIENT and METHOD not in attributes and OLD_METHOD not in attributes))
                and not is_known(scope)
            ):
                return
            if kind is CLIENT and self._hashed:
                hash_in_place(live, attributes, self._hashed, self.config.hash_key)
            if kind is CLIENT and (above := named_above(live, parent_context)) is not None:
                self._follow(*above, baggage_of(parent_context))
                self._follow(live, attributes, baggage_of(parent_context))
            elif begins_something(attributes, parent_context) or is_known(scope) or serves_a_call(kind, attributes):
                self._follow(live, attributes, carried(parent_context))
        except Exception as error:
            self.troubles.had("on_start", error)

    def on_end(self, span: ReadableSpan) -> None:
        try:
            over: Any = span
            try:
                attributes, ids = over._attributes._dict, over._context
            except AttributeError:  # or another processor put a plain dict there
                attributes, ids = over.attributes or NOTHING, over.context
            followed = self._followed
            if followed and (name := ids.span_id) in followed:
                followed.discard(name)
                if self._is_inside and (raw := self._live.pop(name, None)) is not None:
                    over, attributes = raw, raw.attributes
                self.pipeline.put(ended(over, attributes))
            elif (
                OPERATION_ID in attributes or EFFECT_REF in attributes or EFFECT_COUNT in attributes
            ) and self._is_news(over, attributes):
                self.pipeline.put(ended(over, attributes, baggage_of(None)))
        except Exception as error:
            self.troubles.had("on_end", error)

    def _follow(self, span: Any, attributes: Attributes, said: Attributes) -> None:
        if VERDICT in attributes:
            return
        if not self._is_in_line:
            self._take_place(span)
        name = span.context.span_id
        if self._is_inside:
            if len(self._followed) >= MAX_FOLLOWED:  # the ends of those that Logfire's sampling dropped never came
                self._followed.intersection_update(self._live.keys())
            self._live[name] = span
        if self._is_second or len(self._followed) >= MAX_FOLLOWED:
            return
        self._followed.add(name)
        self.pipeline.put(started(span, attributes, said))
        if self.pipeline.is_durable and (span.kind is CLIENT or OPERATION_ID in attributes):
            self.pipeline.commit()  # before the request leaves

    def _is_news(self, span: Any, attributes: Attributes) -> bool:
        """Whether a span that wasn't followed, and says something of ours at its end, is for us to read."""
        return VERDICT not in attributes and not self._is_second and (span.start_time or 0) >= self._born

    def _take_place(self, span: Any) -> None:
        """Learn where we stand. Within Logfire's processors, ends come as scrubbed copies ("authoritative" holds
        "auth"), so the open span itself is looked at for as long as the application keeps it. Two of ours would tell
        everything twice, so the one that comes later, or is further in, keeps still."""
        self._is_in_line = True
        self.line.learn(span)
        self._is_inside = not self.line.holds(self)
        settle_in_time(self)
        self._is_second = self.line.is_served_before(self)

    def force_flush(self, timeout_millis: int = 30_000) -> bool:
        """Tell all that is news, of operations whose spans have ended. Others are still on their way."""
        return self._settle(running=False, patience_s=timeout_millis / 1_000)

    def shutdown(self) -> None:
        """Tell all that is known, also of what was not seen to end. Whoever exports it is shut down after this, so that
        the thread goes first."""
        self._do(self.pipeline.stop)
        self._settle(running=True, patience_s=PATIENCE_S)
        self._do(self.pipeline.leave)

    def settle(self) -> None:
        """The process ends: tell all that is known while everybody who exports it is still there."""
        self._settle(running=True, patience_s=PATIENCE_S)

    def _do(self, step: Callable[[], None]) -> None:
        try:
            step()
        except Exception as error:
            self.troubles.had("shutdown", error)

    def _settle(self, *, running: bool, patience_s: float) -> bool:
        try:
            settled = self.pipeline.settle(running=running, patience_s=patience_s)
            return (self._sender is None or self._sender.flush(patience_s)) and settled
        except Exception as error:
            self.troubles.had("settle", error)
            return False

    # ------------------------------------------------------------------------ inside

    @property
    def teller(self) -> Teller:
        """Who tells through this pipeline."""
        return self._telling()

    def _telling(self) -> Teller:
        if self._teller is None or not self._teller.serves(self.line.resource):
            resource, generator = self.line.resource, getattr(self.line.provider, "id_generator", None)
            onward = Onward(self.line.beside, self.troubles.beside)
            private = Private(resource, onward, generator) if self.line.is_known else None
            logger = (self._logger_provider or get_logger_provider()).get_logger(names.SCOPE, version())
            self._teller = Teller(self.config, private, self.meters, logger, self.troubles, sender=self._sending())
        return self._teller

    def _sending(self) -> Sender | None:
        """One sender for the pipeline's life, whichever resource its verdicts have."""
        if "facts" not in self.config.emit or self._logger_provider is not None:
            return None
        if self._sender is None:
            dropped = lambda number: self.meters.dropped({NOT_SENT: number})  # noqa: E731
            self._sender = sender_of(self.line.resource, dropped)
        return self._sender

    def _in_child(self) -> None:
        """After a fork: the parent's operations and open spans are the parent's to tell of."""
        self._followed = set()
        self._born = time.time_ns()
        self._teller = self._sender = None
        self.pipeline.begin()


def _configured() -> Config:
    config, problems = Config.load()
    for problem in problems:
        log.warning("%s", problem)
    return config
