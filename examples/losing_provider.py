"""A payment provider for the examples: it charges, loses its answer, and tells by webhook what it did."""

from __future__ import annotations

import json
import threading
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Provider(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.close_connection = True  # it has charged, and the line goes dead: no answer is ever sent
        event = {"type": "charge.succeeded", "id": "pay_1", "metadata": asked["metadata"]}
        words = {"Content-Type": "application/json"}
        threading.Thread(
            target=urllib.request.urlopen,
            args=[urllib.request.Request(asked["webhook"], json.dumps(event).encode(), words)],
        ).start()

    def log_message(self, format: str, *args: object) -> None:
        """Stay silent."""


@contextmanager
def losing_provider() -> Iterator[str]:
    """Where the provider is, for as long as it runs."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Provider) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/charges"
        server.shutdown()
