"""Telemetry as a file of OTLP JSON, one export request a line: what the collector's `file` exporter writes."""

from __future__ import annotations

import base64
import json
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from google.protobuf.json_format import MessageToDict
from google.protobuf.message import Message
from opentelemetry.exporter.otlp.proto.common._log_encoder import encode_logs
from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
from opentelemetry.sdk._logs import ReadableLogRecord
from opentelemetry.sdk._logs.export import LogRecordExporter, LogRecordExportResult
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult

IDS = ("traceId", "spanId", "parentSpanId")


class JsonLines:
    """A file that lines are written to as they come, from any thread. What was in it before is gone."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("w", encoding="utf-8")
        self._lock = threading.Lock()

    def write(self, request: Message) -> None:
        line = json.dumps(as_otlp_json(request), ensure_ascii=False, separators=(",", ":"))
        with self._lock:
            self._file.write(line + "\n")
            self._file.flush()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._file.close()


def as_otlp_json(request: Message) -> dict[str, object]:
    """Protobuf's own JSON, but for the two things that OTLP does otherwise: ids are hex, enums are numbers."""
    message: dict[str, object] = MessageToDict(request, use_integers_for_enums=True)
    for record in _records(message):
        for name in IDS:
            if isinstance(value := record.get(name), str):
                record[name] = base64.b64decode(value).hex()
    return message


def _records(value: object) -> Iterator[dict[str, object]]:
    """Every object in a message; an attribute is never mistaken, since its name is a value there."""
    if isinstance(value, dict):
        yield value
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _records(inner)


class SpanLines(SpanExporter):
    """Spans into the file. An error is the batch processor's to log."""

    def __init__(self, lines: JsonLines) -> None:
        self._lines = lines

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        self._lines.write(encode_spans(spans))
        return SpanExportResult.SUCCESS


class LogLines(LogRecordExporter):
    """Log records into the file."""

    def __init__(self, lines: JsonLines) -> None:
        self._lines = lines

    def export(self, batch: Sequence[ReadableLogRecord]) -> LogRecordExportResult:
        self._lines.write(encode_logs(batch))
        return LogRecordExportResult.SUCCESS

    def shutdown(self) -> None:
        """The file is closed by whoever opened it."""

    def force_flush(self, timeout_millis: int = 30_000) -> bool:
        """Every line is flushed when it is written."""
        return True
