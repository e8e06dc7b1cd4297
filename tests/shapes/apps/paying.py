"""A tool that sends a charge, gets no good answer, and sends it again; and a request that no tool sends.

Usage: paying.py [KEY]: the idempotency key of the charges, none if it is left out.
"""

import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpx
from opentelemetry import trace


class Provider(BaseHTTPRequestHandler):
    """Says 503 to every first request, and 201 to every second."""

    asked = 0

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        Provider.asked += 1
        self.send_response(503 if Provider.asked % 2 else 201)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Stay silent."""


server = ThreadingHTTPServer(("127.0.0.1", 0), Provider)
threading.Thread(target=server.serve_forever, daemon=True).start()
headers = {"Idempotency-Key": sys.argv[1]} if len(sys.argv) > 1 else {}


def send() -> None:
    httpx.post(f"http://127.0.0.1:{server.server_port}/charges", headers=headers, json={"amount": 5}, timeout=30)


about = {
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": "charge",
    "gen_ai.tool.call.id": "call-1",
    "gen_ai.tool.call.arguments": '{"amount": 5}',
    "counterfoil.operation.id": "order-1",
}
with trace.get_tracer("shop").start_as_current_span("execute_tool charge", attributes=about) as span:
    send()
    send()
    span.set_attribute("gen_ai.tool.call.result", '{"id": "ch_1"}')
send()
