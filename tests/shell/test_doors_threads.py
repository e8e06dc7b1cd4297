"""Threads that begin at the same moment, as the workers of a threaded server do: the first spans of all are seen."""

from __future__ import annotations

import json
import os
import subprocess
import sys

THREADED = """
import json, threading
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from counterfoil.doors import pipelines

pipelines.WAIT_S = 120.0  # a machine that is busy with other tests loads modules as late as it likes
exporter, provider = InMemorySpanExporter(), TracerProvider(shutdown_on_exit=False)
provider.add_span_processor(SimpleSpanProcessor(exporter))
ready = threading.Barrier(8)

def call(number):
    ready.wait()
    attributes = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "charge",
        "counterfoil.operation.id": f"order-{number}",
    }
    with provider.get_tracer("shop").start_as_current_span("execute_tool charge", attributes=attributes):
        pass

threads = [threading.Thread(target=call, args=(number,)) for number in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
provider.force_flush()
spans = (span.attributes for span in exporter.get_finished_spans() if span.name.startswith("verdict"))
print(json.dumps(sorted(each["counterfoil.operation.id"] for each in spans)))
"""

FORKED = """
import os, threading, time
from counterfoil.doors import pipelines

class Provider:
    pass

provider, begun, go = Provider(), threading.Event(), threading.Event()
thread = threading.Thread(target=lambda: pipelines.once(provider, lambda: (begun.set(), go.wait())))
thread.start()
begun.wait()
child = os.fork()
if child == 0:
    pipelines.once(provider, lambda: print("done anew"))
    pipelines.once(other := Provider(), lambda: print("another one"))
    print(flush=True, end="")
    os._exit(0)
_, status = os.waitpid(child, 0)
go.set()
thread.join()
print(os.waitstatus_to_exitcode(status), provider in pipelines.attached)
"""


def printed(code: str) -> str:
    env = {"PATH": os.defpath, "COUNTERFOIL_ENABLED": "true"}
    command = [sys.executable, "-W", "ignore::DeprecationWarning", "-c", code]
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_all_threads_that_ask_for_the_first_tracer_at_once_are_seen() -> None:
    assert json.loads(printed(THREADED)) == [f"order-{number}" for number in range(8)]


def test_a_child_of_a_fork_while_a_thread_attaches_neither_waits_nor_loads_what_is_half_loaded() -> None:
    assert printed(FORKED).split("\n") == ["another one", "0 True", ""]
