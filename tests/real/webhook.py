"""A receiver of Alertmanager's webhooks that keeps the alerts it is told about."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

ARRIVES_WITHIN_S = 120.0


class Webhook:
    """The alerts so far, as Alertmanager describes them: `status`, `labels`, `annotations`, `startsAt`, ..."""

    def __init__(self, port: int) -> None:
        self.url = f"http://127.0.0.1:{port}/"
        self.alerts: list[dict[str, Any]] = []
        self._told = threading.Condition()

    def tell(self, alerts: list[dict[str, Any]]) -> None:
        """Keep what one call said."""
        with self._told:
            self.alerts.extend(alerts)
            self._told.notify_all()

    def wait(self, wanted: Callable[[dict[str, Any]], bool], what: str) -> dict[str, Any]:
        """Return the first alert that is wanted. Fails after two minutes, with the alerts that did arrive."""

        def found() -> dict[str, Any] | None:
            return next(filter(wanted, self.alerts), None)

        with self._told:
            alert = self._told.wait_for(found, ARRIVES_WITHIN_S)
        assert alert, f"no alert: {what}; told were {[(each['status'], each['labels']) for each in self.alerts]}"
        return alert


@contextmanager
def webhook() -> Iterator[Webhook]:
    """Run a Webhook on a free port."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            told.tell(json.loads(body)["alerts"])
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:
            """Stay silent."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        told = Webhook(server.server_port)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield told
        finally:
            server.shutdown()
