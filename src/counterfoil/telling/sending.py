"""Facts on their way to a judge: a queue and a way out of their own, so that no log of the application's holds them up.

A fact that is lost can hide a duplicate, so a queue that is full or a judge that stays away is not passed over in
silence: what was dropped is counted, and a gap follows that says so, which leaves what it may concern in doubt.
"""

from __future__ import annotations

import os
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence

from opentelemetry._logs import LogRecord, SeverityNumber
from opentelemetry.context import _SUPPRESS_INSTRUMENTATION_KEY, Context, attach, detach, set_value
from opentelemetry.sdk._logs import ReadableLogRecord
from opentelemetry.sdk._logs.export import LogRecordExporter, LogRecordExportResult
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.util.instrumentation import InstrumentationScope

from counterfoil import names
from counterfoil.facts import Fact, Gap
from counterfoil.telling.events import fact_attributes
from counterfoil.telling.spans import version

MAX_QUEUE = 20_000
"""So many facts wait to be sent, some 20 MB; of more, the newest are dropped and counted."""

BATCH = 512
"""Facts in one request."""

GATHER_S = 0.2
"""How long facts gather before they are sent, in seconds."""

AWAY_S = 2.0
"""How long the sender waits after a request that nobody took, in seconds."""

TIMEOUT_S = 3.0
"""How long one request may take where OTEL_EXPORTER_OTLP_TIMEOUT doesn't say: a process that ends waits no longer."""

_SCOPE = InstrumentationScope(names.SCOPE, version())


class Sender:
    """Sends from a thread of its own, which starts with the first fact. ``dropped`` is told how many facts were."""

    def __init__(
        self,
        exporter: LogRecordExporter,
        resource: Resource,
        dropped: Callable[[int], None],
        *,
        most: int = MAX_QUEUE,
        now: Callable[[], int] = time.time_ns,
    ) -> None:
        self._exporter = exporter
        self._resource = resource
        self._dropped = dropped
        self._most = most
        self._now = now
        self._queue: deque[Fact | Gap] = deque()
        self._lost = 0
        self._sending = threading.Lock()
        self._wanted = threading.Event()
        self._thread: threading.Thread | None = None

    def put(self, facts: Iterable[Fact | Gap]) -> None:
        """Take facts; never waits for the network."""
        for fact in facts:
            if len(self._queue) >= self._most:
                self._lost += 1
                self._dropped(1)
            else:
                self._queue.append(fact)
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="counterfoil-facts", daemon=True)
            self._thread.start()
        self._wanted.set()

    def flush(self, patience_s: float) -> bool:
        """Send what waits, on the caller's thread, and go on until it is sent or ``patience_s`` is over and the
        request under way has ended. Whether all of it was taken."""
        until = time.monotonic() + patience_s
        while self._queue or self._lost:
            is_taken = self._send(patience_s)
            if time.monotonic() >= until:
                return not (self._queue or self._lost)
            if not is_taken:
                time.sleep(GATHER_S)
        return True

    def _run(self) -> None:
        while True:
            self._wanted.wait()
            self._wanted.clear()
            time.sleep(GATHER_S)
            while (self._queue or self._lost) and not self._send(AWAY_S):
                time.sleep(AWAY_S)

    def _send(self, patience_s: float) -> bool:
        """Send one batch. What nobody took stays at the front of the queue."""
        if not self._sending.acquire(timeout=patience_s):
            return False
        try:
            batch = [self._queue[n] for n in range(min(BATCH, len(self._queue)))]
            lost = self._lost
            sent = [*batch, *([self._gap(lost)] if lost else [])]
            records = [one for fact in sent if (one := self._record(fact)) is not None]
            if records and not self._exported(records):
                return False
            self._lost -= lost
            for _ in batch:
                self._queue.popleft()
            return True
        finally:
            self._sending.release()

    def _exported(self, records: Sequence[ReadableLogRecord]) -> bool:
        token = attach(set_value(_SUPPRESS_INSTRUMENTATION_KEY, True, Context()))
        try:
            return self._exporter.export(records) is LogRecordExportResult.SUCCESS
        except Exception:  # whatever is wrong with an exporter, the facts wait
            return False
        finally:
            detach(token)

    def _gap(self, lost: int) -> Gap:
        what = f"{lost} facts were dropped: no judge took them in time"
        return Gap(what=what, observed_at=self._now())

    def _record(self, fact: Fact | Gap) -> ReadableLogRecord | None:
        """A fact that can't travel (a lone surrogate) must not cost those beside it."""
        try:
            attributes = fact_attributes(fact)
            str(attributes[names.FACT_RECORD]).encode()
        except Exception:
            self._lost += 1
            self._dropped(1)
            return None
        record = LogRecord(
            timestamp=max(0, int(fact.observed_at)),
            observed_timestamp=self._now(),
            severity_number=SeverityNumber.INFO,
            attributes=attributes,
            event_name=names.FACT_EVENT,
        )
        return ReadableLogRecord(log_record=record, resource=self._resource, instrumentation_scope=_SCOPE)


def sender_of(resource: Resource, dropped: Callable[[int], None]) -> Sender | None:
    """A sender to where the environment has logs sent by OTLP over HTTP; None where it names no such place, and facts
    leave with the application's own logs."""
    protocol = os.environ.get("OTEL_EXPORTER_OTLP_LOGS_PROTOCOL") or os.environ.get("OTEL_EXPORTER_OTLP_PROTOCOL")
    endpoints = ("OTEL_EXPORTER_OTLP_LOGS_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")
    if protocol not in (None, "", "http/protobuf") or not any(os.environ.get(name) for name in endpoints):
        return None
    from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter

    timeout = None if "OTEL_EXPORTER_OTLP_TIMEOUT" in os.environ else TIMEOUT_S
    return Sender(OTLPLogExporter(timeout=timeout), resource, dropped)
