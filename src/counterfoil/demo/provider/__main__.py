"""`python -m counterfoil.demo.provider BOOK`: serve on a free port of the loopback, and say which on standard output.

It ends when its standard input does, so it never outlives whoever started it.
"""

from __future__ import annotations

import json
import sys
import threading
from pathlib import Path

from counterfoil.demo.provider.server import serve


def main() -> None:
    server = serve(Path(sys.argv[1]))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(json.dumps({"port": server.server_port}), flush=True)
    sys.stdin.read()
    server.shutdown()
    server.close_book()


if __name__ == "__main__":
    main()
