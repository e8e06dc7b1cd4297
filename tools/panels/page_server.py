"""Serves the page, one dashboard and a Prometheus behind one address, and waits for what the page reports."""

from __future__ import annotations

import json
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

TYPES = {".html": "text/html; charset=utf-8", ".js": "text/javascript", ".css": "text/css", ".json": "application/json"}


@dataclass
class Served:
    """A page that is being served. `fates` are there once `reported` is set: what became of each panel, by title."""

    address: str
    reported: threading.Event = field(default_factory=threading.Event)
    fates: dict[str, dict[str, str]] = field(default_factory=dict)


@contextmanager
def serve(page: Path, dashboard: Path, prometheus: str) -> Iterator[Served]:
    """Serve on a free port of the loopback interface until the block ends."""
    served = Served("")

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            path = self.path.partition("?")[0].lstrip("/") or "index.html"
            if path.startswith("prom/"):
                self._forward(f"{prometheus}/{self.path.removeprefix('/prom/')}")
            elif path == "dashboard.json":
                self._answer(200, dashboard.read_bytes(), TYPES[".json"])
            elif (file := page / path).is_file():
                self._answer(200, file.read_bytes(), TYPES.get(file.suffix, "application/octet-stream"))
            else:
                self._answer(404, b"", "text/plain")

        def do_POST(self) -> None:
            said: dict[str, Any] = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            served.fates.update(said)
            self._answer(204, b"", "text/plain")
            served.reported.set()

        def _forward(self, url: str) -> None:
            try:
                with urllib.request.urlopen(url, timeout=60) as answer:
                    self._answer(answer.status, answer.read(), TYPES[".json"])
            except urllib.error.HTTPError as refusal:
                self._answer(refusal.code, refusal.read(), TYPES[".json"])

        def _answer(self, status: int, body: bytes, kind: str) -> None:
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Quiet."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        served.address = f"http://127.0.0.1:{server.server_address[1]}"
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield served
        finally:
            server.shutdown()
            thread.join()
