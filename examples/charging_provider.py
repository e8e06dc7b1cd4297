"""A payment provider for the examples: it charges, loses its first answer, knows its keys, and shows what it holds."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass
class Provider:
    """``charges``: what was really done, in order. ``operations``: what each of them was asked for, by metadata."""

    url: str = ""
    charges: list[str] = field(default_factory=list)
    operations: list[str | None] = field(default_factory=list)
    keys: dict[str, str] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def charge(self, key: str | None, operation: str | None) -> tuple[str, bool]:
        """A charge for each request, but for those with a key that it has seen; and whether it is the first of all."""
        with self.lock:
            if key in self.keys:
                return self.keys[key], False
            name = f"pay_{len(self.charges) + 1}"
            self.charges.append(name)
            self.operations.append(operation)
            if key is not None:
                self.keys[key] = name
            return name, len(self.charges) == 1

    def found(self, operation: str) -> list[str]:
        """The charges that name this operation, as a provider's search by metadata gives them."""
        with self.lock:
            return [name for name, of in zip(self.charges, self.operations, strict=True) if of == operation]


@contextmanager
def charging_provider() -> Iterator[Provider]:
    """A running provider; ``POST url`` charges."""
    provider = Provider()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            operation = asked.get("metadata", {}).get("counterfoil_operation_id")
            name, is_first = provider.charge(self.headers.get("Idempotency-Key"), operation)
            if is_first:
                self.close_connection = True  # it has charged, and the line goes dead
                return
            answer = json.dumps({"id": name}).encode()
            self.send_response(201)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, format: str, *args: object) -> None:
            """Stay silent."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        provider.url = f"http://127.0.0.1:{server.server_port}/charges"
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield provider
        server.shutdown()
