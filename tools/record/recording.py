"""Spans that a real package emitted, kept as OTLP JSON lines that hold nothing of the machine they were recorded on.

Scripts beside this one run a package, with a scripted model or a local server in place of the world, and write one
recording for each story. Ids, times, ports and addresses in memory are numbered in the order in which they appear, so
that a second run of a script gives the same file wherever the package itself does.
"""

from __future__ import annotations

import base64
import getpass
import json
import re
import socket
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Any

from google.protobuf.json_format import MessageToDict
from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

EPOCH = 1_700_000_000 * 10**9
STEP = 1_000_000
"""Times keep their order and equality, and nothing else: the n-th moment of a recording is n milliseconds in."""

IDS = {"traceId": 32, "spanId": 16, "parentSpanId": 16}
TIMES = ("startTimeUnixNano", "endTimeUnixNano", "timeUnixNano")
DROPPED = re.compile(
    r"exception\.stacktrace|code\.|thread\.|process\.|host\.|os\.|service\.instance\.id"
    r"|langsmith\.metadata\.(?:LANGSMITH_|revision_id|lc_versions)"
    r"|model_request_parameters|gen_ai\.tool\.definitions|pydantic_ai\.all_messages|logfire\.json_schema|llm\.tools"
    r"|llm\.(?:in|out)put_messages|gen_ai\.task\.(?:in|out)put"
)
"""Attributes that tell of the machine, or of a model's request at length, and that no reader looks at."""

_UUID = re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b")
_HEX = re.compile(r"(?<![0-9a-f])(?:[0-9a-f]{32}|[0-9a-f]{16})(?![0-9a-f])")
_ADDRESS = re.compile(r"0x[0-9a-f]{6,16}\b")
_MOMENT = re.compile(r"\b20\d\d-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)?")
_TRACEBACK = re.compile(r"\s*\\?n?Traceback \(most recent call last\):.*", re.DOTALL)
_PATH = re.compile(r"(?:/[\w.@+-]+){2,}/(?=[\w.+-]+\.py\b)")
_PORT = re.compile(r"\b(127\.0\.0\.1|localhost):(\d{4,5})\b")


class Stories:
    """One provider for a script, and a file for each story.

    ``emitter`` is the folder's name. ``packages`` are named with their versions in every recording, the first of them
    is the one that emits. ``ran`` counts how often the body of a tool began, told by the tools themselves: what a
    reader makes of the spans is held against it.
    """

    def __init__(self, out: Path, emitter: str, *packages: str) -> None:
        self.out, self.emitter, self.ran = out, emitter, 0
        self.versions = {name: version(name) for name in packages}
        self.exporter = InMemorySpanExporter()
        self.provider = TracerProvider(resource=Resource({"service.name": "clerk"}), shutdown_on_exit=False)
        self.provider.add_span_processor(SimpleSpanProcessor(self.exporter))
        self.wait: Callable[[], object] = lambda: None
        self.how = "recorded"  # or built, where a part of the package that needs the world was not run

    @contextmanager
    def story(self, name: str, folder: str | None = None) -> Iterator[None]:
        """Everything that is emitted in here is one recording, whether or not the package raises."""
        self.exporter.clear()
        self.ran = 0
        try:
            yield
        except Exception as error:
            print(f"  {name}: {type(error).__name__}")
        self.wait()
        self.provider.force_flush()
        request = MessageToDict(encode_spans(self.exporter.get_finished_spans()))
        write(self.out / (folder or self.emitter) / f"{name}.otlp.json", request, self.about(self.how))
        print(f"{folder or self.emitter}/{name}: {len(self.exporter.get_finished_spans())} spans, {self.ran} ran")

    @contextmanager
    def tool(self) -> Iterator[None]:
        """The application's own span of a tool's call, around what a package emits."""
        about = {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": "charge",
            "gen_ai.tool.call.id": "call-1",
            "gen_ai.tool.call.arguments": '{"amount": 5}',
            "gen_ai.conversation.id": "conversation-1",
        }
        tracer = self.provider.get_tracer("shop")
        with tracer.start_as_current_span("execute_tool charge", attributes=about) as span:
            yield
            span.set_attribute("gen_ai.tool.call.result", '{"id": "ch_1"}')

    def about(self, how: str) -> dict[str, str | int]:
        named = {f"recording.version.{name}": number for name, number in self.versions.items()}
        return {"recording.how": how, "recording.ran": self.ran, **named}


def write(path: Path, request: Mapping[str, Any], about: Mapping[str, str | int]) -> None:
    """One span a line, each in a request of its own, as `counterfoil audit` reads them."""
    lines = []
    numbered = _Numbered()
    spans = list(_spans(request))
    numbered.times(span for _, _, span in spans)
    for service, scope, span in spans:
        resource = [_attribute("service.name", service), *(_attribute(*one) for one in about.items())]
        named = {key: value for key, value in scope.items() if key in ("name", "version")}
        group = {"scope": named, "spans": [numbered.of(span)]}
        lines.append({"resourceSpans": [{"resource": {"attributes": resource}, "scopeSpans": [group]}]})
    text = "".join(json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n" for line in lines)
    for private in (socket.gethostname(), str(Path.home()), str(Path.cwd()), f"/{getpass.getuser()}/", "/tmp/"):
        if private in text:
            raise SystemExit(f"{path}: {private!r} of this machine is in the recording; leave it out before it is kept")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def _spans(request: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any], dict[str, Any]]]:
    """In the order in which they ended."""
    found = []
    for resource in request.get("resourceSpans", ()):
        attributes = resource.get("resource", {}).get("attributes", ())
        service = next((one["value"]["stringValue"] for one in attributes if one["key"] == "service.name"), "clerk")
        for group in resource["scopeSpans"]:
            found += [(service, group.get("scope", {}), span) for span in group["spans"]]
    return iter(sorted(found, key=lambda one: int(one[2].get("endTimeUnixNano") or 0)))


def _attribute(key: str, value: str | int) -> dict[str, Any]:
    return {"key": key, "value": {"intValue": str(value)} if isinstance(value, int) else {"stringValue": value}}


class _Numbered:
    """What differs from run to run, replaced by its number in one recording."""

    def __init__(self) -> None:
        self._known: dict[str, int] = {}
        self._times: dict[int, int] = {}

    def times(self, spans: Iterable[Mapping[str, Any]]) -> None:
        found = {
            int(one[name]) for span in spans for one in (span, *span.get("events", ())) for name in TIMES if name in one
        }
        self._times = {moment: EPOCH + number * STEP for number, moment in enumerate(sorted(found))}

    def of(self, value: Any, key: str = "") -> Any:
        if isinstance(value, dict):
            return {
                name: self.of(inner, name)
                for name, inner in value.items()
                if name not in ("flags", "traceState", "droppedAttributesCount")
            }
        if isinstance(value, list):
            kept = (one for one in value if not (isinstance(one, dict) and DROPPED.match(str(one.get("key", "")))))
            return [self._port(self.of(one)) for one in kept]
        if key in IDS:
            return f"{self._number(f'{key[-6:].lower()}:{base64.b64decode(value).hex()}'):0{IDS[key]}x}"
        if key in TIMES:
            return str(self._times[int(value)])
        return self._text(value) if isinstance(value, str) else value

    def _text(self, text: str) -> str:
        text = _TRACEBACK.sub("", text)
        text = _PATH.sub("", text)
        text = _UUID.sub(lambda found: f"00000000-0000-4000-8000-{self._number(found[0]):012x}", text)
        text = _HEX.sub(lambda found: f"{self._number(found[0]):0{len(found[0])}x}", text)
        text = _ADDRESS.sub("0x0", text)
        text = _MOMENT.sub("2001-01-01T00:00:00Z", text)
        return _PORT.sub(r"\1:8080", text)

    def _port(self, one: Any) -> Any:
        if isinstance(one, dict) and one.get("key") in (
            "server.port",
            "net.peer.port",
            "client.port",
            "network.peer.port",
        ):
            return {"key": one["key"], "value": {"intValue": "8080"}}
        return one

    def _number(self, name: str) -> int:
        return self._known.setdefault(name, len(self._known) + 1)
