"""The bytes of a request, unpacked no further than they may be long: a small body can unpack to any size."""

from __future__ import annotations

import zlib

from counterfoil.reading.lines import unzipped
from counterfoil.serving.answers import Refused, Why


def unpacked(body: bytes, encoding: str, limit: int) -> bytes:
    """``encoding`` is the header's. At most a mebibyte past ``limit`` is ever unpacked. Raises `Refused`."""
    if len(body) > limit:
        raise Refused(Why.TOO_LARGE)
    if encoding in ("", "identity"):
        return body
    if encoding != "gzip":
        raise Refused(Why.UNSUPPORTED)
    if not body.startswith(b"\x1f\x8b"):
        raise Refused(Why.MALFORMED)
    parts: list[bytes] = []
    size = 0
    try:
        for part in unzipped([body]):
            size += len(part)
            if size > limit:
                raise Refused(Why.TOO_LARGE)
            parts.append(part)
    except (zlib.error, EOFError):
        raise Refused(Why.MALFORMED) from None
    return b"".join(parts)
