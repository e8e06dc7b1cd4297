"""An application as somebody deploys it: a program, environment variables, and nothing else."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from tests.shapes.received import Received

APPS = Path(__file__).parent / "apps"
BIN = Path(sys.executable).parent
ENDS_WITHIN_S = 60.0


@dataclass
class Running:
    """A server that was started. What it writes on standard error is kept, line by line."""

    process: subprocess.Popen[str]
    _lines: list[str] = field(default_factory=list)
    _more: threading.Condition = field(default_factory=threading.Condition)

    def follow(self) -> None:
        """Read until the stream ends; on a thread of its own."""
        assert self.process.stderr is not None
        for line in self.process.stderr:
            with self._more:
                self._lines.append(line)
                self._more.notify_all()
        with self._more:
            self._lines.append("")
            self._more.notify_all()

    def says(self, pattern: str, times: int = 1) -> re.Match[str]:
        """Wait until so many lines match, and give the last match."""
        found: list[re.Match[str]] = []

        def enough() -> bool:
            found[:] = [match for line in self._lines if (match := re.search(pattern, line))]
            return len(found) >= times or "" in self._lines

        with self._more:
            self._more.wait_for(enough, ENDS_WITHIN_S)
        assert len(found) >= times, f"it never said {pattern!r}:\n{self.text()}"
        return found[times - 1]

    def stop(self) -> None:
        """Ask it to end, as an orchestrator does, and wait until it has."""
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(ENDS_WITHIN_S)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"it did not end when it was asked to:\n{self.text()}") from None

    def text(self) -> str:
        return "".join(self._lines)


@dataclass(frozen=True)
class Application:
    """One application under test and what it sent. ``variables`` are all that it is told."""

    received: Received
    folder: Path
    variables: dict[str, str] = field(default_factory=dict)
    interpreter: Path = Path(sys.executable)

    def environment(self, **more: str) -> dict[str, str]:
        return {
            "PATH": f"{BIN}{os.pathsep}{os.defpath}",
            "HOME": str(self.folder),
            "COUNTERFOIL_ENABLED": "true",
            "OTEL_SERVICE_NAME": "shop",
            "OTEL_EXPORTER_OTLP_ENDPOINT": self.received.endpoint,
            "OTEL_EXPORTER_OTLP_PROTOCOL": "http/protobuf",
            **self.variables,
            **more,
        }

    def run(self, *command: str, **more: str) -> subprocess.CompletedProcess[str]:
        """Run it to its end, which must be a good one. A name that ends in ``.py`` is one of the programs in apps/."""
        done = subprocess.run(
            self._command(command),
            env=self.environment(**more),
            cwd=self.folder,
            capture_output=True,
            text=True,
            timeout=ENDS_WITHIN_S,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        assert "Traceback" not in done.stderr, done.stderr
        return done

    @contextmanager
    def serve(self, *command: str, **more: str) -> Iterator[Running]:
        """Run it until it is told to stop. It is ended in any case, with all its children."""
        with subprocess.Popen(
            self._command(command),
            env=self.environment(**more),
            cwd=self.folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        ) as process:
            running = Running(process)
            follower = threading.Thread(target=running.follow)
            follower.start()
            try:
                yield running
            finally:
                with suppress(ProcessLookupError):  # it ended, and so did its children
                    os.killpg(process.pid, signal.SIGKILL)
                follower.join()

    def _command(self, command: tuple[str, ...]) -> list[str]:
        words = [str(APPS / word) if word.endswith(".py") else word for word in command]
        return [str(self.interpreter) if words[0] == "python" else words[0], *words[1:]]
