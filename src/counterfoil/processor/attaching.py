"""Put a processor first in line."""

from __future__ import annotations

import os
import threading
from typing import Any

from opentelemetry.sdk.trace.sampling import Sampler

from counterfoil.config import Config
from counterfoil.processor.last_word import settle_in_time
from counterfoil.processor.line import processors_of
from counterfoil.processor.processor import CounterfoilProcessor
from counterfoil.sampling import record_all
from counterfoil.telling.teller import log

_attaching = threading.RLock()


def _in_child() -> None:
    """A fork while another thread attaches leaves the lock held by nobody: the child takes a new one."""
    global _attaching  # noqa: PLW0603 -- a lock can't be renewed in place
    _attaching = threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_in_child)
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
        settle_in_time(processor)
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
