"""An OTLP/HTTP receiver in a process of its own: `python -m prove.telemetry.receiver FOLDER`.

It keeps what it is sent under the first part of the path, `/<cohort>/v1/traces`. Of the cohort `duplicated` it takes
every fourth request in and then says that it could not, so that the exporter sends it again.
"""

from __future__ import annotations

import gzip
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from prove.serving import body_of, served
from prove.telemetry.lines import framed

REFUSED_EVERY = 4


class Receiver:
    """Keeps requests as they came; nothing is decoded while agents run."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._taken: Counter[str] = Counter()

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        body = await body_of(receive)
        headers = dict(scope["headers"])
        if headers.get(b"content-encoding") == b"gzip":
            body = gzip.decompress(body)
        cohort, _, signal = scope["path"].strip("/").partition("/v1/")
        if signal == "traces":
            with (self._folder / f"{cohort}.bin").open("ab") as file:
                file.write(framed(body))
        self._taken[cohort] += 1
        refused = cohort.startswith("duplicated") and self._taken[cohort] % REFUSED_EVERY == 0
        kind = (b"content-type", b"application/x-protobuf")
        start = {"type": "http.response.start", "status": 503 if refused else 200}
        await send({**start, "headers": [kind, (b"content-length", b"0"), *([(b"retry-after", b"0")] * refused)]})
        await send({"type": "http.response.body", "body": b""})


if __name__ == "__main__":
    served(Receiver(Path(sys.argv[1])))
