"""A fork in the middle of everything: the child starts anew, whatever the parent's threads were doing."""

from __future__ import annotations

import json
import os
import subprocess
import sys

FORKED = """
import json, os, threading, time
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

exporter, provider = InMemorySpanExporter(), TracerProvider(shutdown_on_exit=False)
provider.add_span_processor(SimpleSpanProcessor(exporter))
tracer = provider.get_tracer("shop")

def call(operation):
    attributes = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "charge",
        "counterfoil.operation.id": operation,
        "counterfoil.effect.ref": operation,
        "counterfoil.effect.authoritative": True,
    }
    return tracer.start_as_current_span("execute_tool charge", attributes=attributes)

def verdicts():
    spans = (span.attributes for span in exporter.get_finished_spans() if span.name.startswith("verdict"))
    return sorted(each["counterfoil.operation.id"] for each in spans)

def until(condition):
    end = time.monotonic() + 30
    while not condition() and time.monotonic() < end:
        time.sleep(0.01)

with call("before"):
    pass
(pipeline,) = (one.pipeline for one in provider._active_span_processor._span_processors if hasattr(one, "pipeline"))
reader, writer = os.pipe()
with call("across"):
    with pipeline._lock:  # as if the thread were judging at this moment
        child = os.fork()
    if child == 0:
        exporter.clear()
if child == 0:
    with call("after"):
        pass
    until(lambda: verdicts())  # told by a thread of the child's own: nobody flushes
    os.write(writer, json.dumps(verdicts()).encode())
    os._exit(0)
os.waitpid(child, 0)
provider.force_flush()
print(json.dumps({"parent": verdicts(), "child": json.loads(os.read(reader, 4096))}))
"""


def test_each_process_tells_of_its_own_operations() -> None:
    """A span that is open at the fork ends in both; it is the parent's."""
    env = {"PATH": os.defpath, "COUNTERFOIL_ENABLED": "true", "COUNTERFOIL_SETTLE_AFTER": "0"}
    done = subprocess.run(
        [sys.executable, "-W", "ignore::DeprecationWarning", "-c", FORKED],
        env=env,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert json.loads(done.stdout) == {"parent": ["across", "before"], "child": ["after"]}
