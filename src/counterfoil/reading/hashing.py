"""Hashes of requests and fingerprints of keys, made in this process so that neither content nor key leaves it.

Canonical JSON is RFC 8785: two spellings of one value have one hash. With a secret the hash is an HMAC, so that nobody
outside can guess a small request from its hash; the two kinds are never compared with each other.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from functools import lru_cache

import rfc8785

_HASH = re.compile(r"(?:hmac-)?sha256:[0-9a-f]{64}", re.ASCII)


def payload_hash(value: object, secret: bytes | None = None) -> str | None:
    """The hash of a JSON value; None where it has no canonical form (NaN, huge integer, lone surrogate, too deep)."""
    try:
        return _hash(rfc8785.dumps(value), secret)  # type: ignore[arg-type]
    except (ValueError, TypeError, RecursionError, UnicodeError):
        return None


@lru_cache(maxsize=65_536)
def fingerprint(key: str, secret: bytes | None = None) -> str:
    """An idempotency key, fit to be kept and shown: equal keys have equal fingerprints, and none can be read back.

    A fingerprint is its own fingerprint, so that evidence may be read again. Remembers 65,536 keys.
    """
    return key if _HASH.fullmatch(key) else _hash(key.encode("utf-8", "surrogatepass"), secret)


def _hash(content: bytes, secret: bytes | None) -> str:
    if secret is not None:
        return "hmac-sha256:" + hmac.new(secret, content, hashlib.sha256).hexdigest()
    return "sha256:" + hashlib.sha256(content).hexdigest()
