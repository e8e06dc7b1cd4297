"""What judges bear: `python -m bench.judge [--seconds N] [--rate N] [--ledger sqlite|postgres] [--judges N]
[--verdict-spans all|notable] [--long]`, such as `python -m bench.judge --seconds 30`.

Real processes: one judge or several on one ledger, a server that takes their verdicts, and a sender with four
connections that sends to each in turn at a steady rate, and again after no answer, as a collector's queue does. In the
middle a judge is killed and started again. At the end every fact must be in the ledger and every operation told, none
twice under one revision. PostgreSQL runs beside on the same machine. All operations are in order, which with `notable`
is not said. `--long` is ten minutes. At the end it says for each ledger whether the rate was sustained and whether
anything is missing; the exit code is 1 if either is so.
"""

from __future__ import annotations

import argparse
import os
import platform
import resource
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import psutil
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest

from bench.ledger_facts import FACTS_PER_OPERATION, SECOND, operation
from counterfoil import names
from counterfoil.ledger import open_ledger
from tests.judge.running import Judge, judge
from tests.judge.sending import of_facts, until_taken
from tests.ledger.postgres import running

OPERATIONS_EACH = 125
"""Operations in one request: 500 facts, about what a batch processor sends."""

SENDERS = 4
QUIET_S = 60.0
NEARLY = 0.99
"""The share of the rate that counts as sustained: a request is sent when it is due, and the last one takes a while."""

SETTLED_S = 10.0
"""How long after the last fact the last verdict may be told: a judge that falls behind would need longer and longer."""


def line(what: str, measured: str, aim: str = "") -> None:
    print(f"{what:<58} {measured:>26}   {aim}", flush=True)


class Heard:
    """A server that takes verdicts and keeps the name, the revision and the word of each: it must not be what is
    measured. Spans and metrics are taken and let go."""

    def __init__(self) -> None:
        self.told: list[tuple[str, int, str]] = []
        heard = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                if self.path.endswith("/v1/logs"):
                    heard.take(ExportLogsServiceRequest.FromString(body))
                self.send_response(200)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, format: str, *args: object) -> None:
                """Stay silent."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def take(self, request: ExportLogsServiceRequest) -> None:
        for group in request.resource_logs:
            for record in (one for scope in group.scope_logs for one in scope.log_records):
                said = {one.key: one.value for one in record.attributes}
                name = said[names.OPERATION_ID].string_value
                self.told.append((name, said[names.REVISION].int_value, said[names.VERDICT].string_value))

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


class Load:
    """Requests at a steady rate; one that is late is sent at once and counts from when it was due."""

    def __init__(self, urls: Sequence[str], rate: float, seconds: float) -> None:
        self._urls = urls
        self._every_s = OPERATIONS_EACH * FACTS_PER_OPERATION / rate
        self.requests = int(seconds / self._every_s)
        self.latencies: list[float] = []
        self.names: list[str] = []
        self.again = 0
        self._lock = threading.Lock()

    def run(self) -> float:
        began = time.monotonic()
        with ThreadPoolExecutor(SENDERS) as senders:
            sent = [senders.submit(self._send, number, began) for number in range(self.requests)]
            for one in sent:
                one.result()
        return time.monotonic() - began

    def _send(self, number: int, began: float) -> None:
        first = number * OPERATIONS_EACH
        facts = [fact for n in range(first, first + OPERATIONS_EACH) for fact in operation(n)]
        body = of_facts(facts)
        due = began + number * self._every_s
        time.sleep(max(0.0, due - time.monotonic()))
        tries = until_taken(self._urls[number % len(self._urls)], body)
        with self._lock:
            self.latencies.append(time.monotonic() - due)
            self.names += dict.fromkeys(fact.operation_id for fact in facts)
            self.again += tries - 1


def cpu_of(pid: int) -> float:
    spent = psutil.Process(pid).cpu_times()
    return float(spent.user + spent.system)


def measure(url: str, told: Heard, asked: argparse.Namespace, seconds: float) -> list[str]:
    """What was not as it should be, in words."""
    environment = {"COUNTERFOIL_SETTLE_AFTER": "1", "COUNTERFOIL_VERDICT_SPANS": asked.verdict_spans}
    rate = asked.rate
    with ExitStack() as stack:
        judges = [stack.enter_context(judge(url, told, environment=environment)) for _ in range(asked.judges)]
        load = Load([one.url for one in judges], rate, seconds)
        cpu: list[float] = []
        killer = threading.Timer(seconds / 2, lambda: cpu.append(_killed(judges[0])))
        killer.start()
        wall = load.run()
        killer.join()
        facts = load.requests * OPERATIONS_EACH * FACTS_PER_OPERATION
        ended = time.time()
        left, told_at = _wait_for(url, load.names)
        judged = max(0.0, told_at - ended)
        cpu += [cpu_of(one.pid) for one in judges]
        memory = max(psutil.Process(one.pid).memory_info().rss for one in judges)
    said = sorted(load.latencies)
    line("facts a second, sent and taken", f"{facts / wall:,.0f}", f"aim {rate:,.0f}")
    p50, p99 = (said[int(len(said) * share)] * 1_000 for share in (0.5, 0.99))
    line("from when a request was due to its answer", f"p50 {p50:.0f}, p99 {p99:.0f} ms", "the restart is in it")
    line("from the last answer to the last verdict", f"{judged:.1f} s", "1 s of it is settling")
    line("requests that had to be sent again", f"{load.again:,} of {load.requests:,}")
    line("CPU of all judges, for a fact taken in and judged", f"{sum(cpu) / facts * 1e6:.0f} µs")
    line("a judge's memory at the end", f"{memory / 2**20:.0f} MiB")
    slow = [f"{facts / wall:,.0f} facts a second and not {rate:,.0f}"] if facts / wall < NEARLY * rate else []
    late = [f"the last verdict after {judged:.0f} s and not {SETTLED_S:.0f}"] if judged > SETTLED_S else []
    return slow + late + _missing(url, told, facts, left)


def _wait_for(url: str, names: Sequence[str]) -> tuple[int, float]:
    """Until the ledger has every operation as told. Gives up when nothing was told for a minute. How many are left, and
    when the last one was told, by the judge's own clock: to ask about all of them takes longer than they do."""
    ledger = open_ledger(url, patience_s=60)
    since, last = time.monotonic(), 0
    while names and time.monotonic() - since < QUIET_S:
        time.sleep(0.2)
        parts = (names[start : start + 1_000] for start in range(0, len(names), 1_000))
        told = {name: one.at for part in parts for name, one in ledger.told(part).items() if one.delivered}
        if told:
            since, last = time.monotonic(), max(last, *told.values())
        names = [name for name in names if name not in told]
    ledger.close()
    return len(names), last / SECOND


def _killed(worker: Judge) -> float:
    """Kill it as the kernel does and start it again. What CPU it had used."""
    used = cpu_of(worker.pid)
    worker.kill()
    worker.restart()
    return used


def _missing(url: str, told: Heard, facts: int, left: int) -> list[str]:
    ledger = open_ledger(url, patience_s=60)
    known, after = 0, ""
    while some := ledger.operations(after=after):
        known += sum(map(len, ledger.facts(some).operations.values()))
        after = some[-1]
    ledger.close()
    heard = told.told
    twice = [one for one, times in Counter(one[:2] for one in heard).items() if times > 1]
    wrong = sum(verdict != "verified_applied" for _, _, verdict in heard)
    line("facts that are missing, of all that were sent", f"{facts - known:,} of {facts:,}", "0")
    line("revisions told twice; verdicts that are wrong", f"{len(twice)}; {wrong}", "0; 0")
    line("operations of which nothing was told", f"{left:,}", "0")
    return ["something is missing, wrong or was told twice"] if facts != known or twice or wrong or left else []


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--rate", type=float, default=5_000)
    parser.add_argument("--ledger", choices=["sqlite", "postgres"], action="append")
    parser.add_argument("--judges", type=int, default=1, help="so many share the ledger")
    parser.add_argument("--verdict-spans", choices=["all", "notable"], default="all")
    parser.add_argument("--long", action="store_true", help="ten minutes")
    given = parser.parse_args()
    seconds = 600.0 if given.long else given.seconds
    cores, load = os.cpu_count(), os.getloadavg()[0]
    said_of = given.verdict_spans
    machine = f"Python {platform.python_version()}, {cores} cores, load {load:.1f}"
    judges = "1 judge" if given.judges == 1 else f"{given.judges} judges"
    print(f"{judges} for {seconds:.0f} s, to tell of {said_of}. {machine}.")
    found: dict[str, list[str]] = {}
    for kind in given.ledger or ["sqlite", "postgres"]:
        print(f"\n{kind}", flush=True)
        with ExitStack() as stack:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
            told = Heard()
            stack.callback(told.close)
            if kind == "postgres":
                server = stack.enter_context(running("shared_buffers=512MB", "max_wal_size=4GB"))
                url = server.fresh()
            else:
                url = f"sqlite:///{folder}/judge.db"
            found[kind] = measure(url, told, given, seconds)
    print(f"\n{given.rate:,.0f} facts a second for {seconds:.0f} s, a judge killed and started again in the middle")
    for kind, wrong in found.items():
        line(f"{kind}, {judges}, verdict spans: {said_of}", "fail" if wrong else "pass", "; ".join(wrong))
    if any(found.values()):
        raise SystemExit(1)


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_NOFILE, (4_096, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
    main()
