"""What ClickHouse's HTTP interface answers, out of chDB: `python -m tests.archives.bridge FOLDER` prints its port.

There is no ClickHouse server in any registry that tests may use. chDB is ClickHouse's own engine in a process, so what
is asked and what is answered is real; the door is not. It knows no users, no sessions and no compression.
"""

from __future__ import annotations

import sys
from http.server import BaseHTTPRequestHandler, HTTPServer
from urllib.parse import parse_qs, urlsplit

from chdb.session import Session


class Door(BaseHTTPRequestHandler):
    """One question, one answer, one connection; the database is the one that is asked for."""

    session: Session

    def do_GET(self) -> None:
        self._send(200, b"Ok.\n")

    def do_POST(self) -> None:
        asked = {name: values[0] for name, values in parse_qs(urlsplit(self.path).query).items()}
        body = self.rfile.read(int(self.headers.get("content-length", 0))).decode()
        words = "\n".join(part for part in (asked.get("query", ""), body) if part)
        try:
            if "database" in asked:
                self.session.query(f"USE {asked['database']}")
            answer = self.session.query(words, asked.get("default_format", "TabSeparated")).bytes()
        except Exception as wrong:
            self._send(400, str(wrong).encode())
        else:
            self._send(200, answer or b"")

    def _send(self, status: int, body: bytes) -> None:
        self.send_response(status)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *values: object) -> None:
        """Nothing is logged."""


if __name__ == "__main__":
    Door.session = Session(sys.argv[1])
    server = HTTPServer(("127.0.0.1", 0), Door)
    print(server.server_port, flush=True)
    server.serve_forever()
