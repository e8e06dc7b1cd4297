"""A provider on this machine that answers as its path says, and counts the requests that reached it."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

HANGS_S = 2.0
"""So long a provider that hangs keeps its answer back; clients wait for less."""


class Provider:
    """``/charges`` says 201; ``/status/503`` says that; ``/once/503`` says it once and then 201; ``/moved`` sends on to
    ``/charges``; ``/hangs`` answers too late; ``/hangs-up`` closes the connection instead."""

    def __init__(self, reached: Callable[[], None]) -> None:
        said: set[str] = set()

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                self.rfile.read(int(self.headers.get("Content-Length", 0)))
                reached()
                kind, _, status = self.path.strip("/").partition("/")
                if kind == "hangs-up":
                    self.close_connection = True
                    return
                if kind == "hangs":
                    time.sleep(HANGS_S)
                code = int(status) if kind == "status" or (kind == "once" and self.path not in said) else 201
                said.add(self.path)
                with suppress(OSError):
                    self.send_response(307 if kind == "moved" else code)
                    if kind == "moved":
                        self.send_header("Location", "/charges")
                    self.send_header("Content-Length", "0")
                    self.end_headers()

            def log_message(self, format: str, *args: object) -> None:
                """Stay silent."""

        self._said = said
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def url(self, path: str) -> str:
        return f"http://127.0.0.1:{self._server.server_port}/{path}"

    def forget(self) -> None:
        """The next request to each path is its first."""
        self._said.clear()


def nobody() -> str:
    """An address at which nobody listens."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{free.getsockname()[1]}/charges"
