"""The provider's HTTP: three resources, the authoritative look, and the stories' control of what goes wrong."""

from __future__ import annotations

import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from counterfoil.demo.provider.service import Answer, HangUp, Service
from counterfoil.demo.provider.truth import BookOfTruth

MAX_BODY = 65_536
"""The longest request body that is read, in bytes."""

RELEASE_WITHIN_S = 30.0


class ProviderServer(ThreadingHTTPServer):
    """Listens on the loopback only. Threads are daemons: a held request doesn't keep the process alive."""

    daemon_threads = True
    block_on_close = False

    def __init__(self, book: BookOfTruth) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.service = Service(book)
        self._book = book

    def close_book(self) -> None:
        self.server_close()
        self._book.close()


class Handler(BaseHTTPRequestHandler):
    """One connection, one request: the answer closes it, as does the lack of one."""

    server: ProviderServer

    def do_GET(self) -> None:
        """`/v1/<resource>` and `/truth/<resource>`, both with `?reference=`."""
        url = urlsplit(self.path)
        reference = parse_qs(url.query).get("reference", [""])[0]
        match url.path.strip("/").split("/"):
            case ["v1" | "truth", resource]:
                self._send(self.server.service.held(resource, reference))
            case _:
                self._send(Answer(404, {}))

    def do_POST(self) -> None:
        """`/v1/<resource>` makes an object; `/control/plan` and `/control/release` are for the stories."""
        try:
            body = json.loads(self.rfile.read(min(int(self.headers.get("Content-Length", 0)), MAX_BODY)))
            self._send(self._answer(body))
        except HangUp:
            self.close_connection = True
        except (ValueError, KeyError, TypeError):
            self._send(Answer(400, {}))

    def _answer(self, body: dict[str, object]) -> Answer:
        service = self.server.service
        match urlsplit(self.path).path.strip("/").split("/"):
            case ["v1", resource]:
                return service.create(resource, self.headers.get("Idempotency-Key"), body)
            case ["control", "plan"]:
                faults = [str(fault) for fault in _list(body["faults"])]
                service.plans.lay(str(body["reference"]), faults, ignores_keys=bool(body["ignores_keys"]))
                return Answer(200, {})
            case ["control", "release"]:
                done = service.plans.release(str(body["reference"]), RELEASE_WITHIN_S)
                return Answer(200 if done else 504, {})
            case _:
                return Answer(404, {})

    def _send(self, answer: Answer) -> None:
        body = json.dumps(answer.body).encode()
        try:
            self.send_response(answer.status)
            for name, value in (*answer.headers.items(), ("Content-Type", "application/json")):
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
        except OSError:  # the client has gone; what was done stays done
            self.close_connection = True

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing: the demo's own words are on the terminal."""


def serve(book: Path) -> ProviderServer:
    """A server on a free port, with its book at this path. It answers once `serve_forever` runs."""
    return ProviderServer(BookOfTruth(book))


def _list(value: object) -> list[object]:
    if not isinstance(value, list):
        raise TypeError("not a list")
    return value
