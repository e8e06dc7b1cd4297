"""For `counterfoil doctor -- …` alone: what really passes through the pipelines of a process, as numbers and names.

The report is a file of its own for each process, and never holds what a span's attributes hold but the names of tools
and hosts. It is written again as more is seen, at most five times a second, and when a pipeline is flushed.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from opentelemetry.sdk.trace import SpanProcessor
from opentelemetry.sdk.trace.export import SpanExporter

from counterfoil import names
from counterfoil.reading import http, vocabularies
from counterfoil.suggesting.looking import look_at_call, look_at_request
from counterfoil.suggesting.seen import Tools
from counterfoil.verdicts import Outcome

EVERY_S = 0.2
MOST = 10_000
"""Tool spans, and spans below them, that are remembered while they are open; what begins beyond that isn't told."""

MOST_HOSTS = 100
"""So many of a tool's targets are named."""

DEPTH = 8
"""So far down a processor is searched for the exporters in it."""


class Witness(SpanProcessor):
    """Counts what one process shows. It stands in each of its pipelines; one for all of them."""

    def __init__(self, folder: str, doors: Sequence[str]) -> None:
        self._folder, self._doors = Path(folder), doors
        self._pipelines: list[dict[str, Any]] = []  # which a forked child has too
        self._begin()
        os.register_at_fork(after_in_child=self._begin)

    def _begin(self) -> None:
        self._lock = threading.RLock()
        self._written = 0.0
        self._tools: dict[int, str] = {}
        self._seen: dict[str, Counter[str]] = {}
        self._hosts: dict[str, set[str]] = {}
        self._verdicts: Counter[str] = Counter()
        self._suggests = Tools()
        self._known: dict[str, bool] = {}

    def pipeline(self, provider: Any) -> None:
        """A pipeline was given its processor, and now this one."""
        exporters = sorted({type(one).__name__ for one in _exporters(provider._active_span_processor)})
        self._pipelines.append(
            {"provider": f"{type(provider).__module__}.{type(provider).__name__}", "exporters": exporters}
        )
        provider.add_span_processor(self)
        self.write()

    def on_start(self, span: Any, parent_context: Any = None) -> None:
        try:
            self._started(span)
        except Exception:  # a doctor harms nobody either
            return

    def on_end(self, span: Any) -> None:
        try:
            self._ended(span)
            if time.monotonic() - self._written > EVERY_S:
                self.write()
        except Exception:
            return

    def shutdown(self) -> None:
        self.write()

    def force_flush(self, timeout_millis: int = 30_000) -> bool:
        self.write()
        return True

    def _started(self, span: Any) -> None:
        call = vocabularies.tool_call(span)
        with self._lock:
            tool = call.tool if call is not None else self._tools.get(span.parent.span_id) if span.parent else None
            if tool is not None and len(self._tools) < MOST:
                self._tools[span.context.span_id] = tool

    def _ended(self, span: Any) -> None:
        attributes = span.attributes or {}
        with self._lock:
            if span.instrumentation_scope is not None and span.instrumentation_scope.name == names.SCOPE:
                if names.VERDICT in attributes:  # a message list's has another name
                    self._verdicts[str(attributes[names.VERDICT])] += 1
                    self._judged(attributes)
                return
            tool = self._tools.pop(span.context.span_id, None)
            if tool is None:
                return
            seen = self._seen.setdefault(tool, Counter())
            if vocabularies.tool_call(span) is not None:
                look_at_call(self._suggests.of(tool), span)
                seen["calls"] += 1
                seen["with_arguments"] += vocabularies.arguments_of(span) is not None
                seen["with_result"] += vocabularies.result_of(span) is not None
                seen["with_operation_id"] += names.OPERATION_ID in attributes
            seen["with_effect"] += names.EFFECT_REF in attributes or names.EFFECT_COUNT in attributes
            if http.is_request(span):
                look_at_request(self._suggests.of(tool), span)
            if http.is_request(span) and (target := http.target_of(span)) is not None:
                seen["requests"] += 1
                seen["requests_with_key"] += http.header(attributes, http.REQUEST_HEADER, http.KEY_HEADERS) is not None
                hosts = self._hosts.setdefault(tool, set())
                if len(hosts) < MOST_HOSTS:
                    hosts.add(f"{target.method} {target.server}")

    def _judged(self, attributes: Any) -> None:
        """Of how many of a tool's operations the outcome is known, as last told."""
        operation, tool = attributes.get(names.OPERATION_ID), attributes.get(names.TOOL_NAME)
        if tool is None or operation is None or (operation not in self._known and len(self._known) >= MOST):
            return
        known = attributes.get(names.OUTCOME) != Outcome.INDETERMINATE
        seen = self._suggests.of(tool)
        seen.operations += operation not in self._known
        seen.known += known - self._known.get(operation, False)
        self._known[operation] = known

    def write(self) -> None:
        """Write the report, whole or not at all; not, where nobody waits for it any more."""
        path = self._folder / f"{os.getpid()}.json"
        part = path.with_suffix(".part")
        try:
            with self._lock:
                self._written = time.monotonic()
                part.write_text(json.dumps(self._report()), encoding="utf-8")
                part.replace(path)
        except OSError:
            return

    def _report(self) -> dict[str, Any]:
        from opentelemetry import metrics
        from opentelemetry._logs import get_logger_provider

        return {
            "pid": os.getpid(),
            "program": Path(sys.argv[0] if sys.argv else "").name,
            "doors": list(self._doors),
            "pipelines": self._pipelines,
            "metrics": _kind(metrics.get_meter_provider()),
            "logs": _kind(get_logger_provider()),
            "tools": {
                tool: {**counts, "hosts": sorted(self._hosts.get(tool, ()))} for tool, counts in self._seen.items()
            },
            "verdicts": self._verdicts,
            "suggests": self._suggests.records(),
        }


def _kind(provider: Any) -> str:
    return f"{type(provider).__module__}.{type(provider).__name__}"


def _exporters(part: Any, depth: int = DEPTH) -> Iterator[SpanExporter]:
    """Exporters wherever they stand: wrapped, batched, or several of them."""
    if isinstance(part, SpanExporter):
        yield part
    elif isinstance(part, tuple | list):
        for one in part:
            yield from _exporters(one, depth - 1)
    elif depth and (isinstance(part, SpanProcessor) or hasattr(part, "_exporter")):
        for one in vars(part).values():
            if isinstance(one, SpanProcessor | SpanExporter | tuple | list) or hasattr(one, "_exporter"):
                yield from _exporters(one, depth - 1)


_witnesses: dict[str, Witness] = {}


def watch(provider: Any, folder: str, doors: Sequence[str]) -> None:
    """Stand in this pipeline too."""
    if folder not in _witnesses:
        _witnesses[folder] = Witness(folder, doors)
    _witnesses[folder].pipeline(provider)
