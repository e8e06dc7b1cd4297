"""Runs one server on free ports: starts it, waits until it says that it is ready, stops it and leaves its log."""

from __future__ import annotations

import contextlib
import socket
import subprocess
import time
import urllib.request
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

READY_WITHIN_S = 60.0
STOPPED_WITHIN_S = 30.0
ATTEMPTS = 5
"""A free port can be taken between its choice and its use; so many choices are made before that is an error."""


class NotReady(RuntimeError):
    """A server ended or stayed silent while it should have become ready. Carries the end of its log."""


@dataclass(frozen=True, slots=True)
class Command:
    """What to run, in which environment, and the address that answers 200 once the server is ready."""

    words: Sequence[str | Path]
    ready: str
    environment: Mapping[str, str] | None = None
    """The whole environment; None: the caller's."""


@dataclass(slots=True)
class Service:
    """A running server."""

    name: str
    process: subprocess.Popen[bytes]
    ports: Mapping[str, int]
    log: Path

    def url(self, port: str, path: str = "") -> str:
        """An address of the server by the name of its port."""
        return f"http://127.0.0.1:{self.ports[port]}{path}"

    def log_text(self) -> str:
        """Everything that the server has written so far."""
        return self.log.read_text(errors="replace")

    def stop(self) -> None:
        """Ask the server to end and wait for it; kill it when it doesn't within 30 s. Twice is harmless."""
        self.process.terminate()
        try:
            self.process.wait(STOPPED_WITHIN_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def __enter__(self) -> Service:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


def start(name: str, folder: Path, ports: Sequence[str], command: Callable[[Mapping[str, int]], Command]) -> Service:
    """Start a server with the named ports and return when it is ready. Its log is `folder/name.log`.

    `command` is asked again with other ports when one of them was taken meanwhile. Raises NotReady after 60 s.
    """
    folder.mkdir(parents=True, exist_ok=True)
    log = folder / f"{name}.log"
    for _ in range(ATTEMPTS):
        chosen = dict(zip(ports, free_ports(len(ports)), strict=True))
        wanted = command(chosen)
        with log.open("wb") as output:
            process = subprocess.Popen(
                [str(word) for word in wanted.words],
                cwd=folder,
                env=None if wanted.environment is None else dict(wanted.environment),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                # A Ctrl-C at the terminal reaches only who started this, and that one stops the servers in order.
                start_new_session=True,
            )
        service = Service(name, process, chosen, log)
        try:
            failure = _wait(service, wanted.ready)
        except BaseException:
            service.stop()
            raise
        if failure is None:
            return service
        service.stop()
        if "address already in use" not in service.log_text().lower():
            break
    raise NotReady(f"{name} did not become ready: {failure}; the end of {log}:\n{_tail(log)}")


def free_ports(count: int) -> list[int]:
    """So many ports of the loopback interface that were free a moment ago, all different."""
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in sockets]


def _wait(service: Service, address: str) -> str | None:
    """Return None once the address answers 200, or what happened instead."""
    until = time.monotonic() + READY_WITHIN_S
    while time.monotonic() < until:
        if (code := service.process.poll()) is not None:
            return f"it ended with {code}"
        try:
            with urllib.request.urlopen(address, timeout=5) as answer:
                if answer.status == 200:
                    return None
        except OSError:
            time.sleep(0.05)
    return f"{address} did not answer 200 within {READY_WITHIN_S:.0f} s"


def _tail(log: Path, lines: int = 30) -> str:
    return "\n".join(log.read_text(errors="replace").splitlines()[-lines:])
