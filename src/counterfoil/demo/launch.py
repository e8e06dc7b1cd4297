"""Starts the provider in a process of its own, and lays its plans."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx

from counterfoil.demo.provider.faults import Fault

PATIENCE_S = 60.0
"""So long the demo waits for the provider to answer itself, in seconds. Agents have limits of their own."""


@dataclass(frozen=True, slots=True)
class Provider:
    """A running provider, as the stories see it: where it is, and what they can make go wrong there."""

    url: str
    http: httpx.Client

    def plan(self, reference: str, *faults: Fault, ignores_keys: bool = False) -> None:
        """The requests for a reference will meet these faults, in order of arrival."""
        self._control("plan", {"reference": reference, "faults": list(faults), "ignores_keys": ignores_keys})

    def release(self, reference: str) -> None:
        """Let what is held for a reference be done. It is done when this returns."""
        self._control("release", {"reference": reference})

    def held(self, resource: str, reference: str) -> list[dict[str, object]]:
        """The authoritative look at what is held for a reference. Raises `httpx.HTTPError`: then nobody has looked."""
        answer = self.http.get(f"/truth/{resource}", params={"reference": reference})
        objects: list[dict[str, object]] = answer.raise_for_status().json()["objects"]
        return objects

    def _control(self, what: str, body: dict[str, object]) -> None:
        # The control is no part of the story: it stays out of the telemetry.
        from opentelemetry.instrumentation.utils import suppress_instrumentation

        with suppress_instrumentation():
            self.http.post(f"/control/{what}", json=body).raise_for_status()


@contextmanager
def provider(book: Path) -> Iterator[Provider]:
    """A provider with its book at this path. Its process ends with the block, or with ours."""
    command = [sys.executable, "-m", "counterfoil.demo.provider", str(book)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        first = process.stdout.readline()
        if not first:
            raise RuntimeError(f"the demo's provider did not start; to see why, run: {' '.join(command)}")
        try:
            url = f"http://127.0.0.1:{json.loads(first)['port']}"
            with httpx.Client(base_url=url, timeout=PATIENCE_S) as http:
                yield Provider(url, http)
        finally:
            process.stdin.close()
            process.wait(PATIENCE_S)
