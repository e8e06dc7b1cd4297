"""Judges as processes of their own, and what they told."""

from __future__ import annotations

import os
import signal
import ssl
import subprocess
import sys
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

from tests.real.otlp import attributes
from tests.real.sink import Sink

PATIENCE_S = 60.0


class Receiver(Protocol):
    """A server for what is told."""

    url: str


class Judge:
    """One `counterfoil judge` that listens on the loopback interface."""

    def __init__(self, url: str, told: Receiver, *words: str, environment: Mapping[str, str] | None = None) -> None:
        self._command = [sys.executable, "-m", "counterfoil", "judge", "--ledger", url]
        self._words = words
        self._environment = os.environ | {
            "OTEL_EXPORTER_OTLP_ENDPOINT": told.url,
            "COUNTERFOIL_SETTLE_AFTER": "0.2",
            **(environment or {}),
        }
        self.http = self.grpc = 0
        self._start()

    def _start(self) -> None:
        """On the ports that it had before, if it had any."""
        ports = ["--http", f"127.0.0.1:{self.http}", "--grpc", f"127.0.0.1:{self.grpc}"]
        self._process = subprocess.Popen(
            [*self._command, *ports, *self._words],
            env=self._environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self._process.stdout is not None
        said = [self._process.stdout.readline().split() for _ in range(2)]
        if not all(said):
            raise RuntimeError(self._process.communicate()[1])
        self.http, self.grpc = (int(port) for _, port in said)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.http}"

    @property
    def pid(self) -> int:
        return self._process.pid

    def kill(self) -> None:
        """As the kernel kills: nothing of it is asked."""
        self._process.kill()
        self._process.communicate()

    def restart(self) -> None:
        self._start()

    def stop(self) -> tuple[int, str, str]:
        """Ask it to end. Its exit code and what it had said."""
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGTERM)
        out, err = self._process.communicate(timeout=PATIENCE_S)
        return self._process.returncode, out, err

    def asked(self, path: str, trust: ssl.SSLContext | None = None) -> int:
        scheme = "https" if trust else "http"
        try:
            with urllib.request.urlopen(f"{scheme}://localhost:{self.http}{path}", context=trust, timeout=10) as answer:
                return int(answer.status)
        except urllib.error.HTTPError as error:
            return error.code


@contextmanager
def judge(url: str, told: Receiver, *words: str, environment: Mapping[str, str] | None = None) -> Iterator[Judge]:
    running = Judge(url, told, *words, environment=environment)
    try:
        yield running
    finally:
        running.stop()


def ledger_in(folder: Path) -> str:
    return f"sqlite:///{folder}/judge.db"


def tellings(told: Sink) -> list[tuple[str, int, str]]:
    """Operation, revision and verdict of every verdict event that arrived, in order of arrival."""
    found = []
    for record in told.records():
        if record.event_name == "counterfoil.verdict":
            words = attributes(record)
            found.append(
                (words["counterfoil.operation.id"], words["counterfoil.revision"], words["counterfoil.verdict"])
            )
    return found


def verdicts(told: Sink) -> dict[str, str]:
    """What holds of each operation: the verdict of its largest revision."""
    newest: dict[str, tuple[int, str]] = {}
    for operation, revision, verdict in tellings(told):
        newest[operation] = max(newest.get(operation, (0, "")), (revision, verdict))
    return {operation: verdict for operation, (_, verdict) in newest.items()}
