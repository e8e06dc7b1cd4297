"""Put a processor first in line, and see to it that it has the last word while there is still somebody to hear it."""

from __future__ import annotations

import atexit
import threading
import weakref
from typing import Any

from opentelemetry.sdk.trace.sampling import Sampler

from counterfoil.config import Config
from counterfoil.processor.line import processors_of
from counterfoil.processor.processor import CounterfoilProcessor
from counterfoil.sampling import record_all
from counterfoil.telling.teller import log

_attached: weakref.WeakSet[CounterfoilProcessor] = weakref.WeakSet()
_attaching = threading.RLock()
_leaving: list[bool] = []
_WAY_OUT = "nothing is watched; set a TracerProvider of the SDK first, or give the one that you made"


def attach(provider: Any, config: Config | None = None) -> CounterfoilProcessor:
    """Watch this provider's spans and say verdicts through its other processors; once per pipeline.

    The processor stands first in line, so that what it says at shutdown still finds the others open. Where the SDK
    keeps its processors in another way than it did, it is added last: then what is told at ``provider.shutdown()`` is
    lost, and only what is told before, or at the interpreter's exit, arrives.
    """
    provider = getattr(provider, "provider", provider)  # Logfire's proxy stands in front of the SDK's
    with _attaching:
        for processor in processors_of(provider):
            if isinstance(processor, CounterfoilProcessor):
                _sample(provider, processor.config)
                return processor
        processor = CounterfoilProcessor(config)
        if not hasattr(provider, "add_span_processor"):
            log.error("attach() was given a %s, which takes no span processors: %s", type(provider).__name__, _WAY_OUT)
            return processor
        processor.line.serve(provider)
        _stand_first(provider, processor)
        _sample(provider, processor.config)
        _attached.add(processor)
        _leave_in_time()
    return processor


def _stand_first(provider: Any, processor: CounterfoilProcessor) -> None:
    line = getattr(provider, "_active_span_processor", None)
    try:
        with line._lock:  # type: ignore[union-attr]
            line._span_processors = (processor, *line._span_processors)  # type: ignore[union-attr]
    except (AttributeError, TypeError):
        provider.add_span_processor(processor)


def _sample(provider: Any, config: Config) -> None:
    """Where the settings ask for it, show us what the sampler drops; also tracers that there are already."""
    sampler = getattr(provider, "sampler", None)
    if not config.record_all or not isinstance(sampler, Sampler):
        return
    provider.sampler = record_all(sampler)
    for tracer in list(getattr(provider, "_tracers", {}).values()):
        if isinstance(getattr(tracer, "sampler", None), Sampler):
            tracer.sampler = provider.sampler


def settle_all() -> None:
    """Tell all that is known in all pipelines of this process. Never raises; takes at most ten seconds for each."""
    for processor in list(_attached):
        processor.settle()


def _leave_in_time() -> None:
    """Settle before the providers of spans, metrics and logs are shut down, whenever they were made.

    Exit handlers run last in, first out, and a meter provider that is made after us would go before us. So ours is
    registered when the interpreter has begun to leave: the hook for that is the one that thread pools use.
    """
    if _leaving:
        return
    _leaving.append(True)
    try:
        threading._register_atexit(lambda: atexit.register(settle_all))  # type: ignore[attr-defined]
    except (AttributeError, RuntimeError):
        atexit.register(settle_all)
