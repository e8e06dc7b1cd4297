"""A server that speaks S3, moto's: `python -m tests.archives.storing` prints its port.

It keeps objects in memory and looks at signatures only where it is told to.
"""

from __future__ import annotations

from moto.server import DomainDispatcherApplication, create_backend_app
from werkzeug.serving import make_server

if __name__ == "__main__":
    server = make_server("127.0.0.1", 0, DomainDispatcherApplication(create_backend_app), threaded=True)
    print(server.server_port, flush=True)
    server.serve_forever()
