"""The line of processors that ours stands in: who else processes the spans of a pipeline, and of which resource.

It is looked up late, because processors come and go. The list is the SDK's own business; where it is kept in another
way than it was, verdicts are told as metrics and events, and not as spans.
"""

from __future__ import annotations

import weakref
from typing import Any

from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import SpanProcessor


class Line:
    """The provider that a processor serves is told when it is attached; else the first span that it sees shows it."""

    def __init__(self, ours: type[SpanProcessor]) -> None:
        self._ours = ours
        self._provider: weakref.ref[Any] | None = None
        self._processors: Any = None
        self._resource: Resource | None = None

    @property
    def is_known(self) -> bool:
        return self._processors is not None

    def serve(self, provider: Any) -> None:
        """Say what is found through this provider's other processors."""
        self._provider = weakref.ref(provider)
        self._processors = getattr(provider, "_active_span_processor", None)

    def learn(self, shown: Any) -> None:
        """Here is a span, or a tracer, of the provider that we were added to, perhaps by hand."""
        if self._processors is not None:
            return
        self._processors = getattr(shown, "_span_processor", None) or getattr(shown, "span_processor", None)
        self._resource = getattr(shown, "resource", None)

    def beside(self) -> tuple[SpanProcessor, ...]:
        """The other processors, in line."""
        line = getattr(self._processors, "_span_processors", ())
        return tuple(one for one in line if not isinstance(one, self._ours))

    @property
    def ours(self) -> SpanProcessor | None:
        """The first of ours in line, if there is one."""
        line = getattr(self._processors, "_span_processors", ())
        return next((one for one in line if isinstance(one, self._ours)), None)

    def is_served_before(self, processor: SpanProcessor) -> bool:
        """Whether another of ours comes first, as where one is attached and one was handed to Logfire as well."""
        return self.ours not in (None, processor)

    def holds(self, processor: SpanProcessor) -> bool:
        """Whether it stands in line itself, and not within another processor, as Logfire's additional ones do."""
        return processor in getattr(self._processors, "_span_processors", ())

    @property
    def provider(self) -> Any:
        return self._provider() if self._provider is not None else None

    @property
    def resource(self) -> Resource:
        found = getattr(self.provider, "resource", None) or self._resource
        return found if isinstance(found, Resource) else Resource.get_empty()


def processors_of(provider: Any) -> tuple[SpanProcessor, ...]:
    """The processors of a provider, in line; empty where they are kept in another way."""
    return tuple(getattr(getattr(provider, "_active_span_processor", None), "_span_processors", ()))
